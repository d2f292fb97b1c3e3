import { useLayoutEffect, type RefObject } from 'react';

/**
 * Keeps the focus in the list while one rendering replaces another, as when a further page makes the plain list virtual, and
 * while a row moves to another day: the browser would move the focus of a removed row to the start of the page.
 */
export class FocusKeeper {
  /** The focused control, by its position among the controls of its row. */
  #kept: { readonly rowId: string; readonly position: number } | null = null;

  /** Called before a rendering is removed. */
  save(list: HTMLElement): void {
    this.note(document.activeElement, list);
  }

  /** Remembers the control that has the focus; another part of the page has it: nothing. */
  note(focused: EventTarget | null, list: HTMLElement): void {
    const row = focused instanceof Element ? focused.closest<HTMLElement>('[data-id]') : null;
    const rowId = row?.dataset['id'];
    this.#kept =
      row && rowId && list.contains(row)
        ? { rowId, position: controlsOf(row).findIndex((control) => control === focused) }
        : null;
  }

  /** Called when the next rendering is in the document, and when a row may have moved to another day. */
  restore(list: HTMLElement): void {
    const kept = this.#kept;
    if (!kept || document.activeElement !== document.body) return;
    const rows = [...list.querySelectorAll<HTMLElement>('[data-id]')];
    const row = rows.find(({ dataset }) => dataset['id'] === kept.rowId);
    const controls = row ? controlsOf(row) : [];
    (controls[kept.position] ?? controls[0])?.focus({ preventScroll: true });
  }
}

export function useFocusKeeper(list: RefObject<HTMLElement | null>, keeper: FocusKeeper): void {
  useLayoutEffect(() => {
    const root = list.current;
    if (!root) return;
    keeper.restore(root);
    const note = ({ type, target }: Event) => keeper.note(type === 'focusin' ? target : null, root);
    // A press beside the list gives up the focus on purpose.
    for (const type of ['focusin', 'pointerdown']) document.addEventListener(type, note);
    return () => {
      for (const type of ['focusin', 'pointerdown']) document.removeEventListener(type, note);
      keeper.save(root);
    };
  }, [list, keeper]);
  useLayoutEffect(() => {
    if (list.current) keeper.restore(list.current);
  });
}

const controlsOf = (row: HTMLElement) => [...row.querySelectorAll<HTMLElement>('a, button, input')];
