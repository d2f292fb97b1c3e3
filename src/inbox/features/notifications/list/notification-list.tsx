import {
  memo,
  useEffect,
  useEffectEvent,
  useId,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { ReactNode, Ref, RefObject } from 'react';
import { useInboxServices, useLocale } from '../data/inbox-context.ts';
import { dayLabel, groupByDay } from '../model/day-groups.ts';
import type { ListEntry } from '../model/list-entries.ts';
import { shownAtMs } from '../model/notification.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { useFocusKeeper } from '../../../ui/list/focus-keeper.ts';
import { isSameDay } from '../../../ui/list/relative-time.ts';
import { animateRows } from '../../../ui/list/row-motion.ts';
import { followSwipes, type SwipeSide } from '../../../ui/list/row-swipe.ts';
import { useRowWindow } from '../../../ui/list/row-window.ts';
import { useSavedScroll } from '../../../ui/list/saved-scroll.ts';
import styles from './notification-list.module.css';
import { NotificationRow } from './notification-row.tsx';
import type { OnRowAction } from './row-actions.ts';

export interface NotificationListHandle {
  /** Scrolls to the row, also if it is not rendered yet. `focus`: moves the focus to it too. */
  reveal(id: string, focus: boolean): void;
  /** Follows the link of a rendered row, or opens its thread. */
  follow(id: string): void;
}

export interface NotificationListProps {
  readonly entries: readonly ListEntry[];
  readonly filter: NotificationFilter;
  readonly onAction: OnRowAction;
  /** null: selecting is off. */
  readonly selected: ReadonlySet<string> | null;
  /** The notification that the detail shows. */
  readonly openId: string | null;
  readonly onToggleGroup: (entry: ListEntry) => void;
  readonly onEndNear: () => void;
  readonly ref?: Ref<NotificationListHandle>;
}

/** The next page is read when this many rows or fewer are left below the rendered ones. */
const endNearRows = 15;
/** Estimated height of a row in pixels. */
const rowHeight = 56;

/** The notifications by day. */
export const NotificationList = memo(function NotificationList(props: NotificationListProps) {
  const { entries, filter, onAction, selected, openId, onToggleGroup, onEndNear, ref } = props;
  const { days, headings } = useDays(entries);
  const ids = useMemo(() => entries.map(({ id }) => id), [entries]);
  const list = useRef<HTMLDivElement>(null);
  const { range, spacePx, measure, startOf, scrollTo } = useRowWindow(list, ids, rowHeight, (end) => {
    // The end of a short list is near from the start: wait for the first scroll before reading the next page.
    if (window.scrollY > 0 && end >= ids.length - endNearRows) onEndNear();
  });
  useSavedScroll(ids.length, startOf);
  useFocusKeeper(list);
  useImperativeHandle(ref, () => createHandle(list, scrollTo));
  // Before the list is used, rows appear and disappear at once: a fading row would delay the first paint.
  const [isUsed, setUsed] = useState(false);
  const use = () => setUsed(true);
  useEffect(() => (isUsed && list.current ? animateRows(list.current) : undefined), [isUsed]);
  useRowSwipes(list, props);
  return (
    <div ref={list} className={styles.list} data-list="" onPointerOver={use} onFocus={use}>
      {days.map(({ daysAgo, atMs, first, end }, day) => {
        const from = Math.min(end, Math.max(first, range.first));
        const to = Math.max(from, Math.min(end, range.end));
        const shown = entries
          .slice(from, to)
          .map((entry, offset) => (
            <NotificationRow
              key={entry.id}
              ref={measure}
              position={from + offset + 1}
              size={ids.length}
              entry={entry}
              filter={filter}
              onAction={onAction}
              onToggle={onToggleGroup}
              selectedCount={selected && entry.notifications.filter((row) => selected.has(row.id)).length}
              isOpen={entry.id === openId}
              isDayNamed={daysAgo !== 0 && isSameDay(shownAtMs(entry.notifications[0]), atMs)}
            />
          ));
        return (
          <Day
            key={daysAgo}
            heading={headings[day] ?? ''}
            size={end - first}
            abovePx={spacePx(first, from)}
            belowPx={spacePx(to, end)}
          >
            {shown.length > 0 && shown}
          </Day>
        );
      })}
    </div>
  );
});

function useDays(entries: readonly ListEntry[]) {
  const { minuteClock } = useInboxServices();
  const today = useSyncExternalStore(minuteClock.subscribe, () =>
    new Date(minuteClock.getSnapshot()).toDateString(),
  );
  const locale = useLocale();
  const days = useMemo(() => groupByDay(entries, Date.parse(today)), [entries, today]);
  const headings = useMemo(
    () => days.map(({ daysAgo, atMs }) => dayLabel(daysAgo, atMs, locale)),
    [days, locale],
  );
  return { days, headings };
}

function createHandle(
  list: RefObject<HTMLElement | null>,
  scrollTo: (id: string) => void,
): NotificationListHandle {
  return {
    reveal(id, focus) {
      if (!findRowLink(list.current, id)) scrollTo(id);
      const link = findRowLink(list.current, id);
      link?.scrollIntoView({ block: 'nearest' });
      if (focus) link?.focus({ preventScroll: true });
    },
    follow: (id) => findRowLink(list.current, id)?.click(),
  };
}

function useRowSwipes(
  list: RefObject<HTMLElement | null>,
  { entries, filter, onAction, selected }: NotificationListProps,
): void {
  const swipe = useEffectEvent((id: string, side: SwipeSide) => {
    const entry = entries.find((each) => each.id === id);
    if (entry) onAction(side === 'start' ? 'archive' : 'snooze', entry.notifications, id);
  });
  const texts = inboxTexts.use();
  const isSelecting = selected !== null;
  useEffect(() => {
    if (!list.current || isSelecting) return undefined;
    const archive = filter.tab === 'archived' ? texts.unarchive : texts.archive;
    return followSwipes(list.current, { start: archive, end: texts.snoozed }, (id, side) => swipe(id, side));
  }, [list, isSelecting, filter.tab, texts]);
}

interface DayProps {
  readonly heading: string;
  readonly size: number;
  /** The height of its rows that are not rendered. */
  readonly abovePx: number;
  readonly belowPx: number;
  /** The rendered rows; false: the day is not rendered, and a scroll does not render it again. */
  readonly children: ReactNode;
}

const Day = memo(function Day({ heading, size, abovePx, belowPx, children }: DayProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className={styles.day}>
        {heading}
      </h2>
      <ul data-rows={size} style={{ paddingBlock: `${abovePx}px ${belowPx}px` }}>
        {children}
      </ul>
    </section>
  );
});

/** The link of a rendered row, or the button of a thread. */
function findRowLink(list: HTMLElement | null, id: string): HTMLElement | undefined {
  const links = [...(list?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
  return links.find((link) => link.dataset['row'] === id);
}
