import { useLayoutEffect, type RefObject } from 'react';

/**
 * Keeps the focus in the list while one rendering replaces another: the plain list becomes virtual when a further page
 * arrives, and the browser would move the focus of a removed row to the start of the page.
 */
export class FocusKeeper {
  /** The focused control, by its position among the controls of its row. */
  #kept: { readonly rowId: string; readonly position: number } | null = null;

  /** Called before a rendering is removed. */
  save(list: HTMLElement): void {
    const { activeElement } = document;
    const row = activeElement?.closest<HTMLElement>('[data-id]');
    const rowId = row?.dataset['id'];
    this.#kept =
      row && rowId && list.contains(row)
        ? { rowId, position: controlsOf(row).findIndex((control) => control === activeElement) }
        : null;
  }

  /** Called when the next rendering is in the document. */
  restore(list: HTMLElement): void {
    const kept = this.#kept;
    this.#kept = null;
    if (!kept) return;
    const rows = [...list.querySelectorAll<HTMLElement>('[data-id]')];
    const row = rows.find(({ dataset }) => dataset['id'] === kept.rowId);
    if (row) controlsOf(row)[kept.position]?.focus({ preventScroll: true });
  }
}

export function useFocusKeeper(list: RefObject<HTMLElement | null>, keeper: FocusKeeper): void {
  useLayoutEffect(() => {
    const root = list.current;
    if (!root) return;
    keeper.restore(root);
    return () => keeper.save(root);
  }, [list, keeper]);
}

const controlsOf = (row: HTMLElement) => [...row.querySelectorAll<HTMLElement>('a, button, input')];
