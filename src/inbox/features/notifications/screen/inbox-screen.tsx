import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { onDemand, preloadDelayMs } from '../../../ui/state/loader.ts';
import { PartBoundary } from '../../../ui/overlay/part-boundary.tsx';
import { useInboxCommands, type InboxCommands } from '../actions/inbox-commands.ts';
import { useInbox, useInboxSnapshot } from '../data/inbox-context.ts';
import type { InboxSnapshot } from '../data/inbox-store.ts';
import { NotificationList, type NotificationListHandle } from '../list/notification-list.tsx';
import type { SelectionBarHandle } from '../list/selection-bar.tsx';
import { useListEntries } from '../list/use-list-entries.ts';
import type { Notification } from '../model/notification.ts';
import { encodeFilter, isNarrow, type NotificationFilter } from '../model/notification-filter.ts';
import type { InboxView } from '../model/inbox-view.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { FilterChips } from './filter-chips.tsx';
import { InboxFooter, InboxNotices } from './inbox-notices.tsx';
import { InboxTabs } from './inbox-navigation.tsx';
import { InboxSearch } from './inbox-search.tsx';
import { InboxToolbar } from './inbox-toolbar.tsx';
import styles from './inbox.module.css';
import { usePendingArrivals } from './pending-arrivals.ts';
import { useInboxShortcuts } from './use-inbox-shortcuts.ts';
import { useInboxUrl } from './use-inbox-url.ts';
import { useRowActions, type InboxDialog } from './use-row-actions.ts';
import { emptySelection, useSelection } from '../list/use-selection.ts';

const loadOverlays = () => import('./inbox-overlays.tsx');
const loadSelectionBar = () => import('../list/selection-bar.tsx');
const InboxOverlays = onDemand(async () => (await loadOverlays()).InboxOverlays);
const SelectionBar = onDemand(async () => (await loadSelectionBar()).SelectionBar);

/** Called late, for what may be needed offline; pointing at the list or focusing it calls it at once. */
function preloadOverlays(): void {
  for (const load of [loadOverlays, loadSelectionBar]) load().catch(() => undefined);
}

/** `/home`: the inbox. The shown list and the opened notification are in the URL. */
export function InboxScreen() {
  const texts = inboxTexts.use();
  const inbox = useInbox();
  const commands = useInboxCommands();
  const snapshot = useInboxSnapshot();
  const [dialog, setDialog] = useState<InboxDialog | null>(null);
  const [searchCalls, setSearchCalls] = useState(0);
  const listHandle = useRef<NotificationListHandle>(null);
  const selectionBar = useRef<SelectionBarHandle>(null);
  const url = useInboxUrl();
  const { openId } = url;
  const { isVerified } = snapshot;
  useEffect(() => {
    if (!isVerified) return undefined;
    const timer = setTimeout(preloadOverlays, preloadDelayMs);
    return () => clearTimeout(timer);
  }, [isVerified]);

  const { filter } = snapshot.view;
  const query = filter.query ?? '';
  const settled = useSettledView(snapshot);
  // Defer the rows, of which there may be many, so that tabs and counts react to a click at once.
  const deferred = useDeferredValue(settled);
  // Render the first rows without deferring: nothing else is shown that could be clicked.
  const [isFirst, setFirst] = useState(true);
  if (isFirst && deferred.isLoaded) setFirst(false);
  const list = isFirst ? settled : deferred;
  const arrivals = usePendingArrivals(list.notifications, encodeFilter(list.filter));
  const { pending, top, release } = arrivals;
  const { entries, toggleGroup } = useListEntries(arrivals.shown, list, inbox.loadMore);
  // In the order of the rows, which differs from that of time where threads are grouped.
  const shown = useMemo(() => [...new Set(entries.flatMap(({ notifications }) => notifications))], [entries]);
  const { selection, select, ...ranges } = useSelection(shown, url.listKey);
  const rows = useRowActions(url, shown, listHandle, ranges, setDialog);

  const startSearch = () => setSearchCalls((calls) => calls + 1);
  const startSelecting = () => select(selection ? null : emptySelection);
  const markAllRead = () => markShownRead(commands, filter, shown);
  useInboxShortcuts({
    entries,
    url,
    rows,
    list: listHandle,
    selectionBar,
    onEndSelection: () => select(null),
    onMarkAllRead: markAllRead,
    onHelp: () => setDialog('keys'),
    onSearch: startSearch,
  });

  return (
    <div
      className={styles.screen}
      data-detail={openId !== null || undefined}
      onPointerOver={preloadOverlays}
      onFocus={preloadOverlays}
    >
      <div className={styles.main}>
        <InboxToolbar
          filter={filter}
          hasUnread={hasUnread(snapshot, shown)}
          hasRows={shown.length > 0}
          onMarkAllRead={markAllRead}
          isSelecting={selection !== null}
          onSelect={startSelecting}
          onSearch={startSearch}
          onDialog={setDialog}
        >
          <InboxSearch
            calls={searchCalls}
            query={query}
            resultCount={list.isLoaded && list.filter.query === filter.query ? shown.length : null}
            hasMore={list.hasMore}
            onSearch={url.search}
            onLeave={() => setSearchCalls(0)}
          />
        </InboxToolbar>
        <div className={styles.narrow}>
          <InboxTabs filter={filter} counts={snapshot.counts} />
        </div>
        <FilterChips filter={filter} />
        <div ref={top} />
        <InboxNotices snapshot={snapshot} />
        {pending > 0 && (
          <Button
            look="primary"
            className={styles.pill}
            onClick={() => {
              release();
              window.scrollTo(0, 0);
            }}
          >
            {`↑ ${texts.fresh(pending)}`}
          </Button>
        )}
        <NotificationList
          key={encodeFilter(list.filter)}
          ref={listHandle}
          entries={entries}
          filter={list.filter}
          onAction={rows.onAction}
          onToggleGroup={toggleGroup}
          selected={
            selection && (selection.isEverything ? new Set(shown.map(({ id }) => id)) : selection.ids)
          }
          openId={openId}
          onEndNear={inbox.loadMore}
        />
        <InboxFooter snapshot={{ ...snapshot, view: list }} onInvite={() => setDialog('invite')} />
        {selection && (
          <PartBoundary onFail={() => select(null)}>
            <SelectionBar
              ref={selectionBar}
              selection={selection}
              shown={shown}
              filter={filter}
              total={
                list.hasMore && filter.kind === null && !isNarrow(filter) ? snapshot.counts[filter.tab] : null
              }
              onSnooze={([first, ...others]) =>
                first && setDialog({ type: 'snooze', id: first.id, notifications: [first, ...others] })
              }
              onChange={select}
            />
          </PartBoundary>
        )}
      </div>
      {(openId !== null || dialog !== null) && (
        <PartBoundary
          onFail={() => {
            setDialog(null);
            url.open(undefined);
          }}
        >
          <InboxOverlays
            openId={openId}
            shown={shown}
            dialog={dialog}
            rows={rows}
            onDialog={setDialog}
            onSelect={(isSelecting) => select(isSelecting ? emptySelection : null)}
          />
        </PartBoundary>
      )}
    </div>
  );
}

/** The view to show: while a search is being read, the previous view stays. If the read fails, there are no results. */
function useSettledView({ view, problem }: InboxSnapshot): InboxView {
  const [settled, setSettled] = useState(view);
  const isPending = !view.isLoaded && Boolean(view.filter.query) && !problem;
  const isSameList =
    encodeFilter({ ...view.filter, query: undefined }) ===
    encodeFilter({ ...settled.filter, query: undefined });
  if (isPending && isSameList) return settled;
  if (view !== settled) setSettled(view);
  return view;
}

/** Whether "Mark all as read" has something to do in the shown list. */
function hasUnread({ view: { filter }, counts }: InboxSnapshot, shown: readonly Notification[]): boolean {
  if (isNarrow(filter)) return shown.some(({ status, isSnoozed }) => status === 'unread' && !isSnoozed);
  if (filter.tab === 'archived' || filter.tab === 'snoozed') return false;
  return ((filter.kind ? counts.kinds[filter.kind] : counts.unread) ?? 0) > 0;
}

/** Marks the filter's whole list as read; of a search and a narrowed list, the rows that are loaded. */
function markShownRead(
  commands: InboxCommands,
  filter: NotificationFilter,
  shown: readonly Notification[],
): void {
  if (filter.tab === 'archived' || filter.tab === 'snoozed') return;
  if (!isNarrow(filter)) return commands.markAllRead(filter.kind);
  const unread = shown.filter(({ status }) => status === 'unread');
  commands.setStatus(unread, 'read');
}
