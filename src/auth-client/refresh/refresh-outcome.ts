import { type BackoffOptions, doublingDelaysMs } from '../../platform/backoff.ts';
import { AuthError } from '../errors.ts';

/** The result of one attempt to refresh. */
export type RefreshOutcome =
  | 'renewed'
  /** The session has ended at the server, or its refresh token is unusable: only these refusals are definitive. */
  | 'refresh_token_not_found'
  | 'refresh_token_already_used'
  | 'session_expired'
  | 'session_not_found'
  | 'user_banned'
  | 'validation_failed'
  | 'invalid_grant'
  /** 409: the server gave up after 5 s of concurrent requests with one token. */
  | 'conflict'
  /** 429. */
  | 'rate-limited'
  /** 408, or no response before the deadline. */
  | 'timeout'
  /** 500 and above. */
  | 'server-failure'
  /** Offline, DNS, TLS, CORS: no response. */
  | 'network'
  /** Anything else: a proxy's page, a wrong API key, a malformed response. */
  | 'other-refusal';

/**
 * - `accept`: store the new session.
 * - `keep`: keep the session and pause refreshing; the next check after the pause tries again.
 * - `retry`: keep the session and try again after the backoff.
 * - `drop`: read storage again and adopt a newer token; else the session ends when its access token expires.
 */
export type RefreshAction = 'accept' | 'keep' | 'retry' | 'drop';

/** Total by type: an outcome without an action does not compile. */
export const refreshActions: Readonly<Record<RefreshOutcome, RefreshAction>> = {
  renewed: 'accept',
  refresh_token_not_found: 'drop',
  refresh_token_already_used: 'drop',
  session_expired: 'drop',
  session_not_found: 'drop',
  user_banned: 'drop',
  // The server cannot parse the refresh token, for example because another program stored half of it.
  validation_failed: 'drop',
  // The form in which older servers, and OAuth servers in general, refuse a refresh token (RFC 6749 §5.2).
  invalid_grant: 'drop',
  conflict: 'retry',
  'rate-limited': 'keep',
  timeout: 'retry',
  'server-failure': 'retry',
  network: 'retry',
  'other-refusal': 'keep',
};

const outcomeByStatus: Readonly<Record<number, RefreshOutcome>> = {
  408: 'timeout',
  409: 'conflict',
  429: 'rate-limited',
};

/** Classifies what an attempt threw; any other error is `other-refusal`. */
export function classifyRefreshError(problem: unknown): RefreshOutcome {
  if (!(problem instanceof AuthError)) return 'other-refusal';
  const { code, status, serverCode } = problem;
  if (status === null) return code === 'timeout' || code === 'network' ? code : 'other-refusal';
  if (status >= 500) return 'server-failure';
  return outcomeByStatus[status] ?? (isDefinitiveRefusal(serverCode) ? serverCode : 'other-refusal');
}

/** A code that is no outcome has no action. */
function isDefinitiveRefusal(serverCode: string | null): serverCode is RefreshOutcome {
  return refreshActions[serverCode as RefreshOutcome] === 'drop';
}

/** Jitter of a quarter keeps tabs from refreshing at the same moment. */
export const REFRESH_BACKOFF: BackoffOptions = { delaysMs: doublingDelaysMs(200, 25_600), jitter: 0.25 };

/** No retry begins later than this after the first attempt. */
export const GIVE_UP_MS = 30_000;
