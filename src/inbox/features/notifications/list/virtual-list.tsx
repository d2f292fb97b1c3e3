import { observeWindowOffset, useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { DaySections } from './day-sections.tsx';
import { densityChoice, type Density } from './density.ts';
import { useFocusKeeper } from '../../../ui/list/focus-keeper.ts';
import { endNearRows, findRowLink, revealRow, type RenderedListProps } from './list-handle.ts';
import { readShownPosition, type RestoreScroll } from '../../../ui/list/saved-scroll.ts';
import { toSections, type ListItem } from './list-items.ts';
import styles from './notification-list.module.css';

const headingHeightPx = 36;
/** Estimated row heights in pixels; rows are measured once they are rendered. */
const rowHeights: Readonly<Record<Density, number>> = { compact: 36, comfortable: 56 };
const overscanRows = 8;

export interface VirtualListProps extends RenderedListProps {
  readonly restoreScroll: RestoreScroll;
}

/** The list with only the rows near the visible part in the document: its DOM stays bounded at any length. */
export function VirtualList({
  items,
  onEndNear,
  focusKeeper,
  restoreScroll,
  ref,
  ...rows
}: VirtualListProps) {
  const density = useSyncExternalStore(densityChoice.subscribe, densityChoice.getSnapshot);
  const list = useRef<HTMLDivElement>(null);
  const [shown] = useState(readShownPosition);
  const [scrollMargin, setScrollMargin] = useState(0);
  useLayoutEffect(() => {
    setScrollMargin(topOf(list.current));
  }, []);
  // eslint-disable-next-line react/incompatible-library -- its values are used in this component only
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: (index) => (items[index]?.type === 'day' ? headingHeightPx : rowHeights[density]),
    getItemKey: (index) => {
      const item = items[index];
      return item?.type === 'row' ? item.entry.id : `day ${item?.group.day}`;
    },
    rangeExtractor: (range) => rangeWithHeading(items, range),
    overscan: overscanRows,
    scrollMargin,
    scrollPaddingStart: 120,
    scrollPaddingEnd: 80,
    initialOffset: () => window.scrollY,
    observeElementOffset(instance, onOffset) {
      const stop = observeWindowOffset(instance, onOffset);
      // The page may have scrolled since the render; the virtualizer would scroll it back.
      restoreScroll((id) => {
        const place = instance.measurementsCache.find(({ key }) => key === id);
        return place && place.start - instance.options.scrollMargin + topOf(list.current);
      }, shown);
      onOffset(window.scrollY, false);
      return stop;
    },
    // With its default, an empty window, the first render would have no rows, and the page would scroll to its top.
    initialRect: { width: window.innerWidth, height: window.innerHeight },
  });
  const measuredDensity = useRef(density);
  useLayoutEffect(() => {
    // Forgets all heights, which would move a restored position.
    if (measuredDensity.current !== density) virtualizer.measure();
    measuredDensity.current = density;
  }, [virtualizer, density]);
  useFocusKeeper(list, focusKeeper);

  const pending = useRef<{ readonly id: string; readonly focus: boolean } | null>(null);
  useImperativeHandle(ref, () => ({
    reveal(rowId, focus) {
      if (revealRow(list.current, rowId, focus)) return;
      const index = items.findIndex((item) => item.type === 'row' && item.entry.id === rowId);
      if (index < 0) return;
      pending.current = { id: rowId, focus };
      virtualizer.scrollToIndex(index, { align: 'center' });
    },
    follow: (rowId) => findRowLink(list.current, rowId)?.click(),
  }));
  useEffect(() => {
    if (pending.current && revealRow(list.current, pending.current.id, pending.current.focus))
      pending.current = null;
  });

  const places = virtualizer.getVirtualItems();
  const lastIndex = places.at(-1)?.index ?? -1;
  const isEndNear = items.length > 0 && lastIndex >= items.length - endNearRows;
  useEffect(() => {
    if (isEndNear) onEndNear();
  }, [isEndNear, items.length, onEndNear]);

  const sections = toSections(items, places);
  const first = sections[0];
  const last = places.at(-1);
  return (
    <div
      ref={list}
      className={styles.list}
      data-list=""
      style={{
        paddingBlockStart: first ? first.heading.start - scrollMargin : 0,
        paddingBlockEnd: virtualizer.getTotalSize() - (last ? last.end - scrollMargin : 0),
      }}
    >
      <DaySections {...rows} sections={sections} measure={virtualizer.measureElement} />
    </div>
  );
}

/** The distance from the document's top, in pixels. */
const topOf = (element: Element | null): number =>
  Math.round((element?.getBoundingClientRect().top ?? 0) + window.scrollY);

/** The rendered indexes: the range with its overscan, and the heading of the first visible day. */
function rangeWithHeading(
  items: readonly ListItem[],
  range: { readonly startIndex: number; readonly endIndex: number; readonly overscan: number },
): number[] {
  const first = Math.max(0, range.startIndex - range.overscan);
  const last = Math.min(items.length - 1, range.endIndex + range.overscan);
  const indexes = Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => first + offset);
  let heading = first;
  while (heading > 0 && items[heading]?.type !== 'day') heading -= 1;
  return heading < first ? [heading, ...indexes] : indexes;
}
