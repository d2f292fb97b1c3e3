import { decodeUtf8, encodeUtf8, utf8Length } from '../../../platform/bytes.ts';
import { badRequest, AuthHttpError } from './errors.ts';
import { isIpAddress } from './ip-address.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A request with its parsed values, and the headers that the route adds to the response. */
export interface Call {
  readonly request: Request;
  readonly url: URL;
  /** A parameter of the route's path; '' if the path has none of this name. */
  param(name: string): string;
  /** The caller's address: the first valid one of X-Forwarded-For, else the loopback address. */
  readonly ip: string;
  readonly userAgent: string;
  /** The service's own URL, without a slash at the end. */
  readonly authUrl: string;
  readonly responseHeaders: Headers;
  /** The parsed JSON body. Throws 400 bad_json; 413 above one megabyte. */
  json(): Promise<JsonObject>;
  /** As `json`, but ignores what follows the first JSON value, as Go's decoder of streams does. */
  firstJson(): Promise<JsonObject>;
  /** The raw body; a byte order mark is kept. */
  text(): Promise<string>;
}

/** Reads a parameter or a header; '' if it is missing. */
export const readParam = (params: URLSearchParams | Headers, name: string): string => params.get(name) ?? '';

const maxBodyBytes = 1 << 20;
const loopback = '127.0.0.1';

function addressOf(headers: Headers): string {
  const forwarded = readParam(headers, 'x-forwarded-for')
    .split(',')
    .map((part) => part.trim());
  return forwarded.find((part) => isIpAddress(part)) ?? loopback;
}

/** True when parsing failed because the JSON text ends too early. */
function isTruncatedJson(text: string, error: unknown): boolean {
  const [, position] = /position (\d+)/.exec(String(error)) ?? [];
  return text.trim() === '' || /end of JSON/.test(String(error)) || Number(position) === text.length;
}

function parseJson(text: string): JsonObject {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    const detail = isTruncatedJson(text, error) ? 'unexpected end of JSON input' : (error as Error).message;
    throw badRequest('bad_json', `Could not parse request body as JSON: ${detail}`);
  }
  if (parsed === null) return {};
  if (typeof parsed !== 'object' || Array.isArray(parsed))
    throw badRequest(
      'bad_json',
      `Could not parse request body as JSON: json: cannot unmarshal ${goType(parsed)} into Go value`,
    );
  return parsed as JsonObject;
}

/** Returns the first JSON value of the text; Go's decoder ignores what follows. */
function firstValueOf(text: string): string {
  try {
    JSON.parse(text);
  } catch (error) {
    const [, position] = /non-whitespace character after JSON at position (\d+)/.exec(String(error)) ?? [];
    if (position !== undefined) return text.slice(0, Number(position));
  }
  return text;
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function mismatch(field: string, value: unknown, expected: string): AuthHttpError {
  const message = `json: cannot unmarshal ${goType(value)} into Go struct field .${field} of type ${expected}`;
  return badRequest('bad_json', `Could not parse request body as JSON: ${message}`);
}

/** Folds a member's name as Go's JSON decoder does: U+017F is an `s`, U+212A a `k`. */
const foldName = (name: string): string => name.replaceAll('\u017f', 's').toLowerCase();

/** The value of a member; undefined when it is missing. The name matches without regard to case; of several spellings the last one wins. */
export function readMember(body: JsonObject, field: string): unknown {
  const name = Object.keys(body).findLast((key) => foldName(key) === foldName(field));
  return name === undefined ? undefined : body[name];
}

/** Reads a string; missing and null are ''. Throws 400 bad_json for another type. */
export function readText(body: JsonObject, field: string): string {
  return readOptionalText(body, field) ?? '';
}

/** Reads an optional string. Throws 400 bad_json for another type. */
export function readOptionalText(body: JsonObject, field: string): string | undefined {
  const value = readMember(body, field);
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw mismatch(field, value, 'string');
  return value;
}

/** Reads a boolean; missing and null are `fallback`. Throws 400 bad_json for another type. */
export function readFlag(body: JsonObject, field: string, fallback = false): boolean {
  const value = readMember(body, field);
  if (value === undefined || value === null) return fallback;
  if (typeof value !== 'boolean') throw mismatch(field, value, 'bool');
  return value;
}

/** Reads an optional object. Throws 400 bad_json for another type. */
export function readObject(body: JsonObject, field: string): JsonObject | undefined {
  const value = readMember(body, field);
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value))
    throw mismatch(field, value, 'map[string]interface {}');
  return value as JsonObject;
}

/** Reads an optional list of strings. Throws 400 bad_json for another type. */
export function readTexts(body: JsonObject, field: string): readonly string[] | undefined {
  const value = readMember(body, field);
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw mismatch(field, value, '[]string');
  const wrong: unknown = value.find((item) => typeof item !== 'string');
  if (wrong !== undefined) throw mismatch(field, wrong, 'string');
  return value;
}

/** Parses the first JSON value of a body. Throws 400 bad_json with `message` for invalid JSON and another shape. */
export async function parseFirstJson<T>(
  call: Call,
  parse: (body: JsonObject) => T,
  message: string,
): Promise<T> {
  try {
    return parse(await call.firstJson());
  } catch (error) {
    if (error instanceof AuthHttpError && error.code === 'bad_json')
      throw badRequest('bad_json', message, error);
    throw error;
  }
}

/** Wraps `request`; `authUrl` is the URL under which clients reach the service. */
export function createCall(
  request: Request,
  params: Readonly<Record<string, string>>,
  authUrl: string,
): Call {
  let body: Promise<string> | undefined;
  const text = async (): Promise<string> => {
    body ??= request.arrayBuffer().then(decodeUtf8);
    const content = await body;
    if (utf8Length(content) > maxBodyBytes)
      throw new AuthHttpError(
        413,
        'request_entity_too_large',
        `Request body too large (max ${maxBodyBytes} bytes)`,
      );
    return content;
  };
  return {
    request,
    url: new URL(request.url),
    param: (name) => params[name] ?? '',
    ip: addressOf(request.headers),
    userAgent: readParam(request.headers, 'user-agent'),
    authUrl,
    responseHeaders: new Headers(),
    text,
    json: async () => parseJson(await text()),
    firstJson: async () => parseJson(firstValueOf(await text())),
  };
}

/** A JSON response with the headers that the route has added. */
export function sendJson(call: Call, body: unknown, status = 200): Response {
  const headers = new Headers(call.responseHeaders);
  headers.set('Content-Type', 'application/json');
  return new Response(JSON.stringify(body), { status, headers });
}

/** Percent-encodes the characters that a header cannot carry. */
const encodeNonAscii = (url: string): string =>
  url.replaceAll(/\P{ASCII}+/gu, (part) =>
    Array.from(encodeUtf8(part), (byte) => `%${byte.toString(16)}`).join(''),
  );

/** A redirect; 303 unless the flow began with a GET to a provider (302). */
export function sendRedirect(call: Call, location: string, status: 302 | 303 = 303): Response {
  const headers = new Headers(call.responseHeaders);
  headers.set('Location', encodeNonAscii(location));
  return new Response(null, { status, headers });
}
