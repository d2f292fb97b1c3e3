import { decodeJwtClaims } from '../../platform/jwt.ts';
import type { Platform } from '../../platform/platform.ts';
import { retry } from '../../platform/retry.ts';
import { AuthError, missingSession } from '../errors.ts';
import type { SessionManager } from '../session/session-manager.ts';
import {
  type ActiveSession,
  type ClockReading,
  TICK_MS,
  isDueAtTick,
  isDueOnDemand,
  remainingMs,
  tickMs,
} from '../session/session.ts';
import { token } from '../wire/endpoints.ts';
import type { Send } from '../wire/request.ts';
import { type TokenResponse, parseTokenResponse } from '../wire/responses.ts';
import { GIVE_UP_MS, REFRESH_BACKOFF, classifyRefreshError, refreshActions } from './refresh-outcome.ts';
import { withLock } from '../session/with-lock.ts';

/** The only module that refreshes the session. */
export interface Refresher {
  /** The access token in memory; null if there is none, or if it is due for a refresh. */
  validToken(): string | null;
  /**
   * Returns the access token: at once if it is valid (a refresh may then run in the background), else after a refresh.
   *
   * @param rejectedToken a token that a server refused; if it is the current one, it counts as expired.
   * @returns null if no user is signed in.
   * @throws {AuthError} if the token has expired and could not be refreshed now; the session is kept. `missing-session` if
   * another user has signed in meanwhile, because a call that one user began must not go out as another.
   */
  accessToken(rejectedToken?: string): Promise<string | null>;
  /** Refreshes whatever the lifetime, unless another tab just did. @throws {AuthError} as the server refuses. */
  refresh(): Promise<void>;
  /** Runs a task that renews the session itself, never in parallel with a refresh of any tab. */
  exclusively<T>(task: () => Promise<T>): Promise<T>;
  start(): void;
  stop(): void;
}

/** After a refusal that an immediate retry does not help: no request with this token before `untilMs`. */
interface Pause {
  readonly refreshToken: string;
  /** On the monotonic clock. */
  readonly untilMs: number;
  /** A rate limit holds for every caller; after another refusal only the background checks pause. */
  readonly isRateLimit: boolean;
  readonly error: AuthError;
}

/** The answer to a refresh, and when it arrived: the lifetime of its token is measured from then. */
export interface ReceivedTokens {
  readonly response: TokenResponse;
  readonly receivedAt: ClockReading;
}

/** Runs the request for a refresh token, or returns the result of another client's request for it. */
export type ShareRefresh = (
  refreshToken: string,
  request: () => Promise<ReceivedTokens>,
) => Promise<ReceivedTokens>;

export interface RefresherSettings {
  readonly storageKey: string;
  readonly autoRefresh: boolean;
  readonly shareRefresh: ShareRefresh;
}

/** Longest wait for the lock. An attempt under it ends after 15 s, the deadline of its request, so its holder hangs. */
const LOCK_WAIT_MS = 20_000;

export function createRefresher(
  platform: Platform,
  session: SessionManager,
  send: Send,
  { storageKey, autoRefresh, shareRefresh }: RefresherSettings,
): Refresher {
  const { clock, page } = platform;
  /** Refreshes in flight by refresh token. */
  const inFlight = new Map<string, Promise<void>>();
  /** A refresh token that the server refused while its access token is still valid: no check sends it again. */
  let refusedToken: string | undefined;
  let pause: Pause | undefined;
  const stopping = new AbortController();
  let stopChecks: (() => void) | undefined;

  const isExpired = (active: ActiveSession) => remainingMs(active, session.readClocks()) <= 0;
  const exclusively = <T>(task: () => Promise<T>) =>
    withLock(platform, `lock:${storageKey}:refresh`, LOCK_WAIT_MS, task);

  /** Ends the session that the server refused, unless another program stored a newer one. */
  const drop = async (sentToken: string, isRejected: boolean, refusal: unknown) => {
    await session.sync();
    const active = session.current();
    if (active && active.record.refresh_token !== sentToken && !isExpired(active)) return;
    if (active?.record.refresh_token === sentToken) {
      if (isRejected || isExpired(active)) await session.signOut('refused', sentToken);
      else refusedToken = sentToken;
    }
    throw refusal;
  };

  /** One attempt under the lock. `isRejected`: a server refused the access token, whatever its lifetime says. */
  const attempt = (expectedToken: string, isRejected: boolean) =>
    exclusively(async () => {
      await session.sync();
      const active = session.current();
      if (!active) return;
      const sentToken = active.record.refresh_token;
      const isAlreadyRenewed = sentToken !== expectedToken && !isExpired(active);
      if (isAlreadyRenewed) return;
      try {
        // Not aborted by any caller: the response may hold the only copy of the next refresh token.
        const endpoint = token('refresh_token', { refresh_token: sentToken });
        const { response, receivedAt } = await shareRefresh(sentToken, async () => {
          const tokens = await send(endpoint, parseTokenResponse);
          return { response: tokens, receivedAt: session.readClocks() };
        });
        await session.renew(sentToken, response, 'TOKEN_REFRESHED', 'refresh', receivedAt);
      } catch (problem) {
        pauseAfter(problem, sentToken);
        if (actionFor(problem) !== 'drop') throw problem;
        await drop(sentToken, isRejected, problem);
      }
    });

  /** Pauses refreshing for the time in Retry-After, else for one tick. */
  const pauseAfter = (problem: unknown, refreshToken: string) => {
    if (!(problem instanceof AuthError)) return;
    const { retryAfterSeconds, status } = problem;
    if (retryAfterSeconds === null && actionFor(problem) !== 'keep') return;
    const pauseMs = retryAfterSeconds === null ? TICK_MS : retryAfterSeconds * 1000;
    const isRateLimit = retryAfterSeconds !== null || status === 429;
    pause = { refreshToken, untilMs: clock.monotonicMs() + pauseMs, isRateLimit, error: problem };
  };
  const isPaused = (refreshToken: string) =>
    pause?.refreshToken === refreshToken && clock.monotonicMs() < pause.untilMs;

  const run = async (expectedToken: string, isRejected: boolean) => {
    const isCurrent = () => session.current()?.record.refresh_token === expectedToken;
    const policy = {
      // Without auto-refresh no retries: a server answers its request, and the browser that sent it retries.
      limit: autoRefresh ? Infinity : 0,
      backoff: REFRESH_BACKOFF,
      maxElapsedMs: GIVE_UP_MS,
      isRetryable: (problem: unknown) => actionFor(problem) === 'retry',
    };
    if (pause?.isRateLimit && isPaused(expectedToken)) {
      await session.sync();
      if (isCurrent()) throw withRemainingTime(pause);
    }
    let last: unknown;
    const attemptIfCurrent = async (number: number) => {
      // Another tab or a sign-out replaced the token during the backoff.
      if (number > 1 && !isCurrent()) return;
      try {
        await attempt(expectedToken, isRejected);
      } catch (problem) {
        last = problem;
        throw problem;
      }
    };
    await retry(platform, policy, attemptIfCurrent, stopping.signal).catch((problem: unknown) => {
      throw stopping.signal.aborted ? last : problem;
    });
  };
  const withRemainingTime = ({ untilMs, error }: Pause) => {
    const { code, message, status, serverCode } = error;
    const retryAfterSeconds = Math.ceil((untilMs - clock.monotonicMs()) / 1000);
    return new AuthError(code, message, { status, serverCode, retryAfterSeconds, cause: error });
  };

  const refresh = (isRejected = false): Promise<void> => {
    const refreshToken = session.current()?.record.refresh_token;
    if (!refreshToken) return Promise.resolve();
    const known = inFlight.get(refreshToken);
    if (known) return known;
    const started = run(refreshToken, isRejected).finally(() => inFlight.delete(refreshToken));
    inFlight.set(refreshToken, started);
    return started;
  };

  const refreshInBackground = () => {
    const active = session.current();
    if (!active) return;
    const { refresh_token } = active.record;
    if (isPaused(refresh_token) || (refresh_token === refusedToken && !isExpired(active))) return;
    // A call that needs the token reports the failure; the next check tries again.
    refresh().catch(() => undefined);
  };

  const validToken = () => {
    const active = session.current();
    return active && !isDueOnDemand(active, session.readClocks()) ? active.record.access_token : null;
  };
  const accessToken = async (rejectedToken?: string): Promise<string | null> => {
    const active = session.current();
    if (!active) return null;
    const userId = active.record.user.id;
    const rejectedSubject = rejectedToken && decodeJwtClaims(rejectedToken)?.['sub'];
    if (rejectedSubject && rejectedSubject !== userId) throw missingSession();
    const isRejected = active.record.access_token === rejectedToken;
    if (!isRejected && !isExpired(active)) {
      const isDue = isDueOnDemand(active, session.readClocks());
      if (isDue && autoRefresh) refreshInBackground();
      if (!isDue || autoRefresh) return active.record.access_token;
    }
    try {
      await refresh(isRejected);
    } catch (problem) {
      const kept = session.current();
      if (kept && (isRejected || isExpired(kept))) throw problem;
    }
    const renewed = session.current();
    if (renewed && renewed.record.user.id !== userId) throw missingSession();
    return renewed && renewed.record.access_token;
  };

  return {
    validToken,
    accessToken,
    refresh: () => refresh(),
    exclusively,
    start() {
      if (!autoRefresh) return;
      let timer: { cancel(): void } | undefined;
      const check = () => {
        timer?.cancel();
        const active = session.current();
        if (!active) return;
        timer = clock.setTimer(check, tickMs(active));
        // A visible tab refreshes first; hidden tabs, which may still have to notify their user, at the last tick.
        const ticks = page.isVisible() ? undefined : 1;
        if (page.isOnline() && isDueAtTick(active, session.readClocks(), ticks)) refreshInBackground();
      };
      const unsubscribeTokens = session.tokens.add(check);
      const unsubscribePage = page.subscribe((signal) => {
        if (signal === 'hidden' || signal === 'pagehide' || signal === 'offline') return;
        void session.sync().then(check, platform.report);
      });
      stopChecks = () => {
        timer?.cancel();
        unsubscribeTokens();
        unsubscribePage();
      };
      check();
    },
    stop() {
      stopping.abort();
      stopChecks?.();
    },
  };
}

function actionFor(problem: unknown) {
  return refreshActions[classifyRefreshError(problem)];
}
