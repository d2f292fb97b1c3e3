/** A request with a response. Its path excludes the query, which may contain a token. */
export interface HandledRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
}

/** Wraps `handle`: calls `onRequest` for every response. */
export function reportRequests(
  handle: (request: Request) => Promise<Response>,
  onRequest: (request: HandledRequest) => void,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const startedMs = performance.now();
    const response = await handle(request);
    onRequest({
      method: request.method,
      path: new URL(request.url).pathname,
      status: response.status,
      durationMs: performance.now() - startedMs,
    });
    return response;
  };
}
