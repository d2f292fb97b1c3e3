/** The first line of an HTTP request as it was sent. */
export interface RequestLine {
  readonly method: string;
  /** Path and query; `Request.url` holds them resolved and encoded anew. */
  readonly target: string;
}

const lines = new WeakMap<Request, RequestLine>();

/** Keeps the line for those services that look at every byte of it. */
export function rememberRequestLine(request: Request, line: RequestLine): void {
  lines.set(request, line);
}

export function requestLineOf(request: Request): RequestLine {
  const { pathname, search } = new URL(request.url);
  return lines.get(request) ?? { method: request.method, target: pathname + search };
}
