import { HTTPError } from 'ky';

/** What went wrong, as a closed union. */
export type SenderErrorCode =
  // An argument, such as a field of a message, is invalid: `message` names it.
  | 'invalid-message'
  // The idempotency key belongs to another message.
  | 'key-reused'
  // The kind is invalid, or the project has the maximum number of kinds: `message` names the field.
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

/** A failed request, before it is converted to an error of the sender. */
class RequestError extends Error {
  override readonly name = 'RequestError';
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** The body of the response. */
  readonly body: string;

  constructor(problem: unknown) {
    super('The request failed', { cause: problem });
    const isResponse = problem instanceof HTTPError;
    this.status = isResponse ? problem.response.status : null;
    this.body = isResponse ? bodyOf(problem) : '';
  }
}

/** The body that the hook `beforeError` has read. */
const bodyOf = (error: HTTPError): string => ('body' in error ? String(error.body) : '');

/** Converts an error of ky. An error of `json()` means that the response is not JSON. */
export function requestError(problem: unknown): Error {
  return problem instanceof SyntaxError
    ? new SenderError('server', 'The response is not JSON.', problem)
    : new RequestError(problem);
}

/** The body of a refusal by PostgREST. */
interface Refusal {
  /** SQLSTATE or `PGRSTnnn`. */
  readonly code?: unknown;
  readonly message?: unknown;
  readonly details?: unknown;
}

/** Null for a response that PostgREST did not send. */
function parseRefusal(body: string): Refusal | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** Converts the error of a call of the database. */
export function senderError(problem: unknown): SenderError {
  if (problem instanceof SenderError) return problem;
  if (!(problem instanceof RequestError)) return new SenderError('server', 'The request failed.', problem);
  const { status, body, cause } = problem;
  const { code, message, details } = parseRefusal(body) ?? {};
  const refusal = refusals.get(String(message));
  if (refusal) return new SenderError(refusal, toSenderNames(String(details)), cause);
  if (message === 'message_not_found')
    return new SenderError('not-found', 'There is no such message.', cause);
  if (code === 'PGRST202')
    return new SenderError('not-installed', 'The project lacks the migrations of the inbox.', cause);
  if (status === null || isTransientResponse(cause))
    return new SenderError('unavailable', 'The project does not respond.', cause);
  if (status === 401 || status === 403 || code === '42501')
    return new SenderError('unauthenticated', 'The key is not the secret key of the project.', cause);
  const reason = typeof message === 'string' ? message : body.slice(0, 300);
  return new SenderError('server', `The project responded with ${status}: ${reason}`, cause);
}

/** Converts the error of a call of the function `notification-mails`. */
export function previewError(problem: unknown): SenderError {
  if (problem instanceof SenderError && problem.code === 'aborted') return problem;
  if (!(problem instanceof RequestError))
    return new SenderError('server', 'The response of notification-mails has no previews.', problem);
  const { status, body, cause } = problem;
  if (status === null || isTransientResponse(cause))
    return new SenderError('unavailable', 'The function notification-mails does not respond.', cause);
  return status === 404
    ? new SenderError('not-installed', 'The project lacks the function notification-mails.', cause)
    : new SenderError('server', `notification-mails responded with ${status}: ${body.slice(0, 300)}`, cause);
}

const refusals: ReadonlyMap<string, SenderErrorCode> = new Map([
  ['message_invalid', 'invalid-message'],
  ['key_reused', 'key-reused'],
  ['kind_invalid', 'invalid-kind'],
  ['notification_kinds_limit_exceeded', 'invalid-kind'],
]);

/** Replaces the database's field names, which have underscores, with the sender's. */
export function toSenderNames(detail: string): string {
  return detail.replaceAll(
    /\b(send|expires|idempotency|user|local|dry)_(at|key|id|time|run)\b/g,
    (_, first: string, [initial = '', ...rest]: string) => first + initial.toUpperCase() + rest.join(''),
  );
}

/** A rate limit, an overloaded or unreachable project, and Cloudflare's statuses for it. */
export const transientStatuses: readonly number[] = [429, 502, 503, 504, 520, 521, 522, 523, 524, 530];

/** Whether another attempt may succeed after this response. */
export function isTransientResponse(problem: unknown): boolean {
  if (!(problem instanceof HTTPError)) return false;
  const { status } = problem.response;
  if (transientStatuses.includes(status)) return true;
  const refusal = parseRefusal(bodyOf(problem));
  // A page of status 500 is a gateway's, not the database's.
  if (refusal === null) return status >= 500;
  // A conflict of transactions, and a statement that took too long.
  return /^(?:40...|57014)$/.test(String(refusal.code));
}

/** `Retry-After` (RFC 9110 §10.2.3) in seconds; null if it is missing or malformed. */
export function readRetryAfterSeconds(problem: unknown): number | null {
  const header = problem instanceof HTTPError ? problem.response.headers.get('retry-after') : null;
  if (!header) return null;
  const seconds = Number(header);
  const after = Number.isNaN(seconds) ? (Date.parse(header) - Date.now()) / 1000 : seconds;
  return Number.isNaN(after) ? null : after;
}
