import { FunctionsError } from 'supabase-protocol-clients/functions-client';
import { RestError } from 'supabase-protocol-clients/rest-client';

/** What went wrong, as a closed union. */
export type SenderErrorCode =
  // A message or another argument is wrong: `message` names its field.
  | 'invalid-message'
  // The idempotency key belongs to another message.
  | 'key-reused'
  // The kind is invalid, or exceeds the number of kinds: `message` names its field.
  | 'invalid-kind'
  // The URL or the key is missing or malformed, or an option is out of its range.
  | 'invalid-options'
  // The key is not the project's secret key.
  | 'unauthenticated'
  // There is no such message, or its log has been deleted.
  | 'not-found'
  // The project lacks the functions: its migrations have not run.
  | 'not-installed'
  // No response, or a transient error: a retry with the same idempotency key sends once.
  | 'unavailable'
  | 'aborted'
  // Any other response, see `cause`.
  | 'server';

/** The one error class of the sender. */
export class SenderError extends Error {
  /** Always `SenderError`, for code that cannot use `instanceof`. */
  override readonly name = 'SenderError';
  /** The reason, of a closed set. */
  readonly code: SenderErrorCode;

  constructor(code: SenderErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** Converts the error of a request. */
export function senderError(problem: unknown): SenderError {
  if (problem instanceof SenderError) return problem;
  if (!(problem instanceof RestError)) return new SenderError('server', 'The request failed.', problem);
  const { code, message, serverCode, details } = problem;
  const refusal = refusals.get(message);
  if (refusal) return new SenderError(refusal, inSenderNames(String(details)), problem);
  if (message === 'message_not_found')
    return new SenderError('not-found', 'There is no such message.', problem);
  if (serverCode === 'PGRST202')
    return new SenderError('not-installed', 'The project lacks the migrations of the inbox.', problem);
  if (code === 'invalid-options') return new SenderError(code, message, problem);
  if (code === 'aborted') return new SenderError(code, 'The call was aborted.', problem);
  if (isPassing(problem)) return new SenderError('unavailable', 'The project does not answer.', problem);
  if (code === 'unauthenticated' || code === 'denied')
    return new SenderError('unauthenticated', 'The key is not the secret key of the project.', problem);
  return new SenderError('server', `The project answered: ${message}`, problem);
}

/** Converts the error of a call of the function `notification-mails`. */
export function previewError(problem: unknown): SenderError {
  if (!(problem instanceof FunctionsError) || problem.code === 'invalid-result')
    return new SenderError('server', 'The response of notification-mails has no previews.', problem);
  const { code, status, body } = problem;
  if (code === 'aborted') return new SenderError(code, 'The call was aborted.', problem);
  if (status === 404)
    return new SenderError('not-installed', 'The project lacks the function notification-mails.', problem);
  if (status !== null) {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return new SenderError('server', `notification-mails answered ${status}: ${text}`, problem);
  }
  return new SenderError('unavailable', 'The function notification-mails does not respond.', problem);
}

const refusals: ReadonlyMap<string, SenderErrorCode> = new Map([
  ['message_invalid', 'invalid-message'],
  ['key_reused', 'key-reused'],
  ['kind_invalid', 'invalid-kind'],
  ['notification_kinds_limit_exceeded', 'invalid-kind'],
]);

/** The path of a field of the database, which has underscores, as the sender names it. */
export function inSenderNames(detail: string): string {
  return detail.replaceAll(
    /\b(send|expires|idempotency|user|local|dry)_(at|key|id|time|run)\b/g,
    (_, first: string, [initial = '', ...rest]: string) => first + initial.toUpperCase() + rest.join(''),
  );
}

/** Whether the failure is transient. */
function isPassing(problem: unknown): boolean {
  if (!(problem instanceof RestError)) return false;
  const { code, status } = problem;
  return (
    ['network', 'timeout', 'unavailable', 'rate-limited', 'serialization', 'statement-timeout'].includes(
      code,
    ) ||
    (code === 'not-the-service' && status !== null && status >= 500)
  );
}

const longestRetryAfterSeconds = 60;

/** Whether the call itself retries: not if the project's `Retry-After` is longer than a caller expects. */
export function isRetryable(problem: unknown): boolean {
  if (!isPassing(problem)) return false;
  return !(problem instanceof RestError) || (problem.retryAfterSeconds ?? 0) <= longestRetryAfterSeconds;
}
