/**
 * Why the realtime client failed.
 *
 * - `invalid_options`, `invalid_binding`: bad input, nothing was sent.
 * - `signed_out`: there is no token any more. The channel joins by itself once there is one.
 * - `token_rejected`: the server keeps refusing tokens that were just refreshed.
 * - `unauthorized`: the server's policies forbid the channel.
 * - `subscription_refused`: the server cannot subscribe to the changes (table, column, filter or publication).
 * - `push_overflow`, `push_timeout`, `push_refused`: a push was not delivered.
 * - `invalid_row`: a row did not satisfy the schema of its listener.
 * - `closed`: the client or channel was closed.
 */
export type RealtimeErrorCode =
  | 'invalid_options'
  | 'invalid_binding'
  | 'signed_out'
  | 'token_rejected'
  | 'unauthorized'
  | 'subscription_refused'
  | 'push_overflow'
  | 'push_timeout'
  | 'push_refused'
  | 'invalid_row'
  | 'closed';

/** The one error class of the realtime client. */
export class RealtimeError extends Error {
  override readonly name = 'RealtimeError';
  readonly code: RealtimeErrorCode;

  constructor(code: RealtimeErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
