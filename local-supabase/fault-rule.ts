/** What goes wrong, and for which requests. */
export interface FaultRule {
  /** Default: every method but OPTIONS, which browsers send on their own. */
  readonly method?: string;
  /** The beginning of the path, or an expression that path and query must match. Default: every route. */
  readonly path?: string | RegExp;
  /** How many requests it strikes; default: until it is removed. */
  readonly times?: number;
  /** How many matching requests go well before it strikes. Default 0. */
  readonly after?: number;
  /** The share of matching requests that it strikes, 0 to 1. Default 1. */
  readonly probability?: number;
  /** Delay in milliseconds before the request is worked on. */
  readonly latencyMs?: number;
  /** `request`: the connection breaks before the request is worked on; `response`: after, the answer is lost. */
  readonly lose?: 'request' | 'response';
  /** Answers instead of the service. */
  readonly answer?: FaultAnswer;
}

export interface FaultAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, as HTML unless a header says otherwise; anything else as JSON. */
  readonly body?: unknown;
}
