import { createStore, type Platform, type Readable } from 'supabase-protocol-clients/platform';
import { createLiveReads, type ReadCause } from 'supabase-protocol-clients/realtime-client/live-query';
import { staleAfterMs, type Cached } from '../../../shared/cached.ts';
import type { Outbox } from '../../../shared/outbox/outbox.ts';
import { registeredKinds } from '../../../shared/registered-kinds.ts';
import { createInboxActions } from './inbox-actions.ts';
import { createInboxReader } from './inbox-reader.ts';
import { createInboxSync, type InboxSyncOptions } from './inbox-sync.ts';
import { createInboxStore, type InboxStoreOptions } from './inbox-store.ts';
import { cursorOf, type Notification } from '../model/notification.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import type { NotificationsApi } from './notifications-api.ts';
import { actionsTopic } from '../model/notification-operation.ts';
import type { PersistedNotifications, NotificationChange } from '../model/state-types.ts';
import { startSnoozeAlarm } from './snooze-alarm.ts';

/** One user's inbox: outside of React, so that every part of the page shows the same state. */
export type Inbox = ReturnType<typeof createInbox>;

export interface InboxOptions extends InboxStoreOptions, Pick<InboxSyncOptions, 'onKinds'> {
  readonly api: NotificationsApi;
  readonly outbox: Pick<Outbox, 'addTopic' | 'getSnapshot' | 'subscribe'>;
  readonly platform: Pick<Platform, 'clock' | 'page' | 'report'>;
  /** Called when the followed channel has become live, or may have missed changes. */
  readonly onGap?: () => void;
}

export function createInbox({ api, outbox, platform, onKinds, onGap, ...options }: InboxOptions) {
  const { clock, page, report } = platform;
  const store = createInboxStore(options);
  const reader = createInboxReader({ api, store, platform });
  const sync = createInboxSync({ api, store, platform, onStale: () => void reads.recheck(), onKinds });
  /** Whether the lists have to be read; otherwise the changes suffice. */
  let areListsDue = true;
  let readError: Error | null = null;
  let readAtMs = clock.monotonicMs();
  const readLists = async () => {
    areListsDue = false;
    readAtMs = clock.monotonicMs();
    try {
      await reader.readLists();
    } catch (error) {
      areListsDue = true;
      throw error;
    }
  };
  const noteCause = (cause: ReadCause) => {
    store.dispatch({ type: 'gap' });
    sync.openGap();
    // Lists that were never read are read whole; loaded lists need the changes only.
    if (!store.getSnapshot().isVerified && !store.getSnapshot().isReading) areListsDue = true;
    if (cause === 'live' || cause === 'gap') onGap?.();
    return true;
  };
  const reads = createLiveReads({
    platform,
    onCause: noteCause,
    async read(signal) {
      const [lists, changes] = await Promise.allSettled([areListsDue && readLists(), sync.ask(signal)]);
      if (lists.status === 'rejected') throw lists.reason;
      if (changes.status === 'rejected') throw changes.reason;
      if (changes.value && !signal.aborted) await readLists();
    },
  });
  const stopShowingStatus = reads.subscribe(() => {
    const before = store.getSnapshot();
    const { status, error } = reads.getSnapshot();
    if (status === before.status && error === readError) return;
    const asOfMs = before.status === 'current' ? clock.now() : before.asOfMs;
    store.patch({ status, asOfMs, ...(error !== readError && { problem: error }) });
    readError = error;
  });
  const refresh = () => {
    areListsDue = true;
    sync.openGap();
    return reads.refresh();
  };
  const pendingRows = createStore<ReadonlySet<string>>(new Set());
  const actions = createInboxActions({
    api,
    outbox,
    // An action may change rows outside the loaded lists, which only the server can count.
    store: {
      ...store,
      dispatch(event) {
        store.dispatch(event);
        sync.check(false);
      },
    },
    clock,
  });
  // `message` is a kind of the application.
  const askedKinds = new Set(['message']);
  /**
   * Whether the team may have registered the kind since the last response; checked once, because a removed kind stays
   * unknown.
   */
  const isOfNewKind = (change: NotificationChange) => {
    if (change.type === 'remove' || change.notification.kind !== 'other') return false;
    const { kindName } = change.notification;
    if (registeredKinds.getSnapshot().has(kindName) || askedKinds.has(kindName)) return false;
    askedKinds.add(kindName);
    return true;
  };
  const showPendingRows = () => {
    const pending = outbox.getSnapshot().filter(({ topic }) => topic === actionsTopic);
    pendingRows.set(new Set(pending.flatMap(({ keys }) => keys ?? [])));
  };
  showPendingRows();
  const stopShowing = outbox.subscribe(showPendingRows);
  const stopAlarm = startSnoozeAlarm({ store, clock, page, onReturn: () => sync.check(true) });
  const stopWatching = page.subscribe((signal) => {
    if (signal === 'online' && store.getSnapshot().problem !== null) void refresh();
  });

  return {
    subscribe: store.subscribe,
    getSnapshot: store.getSnapshot,
    ...actions,
    /** Ids of the notifications with a pending action that waits for the connection; the same set until it changes. */
    pendingRows: pendingRows as Readable<ReadonlySet<string>>,
    /** Starts reading; the live channel is opened in parallel. */
    start: () => void refresh(),
    /** Reads whenever the lists may lack changes of the channel, which the caller joins. */
    follow: reads.follow,
    /** Shows the persisted list of an earlier visit, unless the server has responded already. */
    restore({ value: persisted, readAtMs: asOfMs }: Cached<PersistedNotifications>) {
      if (!store.getSnapshot().isVerified) store.patch({ asOfMs });
      store.dispatch({ type: 'restored', persisted });
      store.dispatch({ type: 'woken', nowMs: clock.now() });
    },
    close() {
      stopWatching();
      stopShowing();
      stopShowingStatus();
      reads.stop();
      stopAlarm();
      reader.close();
      sync.close();
    },
    show(filter: NotificationFilter) {
      store.dispatch({ type: 'filtered', filter });
      const { status, isVerified } = store.getSnapshot();
      if (!isVerified) return;
      // A channel that is followed keeps the lists fresh.
      if (status === 'stopped' && clock.monotonicMs() - readAtMs > staleAfterMs) void refresh();
      else void reader.ensure();
    },
    refresh,
    /** Reads one notification by id, also outside the loaded lists; null if it does not exist. Rejects when the request fails. */
    async find(id: string) {
      try {
        return await api.find(id);
      } catch (error) {
        store.patch({ problem: error });
        report(error);
        throw error;
      }
    },
    /** Rows of the thread before a notification, the newest first; none when the request fails. */
    async listEarlier(notification: Notification, limit: number) {
      const { thread, status } = notification;
      if (thread === null) return [];
      const tab = status === 'archived' ? 'archived' : 'all';
      const filter = { tab, kind: null, place: thread } as const;
      try {
        return (await api.list(filter, { after: cursorOf(notification), limit })).notifications;
      } catch (problem) {
        report(problem);
        return [];
      }
    },
    /** Rows that name senders and threads, also outside the loaded lists; none when the request fails. */
    listRecentNames: () => api.listRecentNames().catch((problem: unknown) => (report(problem), [])),
    findLoaded: (id: string) => store.getState().rows.get(id),
    /** Reads the next page of the shown list. */
    loadMore: () => void reader.loadMore(),
    /** Changes from the live channel, oldest first. */
    receive(changes: readonly NotificationChange[]) {
      reads.noteChanges(changes.length);
      store.dispatch({ type: 'changes', changes });
      sync.check(true);
      if (!changes.some(isOfNewKind)) return;
      sync.openGap();
      void reads.refresh();
    },
    /** Requests changes that were not received, in one request. */
    catchUp() {
      noteCause('rate');
      void reads.refresh();
    },
    setLost: (isLost: boolean) => store.patch({ isLost }),
  };
}
