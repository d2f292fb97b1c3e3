import {
  Suspense,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { useLocation, useSearch } from 'wouter';
import { lazyPart } from '../../../ui/state/lazy-part.ts';
import { useInboxCommands, leaveRow } from '../actions/use-inbox-actions.ts';
import { useInbox, useInboxSnapshot } from '../data/inbox-context.ts';
import { densityChoice } from '../list/density.ts';
import { NotificationList } from '../list/notification-list.tsx';
import type { NotificationListHandle } from '../list/list-handle.ts';
import type { RowAction } from '../list/notification-row.tsx';
import { readScrollPosition } from '../list/saved-scroll.ts';
import { useListEntries } from '../list/use-list-entries.ts';
import type { Notification } from '../model/notification.ts';
import { filterKey, inboxHref, parseFilter, parseOpenId } from '../model/notification-filter.ts';
import { inboxTexts } from '../texts/notification-texts.ts';
import { InboxFoot, InboxNotices } from './inbox-notices.tsx';
import { InboxTabs } from './inbox-navigation.tsx';
import type { RowTarget } from './inbox-overlays.tsx';
import { InboxToolbar } from './inbox-toolbar.tsx';
import type { InboxDialog } from './inbox-toolbar.tsx';
import styles from './inbox.module.css';
import { usePendingArrivals } from './pending-arrivals.ts';
import { emptySelection, useSelection } from './use-selection.ts';
import { useSettledView } from './use-settled-view.ts';

const loadOverlays = () => import('./inbox-overlays.tsx');
const InboxOverlays = lazyPart(async () => (await loadOverlays()).InboxOverlays);
const SelectionBar = lazyPart(async () => (await loadOverlays()).SelectionBar);
const InboxTools = lazyPart(async () => (await import('./inbox-tools.tsx')).InboxTools);

/** What may be needed offline is loaded long after the first list, or as soon as the list is pointed at or focused. */
const overlaysDelayMs = 10_000;

function preloadOverlays(): void {
  loadOverlays().catch(() => undefined);
}

/** `/home`: the inbox. The shown list and the opened notification are in the URL. */
export function InboxScreen() {
  const texts = inboxTexts.use();
  const inbox = useInbox();
  const commands = useInboxCommands();
  const snapshot = useInboxSnapshot();
  const density = useSyncExternalStore(densityChoice.subscribe, densityChoice.getSnapshot);
  const search = useSearch();
  const [, navigate] = useLocation();
  const openId = parseOpenId(search);
  const [dialog, setDialog] = useState<InboxDialog | null>(null);
  const [menuOf, setMenuOf] = useState<RowTarget | null>(null);
  const [snoozing, setSnoozing] = useState<RowTarget | null>(null);
  const [searchCalls, setSearchCalls] = useState(0);
  const listHandle = useRef<NotificationListHandle>(null);

  const urlFilter = useMemo(() => parseFilter(search), [search]);
  const key = filterKey(urlFilter);
  useEffect(() => inbox.show(urlFilter), [inbox, urlFilter]);
  const shownKey = useRef(key);
  useEffect(() => {
    if (shownKey.current === key) return;
    shownKey.current = key;
    // A list that was not shown before in this history entry begins at its top.
    window.scrollTo(0, readScrollPosition());
  }, [key]);
  const { isVerified } = snapshot;
  useEffect(() => {
    if (!isVerified) return undefined;
    const timer = setTimeout(preloadOverlays, overlaysDelayMs);
    return () => clearTimeout(timer);
  }, [isVerified]);

  const { filter } = snapshot.view;
  const query = filter.query ?? '';
  const settled = useSettledView(snapshot.view);
  // Tabs and counts answer a click at once; the rows, of which there may be many, a moment later.
  const list = useDeferredValue(settled);
  const { shown, pending, top, release } = usePendingArrivals(list.notifications, filterKey(list.filter));
  const { selection, select, toggleAll, extendTo } = useSelection(shown, key);
  const onEndNear = useCallback(() => void inbox.loadMore(), [inbox]);
  const { entries, toggleGroup } = useListEntries(shown, list, onEndNear);

  const openAt = shown.findIndex(({ id }) => id === openId);
  const show = useCallback(
    (notification: Notification | undefined) => {
      if (!notification) return;
      navigate(inboxHref(urlFilter, notification.id), { replace: true });
      listHandle.current?.reveal(notification.id, false);
    },
    [navigate, urlFilter],
  );
  const closeDetail = useCallback(() => {
    if (openId) listHandle.current?.reveal(openId, true);
    navigate(inboxHref(urlFilter), { replace: true });
  }, [navigate, urlFilter, openId]);

  /** Shows the next notification in the detail, and moves the focus on, before a notification leaves the list. */
  const leave = useCallback(
    (id: string) => {
      if (id === openId) {
        const next = shown[openAt + 1] ?? shown[openAt - 1];
        if (next && openAt >= 0) show(next);
        else navigate(inboxHref(urlFilter), { replace: true });
      }
      leaveRow(id);
    },
    [openId, openAt, shown, show, navigate, urlFilter],
  );
  const actOnRow = useCallback(
    (action: RowAction, notifications: readonly Notification[], id: string) => {
      const [first, ...others] = notifications;
      if (!first) return;
      const target: RowTarget = { id, notifications: [first, ...others] };
      if (action === 'open') {
        // A snoozed one returns as unread, whether or not it was looked at.
        if (first.status === 'unread' && !first.isSnoozed) inbox.setStatus([first.id], 'read');
      } else if (action === 'read') commands.toggleRead(notifications);
      else if (action === 'more') setMenuOf(target);
      else if (action === 'snooze') setSnoozing(target);
      else if (action === 'select') toggleAll(notifications.map((row) => row.id));
      else if (action === 'select-range') extendTo(first.id);
      else {
        leave(id);
        if (action === 'remove') commands.remove(notifications);
        else if (action === 'unsnooze') commands.unsnooze(notifications);
        else commands.toggleArchived(notifications);
      }
    },
    [inbox, commands, setMenuOf, setSnoozing, toggleAll, extendTo, leave],
  );
  const onAction = useCallback(
    (action: RowAction, notification: Notification) => actOnRow(action, [notification], notification.id),
    [actOnRow],
  );
  const onSearch = useCallback(
    // The first words make a history entry, so that Back leaves the search.
    (words: string) => navigate(inboxHref({ ...urlFilter, query: words }), { replace: query !== '' }),
    [navigate, urlFilter, query],
  );
  const startSearch = () => setSearchCalls((calls) => calls + 1);
  const markAllRead = () => {
    if (filter.tab === 'archived' || filter.tab === 'snoozed') return;
    if (query === '') commands.markAllRead(filter.kind);
    else
      commands.setStatus(
        shown.filter(({ status }) => status === 'unread'),
        'read',
      );
  };
  const hasUnread =
    query === ''
      ? filter.tab !== 'archived' &&
        filter.tab !== 'snoozed' &&
        (filter.kind ? snapshot.counts.kinds[filter.kind] : snapshot.counts.unread) > 0
      : shown.some(({ status, isSnoozed }) => status === 'unread' && !isSnoozed);
  const startSelecting = () => select(selection ? null : emptySelection);

  return (
    <div
      className={styles.screen}
      data-detail={openId !== null || undefined}
      data-density={density}
      onPointerOver={preloadOverlays}
      onFocus={preloadOverlays}
    >
      <div className={styles.main}>
        <InboxToolbar
          filter={filter}
          hasUnread={hasUnread}
          onMarkAllRead={markAllRead}
          isSelecting={selection !== null}
          onSelect={startSelecting}
          onSearch={startSearch}
          onDialog={setDialog}
        />
        <Suspense fallback={<div className={styles.searchPlace} />}>
          <InboxTools
            entries={entries}
            openId={openId}
            list={listHandle}
            isSelecting={selection !== null}
            onAction={actOnRow}
            onShow={show}
            onCloseDetail={closeDetail}
            onEndSelection={() => select(null)}
            onMarkAllRead={markAllRead}
            onHelp={() => setDialog('options')}
            onSearch={startSearch}
            searchCalls={searchCalls}
            search={{
              query,
              resultCount: list.isLoaded && list.filter.query === query ? shown.length : null,
              hasMore: list.hasMore,
              isSearching: snapshot.isReading,
              onSearch,
              onLeave: () => setSearchCalls(0),
            }}
          />
        </Suspense>
        <div className={styles.narrow}>
          <InboxTabs filter={filter} counts={snapshot.counts} />
        </div>
        <div ref={top} />
        <InboxNotices snapshot={snapshot} />
        {pending > 0 && (
          <button
            type="button"
            className={styles.pill}
            onClick={() => {
              release();
              window.scrollTo(0, 0);
            }}
          >
            ↑ {texts.fresh(pending)}
          </button>
        )}
        <NotificationList
          key={filterKey(list.filter)}
          ref={listHandle}
          entries={entries}
          filter={list.filter}
          hasMore={list.hasMore}
          onAction={onAction}
          onGroupAction={actOnRow}
          onToggleGroup={toggleGroup}
          selected={
            selection && (selection.isEverything ? new Set(shown.map(({ id }) => id)) : selection.ids)
          }
          openId={openId}
          onEndNear={onEndNear}
        />
        <InboxFoot snapshot={{ ...snapshot, view: list }} onInvite={() => setDialog('invite')} />
        <Suspense>
          {selection && (
            <SelectionBar
              selection={selection}
              shown={shown}
              filter={filter}
              total={
                list.hasMore && filter.kind === null && query === '' ? snapshot.counts[filter.tab] : null
              }
              onSnooze={([first, ...others]) =>
                first && setSnoozing({ id: first.id, notifications: [first, ...others] })
              }
              onChange={select}
            />
          )}
        </Suspense>
      </div>
      <Suspense>
        {(openId !== null || dialog !== null || menuOf !== null || snoozing !== null) && (
          <InboxOverlays
            openId={openId}
            shown={shown}
            filter={filter}
            dialog={dialog}
            menuOf={menuOf}
            snoozing={snoozing}
            onAction={onAction}
            onRowAction={actOnRow}
            onShow={show}
            onCloseDetail={closeDetail}
            onDialog={setDialog}
            onCloseMenu={() => setMenuOf(null)}
            onCloseSnooze={() => setSnoozing(null)}
            onSnooze={({ id }) => {
              leave(id);
              if (selection) select(emptySelection);
            }}
            onSelect={startSelecting}
          />
        )}
      </Suspense>
    </div>
  );
}
