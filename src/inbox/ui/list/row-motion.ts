/** How long a row takes to appear or to vanish, and how far it slides. */
const timing = { duration: 180, easing: 'ease-out' } as const;
const slide = '32px 0';
/** More changed rows than this mean that another list is shown. */
const maxRows = 5;

const gone = { opacity: 0, translate: slide };
const here = { opacity: 1, translate: '0 0' };
const rowSelector = 'li[data-id]';

/**
 * Rows slide out of the list as they leave, and back the same way when an undo returns them. With reduced motion, nothing moves
 * and nothing fades.
 *
 * @returns a function that stops it.
 */
export function animateRows(list: HTMLElement): () => void {
  // Without media queries, as in tests without a browser, nothing moves either.
  const reducedMotion = globalThis.matchMedia?.('(prefers-reduced-motion: reduce)');
  const observer = new MutationObserver((records) => {
    if (reducedMotion?.matches ?? true) return;
    const added = records.flatMap(({ addedNodes }) => rowsOf(addedNodes));
    const removed = records.flatMap((record) =>
      rowsOf(record.removedNodes).map((row) => ({ row, next: record.nextSibling })),
    );
    // A row that moves to another group leaves one place and arrives at another.
    const addedIds = new Set(added.map(idOf));
    const removedIds = new Set(removed.map(({ row }) => idOf(row)));
    const arriving = added.filter((row) => row.isConnected && !removedIds.has(idOf(row)));
    const leaving = removed.filter(({ row }) => !row.isConnected && !addedIds.has(idOf(row)));
    if (arriving.length + leaving.length > maxRows) return;
    for (const row of arriving) row.animate([gone, here], timing);
    for (const { row, next } of leaving) if (next instanceof HTMLElement) slideOut(list, row, next);
  });
  observer.observe(list, { childList: true, subtree: true });
  return () => observer.disconnect();
}

/** A copy of the row leaves from where the row was: above the row that moved into its place. */
function slideOut(list: HTMLElement, row: HTMLElement, next: HTMLElement): void {
  const copy = row.cloneNode(true) as HTMLElement;
  copy.inert = true;
  copy.ariaHidden = 'true';
  for (const element of [copy, ...copy.querySelectorAll('[data-id], [data-row], [id]')])
    for (const name of ['data-id', 'data-row', 'id']) element.removeAttribute(name);
  const place = next.getBoundingClientRect();
  const origin = list.getBoundingClientRect();
  Object.assign(copy.style, {
    position: 'absolute',
    top: `${place.top - origin.top}px`,
    left: `${place.left - origin.left}px`,
    width: `${place.width}px`,
    pointerEvents: 'none',
  });
  list.append(copy);
  const remove = () => copy.remove();
  copy.animate([here, gone], timing).finished.then(remove, remove);
}

function rowsOf(nodes: NodeList): readonly HTMLElement[] {
  return [...nodes].filter(
    (node) => node instanceof HTMLElement && node.matches(rowSelector),
  ) as HTMLElement[];
}

function idOf(row: HTMLElement): string | undefined {
  return row.dataset['id'];
}
