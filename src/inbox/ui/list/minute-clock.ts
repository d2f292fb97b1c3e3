import { ListenerSet } from 'supabase-protocol-clients/platform';
import type { Clock, Page, Readable, Timer, Unsubscribe } from 'supabase-protocol-clients/platform';

/** One clock for every relative time on the page: the start of the current minute, in milliseconds. */
export type MinuteClock = Readable<number>;

const minuteMs = 60_000;

/** Ticks at each full minute while it has listeners, and when a hidden page becomes visible. */
export function createMinuteClock({ clock, page }: { clock: Clock; page: Page }): MinuteClock {
  const listeners = new ListenerSet<void>();
  let timer: Timer | null = null;
  let stopWatching: Unsubscribe | null = null;
  let minute = floor(clock.now());

  const tick = () => {
    timer?.cancel();
    timer = clock.setTimer(tick, minuteMs - (clock.now() % minuteMs));
    const next = floor(clock.now());
    if (next === minute) return;
    minute = next;
    listeners.call();
  };

  return {
    subscribe(listener) {
      const remove = listeners.add(listener);
      if (listeners.size === 1) {
        stopWatching = page.subscribe((signal) => signal === 'visible' && tick());
        tick();
      }
      return () => {
        remove();
        if (listeners.size > 0) return;
        timer?.cancel();
        stopWatching?.();
        timer = null;
        stopWatching = null;
      };
    },
    getSnapshot: () => minute,
  };
}

function floor(nowMs: number): number {
  return nowMs - (nowMs % minuteMs);
}
