import { assert, UnmetExpectationError } from './assertion.ts';

export type WireFetch = (url: string, init: RequestInit) => Promise<Response>;

export interface WireResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
}

export interface WireRequest {
  readonly body?: unknown;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

/** Sends requests to one service and returns every response, including redirects and errors. */
export interface Wire {
  readonly baseUrl: string;
  send(method: string, path: string, request?: WireRequest): Promise<WireResponse>;
}

export function createWire(baseUrl: string, apiKey: string, fetch: WireFetch): Wire {
  return {
    baseUrl,
    async send(method, path, { body, token, headers = {}, query = {} } = {}) {
      const url = new URL(path.startsWith('http') ? path : baseUrl + path);
      for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value);
      assertComplete(method, url);
      const response = await fetch(url.href, {
        method,
        redirect: 'manual',
        headers: {
          ...(apiKey === '' ? {} : { apikey: apiKey }),
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json;charset=UTF-8' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, json: parseJson(text) };
    },
  };
}

/** Rejects a request with a value that an earlier response lacked: otherwise its refusal would count against the server. */
function assertComplete(method: string, url: URL): void {
  const lacking = [url.pathname, ...url.searchParams.values()].filter((text) => /\bundefined\b/.test(text));
  if (lacking.length > 0)
    assert.fail(
      `an earlier response has each value of the request ${method} ${url.pathname}`,
      lacking.join(', '),
    );
}

/** Parses JSON; undefined for invalid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The unverified claims of a JWT, or its header with `part` 0. */
export function jwtPartOf(token: unknown, part: 0 | 1 = 1): unknown {
  return parseJson(Buffer.from(String(token).split('.')[part] ?? '', 'base64url').toString());
}

/** Asserts a refusal by the gateway. PostgREST behind it also refuses anonymous requests with 401, but with other codes. */
export function assertRefusedKey(response: WireResponse): void {
  assertStatus(response, 401);
  const code = at(response.json, 'code');
  const isOfService = typeof code === 'string' && /^(?:PGRST\w+|[\dA-Z]{5})$/.test(code);
  assert.ok(
    !isOfService,
    'the gateway refuses the request',
    `the service behind it responded with ${describe(response)}`,
  );
}

/** The value at `path` in a JSON value; undefined if the path does not exist. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const step of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Record<string | number, unknown>)[step];
  }
  return found;
}

/** The URL that a redirect leads to. @throws {TypeError} without the header `Location`. */
export const locationOf = ({ headers }: WireResponse): URL => new URL(headers.get('location') ?? '');

/** The string at `path`; fails the audit if it is not a string. */
export function textAt(response: WireResponse, ...path: readonly (string | number)[]): string {
  const found = at(response.json, ...path);
  if (typeof found === 'string') return found;
  return assert.fail(`the response has a string at ${path.join('.')}`, describe(response));
}

/** A response with another status or code than the audit expects. */
export class UnexpectedResponseError extends UnmetExpectationError {
  override readonly name = 'UnexpectedResponseError';
  readonly response: WireResponse;
  constructor(response: WireResponse, expectation: string) {
    super(expectation, describe(response));
    this.response = response;
  }
}

/** @throws UnexpectedResponseError if the response has another status. */
export function assertStatus(response: WireResponse, status: number): void {
  assertStatusIn(response, [status]);
}

/** @throws UnexpectedResponseError if the response has none of the statuses. */
export function assertStatusIn(response: WireResponse, statuses: readonly number[]): void {
  if (!statuses.includes(response.status))
    throw new UnexpectedResponseError(response, `the response has the status ${statuses.join(' or ')}`);
}

/** Asserts status and error code, in the format that the version header selects, and that a message is not empty. */
export function assertError(response: WireResponse, status: number, code: string): void {
  assertStatus(response, status);
  const found = at(response.json, 'code') ?? at(response.json, 'error_code');
  if (found !== code)
    throw new UnexpectedResponseError(response, `the response has the status ${status} and the code ${code}`);
  if (at(response.json, 'message') === '' || at(response.json, 'msg') === '')
    throw new UnexpectedResponseError(response, 'the error has a message');
}

/** Formats a response as one line. */
export function describe({ status, text }: WireResponse): string {
  return `${status} ${text}`;
}

const resetCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'UND_ERR_SOCKET']);

/** Retries a request on a connection that the server had just closed as idle, which a busy client notices too late. */
export async function fetchAgainWhereReset(
  fetch: WireFetch,
  input: string,
  init: RequestInit,
): Promise<Response> {
  try {
    return await fetch(input, init);
  } catch (problem) {
    const isReset = problem instanceof TypeError && resetCodes.has(at(problem.cause, 'code'));
    if (!isReset || init.body instanceof ReadableStream) throw problem;
    return fetch(input, init);
  }
}
