import { peekClaims } from '../../platform/base64url.ts';
import type { SessionWire, UnverifiedUser } from '../wire/responses.ts';

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

/** What is known about a record beside what it says. */
export interface Provenance {
  /** The server's time, if a reply told it. */
  readonly serverTime?: ServerTime | null;
  /** Whether another tab has just announced it. */
  readonly isNews?: boolean;
}

export interface ServerTime {
  readonly ms: number;
  /** When it was so. */
  readonly at: Moment;
}

/** The server's time by a reply of this moment; null if its token does not say when it was issued. */
export function serverTimeOf(
  { access_token, expires_in = 0, expires_at = 0 }: SessionWire,
  at: Moment,
): ServerTime | null {
  const issuedAt = peekClaims(access_token)?.['iat'];
  // Tokens had elsewhere are older: their lifetime was counted by the clock of this device.
  const isNew = typeof issuedAt === 'number' && Math.abs(expires_at - expires_in - issuedAt) <= 1;
  return isNew ? { ms: issuedAt * 1000, at } : null;
}

export function holdSession(record: StoredSession, since: Moment, provenance?: Provenance): HeldSession {
  const remainingMs = estimateRemaining(record, since, provenance);
  return { record, since, remainingMs, session: viewOf(record, since.now + remainingMs) };
}

/**
 * Lifetime counts from `expires_in` at the moment of receipt, so that a clock that is off does not matter, or by the
 * server's time. The more hopeful estimate counts: a wrong hope costs a refused request, a wrong fear makes two sides whose
 * clocks differ refresh in turns. A record of another program has no moment of receipt; without the server's time,
 * `expires_at` and this device's clock must do.
 */
function estimateRemaining(
  record: StoredSession,
  since: Moment,
  { serverTime, isNews }: Provenance = {},
): number {
  const { received_at, expires_at } = record;
  const lifetimeMs = lifetime(record);
  const until = (nowMs: number) => (expires_at === undefined ? lifetimeMs : expires_at * 1000 - nowMs);
  const byServer = serverTime ? until(serverTime.ms + elapsedMs(serverTime.at, since)) : -Infinity;
  if (received_at === undefined) return Math.min(lifetimeMs, serverTime ? byServer : until(since.now));
  const ageMs = since.now - received_at;
  // Set back: how old the token is cannot be known. Zero makes for one refresh, which starts afresh.
  const isUnknown = ageMs < -SETBACK_MS && !isNews;
  return Math.min(lifetimeMs, Math.max(byServer, isUnknown ? 0 : lifetimeMs - Math.max(0, ageMs)));
}

/** Milliseconds that the access token still lives. */
export function remainingMs({ since, remainingMs }: HeldSession, at: Moment): number {
  return remainingMs - elapsedMs(since, at);
}

/**
 * Of both clocks the more pessimistic one counts (monotonic time stands still in sleep, wall time jumps), except a wall
 * clock that was set back.
 */
function elapsedMs(from: Moment, to: Moment): number {
  return Math.max(to.monotonicMs - from.monotonicMs, to.now - from.now);
}

/** Length of a tick in milliseconds: 30 s, or an eighth of the lifetime of a token that lives less than 4 minutes; 1 s at least. */
export function tickMs({ record }: HeldSession): number {
  return Math.max(1000, Math.min(TICK_MS, lifetime(record) / 8));
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
