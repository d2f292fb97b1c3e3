import { useEffect, useState } from 'react';

/**
 * Whole seconds until `untilMs` (epoch milliseconds; `null` or past: 0). Renders once a second while they run; show
 * them outside of live regions, so that they are not read aloud each time.
 */
export function useCountdown(untilMs: number | null): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  const seconds = untilMs === null ? 0 : Math.max(0, Math.ceil((untilMs - nowMs) / 1000));
  useEffect(() => {
    if (untilMs === null || untilMs <= Date.now()) return;
    setNowMs(Date.now());
    const timer = setInterval(() => {
      setNowMs(Date.now());
      if (Date.now() >= untilMs) clearInterval(timer);
    }, 1000);
    return () => clearInterval(timer);
  }, [untilMs]);
  return seconds;
}
