import { FunctionsError } from './errors.ts';

/**
 * What a function can be sent: as it is, or anything else as JSON. A stream is read first, for HTTP/1.1 takes none.
 *
 * @throws {FunctionsError} `invalid-body`
 */
export async function encodeBody(body: unknown): Promise<{ body?: BodyInit; type?: string }> {
  try {
    return encode(body instanceof ReadableStream ? await new Response(body).blob() : body);
  } catch (cause) {
    throw new FunctionsError('invalid-body', 'The body cannot be sent', { cause });
  }
}

function encode(body: unknown): { body?: BodyInit; type?: string } {
  if (body === undefined) return {};
  if (typeof body === 'string') return { body, type: 'text/plain' };
  if (body instanceof Blob) return { body, type: body.type || 'application/octet-stream' };
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) {
    return { body: body as BufferSource, type: 'application/octet-stream' };
  }
  // The browser names the type, with the boundary of a form's parts.
  if (body instanceof FormData || body instanceof URLSearchParams) return { body };
  return { body: JSON.stringify(body), type: 'application/json' };
}

/** An answer by its content type: JSON, text, a form, or a Blob of anything else. */
export async function decodeBody(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? 'text/plain';
  if (/^application\/(.+\+)?json$/.test(type)) {
    const text = await response.text();
    return text ? parseJson(text, response.status) : null;
  }
  if (type.startsWith('text/')) return response.text();
  return type === 'multipart/form-data' ? response.formData() : response.blob();
}

function parseJson(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FunctionsError('invalid-result', 'The answer is not the JSON that it says', {
      status,
      body: text,
      cause,
    });
  }
}
