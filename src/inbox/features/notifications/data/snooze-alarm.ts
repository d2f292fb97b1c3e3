import type { Clock, Page, Timer } from 'supabase-protocol-clients/platform';
import type { InboxStore } from './inbox-store.ts';

/** Browsers limit timers to 24.8 days, so the next return is looked up again after a day at most. */
const longestWaitMs = 86_400_000;

export interface SnoozeAlarmOptions {
  readonly store: InboxStore;
  readonly clock: Clock;
  readonly page: Page;
  /** Called after notifications have returned. */
  readonly onReturn: () => void;
}

/** Returns snoozed notifications to the inbox at their time. @returns a function that ends it. */
export function startSnoozeAlarm({ store, clock, page, onReturn }: SnoozeAlarmOptions): () => void {
  let timer: Timer | null = null;
  let rows: unknown = null;

  const check = () => {
    if (rows === store.getState().rows) return;
    ({ rows } = store.getState());
    timer?.cancel();
    const waitMs = Math.min(longestWaitMs, Math.max(0, nextReturnMs(store) - clock.now()));
    timer = Number.isFinite(nextReturnMs(store)) ? clock.setTimer(ring, waitMs) : null;
  };
  const ring = () => {
    const nowMs = clock.now();
    const isDue = nextReturnMs(store) <= nowMs;
    rows = null;
    if (isDue) store.dispatch({ type: 'woken', nowMs });
    check();
    if (isDue) onReturn();
  };
  // A sleeping device delays timers.
  const stopWatching = page.subscribe((signal) => signal === 'visible' && ring());
  const unsubscribe = store.subscribe(check);
  return () => {
    timer?.cancel();
    stopWatching();
    unsubscribe();
  };
}

/** When the next snoozed notification returns; infinite: none is snoozed. */
function nextReturnMs(store: InboxStore): number {
  let next = Infinity;
  for (const { isSnoozed, snoozedUntilMs } of store.getState().rows.values())
    if (isSnoozed && snoozedUntilMs !== null) next = Math.min(next, snoozedUntilMs);
  return next;
}
