import { useEffectEvent, useLayoutEffect, useMemo, useState, type RefObject } from 'react';
import { flushSync } from 'react-dom';

/** A list with at most this many rows is rendered whole. */
const wholeRows = 40;
/** The rendered range begins and ends at a multiple of this, and this many rows or more are rendered around the visible ones. */
const stepRows = 8;

/** The rendered rows, by their positions in the list. */
interface RowRange {
  readonly first: number;
  readonly end: number;
}

/**
 * Renders only the rows near the visible part of the window, so that the document stays small at any length of a list. Each
 * `ul` of the list has its number of rows as `data-rows`, and paddings for those that are not rendered.
 *
 * @param ids the rows in their order.
 * @param estimatePx the height of a row that was never rendered.
 * @param onView called when the list is scrolled or has changed, with the end of the rendered range.
 */
export function useRowWindow(
  list: RefObject<HTMLElement | null>,
  ids: readonly string[],
  estimatePx: number,
  onView: (end: number) => void,
) {
  // About one window of rows: a larger one gets the others before the first paint.
  const [range, setRange] = useState<RowRange>({ first: 0, end: 3 * stepRows });
  const [isPrinting, setPrinting] = useState(false);
  const isWhole = isPrinting || ids.length <= wholeRows;
  const heights = useMemo(() => createHeights(estimatePx), [estimatePx]);
  const update = useEffectEvent(() => {
    const next = findRange(list.current, ids, heights);
    if (!isWhole && (next.first !== range.first || next.end !== range.end)) setRange(next);
    onView(next.end);
  });
  useLayoutEffect(() => {
    // Measure before the range is read: with estimates for rendered rows, two ranges could request each other.
    heights.note(list.current?.querySelectorAll('[data-id]') ?? []);
    // eslint-disable-next-line react/set-state-in-effect -- which rows are visible is known when the list is in the document
    update();
  });
  useLayoutEffect(() => {
    // Render at once, so that the frame with the new position also shows its rows.
    const onScroll = () => flushSync(() => update());
    // A printed page has no scroll position: paddings would be empty pages.
    const onPrint = ({ type }: Event) => flushSync(() => setPrinting(type === 'beforeprint'));
    for (const type of ['scroll', 'resize']) addEventListener(type, onScroll, { passive: true });
    for (const type of ['beforeprint', 'afterprint']) addEventListener(type, onPrint);
    return () => {
      for (const type of ['scroll', 'resize']) removeEventListener(type, onScroll);
      for (const type of ['beforeprint', 'afterprint']) removeEventListener(type, onPrint);
    };
  }, []);
  const placeOf = (id: string) => places(list.current, ids, heights).find((each) => each.id === id);
  return {
    range: isWhole ? { first: 0, end: ids.length } : range,
    spacePx: (from: number, end: number) => heights.sum(ids.slice(from, end)),
    /** The `ref` of each rendered row, whose `data-id` is its id: measures it. */
    measure: heights.observe,
    /** Where the row starts in the document, in pixels; undefined: the list does not have it. */
    startOf: (id: string) => {
      const place = placeOf(id);
      return place && place.topPx + window.scrollY;
    },
    /** Scrolls to the row and renders it with those around it; a row outside of the visible part would not stay rendered. */
    scrollTo: (id: string) => {
      const place = placeOf(id);
      if (!place) return;
      window.scrollBy(0, place.topPx - window.innerHeight / 2);
      flushSync(() => setRange(findRange(list.current, ids, heights)));
    },
  };
}

type Heights = ReturnType<typeof createHeights>;

/** The last rendered heights of rows, by their ids. */
function createHeights(estimatePx: number) {
  const known = new Map<string, number>();
  const heightOf = (id: string) => known.get(id) ?? estimatePx;
  const note = (rows: Iterable<Element>) => {
    const boxes = Array.from(
      rows,
      (row) => [row.getAttribute('data-id') ?? '', row.getBoundingClientRect()] as const,
    );
    let movedPx = 0;
    let abovePx = 0;
    for (const [id, { height, bottom }] of boxes.sort(([, one], [, other]) => one.top - other.top)) {
      // The list is hidden.
      if (height === 0) continue;
      const grownPx = height - heightOf(id);
      known.set(id, height);
      movedPx += grownPx;
      if (bottom <= movedPx) abovePx += grownPx;
    }
    if (abovePx !== 0) window.scrollBy(0, abovePx);
  };
  const observer =
    typeof ResizeObserver === 'undefined'
      ? null
      : new ResizeObserver((changes) => note(changes.map(({ target }) => target)));
  return {
    heightOf,
    /** Measures rendered rows. Visible rows keep their position when the heights of rows above them change. */
    note,
    sum: (ids: readonly string[]) => ids.reduce((sum, id) => sum + heightOf(id), 0),
    observe(row: HTMLElement | null) {
      if (!row) return undefined;
      observer?.observe(row);
      return () => observer?.unobserve(row);
    },
  };
}

/** Where each row is in the window, rendered or not. */
function places(list: HTMLElement | null, ids: readonly string[], heights: Heights) {
  const found: { readonly id: string; readonly topPx: number; readonly bottomPx: number }[] = [];
  for (const group of list?.querySelectorAll('ul') ?? []) {
    let topPx = group.getBoundingClientRect().top;
    const end = found.length + Number(group.dataset['rows']);
    for (const id of ids.slice(found.length, end)) {
      const bottomPx = topPx + heights.heightOf(id);
      found.push({ id, topPx, bottomPx });
      topPx = bottomPx;
    }
  }
  return found;
}

function findRange(list: HTMLElement | null, ids: readonly string[], heights: Heights): RowRange {
  const rows = places(list, ids, heights);
  const first = rows.findIndex(({ bottomPx }) => bottomPx > 0);
  const end = rows.findLastIndex(({ topPx }) => topPx < window.innerHeight) + 1;
  return first < 0 ? around(rows.length, rows.length) : around(first, end);
}

function around(first: number, end: number): RowRange {
  return {
    first: Math.max(0, Math.floor(first / stepRows - 1) * stepRows),
    end: Math.ceil(end / stepRows + 1) * stepRows,
  };
}
