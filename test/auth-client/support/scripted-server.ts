import type { FetchFunction } from '../../../src/platform/platform.ts';

/** What the client put on the wire. */
export interface SentRequest {
  readonly method: string;
  /** Path below /auth/v1, with the query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: Record<string, unknown> | null;
}

type Answer = Response | ((request: SentRequest) => Response | Promise<Response>);

/** A wire whose replies a test writes, in order or by route: for what a healthy server does not say. */
export interface ScriptedServer {
  readonly fetch: FetchFunction;
  readonly sent: readonly SentRequest[];
  /** The next unanswered requests get these, in order. */
  next(...answers: Answer[]): void;
  /** All other requests to this method and path (without query) get this. */
  on(route: string, answer: (request: SentRequest) => Response | Promise<Response>): void;
  /** `METHOD /path?query` of all requests. */
  readonly lines: readonly string[];
}

export function createScriptedServer(): ScriptedServer {
  const sent: SentRequest[] = [];
  const queue: Answer[] = [];
  const routes = new Map<string, (request: SentRequest) => Response | Promise<Response>>();
  return {
    sent,
    get lines() {
      return sent.map(({ method, path }) => `${method} ${path}`);
    },
    next: (...answers) => void queue.push(...answers),
    on: (route, answer) => void routes.set(route, answer),
    async fetch(input, init) {
      const request = new Request(input, init);
      const url = new URL(request.url);
      const text = await request.clone().text();
      const entry: SentRequest = {
        method: request.method,
        path: url.pathname.replace('/auth/v1', '') + url.search,
        headers: request.headers,
        body: text ? (JSON.parse(text) as Record<string, unknown>) : null,
      };
      sent.push(entry);
      const answer = queue.shift() ?? routes.get(`${entry.method} ${url.pathname.replace('/auth/v1', '')}`);
      if (!answer) throw new TypeError(`Nothing is scripted for ${entry.method} ${entry.path}`);
      const reply = answer instanceof Response ? answer : answer(entry);
      // As the real fetch does, an abort ends a pending reply.
      return Promise.race([reply, aborted(request.signal)]);
    },
  };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  });
}

export const userOf = (id: string, more: object = {}) => ({
  id,
  email: `${id}@example.com`,
  app_metadata: {},
  user_metadata: {},
  identities: [],
  ...more,
});

/** A reply with tokens; the access token's payload names the user. */
export function sessionReply(id: string, serial: number | string, more: object = {}) {
  return {
    access_token: tokenOf(id, serial),
    token_type: 'bearer',
    expires_in: 3600,
    expires_at: 1_767_229_200,
    refresh_token: `refresh-${id}-${serial}`,
    user: userOf(id),
    ...more,
  };
}

export function tokenOf(sub: string, serial: number | string, claims: object = {}): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub, serial, ...claims })}.c2ln`;
}

/** An error of the form that the version header asks for. */
export const refusal = (status: number, code: string, message = code, more: object = {}) =>
  Response.json({ code, message, ...more }, { status });

export const page = (status: number) =>
  new Response('<html><body>Bad gateway</body></html>', { status, headers: { 'Content-Type': 'text/html' } });

/** A promise and its ends. */
export function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (problem: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
