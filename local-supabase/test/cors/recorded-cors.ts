import { readFileSync } from 'node:fs';

export interface CorsResponse {
  readonly status: number;
  /** The headers of the CORS protocol, `allow` and `vary`; others must be absent. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A request with the response of a real service without a gateway. */
export interface RecordedCors {
  readonly id: string;
  /** The owner of the key in `apikey` and in the bearer token; `bad` is an invalid token. */
  readonly as: 'service' | 'anon' | 'bad' | null;
  readonly method: string;
  /** The path in a project. `{{location}}` is the `Location` of the last response. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly response: CorsResponse;
}

export const RECORDED_CORS = new URL('./recorded.jsonl', import.meta.url);

export const readRecordedCors = (): readonly RecordedCors[] =>
  readFileSync(RECORDED_CORS, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordedCors);

interface CorsTarget {
  readonly anonKey: string;
  readonly serviceRoleKey: string;
  send(path: string, init: RequestInit): Promise<Response>;
}

/** Sends the requests in order. */
export function createCorsReplay({ anonKey, serviceRoleKey, send }: CorsTarget) {
  let location = '';
  return async ({ as, method, path, headers, body }: RecordedCors): Promise<CorsResponse> => {
    const key = as === 'service' ? serviceRoleKey : anonKey;
    const response = await send(path.replace('{{location}}', location), {
      method,
      redirect: 'manual',
      headers: {
        ...(as === null ? {} : { apikey: key, authorization: `Bearer ${as === 'bad' ? 'a.b.c' : key}` }),
        ...headers,
      },
      ...(body === null ? {} : { body }),
    });
    await response.arrayBuffer();
    location = response.headers.get('location')?.replace(/^.*(?=\/upload\/)/, '/storage/v1') ?? location;
    return { status: response.status, headers: corsHeaders(response.headers) };
  };
}

/** Ignores `Vary: Accept-Encoding`, because the embedded server does not compress. */
const corsHeaders = (headers: Headers) =>
  Object.fromEntries(
    [...headers].filter(
      ([name, value]) =>
        /^(?:access-control-.*|allow|vary)$/.test(name) && value.toLowerCase() !== 'accept-encoding',
    ),
  );

/** Applies a hosted project's gateway, which responds to preflights itself and adds headers to other responses. */
export function throughGateway({ method, headers, response }: RecordedCors): CorsResponse {
  const requested = headers['access-control-request-headers'];
  if (method === 'OPTIONS' && headers['origin'] && headers['access-control-request-method'])
    return {
      status: 200,
      headers: {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT',
        'access-control-max-age': '3600',
        ...(requested === undefined ? {} : { 'access-control-allow-headers': requested }),
      },
    };
  return { status: response.status, headers: { ...response.headers, 'access-control-allow-origin': '*' } };
}
