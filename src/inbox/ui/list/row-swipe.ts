/** How far a finger moves before the row follows it, and before its release acts. */
const startPx = 12;
const actPx = 88;

export type SwipeSide = 'start' | 'end';

/** The finger scrolls the page. */
export type SwipeLabels = Readonly<Record<SwipeSide, string>>;

/**
 * Lets a finger pull a row sideways. A mouse and a pen use the row's buttons, as do users who cannot swipe.
 *
 * @param onSwipe called with the row's id when it was pulled far enough.
 * @returns a function that stops it.
 */
export function followSwipes(
  list: HTMLElement,
  labels: SwipeLabels,
  onSwipe: (id: string, side: SwipeSide) => void,
): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  let swipe: { readonly row: HTMLElement; readonly x: number; readonly y: number; dx: number } | null = null;
  const isRightToLeft = () => getComputedStyle(list).direction === 'rtl';
  const sideOf = (dx: number): SwipeSide => (dx < 0 === isRightToLeft() ? 'end' : 'start');

  const end = () => {
    if (!swipe) return;
    swipe.row.style.translate = '';
    delete swipe.row.dataset['swipe'];
    swipe = null;
  };
  const begin = ({ target, pointerType, isPrimary, clientX, clientY }: PointerEvent) => {
    end();
    const row = target instanceof Element ? target.closest<HTMLElement>('li[data-id]') : null;
    if (pointerType === 'touch' && isPrimary && row) swipe = { row, x: clientX, y: clientY, dx: 0 };
  };
  const move = ({ clientX, clientY }: PointerEvent) => {
    if (!swipe) return;
    const dx = clientX - swipe.x;
    if (swipe.dx === 0) {
      // The page scrolls.
      if (Math.abs(clientY - swipe.y) > startPx) return end();
      if (Math.abs(dx) < startPx) return;
    }
    swipe.dx = dx;
    swipe.row.style.translate = `${dx}px`;
    swipe.row.dataset['swipe'] = labels[sideOf(dx)];
  };
  const release = () => {
    if (!swipe) return;
    const { row, dx } = swipe;
    end();
    if (dx === 0) return;
    // The browser may send a click of the same finger, which would open the row.
    const stopClick = new AbortController();
    row.addEventListener('click', (event) => (event.preventDefault(), event.stopPropagation()), {
      capture: true,
      signal: stopClick.signal,
    });
    setTimeout(() => stopClick.abort(), 300);
    const { id } = row.dataset;
    if (Math.abs(dx) >= actPx && id) onSwipe(id, sideOf(dx));
  };
  list.addEventListener('pointerdown', begin, { signal });
  list.addEventListener('pointermove', move, { signal });
  list.addEventListener('pointerup', release, { signal });
  list.addEventListener('pointercancel', end, { signal });
  return () => {
    end();
    ending.abort();
  };
}
