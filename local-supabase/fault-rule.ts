/** A failure, and the requests that it applies to. */
export interface FaultRule {
  /** Default: every method but OPTIONS, which browsers send by themselves. */
  readonly method?: string;
  /** The beginning of the path, or an expression that path and query must match. Default: every route. */
  readonly path?: string | RegExp;
  /** The number of requests that it applies to. Default: until it is removed. */
  readonly times?: number;
  /** The number of matching requests that pass before it applies. Default 0. */
  readonly after?: number;
  /** The share of matching requests that it applies to, 0 to 1. Default 1. */
  readonly probability?: number;
  /** The delay in milliseconds before the request is handled. */
  readonly latencyMs?: number;
  /** `request`: the connection breaks before the request is handled; `response`: afterwards, so that the response is lost. */
  readonly lose?: 'request' | 'response';
  /** The response in place of the service's. */
  readonly answer?: FaultAnswer;
}

export interface FaultAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent unchanged, as HTML unless a header names another type; any other value as JSON. */
  readonly body?: unknown;
}
