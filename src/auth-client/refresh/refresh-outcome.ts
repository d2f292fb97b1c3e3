import { AuthError } from '../errors.ts';

/** What an attempt to refresh came to. */
export type RefreshOutcome =
  | 'renewed'
  /** The server ended the session; only these refusals are definitive. */
  | 'refresh_token_not_found'
  | 'refresh_token_already_used'
  | 'session_expired'
  | 'session_not_found'
  | 'user_banned'
  /** 409: the server retried for 5 s against concurrent requests. */
  | 'conflict'
  /** 429. */
  | 'rate-limited'
  /** 408, or no answer before the deadline. */
  | 'timeout'
  /** 500 and above. */
  | 'server-failure'
  /** Offline, DNS, TLS, CORS: no reply at all. */
  | 'network'
  /** Anything else: a proxy's page, a wrong API key, a malformed request. */
  | 'other-refusal';

/**
 * - `accept`: store the new session.
 * - `keep`: keep the session; the next check tries again.
 * - `retry`: keep the session; try again after the backoff.
 * - `drop`: after a re-read of storage found nothing newer, and once the access token has expired: signed out.
 */
export type RefreshVerdict = 'accept' | 'keep' | 'retry' | 'drop';

/** Total by type: an outcome without a verdict does not compile. */
export const refreshVerdicts: Readonly<Record<RefreshOutcome, RefreshVerdict>> = {
  renewed: 'accept',
  refresh_token_not_found: 'drop',
  refresh_token_already_used: 'drop',
  session_expired: 'drop',
  session_not_found: 'drop',
  user_banned: 'drop',
  conflict: 'retry',
  'rate-limited': 'keep',
  timeout: 'retry',
  'server-failure': 'retry',
  network: 'retry',
  'other-refusal': 'keep',
};

const byStatus: Readonly<Record<number, RefreshOutcome>> = {
  408: 'timeout',
  409: 'conflict',
  429: 'rate-limited',
};

/** Total: whatever an attempt threw has an outcome. */
export function outcomeOf(problem: unknown): RefreshOutcome {
  if (!(problem instanceof AuthError)) return 'other-refusal';
  const { code, status } = problem;
  if (status === null) return code === 'timeout' || code === 'network' ? code : 'other-refusal';
  if (status >= 500) return 'server-failure';
  const isDefinitive =
    Object.hasOwn(refreshVerdicts, code) && refreshVerdicts[code as RefreshOutcome] === 'drop';
  return byStatus[status] ?? (isDefinitive ? (code as RefreshOutcome) : 'other-refusal');
}

/** Specification §9: backoff from 200 ms, doubling; up to a quarter is added at random so that tabs do not march in step. */
export function backoffMs(attempt: number, random: number): number {
  return 200 * 2 ** (attempt - 1) * (1 + random / 4);
}

/** Specification §9: no retry begins later than about 30 s after the first attempt. */
export const GIVE_UP_MS = 30_000;
