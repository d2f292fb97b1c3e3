import { RestError } from 'supabase-protocol-clients/rest-client';

/** What went wrong, as a closed union. */
export type SenderErrorCode =
  // The message is wrong: `message` names its field.
  | 'invalid-message'
  // The idempotency key belongs to another message.
  | 'key-reused'
  // The kind is wrong, or one too many: `message` names its field.
  | 'invalid-kind'
  // The URL or the key is missing or malformed.
  | 'invalid-options'
  // The key is not the project's secret key.
  | 'unauthenticated'
  // There is no such message, or its log has been deleted.
  | 'not-found'
  // The project lacks the functions: its migrations have not run.
  | 'not-installed'
  // No answer, or one that passes: sending again with the same idempotency key sends once.
  | 'unavailable'
  | 'aborted'
  // Any other answer; `cause` has it.
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

/** A failed request in the sender's words. */
export function senderError(problem: unknown): SenderError {
  if (!(problem instanceof RestError)) return new SenderError('server', 'The request failed.', problem);
  const { code, message, serverCode, details } = problem;
  if (message === 'message_invalid') return new SenderError('invalid-message', String(details), problem);
  if (message === 'key_reused') return new SenderError('key-reused', String(details), problem);
  if (message === 'kind_invalid' || message === 'notification_kinds_limit_exceeded')
    return new SenderError('invalid-kind', String(details), problem);
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

/** Whether the same request may succeed later. */
export function isPassing(problem: unknown): boolean {
  if (!(problem instanceof RestError)) return false;
  const { code, status } = problem;
  return (
    ['network', 'timeout', 'unavailable', 'rate-limited', 'serialization', 'statement-timeout'].includes(
      code,
    ) ||
    (code === 'not-the-service' && status !== null && status >= 500)
  );
}
