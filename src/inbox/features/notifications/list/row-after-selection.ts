/** The links of the rows whose beginning is visible, in their order. */
export function visibleRows(): readonly HTMLElement[] {
  const topPx = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0;
  return rowLinks().filter((link) => {
    const startPx = link.getBoundingClientRect().top;
    return startPx >= topPx && startPx < window.innerHeight;
  });
}

/**
 * The link to focus after an action on the selected rows. If they leave the list: the row that replaces the first one,
 * else the row before it. If they stay: the first one. Visible rows are preferred.
 *
 * @returns null where no row is left.
 */
export function rowAfterSelection(selectedRows: 'leave' | 'stay'): HTMLElement | null {
  const links = rowLinks();
  const first = links.findIndex(isSelected);
  const stays = (link: HTMLElement) => selectedRows === 'stay' || !isSelected(link);
  const before = links.slice(0, Math.max(0, first)).filter(stays);
  const after = links.slice(Math.max(0, first)).filter(stays);
  const inOrder = [...after, ...before.toReversed()];
  const visible = new Set(visibleRows());
  return inOrder.find((link) => visible.has(link)) ?? inOrder[0] ?? null;
}

/** Moves the focus out of a row that is about to leave: to the next row, else the previous one, else the heading. */
export function moveFocusOutOfRow(id: string): void {
  const row = document.activeElement?.closest('[data-id]');
  if (row?.getAttribute('data-id') !== id) return;
  const links = rowLinks();
  const at = links.findIndex((link) => row.contains(link));
  (links[at + 1] ?? links[at - 1] ?? document.querySelector<HTMLElement>('h1'))?.focus();
}

function rowLinks(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('main [data-row]')];
}

/** Whether the row, or a part of its group, is selected. */
function isSelected(link: HTMLElement): boolean {
  const box = link.closest('[data-id]')?.querySelector('input');
  return box !== null && box !== undefined && (box.checked || box.indeterminate);
}
