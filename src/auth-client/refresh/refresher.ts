import { peekClaims } from '../../platform/base64url.ts';
import type { Platform } from '../../platform/platform.ts';
import { type AuthError, missingSession } from '../errors.ts';
import { holdWithin } from './hold-within.ts';
import { token } from '../wire/endpoints.ts';
import { GIVE_UP_MS, backoffMs, outcomeOf, refreshVerdicts } from './refresh-outcome.ts';
import type { Send } from '../wire/request.ts';
import { parseSession } from '../wire/responses.ts';
import type { SessionKeeper } from '../session/session-keeper.ts';
import { isDueAtTick, isDueOnDemand, remainingMs, tickMs } from '../session/session.ts';

/** The sole path on which a session is refreshed. */
export interface Refresher {
  /**
   * The access token: at once if it is still valid (a refresh then runs in the background), else after a refresh.
   *
   * @param rejectedToken a token that a server refused; if it is the current one, it counts as expired.
   * @returns null if nobody is signed in, or no longer is.
   * @throws {AuthError} if the token has expired and could not be refreshed now; the session is kept. `missing-session` if
   * another user is signed in by then: nothing that one user began may go out as the next.
   */
  accessToken(rejectedToken?: string): Promise<string | null>;
  /** Refreshes whatever the lifetime, unless another tab just did. @throws {AuthError} as the server refuses. */
  refresh(): Promise<void>;
  /** Runs a task that itself renews the session, never beside a refresh of any tab. */
  exclusively<T>(task: () => Promise<T>): Promise<T>;
  start(): void;
  stop(): void;
}

export function createRefresher(
  platform: Platform,
  keeper: SessionKeeper,
  send: Send,
  key: string,
): Refresher {
  const { clock, page } = platform;
  const flights = new Map<string, Promise<void>>();
  /** A refresh token that the server refused while its access token lives on: not asked about again until then. */
  let refused: string | undefined;
  /** After a refusal that a repetition does not help, such as 429: on the monotonic clock. */
  let quietUntilMs = 0;
  let isStopped = false;
  let stop: (() => void) | undefined;

  const exclusively = <T>(task: () => Promise<T>) =>
    holdWithin(GIVE_UP_MS, platform, `lock:${key}:refresh`, task);

  /** One attempt under the lock. `rejected`: the access token is dead whatever its lifetime says. */
  const attempt = (seen: string, rejected: boolean) =>
    exclusively(async () => {
      await keeper.sync();
      const held = keeper.held();
      const sent = held?.record.refresh_token;
      if (!held || !sent || (sent !== seen && remainingMs(held, keeper.moment()) > 0)) return;
      try {
        // A refresh that was sent is never aborted: its reply may be the only copy of the next token.
        const reply = await send(token('refresh_token', { refresh_token: sent }), parseSession);
        await keeper.renew(sent, reply, 'TOKEN_REFRESHED', 'refresh');
      } catch (problem) {
        if (refreshVerdicts[outcomeOf(problem)] === 'drop') {
          // Another program may have refreshed without our lock.
          await keeper.sync();
          const now = keeper.held();
          if (now?.record.refresh_token === sent) {
            if (rejected || remainingMs(now, keeper.moment()) <= 0) await keeper.leave('refused', sent);
            else refused = sent;
          } else if (now && remainingMs(now, keeper.moment()) > 0) return;
        }
        throw problem;
      }
    });

  const run = async (seen: string, rejected: boolean) => {
    const startMs = clock.monotonicMs();
    for (let n = 1; ; n += 1) {
      try {
        await attempt(seen, rejected);
        return;
      } catch (problem) {
        const waitMs = backoffMs(n, platform.random.number());
        const nowMs = clock.monotonicMs();
        const verdict = refreshVerdicts[outcomeOf(problem)];
        const held = keeper.held();
        if (verdict === 'keep' && held)
          quietUntilMs =
            nowMs + Math.max(tickMs(held), ((problem as AuthError).retryAfterSeconds ?? 0) * 1000);
        if (verdict !== 'retry' || nowMs - startMs + waitMs > GIVE_UP_MS) throw problem;
        await new Promise<void>((resolve) => void clock.setTimer(resolve, waitMs));
        if (isStopped) throw problem;
        if (keeper.held()?.record.refresh_token !== seen) return;
      }
    }
  };

  const refresh = (rejected = false): Promise<void> => {
    const seen = keeper.held()?.record.refresh_token;
    if (!seen) return Promise.resolve();
    const flying = flights.get(seen);
    if (flying) return flying;
    const flight = run(seen, rejected).finally(() => flights.delete(seen));
    flights.set(seen, flight);
    return flight;
  };

  const inBackground = () => {
    const held = keeper.held();
    if (!held || clock.monotonicMs() < quietUntilMs) return;
    if (held.record.refresh_token === refused && remainingMs(held, keeper.moment()) > 0) return;
    // Whoever needs the token meets the failure; the next check tries again.
    refresh().catch(() => undefined);
  };

  const accessToken = async (rejectedToken?: string): Promise<string | null> => {
    const held = keeper.held();
    if (!held) return null;
    const userId = held.record.user.id;
    const current = held.record.access_token;
    const rejected = current === rejectedToken;
    const speaksOf = rejectedToken && peekClaims(rejectedToken)?.['sub'];
    if (speaksOf && speaksOf !== userId) throw missingSession();
    if (!rejected && remainingMs(held, keeper.moment()) > 0) {
      if (isDueOnDemand(held, keeper.moment())) inBackground();
      return current;
    }
    try {
      await refresh(rejected);
    } catch (problem) {
      if (keeper.held()) throw problem;
    }
    const now = keeper.held();
    if (now && now.record.user.id !== userId) throw missingSession();
    return now && now.record.access_token;
  };

  return {
    accessToken,
    refresh: () => refresh(),
    exclusively,
    start() {
      let timer: { cancel(): void } | undefined;
      const check = () => {
        timer?.cancel();
        const held = keeper.held();
        if (!held) return;
        timer = clock.setTimer(check, tickMs(held));
        // A visible tab goes first; hidden ones, which their owner may still want to hear from, at the last tick.
        const ticks = page.isVisible() ? undefined : 1;
        if (page.isOnline() && isDueAtTick(held, keeper.moment(), ticks)) inBackground();
      };
      const undo = [
        keeper.tokens.add(check),
        page.subscribe((signal) => {
          if (signal !== 'hidden' && signal !== 'pagehide' && signal !== 'offline')
            void keeper.sync().then(check, platform.report);
        }),
      ];
      stop = () => {
        timer?.cancel();
        for (const end of undo) end();
      };
      check();
    },
    stop() {
      isStopped = true;
      stop?.();
    },
  };
}
