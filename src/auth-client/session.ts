import type { SessionWire, UnverifiedUser } from './responses.ts';

/** Specification §9: a background check every 30 seconds … */
export const TICK_MS = 30_000;
/** … refreshes when 3 or fewer ticks remain; on demand, a session is refreshed under 90 seconds (3 ticks). */
export const REFRESH_TICKS = 3;

/** A session as the application sees it. It shows no refresh token. */
export interface Session {
  readonly accessToken: string;
  /** When the access token expires, in milliseconds since the epoch by this device's clock. */
  readonly expiresAtMs: number;
  /** From storage or from the last reply: unverified. `getUser()` gives a verified one. */
  readonly user: UnverifiedUser;
  /** The provider's own tokens, once, right after a sign-in with it. */
  readonly providerToken: string | null;
  readonly providerRefreshToken: string | null;
  /** Why the password that signed in is weak; empty if it is not, or not said. */
  readonly weakPasswordReasons: readonly string[];
}

/** The stored form: the server's reply, readable by other programs, and what this client adds to it. */
export type StoredSession = SessionWire & {
  /** When the reply came, in milliseconds since the epoch by this device's clock. */
  readonly received_at?: number | undefined;
  /** True from the opening of a recovery link until the password is set. */
  readonly recovery?: boolean | undefined;
  /** Grows with each write, so that tabs announce each change once. */
  readonly revision?: number | undefined;
};

/** The two clocks at one moment, both in milliseconds. */
export interface Moment {
  readonly now: number;
  readonly monotonicMs: number;
}

/** A session in memory: the record and how long it had to live at a moment of both clocks. */
export interface HeldSession {
  readonly record: StoredSession;
  readonly session: Session;
  readonly since: Moment;
  readonly remainingMs: number;
}

/** A clock that was set back by less than this since the record was written is forgiven. */
const SETBACK_MS = 10_000;

/**
 * Lifetime counts from `expires_in` at the moment of receipt, so that a clock that is off does not matter. A record
 * of another program has no such moment: then `expires_at` and this device's clock must do.
 */
export function holdSession(record: StoredSession, since: Moment): HeldSession {
  const lifetimeMs = lifetime(record);
  let remainingMs = lifetimeMs;
  if (record.received_at !== undefined) {
    const ageMs = since.now - record.received_at;
    // Set back: how old the token is cannot be known. Zero makes for one refresh, which starts afresh.
    remainingMs = ageMs < -SETBACK_MS ? 0 : lifetimeMs - Math.max(0, ageMs);
  } else if (record.expires_at !== undefined) {
    remainingMs = Math.min(lifetimeMs, record.expires_at * 1000 - since.now);
  }
  return { record, since, remainingMs, session: viewOf(record, since.now + remainingMs) };
}

/**
 * Milliseconds that the access token still lives. Of both clocks the more pessimistic one counts (monotonic time
 * stands still in sleep, wall time jumps), except a wall clock that was set back.
 */
export function remainingMs({ since, remainingMs }: HeldSession, { now, monotonicMs }: Moment): number {
  return remainingMs - Math.max(monotonicMs - since.monotonicMs, now - since.now);
}

/** Length of a tick in milliseconds: 30 s, or an eighth of the lifetime of a token that lives less than 4 minutes. */
export function tickMs({ record }: HeldSession): number {
  return Math.min(TICK_MS, lifetime(record) / 8);
}

/** Whether the background check refreshes: at three whole ticks or fewer. */
export function isDueAtTick(held: HeldSession, at: Moment, ticks = REFRESH_TICKS): boolean {
  return Math.floor(remainingMs(held, at) / tickMs(held)) <= ticks;
}

/** Whether a read starts a refresh: under 90 seconds. The token may still be valid. */
export function isDueOnDemand(held: HeldSession, at: Moment): boolean {
  return remainingMs(held, at) < REFRESH_TICKS * tickMs(held);
}

function lifetime({ expires_in }: StoredSession): number {
  return (expires_in ?? 3600) * 1000;
}

function viewOf(record: StoredSession, expiresAtMs: number): Session {
  return {
    accessToken: record.access_token,
    expiresAtMs,
    user: record.user,
    providerToken: record.provider_token ?? null,
    providerRefreshToken: record.provider_refresh_token ?? null,
    weakPasswordReasons: record.weak_password?.reasons ?? [],
  };
}
