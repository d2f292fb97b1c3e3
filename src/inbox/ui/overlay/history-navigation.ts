import { useEffectEvent, useLayoutEffect } from 'react';

/** Whether `goBackKeepingOverlays` is going back. */
let isOwnStep = false;

/** Goes back in the history without closing the dialogs and popovers above the page. */
export function goBackKeepingOverlays(): void {
  isOwnStep = true;
  const listening = new AbortController();
  const end = () => {
    listening.abort();
    // Reset after all listeners of the event have run.
    setTimeout(() => (isOwnStep = false));
  };
  // A navigation meanwhile, the router's event `pushState`, may cancel going back.
  for (const type of ['popstate', 'pushState']) addEventListener(type, end, { signal: listening.signal });
  history.back();
}

/**
 * Closes a dialog or popover when Back or Forward leads to another page.
 *
 * @param isOpen whether there is something to close.
 */
export function useCloseOnHistoryNavigation(isOpen: boolean, onClose: () => void): void {
  const close = useEffectEvent(onClose);
  // A layout effect, because Back may be pressed once it is visible.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const onPopState = () => {
      if (!isOwnStep) close();
    };
    addEventListener('popstate', onPopState);
    return () => removeEventListener('popstate', onPopState);
  }, [isOpen]);
}
