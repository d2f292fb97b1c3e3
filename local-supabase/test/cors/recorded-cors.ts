import { readFileSync } from 'node:fs';

export interface CorsAnswer {
  readonly status: number;
  /** The headers of the CORS protocol, `allow` and `vary`; one that is not named is absent. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A request with the answer of a real service, which no gateway has seen. */
export interface RecordedCors {
  readonly id: string;
  /** Whose key is sent as `apikey` and as bearer token; `bad` is no token. */
  readonly as: 'service' | 'anon' | 'bad' | null;
  readonly method: string;
  /** As a project has it. `{{location}}` is the one that the last response named. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly response: CorsAnswer;
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

/** Sends the requests in their order. */
export function createCorsReplay({ anonKey, serviceRoleKey, send }: CorsTarget) {
  let location = '';
  return async ({ as, method, path, headers, body }: RecordedCors): Promise<CorsAnswer> => {
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

/** Without `Vary: Accept-Encoding`: the embedded server compresses nothing. */
const corsHeaders = (headers: Headers) =>
  Object.fromEntries(
    [...headers].filter(
      ([name, value]) =>
        /^(?:access-control-.*|allow|vary)$/.test(name) && value.toLowerCase() !== 'accept-encoding',
    ),
  );

/** What a hosted project's gateway answers to each preflight, and adds to each other response. */
export function throughGateway({ method, headers, response }: RecordedCors): CorsAnswer {
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
