/** Moves the focus out of a row that is about to leave: to the next row, else the previous one, else the heading. */
export function moveFocusOutOfRow(id: string): void {
  const row = document.activeElement?.closest('[data-id]');
  if (row?.getAttribute('data-id') !== id) return;
  const links = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const at = links.findIndex((link) => row.contains(link));
  (links[at + 1] ?? links[at - 1] ?? document.querySelector<HTMLElement>('h1'))?.focus();
}
