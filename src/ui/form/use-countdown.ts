import { useCallback, useSyncExternalStore } from 'react';

/**
 * Whole seconds until `untilMs` (epoch milliseconds; `null` or past: 0). Rerenders every second; render
 * it outside of live regions, so that the seconds are not announced.
 */
export function useCountdown(untilMs: number | null): number {
  const subscribe = useCallback(
    (listener: () => void) => {
      if (untilMs === null || untilMs <= Date.now()) return () => undefined;
      const timer = setInterval(listener, 1000);
      return () => clearInterval(timer);
    },
    [untilMs],
  );
  return useSyncExternalStore(subscribe, () =>
    untilMs === null ? 0 : Math.max(0, Math.ceil((untilMs - Date.now()) / 1000)),
  );
}
