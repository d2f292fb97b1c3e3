import { decodeJwtClaims } from '../../platform/jwt.ts';
import type { TokenResponse, UnverifiedUser } from '../wire/responses.ts';

/** Interval of the background check in milliseconds. */
export const TICK_MS = 30_000;

/** The session as the application sees it. It has no refresh token. */
export interface Session {
  /** The JWT for `Authorization: Bearer`. */
  readonly accessToken: string;
  /** When the access token expires, in milliseconds since the epoch by this device's clock. */
  readonly expiresAtMs: number;
  /** From storage or the last response, unverified. `getUser()` returns a verified user. */
  readonly user: UnverifiedUser;
  /** The OAuth provider's access token, present right after a sign-in with the provider; else null. */
  readonly providerToken: string | null;
  /** The OAuth provider's refresh token, present right after a sign-in with the provider; else null. */
  readonly providerRefreshToken: string | null;
  /** Why the password of the sign-in is weak: `length`, `characters`, `pwned`. Empty if it is strong or not rated. */
  readonly weakPasswordReasons: readonly string[];
}

/** The record in storage: the token response, which other programs read too, and this client's own members. */
export type StoredSession = TokenResponse & {
  /** When the response arrived, in milliseconds since the epoch by this device's clock. */
  readonly received_at?: number | undefined;
  /** True from the opening of a recovery link until the password is set. */
  readonly recovery?: boolean | undefined;
  /** Grows with each write of this client, so that tabs emit each change once. Other programs write none. */
  readonly revision?: number | undefined;
};

/** Both clocks read at one moment, in milliseconds. */
export interface ClockReading {
  readonly now: number;
  readonly monotonicMs: number;
}

/** A session in memory: its record and the lifetime that was left at `measuredAt`. */
export interface ActiveSession {
  readonly record: StoredSession;
  readonly session: Session;
  readonly measuredAt: ClockReading;
  readonly remainingMs: number;
}

/** A wall clock that was set back by less than this since the record was written still counts as right. */
const TOLERATED_SETBACK_MS = 10_000;

/** What the client knows about a record besides its fields. */
export interface RecordContext {
  readonly serverTime?: ServerTime | null;
  /**
   * Whether the wall clock is right, as a server's is. Then `received_at`, which the sender of a cookie can write, is
   * ignored.
   */
  readonly isClockTrusted?: boolean;
  /** Whether another tab has just announced the record. */
  readonly isJustAnnounced?: boolean;
}

/** The server's wall clock, from the `Date` of a response. */
export interface ServerTime {
  readonly ms: number;
  readonly readAt: ClockReading;
}

/** Derives the server's time from a response that just arrived; null if its token has no matching `iat`. */
export function serverTimeFrom(
  { access_token, expires_in = 0, expires_at = 0 }: TokenResponse,
  readAt: ClockReading,
): ServerTime | null {
  const issuedAt = decodeJwtClaims(access_token)?.['iat'];
  // A token from `setSession` or a link is older than the response, and its lifetime was computed by this device's clock.
  const isNewToken = typeof issuedAt === 'number' && Math.abs(expires_at - expires_in - issuedAt) <= 1;
  return isNewToken ? { ms: issuedAt * 1000, readAt } : null;
}

export function toActiveSession(
  record: StoredSession,
  measuredAt: ClockReading,
  context?: RecordContext,
): ActiveSession {
  const remainingMs = estimateRemainingMs(record, measuredAt, context);
  return { record, measuredAt, remainingMs, session: toSession(record, measuredAt.now + remainingMs) };
}

/** The server's time at `at`, by the response that contained it. */
export function serverNowMs({ ms, readAt }: ServerTime, at: ClockReading): number {
  return ms + elapsedMs(readAt, at);
}

/**
 * Counts the lifetime from `expires_in` at the moment of receipt, so that a wrong wall clock does not matter, or by the
 * server's time. The longer estimate wins: an estimate that is too long costs one refused request, one that is too short
 * makes two programs with different clocks refresh in turns. A record of a server or another program has no `received_at`;
 * without the server's time, `expires_at` and this device's clock decide.
 */
function estimateRemainingMs(
  record: StoredSession,
  measuredAt: ClockReading,
  { serverTime, isClockTrusted, isJustAnnounced }: RecordContext = {},
): number {
  const { received_at, expires_at } = record;
  const lifetime = lifetimeMs(record);
  const leftAt = (nowMs: number) => (expires_at === undefined ? lifetime : expires_at * 1000 - nowMs);
  const byServerTime = serverTime ? leftAt(serverNowMs(serverTime, measuredAt)) : -Infinity;
  if (isClockTrusted || received_at === undefined)
    return Math.min(lifetime, serverTime ? byServerTime : leftAt(measuredAt.now));
  const ageMs = measuredAt.now - received_at;
  // The wall clock was set back, so the token's age is unknown: count it as expired, which costs one refresh.
  const isAgeUnknown = ageMs < -TOLERATED_SETBACK_MS && !isJustAnnounced;
  const byReceipt = isAgeUnknown ? 0 : lifetime - Math.max(0, ageMs);
  return Math.min(lifetime, Math.max(byServerTime, byReceipt));
}

/** Milliseconds until the access token expires; negative afterwards. */
export function remainingMs({ measuredAt, remainingMs }: ActiveSession, at: ClockReading): number {
  return remainingMs - elapsedMs(measuredAt, at);
}

/**
 * The longer of the times that the two clocks show: the monotonic clock may stand still while the device sleeps, and the
 * wall clock may be set. A wall clock that was set back does not count.
 */
export function elapsedMs(from: ClockReading, to: ClockReading): number {
  return Math.max(to.monotonicMs - from.monotonicMs, to.now - from.now);
}

/** Length of a tick: 30 s, or an eighth of a lifetime of less than 4 minutes, and 1 s at least. */
export function tickMs({ record }: ActiveSession): number {
  return Math.max(1000, Math.min(TICK_MS, lifetimeMs(record) / 8));
}

/** Whether fewer than `ticks` ticks of the token's life are left. The token may still be valid. */
export function isDue(active: ActiveSession, at: ClockReading, ticks: number): boolean {
  return remainingMs(active, at) < ticks * tickMs(active);
}

export function lifetimeMs({ expires_in }: StoredSession): number {
  return (expires_in ?? 3600) * 1000;
}

function toSession(record: StoredSession, expiresAtMs: number): Session {
  return {
    accessToken: record.access_token,
    expiresAtMs,
    user: record.user,
    providerToken: record.provider_token ?? null,
    providerRefreshToken: record.provider_refresh_token ?? null,
    weakPasswordReasons: record.weak_password?.reasons ?? [],
  };
}
