import type { InboxStore } from './inbox-store.ts';
import type { SnoozeAlarm, SnoozeAlarmOptions } from './snooze-alarm.ts';

export interface LazyAlarmOptions extends SnoozeAlarmOptions {
  readonly store: InboxStore;
  /** Logs a failure. */
  readonly report: (problem: unknown) => void;
}

/** The alarm of snoozed notifications, whose code is loaded with the first of them. */
export function createLazyAlarm(options: LazyAlarmOptions): Pick<SnoozeAlarm, 'close'> {
  const { store, report } = options;
  let alarm: SnoozeAlarm | null = null;
  let watchedRows = store.getState().rows;
  let isLoading = false;
  let isClosed = false;
  const load = async () => {
    isLoading = true;
    try {
      const { createSnoozeAlarm } = await import('./snooze-alarm.ts');
      if (isClosed) return;
      alarm = createSnoozeAlarm(options);
      alarm.check();
    } catch (problem) {
      report(problem);
    }
    isLoading = false;
  };
  const stop = store.subscribe(() => {
    const { rows } = store.getState();
    if (rows === watchedRows) return;
    watchedRows = rows;
    if (alarm) alarm.check();
    else if (!isLoading && [...rows.values()].some((row) => row.isSnoozed)) void load();
  });
  return {
    close() {
      isClosed = true;
      stop();
      alarm?.close();
    },
  };
}
