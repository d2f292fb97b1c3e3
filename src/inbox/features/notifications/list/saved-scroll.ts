import { useCallback, useEffect, useRef } from 'react';

const saveDelayMs = 150;
/** Events of the user after which the saved position is no longer restored. */
const userInputs = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const;

interface SavedState {
  readonly inboxScrollY?: unknown;
}

/** The scroll position that was saved in the current history entry; 0 for a new entry. */
export function readScrollPosition(): number {
  const { inboxScrollY } = (history.state ?? {}) as SavedState;
  return typeof inboxScrollY === 'number' ? inboxScrollY : 0;
}

/** Saves the scroll position in the current history entry. */
export function saveScrollPosition(): void {
  // Call the prototype's method, because the router patches the instance's and would render the page again.
  History.prototype.replaceState.call(
    history,
    { ...(history.state as object | null), inboxScrollY: Math.round(window.scrollY) },
    '',
  );
}

/**
 * Saves the scroll position in the history entry, and restores it after a reload and after Back and Forward: the browser
 * restores it too early, before the list has its height.
 *
 * @param size the height of the list grows with it; a position below the loaded rows is restored page by page.
 * @returns scrolls to the saved position; does nothing once it is reached or the user scrolls.
 */
export function useSavedScroll(size: number): () => void {
  const target = useRef(readScrollPosition());
  useEffect(() => {
    const { scrollRestoration } = history;
    history.scrollRestoration = 'manual';
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onScroll = () => {
      clearTimeout(timer);
      timer = setTimeout(saveScrollPosition, saveDelayMs);
    };
    const settle = () => (target.current = 0);
    addEventListener('scroll', onScroll, { passive: true });
    for (const type of userInputs) addEventListener(type, settle, { passive: true });
    return () => {
      clearTimeout(timer);
      removeEventListener('scroll', onScroll);
      for (const type of userInputs) removeEventListener(type, settle);
      history.scrollRestoration = scrollRestoration;
    };
  }, []);
  const restore = useCallback(() => {
    if (target.current === 0) return;
    window.scrollTo(0, target.current);
    if (window.scrollY >= target.current) target.current = 0;
  }, []);
  useEffect(() => {
    if (size > 0) restore();
  }, [size, restore]);
  return restore;
}
