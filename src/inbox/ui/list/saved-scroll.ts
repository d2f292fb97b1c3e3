import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react';

const saveDelayMs = 150;
/** Events of the user after which the saved position is no longer restored. */
const userInputs = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const;

interface ScrollPosition {
  readonly y: number;
  /** The first visible row and its distance from the window's top: rows above it may have another height when it is restored. */
  readonly row?: { readonly id: string; readonly top: number } | undefined;
}

const pageTop: ScrollPosition = { y: 0 };

function savedPosition(): ScrollPosition {
  const { inboxScroll } = (history.state ?? {}) as { readonly inboxScroll?: ScrollPosition };
  return inboxScroll ?? pageTop;
}

/** The scroll position that was saved in the current history entry; 0 for a new entry. */
export const readScrollPosition = (): number => savedPosition().y;

/** What the window shows now. */
function readShownPosition(): ScrollPosition {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-id]')];
  const row = rows.find((element) => element.getBoundingClientRect().bottom > 0);
  const id = row?.dataset['id'];
  return {
    y: Math.round(window.scrollY),
    row: row && id ? { id, top: row.getBoundingClientRect().top } : undefined,
  };
}

export function saveScrollPosition(): void {
  const state = { ...(history.state as object | null), inboxScroll: readShownPosition() };
  // Call the prototype's method, because the router patches the instance's and would render the page again.
  History.prototype.replaceState.call(history, state, '');
}

/**
 * Saves the scroll position in the history entry, and restores it after a reload and after Back and Forward: the browser
 * restores it too early, before the list has its height.
 *
 * @param size the height of the list grows with it; a position below the loaded rows is restored page by page.
 * @param startOf where a row starts in the document, in pixels; undefined where the list does not have it.
 */
export function useSavedScroll(size: number, startOf: (id: string) => number | undefined): void {
  const target = useRef(savedPosition());
  useEffect(() => {
    const { scrollRestoration } = history;
    history.scrollRestoration = 'manual';
    let timer: ReturnType<typeof setTimeout> | undefined;
    const save = () => {
      timer = undefined;
      saveScrollPosition();
    };
    const onScroll = () => {
      clearTimeout(timer);
      timer = setTimeout(save, saveDelayMs);
    };
    const settle = () => {
      target.current = pageTop;
      // The user may leave the entry before the delay is over.
      if (timer === undefined) return;
      clearTimeout(timer);
      save();
    };
    addEventListener('scroll', onScroll, { passive: true });
    for (const type of userInputs) addEventListener(type, settle, { passive: true });
    return () => {
      clearTimeout(timer);
      removeEventListener('scroll', onScroll);
      for (const type of userInputs) removeEventListener(type, settle);
      history.scrollRestoration = scrollRestoration;
    };
  }, []);
  const restore = useEffectEvent(() => {
    const { y, row } = target.current;
    const start = row && startOf(row.id);
    const wanted = row && start !== undefined ? Math.round(start - row.top) : y;
    window.scrollTo(0, wanted);
    if (window.scrollY >= wanted) target.current = pageTop;
  });
  useLayoutEffect(() => {
    if (size > 0 && target.current.y > 0) restore();
  }, [size]);
}
