import { useEffectEvent, useLayoutEffect } from 'react';

/** Whether the page itself goes back, by `goBackBelow`. */
let isOwnStep = false;

/** Goes back on the page while what lies above it stays open, or opens at the same time. */
export function goBackBelow(): void {
  isOwnStep = true;
  const listening = new AbortController();
  const end = () => {
    listening.abort();
    // After all listeners of the event.
    setTimeout(() => (isOwnStep = false));
  };
  // A navigation meanwhile, the router's event `pushState`, may cancel going back.
  for (const type of ['popstate', 'pushState']) addEventListener(type, end, { signal: listening.signal });
  history.back();
}

/**
 * Closes what lies above the page when Back or Forward leads to another page below it.
 *
 * @param isOpen whether there is something to close.
 */
export function useCloseForHistory(isOpen: boolean, onClose: () => void): void {
  const close = useEffectEvent(onClose);
  // A layout effect: Back may be pressed as soon as it is visible.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const onPopState = () => {
      if (!isOwnStep) close();
    };
    addEventListener('popstate', onPopState);
    return () => removeEventListener('popstate', onPopState);
  }, [isOpen]);
}
