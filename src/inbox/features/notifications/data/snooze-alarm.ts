import type { Clock, Page, Timer } from 'supabase-protocol-clients/platform';
import type { InboxStore } from './inbox-store.ts';

/** Browsers limit timers to 24.8 days, so the next return is looked up again after a day at most. */
const longestWaitMs = 86_400_000;

/** Returns snoozed notifications to the inbox at their time. */
export interface SnoozeAlarm {
  close(): void;
}

export interface SnoozeAlarmOptions {
  readonly store: InboxStore;
  readonly clock: Clock;
  readonly page: Page;
  /** Called after notifications have returned. */
  readonly onReturn: () => void;
}

export function createSnoozeAlarm({ store, clock, page, onReturn }: SnoozeAlarmOptions): SnoozeAlarm {
  let timer: Timer | null = null;
  let isClosed = false;
  let { rows } = store.getState();

  const check = () => {
    timer?.cancel();
    timer = null;
    const untilMs = nextReturnMs(store);
    if (isClosed || untilMs === null) return;
    timer = clock.setTimer(ring, Math.min(longestWaitMs, Math.max(0, untilMs - clock.now())));
  };
  const ring = () => {
    const nowMs = clock.now();
    const untilMs = nextReturnMs(store);
    const isDue = untilMs !== null && untilMs <= nowMs;
    if (isDue) store.dispatch({ type: 'woken', nowMs });
    check();
    if (isDue) onReturn();
  };
  // A sleeping device delays timers.
  const stopWatching = page.subscribe((signal) => signal === 'visible' && ring());
  const unsubscribe = store.subscribe(() => {
    if (rows === store.getState().rows) return;
    ({ rows } = store.getState());
    check();
  });
  return {
    close() {
      isClosed = true;
      timer?.cancel();
      stopWatching();
      unsubscribe();
    },
  };
}

/** When the next snoozed notification returns; null: none is snoozed. */
function nextReturnMs(store: InboxStore): number | null {
  let next: number | null = null;
  for (const { isSnoozed, snoozedUntilMs } of store.getState().rows.values())
    if (isSnoozed && snoozedUntilMs !== null && (next === null || snoozedUntilMs < next))
      next = snoozedUntilMs;
  return next;
}
