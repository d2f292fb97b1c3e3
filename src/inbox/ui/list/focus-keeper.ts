import { useLayoutEffect, useRef, type RefObject } from 'react';

/**
 * Keeps the focus in the list while a row moves to another day, or leaves the rendered part and returns: the browser would move
 * the focus of a removed row to the start of the page.
 */
export function useFocusKeeper(list: RefObject<HTMLElement | null>): void {
  /** The focused control, by its position among the controls of its row. */
  const kept = useRef<{ readonly rowId: string; readonly position: number } | null>(null);
  useLayoutEffect(() => {
    const note = ({ type, target }: Event) => {
      const row = target instanceof Element ? target.closest<HTMLElement>('[data-id]') : null;
      const rowId = row?.dataset['id'];
      // A press outside the list removes the focus on purpose.
      kept.current =
        type === 'focusin' && row && rowId && list.current?.contains(row)
          ? { rowId, position: controlsOf(row).findIndex((control) => control === target) }
          : null;
    };
    for (const type of ['focusin', 'pointerdown']) document.addEventListener(type, note);
    return () => {
      for (const type of ['focusin', 'pointerdown']) document.removeEventListener(type, note);
    };
  }, [list]);
  useLayoutEffect(() => {
    if (!kept.current || document.activeElement !== document.body) return;
    const { rowId, position } = kept.current;
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-id]') ?? [])];
    const row = rows.find(({ dataset }) => dataset['id'] === rowId);
    const controls = row ? controlsOf(row) : [];
    (controls[position] ?? controls[0])?.focus({ preventScroll: true });
  });
}

const controlsOf = (row: HTMLElement) => [...row.querySelectorAll<HTMLElement>('a, button, input')];
