import { type BackoffOptions, doublingDelaysMs } from '../../platform/backoff.ts';
import { AuthError } from '../errors.ts';

/**
 * What a failed refresh means for the session.
 *
 * - `keep`: keep the session and pause refreshing; the next check after the pause retries.
 * - `retry`: keep the session and retry after the backoff.
 * - `drop`: read storage again and adopt a newer token; else the session ends when its access token expires.
 */
export type RefreshAction = 'keep' | 'retry' | 'drop';

/** The session has ended at the server, or its refresh token is unusable: only these refusals are definitive. */
const definitiveRefusals: ReadonlySet<string | null> = new Set([
  'refresh_token_not_found',
  'refresh_token_already_used',
  'session_expired',
  'session_not_found',
  'user_banned',
  // The server cannot parse the refresh token, for example because another program stored half of it.
  'validation_failed',
  // Older servers, and OAuth servers in general, refuse a refresh token with this code (RFC 6749 §5.2).
  'invalid_grant',
]);

/** 409: the server stops waiting after 5 s of concurrent requests with one token. */
const transientStatuses: ReadonlySet<number> = new Set([408, 409]);

/**
 * Classifies the failure of an attempt. An unknown failure, such as a proxy's page, a wrong API key or a malformed response,
 * is `keep`.
 */
export function refreshActionFor(problem: unknown): RefreshAction {
  if (!(problem instanceof AuthError)) return 'keep';
  const { code, status, serverCode } = problem;
  if (status === null) return code === 'timeout' || code === 'network' ? 'retry' : 'keep';
  if (status >= 500 || transientStatuses.has(status)) return 'retry';
  // A rate limit ends no session.
  return status !== 429 && definitiveRefusals.has(serverCode) ? 'drop' : 'keep';
}

/** Jitter of a quarter keeps tabs from refreshing at the same moment. */
export const REFRESH_BACKOFF: BackoffOptions = { delaysMs: doublingDelaysMs(200, 25_600), jitter: 0.25 };

/** Delays between reads of storage that look for another client's renewal of the same token. */
export const OTHER_RENEWAL_BACKOFF: BackoffOptions = { delaysMs: doublingDelaysMs(250, 2_000) };

/** No retry begins later than this after the first attempt. */
export const GIVE_UP_MS = 30_000;
