/** The services of a Supabase project that the clients use. */
export type ServiceName = 'auth' | 'rest' | 'realtime' | 'storage' | 'functions';

/** One HTTP exchange that has ended. It contains no token, no body, no query string and no value of a header. */
export interface HttpLogEvent {
  /** Kind of the event. */
  readonly type: 'http';
  /** The client that sent the request. */
  readonly service: ServiceName;
  /** HTTP method. */
  readonly method: string;
  /** Path of the URL, without its query string: filters there may hold personal data. */
  readonly path: string;
  /** HTTP status; null if no response arrived. A redirect that was not followed has status 0 in browsers. */
  readonly status: number | null;
  /** Why the exchange failed; null if a response was read. */
  readonly failure: 'timeout' | 'aborted' | 'network' | 'redirected' | null;
  /** Time from sending the request to reading the end of the response, in milliseconds. */
  readonly durationMs: number;
  /** The `traceparent` header that was sent; null if none was. */
  readonly traceparent: string | null;
}

/**
 * Receives one event per HTTP exchange; each retry is a separate exchange. An error that it throws is reported, not passed
 * on.
 */
export type Log = (event: HttpLogEvent) => void;
