/** A failure and the conditions under which a request fails. */
export interface FaultRule {
  /** Default: every method but OPTIONS, which browsers send themselves. */
  readonly method?: string;
  /** The prefix of the path, or an expression that matches path and query. Default: every route. */
  readonly path?: string | RegExp;
  /** The number of requests that the rule applies to. Default: unlimited until the rule is removed. */
  readonly times?: number;
  /** The number of matching requests that pass before the rule applies. Default 0. */
  readonly after?: number;
  /** The share of matching requests that the rule applies to, 0 to 1. Default 1. */
  readonly probability?: number;
  /** The delay in milliseconds before the request is handled. */
  readonly latencyMs?: number;
  /** `request` breaks the connection before the request is handled, `response` afterwards. */
  readonly lose?: 'request' | 'response';
  /** The response in place of the service's. */
  readonly response?: FaultResponse;
}

export interface FaultResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent unchanged, as HTML unless a header names another type; any other value is sent as JSON. */
  readonly body?: unknown;
}
