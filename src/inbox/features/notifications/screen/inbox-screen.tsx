import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import type { Ref, RefObject } from 'react';
import { Button } from '../../../ui/button.tsx';
import { onDemand, preloadDelayMs } from '../../../ui/state/loader.ts';
import { PartBoundary } from '../../../ui/page/part-boundary.tsx';
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
import { emptySelection, useSelection, type Selection } from '../list/use-selection.ts';

const loadOverlays = () => import('./inbox-overlays.tsx');
const loadSelectionBar = () => import('../list/selection-bar.tsx');
const InboxOverlays = onDemand(async () => (await loadOverlays()).InboxOverlays);
const SelectionBar = onDemand(async () => (await loadSelectionBar()).SelectionBar);

/** Preloads the overlays and the bar for offline use: after a delay, or when the user points at the list or focuses it. */
function preloadOverlays(): void {
  for (const load of [loadOverlays, loadSelectionBar]) load().catch(() => undefined);
}

/** `/home`: the inbox. The shown list and the opened notification are in the URL. */
export function InboxScreen() {
  const listHandle = useRef<NotificationListHandle>(null);
  const selectionBar = useRef<SelectionBarHandle>(null);
  const screen = useInboxScreen(listHandle, selectionBar);
  const { snapshot, filter, list, url, top, selection, dialog, setDialog } = screen;
  const isOpen = url.openId !== null;
  return (
    <div
      className={styles.screen}
      data-detail={isOpen || undefined}
      onPointerOver={preloadOverlays}
      onFocus={preloadOverlays}
    >
      <div className={styles.main}>
        <ScreenToolbar screen={screen} />
        <div className={styles.narrow}>
          <InboxTabs filter={filter} counts={snapshot.counts} />
        </div>
        <FilterChips filter={filter} />
        <div ref={top} />
        <InboxNotices snapshot={snapshot} />
        <Rows screen={screen} ref={listHandle} />
        <InboxFooter snapshot={{ ...snapshot, view: list }} onInvite={() => setDialog('invite')} />
        {selection && <SelectedRows screen={screen} selection={selection} ref={selectionBar} />}
      </div>
      {(isOpen || dialog !== null) && <Overlays screen={screen} />}
    </div>
  );
}

/** The state that the parts of the screen share. */
type Screen = ReturnType<typeof useInboxScreen>;

function useInboxScreen(
  listHandle: RefObject<NotificationListHandle | null>,
  selectionBar: RefObject<SelectionBarHandle | null>,
) {
  const inbox = useInbox();
  const commands = useInboxCommands();
  const snapshot = useInboxSnapshot();
  const { filter } = snapshot.view;
  const [dialog, setDialog] = useState<InboxDialog | null>(null);
  const [searchCalls, setSearchCalls] = useState(0);
  const url = useInboxUrl();
  usePreloadedOverlays(snapshot.isVerified);
  const list = useShownList(snapshot);
  const { shown: arrived, ...arrivals } = usePendingArrivals(list.notifications, encodeFilter(list.filter));
  const { entries, toggleGroup } = useListEntries(arrived, list, inbox.loadMore);
  // In the order of the rows, which differs from that of time where threads are grouped.
  const shown = useMemo(() => [...new Set(entries.flatMap(({ notifications }) => notifications))], [entries]);
  const { selection, select, ...ranges } = useSelection(shown, url.listKey);
  const rows = useRowActions(url, shown, listHandle, ranges, setDialog);
  const startSearch = () => setSearchCalls((calls) => calls + 1);
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
  return {
    snapshot,
    filter,
    url,
    list,
    ...arrivals,
    entries,
    toggleGroup,
    shown,
    rows,
    selection,
    select,
    dialog,
    setDialog,
    markAllRead,
    searchCalls,
    startSearch,
    endSearch: () => setSearchCalls(0),
  };
}

interface PartProps {
  readonly screen: Screen;
}

function ScreenToolbar({ screen }: PartProps) {
  const { snapshot, filter, list, shown, selection, select } = screen;
  return (
    <InboxToolbar
      filter={filter}
      hasUnread={hasUnread(snapshot, shown)}
      hasRows={shown.length > 0}
      onMarkAllRead={screen.markAllRead}
      isSelecting={selection !== null}
      onSelect={() => select(selection ? null : emptySelection)}
      onSearch={screen.startSearch}
      onDialog={screen.setDialog}
    >
      <InboxSearch
        calls={screen.searchCalls}
        query={filter.query ?? ''}
        resultCount={list.isLoaded && list.filter.query === filter.query ? shown.length : null}
        hasMore={list.hasMore}
        onSearch={screen.url.search}
        onLeave={screen.endSearch}
      />
    </InboxToolbar>
  );
}

function Rows({ screen, ref }: PartProps & { readonly ref: Ref<NotificationListHandle> }) {
  const texts = inboxTexts.use();
  const inbox = useInbox();
  const { list, shown, selection, pending } = screen;
  return (
    <>
      {pending > 0 && (
        <Button
          look="primary"
          className={styles.pill}
          onClick={() => {
            screen.release();
            window.scrollTo(0, 0);
          }}
        >
          {`↑ ${texts.fresh(pending)}`}
        </Button>
      )}
      <NotificationList
        key={encodeFilter(list.filter)}
        ref={ref}
        entries={screen.entries}
        filter={list.filter}
        onAction={screen.rows.onAction}
        onToggleGroup={screen.toggleGroup}
        selected={selection && (selection.isEverything ? new Set(shown.map(({ id }) => id)) : selection.ids)}
        openId={screen.url.openId}
        onEndNear={inbox.loadMore}
      />
    </>
  );
}

interface SelectedRowsProps extends PartProps {
  readonly selection: Selection;
  readonly ref: Ref<SelectionBarHandle>;
}

function SelectedRows({ screen, selection, ref }: SelectedRowsProps) {
  const { snapshot, filter, list, shown, select, setDialog } = screen;
  const isWhole = list.hasMore && filter.kind === null && !isNarrow(filter);
  return (
    <PartBoundary onFail={() => select(null)}>
      <SelectionBar
        ref={ref}
        selection={selection}
        shown={shown}
        filter={filter}
        total={isWhole ? snapshot.counts[filter.tab] : null}
        onSnooze={([first, ...others]) =>
          first && setDialog({ type: 'snooze', id: first.id, notifications: [first, ...others] })
        }
        onChange={select}
      />
    </PartBoundary>
  );
}

function Overlays({ screen: { url, shown, dialog, rows, setDialog, select } }: PartProps) {
  return (
    <PartBoundary
      onFail={() => {
        setDialog(null);
        url.open(undefined);
      }}
    >
      <InboxOverlays
        openId={url.openId}
        shown={shown}
        dialog={dialog}
        rows={rows}
        onDialog={setDialog}
        onSelect={(isSelecting) => select(isSelecting ? emptySelection : null)}
      />
    </PartBoundary>
  );
}

function usePreloadedOverlays(isVerified: boolean): void {
  useEffect(() => {
    if (!isVerified) return undefined;
    const timer = setTimeout(preloadOverlays, preloadDelayMs);
    return () => clearTimeout(timer);
  }, [isVerified]);
}

/** The list to render, which may be older than the view of the snapshot. */
function useShownList(snapshot: InboxSnapshot): InboxView {
  const settled = useSettledView(snapshot);
  // Defer the rows, of which there may be many, so that tabs and counts react to a click at once.
  const deferred = useDeferredValue(settled);
  // Render the first rows without deferring: nothing else is shown that could be clicked.
  const [isFirst, setFirst] = useState(true);
  if (isFirst && deferred.isLoaded) setFirst(false);
  return isFirst ? settled : deferred;
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
