import { useEffect, useState } from 'react';

/** Whether `isActive` has been true for `delayMs` without a break. */
export function useDelay(isActive: boolean, delayMs: number): boolean {
  const [hasPassed, setPassed] = useState(false);
  useEffect(() => {
    if (!isActive) return;
    const timer = setTimeout(() => setPassed(true), delayMs);
    return () => {
      clearTimeout(timer);
      setPassed(false);
    };
  }, [isActive, delayMs]);
  return isActive && hasPassed;
}
