import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  memo,
  useEffect,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { Ref } from 'react';
import { groupByDay, dayLabel } from '../model/day-groups.ts';
import { useInboxServices, useLocale } from '../data/inbox-context.ts';
import type { Notification } from '../model/notification.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import { densityChoice, rowHeights } from './density.ts';
import { flattenDays, rangeWithHeading, toSections } from './list-items.ts';
import styles from './notification-list.module.css';
import { NotificationRow } from './notification-row.tsx';
import type { RowAction } from './notification-row.tsx';
import { readScrollPosition, useSavedScroll } from './saved-scroll.ts';

export interface NotificationListProps {
  readonly notifications: readonly Notification[];
  readonly filter: NotificationFilter;
  readonly onAction: (action: RowAction, notification: Notification) => void;
  /** null: selecting is off. */
  readonly selected: ReadonlySet<string> | null;
  /** The notification that the detail shows. */
  readonly openId: string | null;
  /** Called when the end of the list comes near. */
  readonly onEndNear: () => void;
  readonly ref?: Ref<NotificationListHandle>;
}

export interface NotificationListHandle {
  /** Scrolls to the row, also if it is not rendered yet. `focus`: moves the focus to it too. */
  reveal(id: string, focus: boolean): void;
}

/** The link of a rendered row. */
export function findRowLink(root: ParentNode | null, id: string | null): HTMLElement | undefined {
  return [...(root?.querySelectorAll<HTMLElement>('[data-row]') ?? [])].find(
    (link) => link.dataset['row'] === id,
  );
}

const headingHeightPx = 36;
const overscanRows = 8;
/** The next page is read when this many rows or fewer are left below the visible ones. */
const endNearRows = 15;

/** The notifications by day. Only the rows near the visible part are in the document. */
export const NotificationList = memo(function NotificationList(props: NotificationListProps) {
  const { notifications, filter, onAction, selected, openId, onEndNear, ref } = props;
  const id = useId();
  const locale = useLocale();
  const { minuteClock } = useInboxServices();
  const today = useSyncExternalStore(minuteClock.subscribe, () =>
    new Date(minuteClock.getSnapshot()).toDateString(),
  );
  const density = useSyncExternalStore(densityChoice.subscribe, densityChoice.getSnapshot);
  const items = useMemo(
    () => flattenDays(groupByDay(notifications, Date.parse(today))),
    [notifications, today],
  );
  const isEmpty = notifications.length === 0;
  const list = useRef<HTMLDivElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  useLayoutEffect(() => {
    const top = list.current?.getBoundingClientRect().top ?? 0;
    setScrollMargin(Math.round(top + window.scrollY));
  }, [isEmpty]);
  const [initialOffset] = useState(readScrollPosition);
  // eslint-disable-next-line react/incompatible-library -- its values are used in this component only
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: (index) => (items[index]?.type === 'day' ? headingHeightPx : rowHeights[density]),
    getItemKey: (index) => {
      const item = items[index];
      return item?.type === 'row' ? item.notification.id : `day ${item?.group.day}`;
    },
    rangeExtractor: (range) => rangeWithHeading(items, range),
    overscan: overscanRows,
    scrollMargin,
    scrollPaddingStart: 120,
    scrollPaddingEnd: 80,
    initialOffset,
  });
  useSavedScroll(items.length > 0);
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, density]);

  const pending = useRef<{ readonly id: string; readonly focus: boolean } | null>(null);
  const reveal = (rowId: string, focus: boolean): boolean => {
    const link = findRowLink(list.current, rowId);
    if (!link) return false;
    link.scrollIntoView({ block: 'nearest' });
    if (focus) link.focus({ preventScroll: true });
    return true;
  };
  useImperativeHandle(ref, () => ({
    reveal(rowId, focus) {
      if (reveal(rowId, focus)) return;
      const index = items.findIndex((item) => item.type === 'row' && item.notification.id === rowId);
      if (index < 0) return;
      pending.current = { id: rowId, focus };
      virtualizer.scrollToIndex(index, { align: 'center' });
    },
  }));
  useEffect(() => {
    if (pending.current && reveal(pending.current.id, pending.current.focus)) pending.current = null;
  });

  const places = virtualizer.getVirtualItems();
  const lastIndex = places.at(-1)?.index ?? -1;
  // At the top of a short list the end is near at once; the page after it waits for the first scroll.
  const isScrolled = (virtualizer.scrollOffset ?? 0) > 0;
  const isEndNear = isScrolled && items.length > 0 && lastIndex >= items.length - endNearRows;
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
        paddingBlockEnd: last ? virtualizer.getTotalSize() + scrollMargin - last.end : 0,
      }}
    >
      {sections.map(({ group, heading, rows, skippedPx }) => (
        <section key={group.day} aria-labelledby={`${id}-${group.day}`}>
          <h2
            ref={virtualizer.measureElement}
            data-index={heading.index}
            id={`${id}-${group.day}`}
            className={styles.day}
          >
            {dayLabel(group, locale)}
          </h2>
          <ul style={{ paddingBlockStart: skippedPx }}>
            {rows.map(({ notification, position, index }) => (
              <NotificationRow
                key={notification.id}
                ref={virtualizer.measureElement}
                index={index}
                notification={notification}
                filter={filter}
                onAction={onAction}
                isSelected={selected && selected.has(notification.id)}
                isOpen={notification.id === openId}
                position={position}
                size={notifications.length}
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
});
