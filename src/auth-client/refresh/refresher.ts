import type { CallUser } from '../../platform/call-user.ts';
import { decodeJwtClaims } from '../../platform/jwt.ts';
import type { Platform, Timer } from '../../platform/platform.ts';
import { retry } from '../../platform/retry.ts';
import { AuthError, userChanged } from '../errors.ts';
import type { SessionManager } from '../session/session-manager.ts';
import {
  type ActiveSession,
  type ClockReading,
  TICK_MS,
  elapsedMs,
  isDue,
  lifetimeMs,
  remainingMs,
  tickMs,
} from '../session/session.ts';
import { token } from '../wire/endpoints.ts';
import { DEFAULT_TIMEOUT_MS, type Send } from '../wire/request.ts';
import { type TokenResponse, parseTokenResponse } from '../wire/responses.ts';
import { shareRequest, type SharedRequestSlot } from '../wire/shared-request.ts';
import { GIVE_UP_MS, OTHER_RENEWAL_BACKOFF, REFRESH_BACKOFF, refreshActionFor } from './refresh-outcome.ts';
import { withLock } from '../session/with-lock.ts';

/** After a refusal that an immediate retry does not help: no request with this token before `untilMs`. */
interface Pause {
  readonly refreshToken: string;
  /** On the monotonic clock. */
  readonly untilMs: number;
  /** A rate limit holds for every caller; after another refusal only the background checks pause. */
  readonly isRateLimit: boolean;
  readonly error: AuthError;
}

/** The response to a refresh and its time of arrival, from which the token's lifetime is measured. */
export interface ReceivedTokens {
  readonly response: TokenResponse;
  readonly receivedAt: ClockReading;
}

/** Runs the request for a refresh token, or returns the result of another client's request for it. */
export type ShareRefresh = (
  refreshToken: string,
  request: () => Promise<ReceivedTokens>,
) => Promise<ReceivedTokens>;

export interface RefresherParts {
  readonly platform: Platform;
  readonly session: SessionManager;
  readonly send: Send;
}

export interface RefresherSettings {
  readonly storageKey: string;
  readonly autoRefresh: boolean;
  readonly shareRefresh: ShareRefresh;
}

interface AccessTokenRequest {
  readonly rejectedToken?: string | undefined;
  readonly user?: CallUser | undefined;
}

/** A read of the token starts a background refresh when less of its life is left: 90 s of an hour. */
const TICKS_AT_READ = 3;
/** The background check refreshes when less of the token's life is left: the last full tick still has a check. */
const TICKS_IF_VISIBLE = 4;
const TICKS_IF_HIDDEN = 2;
/**
 * Longest wait for the lock. An attempt ends at the 15 s deadline of its request, so a holder that keeps the lock
 * longer hangs.
 */
const LOCK_WAIT_MS = 20_000;

/** Longer than all attempts of a refresh with their waits for the lock and for another client's renewal. */
const LONGEST_REFRESH_MS = 120_000;

/** The only module that refreshes the session. */
export class Refresher {
  readonly #parts: RefresherParts;
  readonly #settings: RefresherSettings;
  #inFlight: (SharedRequestSlot<void> & { readonly refreshToken: string }) | undefined;
  /** A refresh token that the server refused while its access token is still valid: no check sends it again. */
  #refusedToken: string | undefined;
  #pause: Pause | undefined;
  /** The last renewal of a token that a service called expired. */
  #renewedRejected: { readonly userId: string; readonly at: ClockReading } | undefined;
  readonly #stopping = new AbortController();
  #stopChecks: (() => void) | undefined;

  constructor(parts: RefresherParts, settings: RefresherSettings) {
    this.#parts = parts;
    this.#settings = settings;
  }

  /** The access token in memory; null without a session, or if it is due for a refresh. */
  validToken(): string | null {
    const active = this.#parts.session.current();
    return active && !this.#isDue(active, TICKS_AT_READ) ? active.record.access_token : null;
  }

  /**
   * Returns the access token: at once if it is valid (a refresh may then run in the background), else after a refresh.
   *
   * @param request.user the user of a call, bound to the present one before the refresh: the call ends with `user-changed` where
   *   the session ends during the refresh.
   * @param request.rejectedToken a token that a server refused; if it is the current one, it counts as expired. After such a renewal a
   *   further one waits for half of the token's life, so that a service whose clock is wrong costs no refresh per request.
   * @returns null if no user is signed in.
   * @throws {AuthError} if the token has expired and could not be refreshed now; the session is kept. `user-changed` if
   *   another user has signed in meanwhile, because a call that one user began must not be sent as another.
   */
  async accessToken({ rejectedToken, user }: AccessTokenRequest = {}): Promise<string | null> {
    const { session } = this.#parts;
    const { autoRefresh } = this.#settings;
    const active = session.current();
    if (!active) return null;
    if (user && !user.admits(active.record.access_token)) throw userChanged();
    const userId = active.record.user.id;
    const rejectedSubject = rejectedToken && decodeJwtClaims(rejectedToken)?.['sub'];
    if (rejectedSubject && rejectedSubject !== userId) throw userChanged();
    const isRejected = active.record.access_token === rejectedToken && this.#mayRenewRejected(active);
    if (!isRejected && !this.#isExpired(active)) {
      const isDue = this.#isDue(active, TICKS_AT_READ);
      if (isDue && autoRefresh) this.#refreshInBackground();
      if (!isDue || autoRefresh) return active.record.access_token;
    }
    let failure: unknown;
    try {
      await this.refresh(isRejected);
      if (isRejected) this.#renewedRejected = { userId, at: session.readClocks() };
    } catch (problem) {
      const kept = session.current();
      if (kept && (isRejected || this.#isExpired(kept))) throw problem;
      failure = problem;
    }
    const renewed = session.current();
    // Without a session, a call with a rejected token ends with the error of that token.
    const endsCall = renewed ? renewed.record.user.id !== userId : user && rejectedToken === undefined;
    if (endsCall) throw userChanged(failure);
    return renewed && renewed.record.access_token;
  }

  /**
   * Refreshes regardless of the lifetime, unless another tab just did.
   *
   * @param isRejected whether a server refused the access token, regardless of its lifetime. Default false.
   * @throws {AuthError} as the server refuses.
   */
  refresh(isRejected = false): Promise<void> {
    const refreshToken = this.#parts.session.current()?.record.refresh_token;
    if (!refreshToken) return Promise.resolve();
    if (this.#inFlight?.refreshToken !== refreshToken) this.#inFlight = { refreshToken, shared: null };
    const slot = this.#inFlight;
    const run = () =>
      this.#run(refreshToken, isRejected).finally(() => {
        if (this.#inFlight === slot) this.#inFlight = undefined;
      });
    return shareRequest(this.#parts.platform.clock, slot, run, LONGEST_REFRESH_MS);
  }

  /** Runs a task that renews the session itself, never in parallel with a refresh of any tab. */
  exclusively<T>(task: () => Promise<T>): Promise<T> {
    return withLock(this.#parts.platform, `lock:${this.#settings.storageKey}:refresh`, LOCK_WAIT_MS, task);
  }

  /** Starts the background checks, if the client refreshes by itself. */
  start(): void {
    if (!this.#settings.autoRefresh) return;
    const { session, platform } = this.#parts;
    const { clock, page } = platform;
    let timer: Timer | undefined;
    const check = () => {
      timer?.cancel();
      const active = session.current();
      if (!active) return;
      timer = clock.setTimer(check, tickMs(active));
      timer.unref?.();
      // A visible tab refreshes first; hidden tabs, which may still have to notify their user, at the last tick.
      const ticks = page.isVisible() ? TICKS_IF_VISIBLE : TICKS_IF_HIDDEN;
      if (page.isOnline() && this.#isDue(active, ticks)) this.#refreshInBackground();
    };
    const unsubscribeTokens = session.tokens.add(check);
    const unsubscribePage = page.subscribe((signal) => {
      if (signal === 'hidden' || signal === 'pagehide' || signal === 'offline') return;
      void session.sync().then(check, platform.report);
    });
    this.#stopChecks = () => {
      timer?.cancel();
      unsubscribeTokens();
      unsubscribePage();
    };
    check();
  }

  stop(): void {
    this.#stopping.abort();
    this.#stopChecks?.();
  }

  /** A token that replaced a rejected one is not expired in the first half of its life: the clock of the service is wrong. */
  #mayRenewRejected({ record }: ActiveSession): boolean {
    const last = this.#renewedRejected;
    if (last?.userId !== record.user.id) return true;
    return elapsedMs(last.at, this.#parts.session.readClocks()) >= lifetimeMs(record) / 2;
  }

  #isExpired(active: ActiveSession): boolean {
    return remainingMs(active, this.#parts.session.readClocks()) <= 0;
  }

  #isDue(active: ActiveSession, ticks: number): boolean {
    return isDue(active, this.#parts.session.readClocks(), ticks);
  }

  #refreshInBackground(): void {
    const active = this.#parts.session.current();
    if (!active) return;
    const { refresh_token } = active.record;
    if (this.#isPaused(refresh_token)) return;
    if (refresh_token === this.#refusedToken && !this.#isExpired(active)) return;
    // A call that needs the token reports the failure; the next check retries.
    this.refresh().catch(() => undefined);
  }

  async #run(expectedToken: string, isRejected: boolean): Promise<void> {
    const { session, platform } = this.#parts;
    const isCurrent = () => session.current()?.record.refresh_token === expectedToken;
    const policy = {
      // Without auto-refresh no retries: a server responds to its request, and the browser retries.
      limit: this.#settings.autoRefresh ? Infinity : 0,
      backoff: REFRESH_BACKOFF,
      maxElapsedMs: GIVE_UP_MS,
      isRetryable: (problem: unknown) => refreshActionFor(problem) === 'retry',
    };
    if (this.#pause?.isRateLimit && this.#isPaused(expectedToken)) {
      await session.sync();
      if (isCurrent()) throw this.#withRemainingTime(this.#pause);
    }
    let last: unknown;
    const attemptIfCurrent = async (number: number) => {
      // Another tab or a sign-out replaced the token during the backoff.
      if (number > 1 && !isCurrent()) return;
      try {
        await this.exclusively(() => this.#attempt(expectedToken, isRejected));
      } catch (problem) {
        last = problem;
        throw problem;
      }
    };
    const { signal } = this.#stopping;
    await retry(platform, policy, attemptIfCurrent, signal).catch((problem: unknown) => {
      throw signal.aborted ? last : problem;
    });
  }

  /** One attempt, to be run under the lock. */
  async #attempt(expectedToken: string, isRejected: boolean): Promise<void> {
    const { session, send } = this.#parts;
    await session.sync();
    const active = session.current();
    if (!active) return;
    const sentToken = active.record.refresh_token;
    const isAlreadyRenewed = sentToken !== expectedToken && !this.#isExpired(active);
    if (isAlreadyRenewed) return;
    try {
      // Not aborted by any caller: the response may hold the only copy of the next refresh token.
      const endpoint = token('refresh_token', { refresh_token: sentToken });
      const { response, receivedAt } = await this.#settings.shareRefresh(sentToken, async () => {
        const tokens = await send(endpoint, parseTokenResponse);
        return { response: tokens, receivedAt: session.readClocks() };
      });
      await session.renew(sentToken, response, 'TOKEN_REFRESHED', 'refresh', receivedAt);
    } catch (problem) {
      this.#pauseAfter(problem, sentToken);
      if (refreshActionFor(problem) !== 'drop') throw problem;
      await this.#awaitOtherRenewal(sentToken, problem);
      if (!(await this.#findNewer(sentToken, isRejected))) throw problem;
    }
  }

  /**
   * Without a shared lock another tab or process may have sent the same token. It stores its response by the deadline of its
   * request; this client must not remove the session earlier.
   */
  async #awaitOtherRenewal(sentToken: string, refusal: unknown): Promise<void> {
    const { session, platform } = this.#parts;
    const isUsed = refusal instanceof AuthError && refusal.serverCode === 'refresh_token_already_used';
    if (!isUsed || platform.locks.scope === 'origin' || !this.#settings.autoRefresh) return;
    const checkStorage = async () => {
      await session.sync();
      if (session.current()?.record.refresh_token === sentToken) throw refusal;
    };
    const policy = { limit: Infinity, backoff: OTHER_RENEWAL_BACKOFF, maxElapsedMs: DEFAULT_TIMEOUT_MS };
    const isRetryable = () => true;
    await retry(platform, { ...policy, isRetryable }, checkStorage, this.#stopping.signal).catch(
      () => undefined,
    );
  }

  /** Whether another program stored a newer session. Else ends the session that the server refused, or lets its access token expire. */
  async #findNewer(sentToken: string, isRejected: boolean): Promise<boolean> {
    const { session } = this.#parts;
    await session.sync();
    const active = session.current();
    if (active?.record.refresh_token !== sentToken) return !!active && !this.#isExpired(active);
    if (isRejected || this.#isExpired(active)) await session.signOut('refused', sentToken);
    else this.#refusedToken = sentToken;
    return false;
  }

  /** Pauses refreshing for the time in Retry-After, else for one tick. */
  #pauseAfter(problem: unknown, refreshToken: string): void {
    if (!(problem instanceof AuthError)) return;
    const { retryAfterSeconds, status } = problem;
    if (retryAfterSeconds === null && refreshActionFor(problem) !== 'keep') return;
    const pauseMs = retryAfterSeconds === null ? TICK_MS : retryAfterSeconds * 1000;
    const isRateLimit = retryAfterSeconds !== null || status === 429;
    const untilMs = this.#parts.platform.clock.monotonicMs() + pauseMs;
    this.#pause = { refreshToken, untilMs, isRateLimit, error: problem };
  }

  #isPaused(refreshToken: string): boolean {
    const pause = this.#pause;
    return pause?.refreshToken === refreshToken && this.#remainingMs(pause) > 0;
  }

  #remainingMs({ untilMs }: Pause): number {
    return untilMs - this.#parts.platform.clock.monotonicMs();
  }

  #withRemainingTime(pause: Pause): AuthError {
    const { code, message, status, serverCode } = pause.error;
    const retryAfterSeconds = Math.ceil(this.#remainingMs(pause) / 1000);
    return new AuthError(code, message, { status, serverCode, retryAfterSeconds, cause: pause.error });
  }
}
