import type { Clock, Timer } from '../../platform/platform.ts';
import type { ConnectionSnapshot } from './connection.ts';
import type { RealtimeSettings } from '../settings.ts';
import { createObservable, type Readable } from '../../platform/observable.ts';

export interface ConnectionStatus extends Readable<ConnectionSnapshot> {
  /**
   * @param status `lost` only when another tab reports it: there the grace period has ended.
   * @param lostAtMs when (wall clock, ms) the last frame arrived.
   */
  publish(status: ConnectionSnapshot['status'], lostAtMs: number): void;
}

/** Hides short interruptions: `connected` stays published until the grace period (`lostAfterMs`) ends. */
export function createConnectionStatus(
  clock: Clock,
  { lostAfterMs }: RealtimeSettings,
  report: (problem: unknown) => void,
): ConnectionStatus {
  const store = createObservable<ConnectionSnapshot>({ status: 'idle', lostAtMs: null }, report);
  let grace: Timer | undefined;
  return {
    ...store,
    publish(status, lostAtMs) {
      const shown = store.getSnapshot().status;
      if (status === 'connecting') {
        if (shown === 'idle') store.set({ status, lostAtMs: null });
        if (shown !== 'lost')
          grace ??= clock.setTimer(() => store.set({ status: 'lost', lostAtMs }), lostAfterMs);
        return;
      }
      grace?.cancel();
      grace = undefined;
      if (status !== shown) store.set({ status, lostAtMs: status === 'lost' ? lostAtMs : null });
    },
  };
}
