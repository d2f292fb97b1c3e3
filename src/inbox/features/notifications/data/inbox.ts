import { createStore, type Platform, type Readable } from 'supabase-protocol-clients/platform';
import { staleAfterMs } from '../../../shared/cached.ts';
import type { Outbox } from '../../../shared/outbox/outbox.ts';
import { registeredKinds } from '../../../shared/registered-kinds.ts';
import { createInboxActions } from './inbox-actions.ts';
import { createInboxReader } from './inbox-reader.ts';
import { createInboxSync, type InboxSyncOptions } from './inbox-sync.ts';
import { createInboxStore, type InboxStatus, type InboxStoreOptions } from './inbox-store.ts';
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
}

export function createInbox({ api, outbox, platform, onKinds, ...options }: InboxOptions) {
  const { clock, page, report } = platform;
  const store = createInboxStore(options);
  const reader = createInboxReader({ api, store, platform });
  const sync = createInboxSync({ api, store, platform, onReset: () => void refresh(), onKinds });
  let readAtMs = clock.monotonicMs();
  const refresh = () => {
    readAtMs = clock.monotonicMs();
    return reader.refresh();
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
  /** Whether the team may have registered the kind since the last answer; asked once, because a removed kind stays unknown. */
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
    if (signal !== 'online' || !store.getSnapshot().problem) return;
    void refresh();
    void sync.run();
  });

  return {
    subscribe: store.subscribe,
    getSnapshot: store.getSnapshot,
    ...actions,
    /** Ids of the notifications with a pending action that waits for the connection; the same set until it changes. */
    pendingRows: pendingRows as Readable<ReadonlySet<string>>,
    /** Starts reading; the live channel is opened in parallel. */
    start() {
      void refresh();
      void sync.run();
    },
    /** Shows the persisted list of an earlier visit, unless the server has answered already. */
    restore(persisted: PersistedNotifications) {
      store.dispatch({ type: 'restored', persisted });
      store.dispatch({ type: 'woken', nowMs: clock.now() });
    },
    close() {
      stopWatching();
      stopShowing();
      stopAlarm();
      reader.close();
      sync.close();
    },
    show(filter: NotificationFilter) {
      store.dispatch({ type: 'filtered', filter });
      const { connection, isVerified } = store.getSnapshot();
      if (!isVerified) return;
      // A live channel keeps the lists fresh.
      if (connection !== 'live' && clock.monotonicMs() - readAtMs > staleAfterMs) void refresh();
      else void reader.ensure();
    },
    async refresh() {
      await Promise.all([refresh(), sync.run()]);
    },
    /** Reads one notification by id, also outside the loaded lists; null if it does not exist. Rejects when the request fails. */
    async find(id: string) {
      try {
        return await api.find(id);
      } catch (error) {
        store.patch({ problem: { error } });
        report(error);
        throw error;
      }
    },
    /** Rows that name senders and threads, also outside the loaded lists; none when the request fails. */
    listRecentNames: () => api.listRecentNames().catch((problem: unknown) => (report(problem), [])),
    /** A notification as it is loaded. */
    findLoaded: (id: string) => store.getState().rows.get(id),
    /** Reads the next page of the shown list. */
    loadMore: () => void reader.loadMore(),
    /** Changes from the live channel, oldest first. */
    receive(changes: readonly NotificationChange[]) {
      store.dispatch({ type: 'changes', changes });
      if (changes.some(isOfNewKind)) void sync.run();
      else sync.check(true);
    },
    /** Asks the server for changes that the live channel may have missed, in one request. */
    catchUp() {
      store.dispatch({ type: 'gap' });
      // Lists that were never read are read whole; loaded lists need the changes only.
      if (!store.getSnapshot().isVerified && !store.getSnapshot().isReading) void refresh();
      void sync.run();
    },
    setConnection: (connection: InboxStatus['connection']) => store.patch({ connection }),
  };
}
