import {
  memo,
  Suspense,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { Ref } from 'react';
import { onDemand } from '../../../ui/state/loader.ts';
import { useInboxServices } from '../data/inbox-context.ts';
import { groupByDay, liftedDay, type DayGroup } from '../model/day-groups.ts';
import { entryAtMs, type ListEntry } from '../model/list-entries.ts';
import { DaySections } from './day-sections.tsx';
import { FocusKeeper, useFocusKeeper } from '../../../ui/list/focus-keeper.ts';
import {
  endNearRows,
  findRowLink,
  revealRow,
  type NotificationListHandle,
  type RenderedListProps,
  type RowsProps,
} from './list-handle.ts';
import { flattenDays, toSections } from './list-items.ts';
import styles from './notification-list.module.css';
import { animateRows } from '../../../ui/list/row-motion.ts';
import { useSavedScroll } from '../../../ui/list/saved-scroll.ts';

export interface NotificationListProps extends Omit<RowsProps, 'size'> {
  readonly entries: readonly ListEntry[];
  /** Called when the end of the list comes near. */
  readonly onEndNear: () => void;
  readonly ref?: Ref<NotificationListHandle>;
}

/** A longer list is virtualized, by a package that only long lists load. */
const longestPlainList = 40;

const VirtualList = onDemand(async () => (await import('./virtual-list.tsx')).VirtualList);

/** The notifications by day. */
export const NotificationList = memo(function NotificationList(props: NotificationListProps) {
  const { entries, ...rest } = props;
  const { minuteClock } = useInboxServices();
  const today = useSyncExternalStore(minuteClock.subscribe, () =>
    new Date(minuteClock.getSnapshot()).toDateString(),
  );
  const items = useMemo(() => flattenDays(toDays(entries, Date.parse(today))), [entries, today]);
  const restoreScroll = useSavedScroll(items.length);
  const [focusKeeper] = useState(() => new FocusKeeper());
  const list = { ...rest, items, size: entries.length, focusKeeper };
  if (entries.length <= longestPlainList) return <PlainList {...list} />;
  return (
    <Suspense fallback={<PlainList {...list} />}>
      <VirtualList {...list} restoreScroll={restoreScroll} />
    </Suspense>
  );
});

/** The days of the entries, below those that need the user. */
function toDays(entries: readonly ListEntry[], nowMs: number): readonly DayGroup<ListEntry>[] {
  const lifted = entries.filter(({ isLifted }) => isLifted);
  const days = groupByDay(entries.slice(lifted.length), nowMs, entryAtMs);
  return lifted.length === 0 ? days : [{ day: liftedDay, daysAgo: 0, atMs: 0, items: lifted }, ...days];
}

function PlainList({ items, onEndNear, focusKeeper, ref, ...rows }: RenderedListProps) {
  const list = useRef<HTMLDivElement>(null);
  useFocusKeeper(list, focusKeeper);
  const end = useRef<HTMLDivElement>(null);
  useImperativeHandle(ref, () => ({
    reveal: (id, focus) => void revealRow(list.current, id, focus),
    follow: (id) => findRowLink(list.current, id)?.click(),
  }));
  // The end of a short list is near from the start: wait for the first scroll before reading the next page.
  useEffect(() => {
    const check = () => {
      const bottomPx = end.current?.getBoundingClientRect().bottom ?? Infinity;
      if (window.scrollY > 0 && bottomPx < window.innerHeight + endNearRows * rowHeightPx) onEndNear();
    };
    addEventListener('scroll', check, { passive: true });
    return () => removeEventListener('scroll', check);
  }, [onEndNear]);
  // Before the list is used, rows come and go at once: a fading row would delay the first paint.
  const [isUsed, setUsed] = useState(false);
  const use = () => setUsed(true);
  useEffect(() => (isUsed && list.current ? animateRows(list.current) : undefined), [isUsed]);
  const sections = toSections(
    items,
    items.map((_, index) => ({ index, start: 0, end: 0 })),
  );
  return (
    <div ref={list} className={styles.list} data-list="" onPointerOver={use} onFocus={use}>
      <DaySections {...rows} sections={sections} />
      <div ref={end} />
    </div>
  );
}

/** About the height of a row, in pixels. */
const rowHeightPx = 56;
