import { matchesMedia } from '../../../ui/state/use-media.ts';

/** From here on a row's menu opens at its button; in a narrower window it is a sheet. */
export const rowMenuQuery = '(min-width: 640px)';

/** What a button that opens a row's menu announces. */
export function rowMenuPopup(): 'menu' | 'dialog' {
  return matchesMedia(rowMenuQuery) ? 'menu' : 'dialog';
}

/**
 * The button that opens the menu of a row: the focused one, else that of the row, since some browsers do not focus a button
 * that is clicked; null: neither is in the page.
 */
export function findMenuButton(rowId: string): HTMLElement | null {
  const focused = document.activeElement;
  if (focused instanceof HTMLElement && focused.hasAttribute('aria-haspopup')) return focused;
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-id]')];
  const row = rows.find(({ dataset }) => dataset['id'] === rowId);
  return row?.querySelector<HTMLElement>('[aria-haspopup]') ?? null;
}
