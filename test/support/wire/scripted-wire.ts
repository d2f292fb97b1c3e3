import type { FetchFunction } from '../../../src/platform/platform.ts';

export interface SentRequest {
  readonly method: string;
  /** Path below the wire's base path, with the query. */
  readonly path: string;
  readonly headers: Headers;
  /** The body as JSON; null without a body, or for one that is not JSON. */
  readonly body: Record<string, unknown> | null;
}

/** A response, what fetch throws, or a function of the request. */
export type Reply = Response | Error | ((request: SentRequest) => Response | Promise<Response>);

/** A wire whose replies a test writes, in order or by route: for replies that a healthy server does not send. */
export interface ScriptedWire {
  readonly fetch: FetchFunction;
  /** The requests, their bodies unread. */
  readonly requests: readonly Request[];
  /** The same requests, decoded. */
  readonly sent: readonly SentRequest[];
  /** `METHOD /path?query` of all requests. */
  readonly lines: readonly string[];
  /** The next pending requests get these, in order. */
  next(...replies: Reply[]): void;
  /** All other requests to this method and path (without query) get this. */
  on(route: string, reply: Reply): void;
  /** All requests without another reply get this. Without it, they fail. */
  otherwise(reply: Reply): void;
}

/** Creates a wire with an empty script. @param basePath is left out of the recorded paths and of routes. */
export function createScriptedWire(basePath = ''): ScriptedWire {
  const requests: Request[] = [];
  const sent: SentRequest[] = [];
  const queue: Reply[] = [];
  const routes = new Map<string, Reply>();
  let fallback: Reply | undefined;
  return {
    requests,
    sent,
    get lines() {
      return sent.map(({ method, path }) => `${method} ${path}`);
    },
    next: (...replies) => void queue.push(...replies),
    on: (route, reply) => void routes.set(route, reply),
    otherwise: (reply) => void (fallback = reply),
    async fetch(input, init) {
      const request = new Request(input, init);
      requests.push(request);
      const { pathname, search } = new URL(request.url);
      const path = pathname.replace(basePath, '');
      const { method, headers } = request;
      const body = parseJson(await request.clone().text());
      const entry: SentRequest = { method, path: path + search, headers, body };
      sent.push(entry);
      const reply = queue.shift() ?? routes.get(`${method} ${path}`) ?? fallback;
      if (!reply) throw new TypeError(`Nothing is scripted for ${method} ${entry.path}`);
      if (reply instanceof Error) throw reply;
      // A reply may serve many requests, and the body of a response is read once.
      if (reply instanceof Response) return reply.clone();
      return Promise.race([reply(entry), aborted(request.signal)]);
    },
  };
}

function parseJson(text: string): Record<string, unknown> | null {
  try {
    return text === '' ? null : (JSON.parse(text) as Record<string, unknown>);
  } catch {
    return null;
  }
}

/** As with the real fetch, an abort ends a pending reply. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  });
}
