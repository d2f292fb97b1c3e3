/** The first line of an HTTP request, unparsed. */
export interface RequestLine {
  readonly method: string;
  /** Path and query as sent; `Request.url` contains them resolved and re-encoded. */
  readonly target: string;
}

const lines = new WeakMap<Request, RequestLine>();

/** Stores the line of a request, for services that need the exact bytes of the target. */
export function setRequestLine(request: Request, line: RequestLine): void {
  lines.set(request, line);
}

export function requestLineOf(request: Request): RequestLine {
  const { pathname, search } = new URL(request.url);
  return lines.get(request) ?? { method: request.method, target: pathname + search };
}
