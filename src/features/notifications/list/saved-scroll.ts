import { useEffect } from 'react';

const saveDelayMs = 150;

interface SavedState {
  readonly inboxScrollY?: unknown;
}

/** The scroll position that was saved in the current history entry; 0 for a new entry. */
export function readScrollPosition(): number {
  const { inboxScrollY } = (history.state ?? {}) as SavedState;
  return typeof inboxScrollY === 'number' ? inboxScrollY : 0;
}

/**
 * Saves the scroll position in the history entry, and restores it after a reload and after Back and Forward: the browser
 * restores it too early, before the list has its height.
 *
 * @param isLoaded whether the list has rows.
 */
export function useSavedScroll(isLoaded: boolean): void {
  useEffect(() => {
    const { scrollRestoration } = history;
    history.scrollRestoration = 'manual';
    let timer: ReturnType<typeof setTimeout> | undefined;
    const save = () => {
      // The prototype's method: the router listens to the instance's, and would render the page again.
      History.prototype.replaceState.call(
        history,
        { ...(history.state as object | null), inboxScrollY: Math.round(window.scrollY) },
        '',
      );
    };
    const onScroll = () => {
      clearTimeout(timer);
      timer = setTimeout(save, saveDelayMs);
    };
    addEventListener('scroll', onScroll, { passive: true });
    return () => {
      clearTimeout(timer);
      removeEventListener('scroll', onScroll);
      history.scrollRestoration = scrollRestoration;
    };
  }, []);
  useEffect(() => {
    const top = readScrollPosition();
    if (isLoaded && top > 0) window.scrollTo(0, top);
  }, [isLoaded]);
}
