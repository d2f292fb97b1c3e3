import { isStream } from '../platform/http.ts';
import { FunctionsError } from './errors.ts';

/** A request body and its media type, which is missing where the runtime sets it. */
export interface EncodedBody {
  readonly body?: BodyInit;
  readonly type?: string;
}

/**
 * Encodes the body of a call: text, bytes and forms unchanged, anything else as JSON. A stream is read first, because
 * fetch sends none by HTTP/1.1.
 *
 * @throws {FunctionsError} `invalid-body`
 */
export async function encodeBody(body: unknown): Promise<EncodedBody> {
  try {
    return encode(isStream(body) ? await new Response(body).blob() : body);
  } catch (cause) {
    throw new FunctionsError('invalid-body', 'The body cannot be encoded', { cause });
  }
}

function encode(body: unknown): EncodedBody {
  if (body === undefined) return {};
  if (typeof body === 'string') return { body, type: 'text/plain' };
  if (body instanceof Blob) return { body, type: body.type || 'application/octet-stream' };
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) {
    return { body: body as BufferSource, type: 'application/octet-stream' };
  }
  // fetch sets the type, with the boundary of a form's parts.
  if (body instanceof FormData || body instanceof URLSearchParams) return { body };
  const json = JSON.stringify(body) as string | undefined;
  if (json === undefined) throw new TypeError(`JSON has no ${typeof body}`);
  return { body: json, type: 'application/json' };
}

/**
 * Reads a response by its content type: JSON, text, a form, or a Blob of anything else.
 *
 * @throws {FunctionsError} `invalid-result` for JSON that does not parse.
 */
export async function decodeBody(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? 'text/plain';
  if (isJsonType(type)) {
    const text = await response.text();
    return text ? parseJson(text, response.status) : null;
  }
  if (type.startsWith('text/')) return response.text();
  return type === 'multipart/form-data' ? response.formData() : response.blob();
}

/** `application/json` and structured suffixes such as `application/problem+json` (RFC 6839 §3.1). */
function isJsonType(type: string): boolean {
  return type === 'application/json' || (type.startsWith('application/') && type.endsWith('+json'));
}

function parseJson(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = 'The response is not the JSON that its content type announces';
    throw new FunctionsError('invalid-result', message, { status, body: text, cause });
  }
}
