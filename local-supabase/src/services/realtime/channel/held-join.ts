import { SubscriptionRefused } from '../subscription/bindings.ts';
import type { Timers } from '../timers.ts';

/**
 * Subscribes before the reply to a join, as `postgres_changes_options.wait` requests.
 *
 * @param subscribe calls `onLive` once changes arrive.
 * @returns the reason of a refusal; null once the subscription is live.
 */
export function holdJoin({
  timers,
  waitMs,
  delayMs,
  subscribe,
}: {
  readonly timers: Timers;
  readonly waitMs: number;
  readonly delayMs: number;
  readonly subscribe: (onLive: () => void) => Promise<void>;
}): Promise<string | null> {
  return new Promise((resolve) => {
    const timeout = `PostgresChangesSubscribeTimeout: Timed out after ${waitMs}ms waiting for the postgres_changes subscription`;
    const cancel = timers.after(waitMs, () => resolve(timeout));
    const end = (reason: string | null) => {
      cancel();
      resolve(reason);
    };
    const begin = () => {
      subscribe(() => end(null)).catch((error: unknown) => {
        // As on the real server, any other failure may be transient: the reply waits until the timeout.
        if (error instanceof SubscriptionRefused) end(`RealtimeDisabledForConfiguration: ${error.message}`);
      });
    };
    if (delayMs > 0) timers.after(delayMs, begin);
    else begin();
  });
}
