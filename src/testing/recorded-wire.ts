import type { FetchFunction } from '../platform/platform.ts';

/** A request that a client sent. */
export interface RecordedRequest {
  /** HTTP method, in upper case. */
  readonly method: string;
  /** Path of the URL with the query string: `/rest/v1/notifications?select=id`. */
  readonly path: string;
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body: parsed where it is JSON, else its text; null without one. */
  readonly body: unknown;
}

/** A response, or a function of the request. An error of the function becomes a network failure. */
export type Reply = Response | ((request: RecordedRequest) => Response | Promise<Response>);

/** A fetch that responds from a script and records the requests. */
export interface RecordedWire {
  /** For `createPlatform({ fetch })`. A request without a reply in the script rejects with a TypeError. */
  readonly fetch: FetchFunction;
  /** All requests, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Responds to the next requests, in this order, before any route. */
  next(...replies: readonly Reply[]): void;
  /** Responds to every request of this method and path: `on('GET /rest/v1/notifications', …)`, without the query string. */
  on(route: string, reply: Reply): void;
}

/** Creates a wire with an empty script. */
export function createRecordedWire(): RecordedWire {
  const requests: RecordedRequest[] = [];
  const queue: Reply[] = [];
  const routes = new Map<string, Reply>();
  return {
    requests,
    next: (...replies) => void queue.push(...replies),
    on: (route, reply) => void routes.set(route, reply),
    async fetch(input, init) {
      const sent = new Request(input, init);
      const { pathname, search } = new URL(sent.url);
      const text = await sent.text();
      const request: RecordedRequest = {
        method: sent.method,
        path: pathname + search,
        headers: Object.fromEntries(sent.headers),
        body: text === '' ? null : parseJsonOrText(text),
      };
      requests.push(request);
      const route = `${sent.method} ${pathname}`;
      const reply = queue.shift() ?? routes.get(route);
      if (!reply) throw new TypeError(`The recorded wire has no reply to ${route}`);
      // A route responds many times, and the body of a response is read once.
      if (reply instanceof Response) return reply.clone();
      return Promise.race([reply(request), rejectOnAbort(sent.signal)]);
    },
  };
}

/** As with a real fetch, an abort ends a pending request. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  });
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
