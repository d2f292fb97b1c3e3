/** A service behind the gateway; the path of the request is as the client sent it. */
export interface Service {
  handle(request: Request): Promise<Response>;
}

export type FetchFunction = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;

/** A broken connection, without a response. */
export class ConnectionLost extends TypeError {
  override readonly name = 'ConnectionLost';
  constructor() {
    super('fetch failed', { cause: new Error('The connection was lost on command') });
  }
}

const MAX_REDIRECTS = 20;

/**
 * `fetch` for the server itself, without a port. Follows redirects within the server and returns a redirect to another
 * origin, because no server listens there.
 */
export function createInProcessFetch(handle: (request: Request) => Promise<Response>): FetchFunction {
  return async (input, init) => {
    let request = new Request(input, init);
    for (let redirects = 0; redirects < MAX_REDIRECTS; redirects += 1) {
      const response = await abortable(handle(request), request.signal);
      const next = request.redirect === 'follow' && followUp(request, response);
      if (!next) return response;
      request = next;
    }
    throw new TypeError('fetch failed', { cause: new Error('redirect count exceeded') });
  };
}

function followUp({ url, method, headers, signal }: Request, { status, headers: responseHeaders }: Response) {
  const location = responseHeaders.get('location');
  if (status < 300 || status > 399 || !location) return undefined;
  const target = new URL(location, url);
  if (target.origin !== new URL(url).origin) return undefined;
  return new Request(target, { method: method === 'HEAD' ? method : 'GET', headers, signal });
}

function abortable<T>(task: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    task.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
