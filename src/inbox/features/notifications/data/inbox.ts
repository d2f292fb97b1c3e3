import type { Platform } from 'supabase-protocol-clients/platform';
import { staleAfterMs } from '../../../shared/cache-policy.ts';
import { createStore } from '../../../ui/state/store.ts';
import type { Store } from '../../../ui/state/store.ts';
import type { InboxActions, InboxActionsOptions } from '../actions/inbox-actions.ts';
import { createInboxReader } from './inbox-reader.ts';
import { createInboxSync } from './inbox-sync.ts';
import { createLazyAlarm } from './lazy-alarm.ts';
import { createInboxStore } from './inbox-store.ts';
import type { InboxStatus, InboxStore, InboxStoreOptions } from './inbox-store.ts';
import type { Notification } from '../model/notification.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import type { NotificationsApi } from './notifications-api.ts';
import type { PersistedNotifications, NotificationChange } from '../model/state-types.ts';

/** One user's inbox: outside of React, so that every part of the page shows the same state. */
export interface Inbox
  extends Pick<InboxStore, 'subscribe' | 'getSnapshot'>, Omit<InboxActions, 'close' | 'commitAll'> {
  /** Ids of the notifications with an action that waits for a connection; the same set until it changes. */
  readonly waitingRows: Pick<Store<ReadonlySet<string>>, 'getSnapshot' | 'subscribe'>;
  /** Starts reading; the live channel is opened in parallel. */
  start(): void;
  /** Shows the persisted list of an earlier visit, unless the server has answered already. */
  restore(persisted: PersistedNotifications): void;
  close(): void;
  show(filter: NotificationFilter): void;
  refresh(): Promise<void>;
  loadMore(): Promise<void>;
  /** Reads one notification by id, also outside the loaded lists; null if it does not exist. Rejects when the request fails. */
  find(id: string): Promise<Notification | null>;
  prefetchMore(): void;
  dismissProblem(): void;
  /** Changes from the live channel, oldest first. */
  receive(changes: readonly NotificationChange[]): void;
  /** Asks the server for changes that the live channel may have missed, in one request. */
  catchUp(): void;
  setConnection(connection: InboxStatus['connection']): void;
}

export interface InboxOptions extends InboxStoreOptions {
  readonly userId: string;
  readonly api: NotificationsApi;
  readonly createActions: (options: InboxActionsOptions) => InboxActions;
  /** Loads the code that stores actions while there is no connection. */
  readonly loadWaitingActions: InboxActionsOptions['loadWaitingActions'];
  readonly platform: Pick<Platform, 'clock' | 'random' | 'page' | 'openBroadcast' | 'report'>;
}

export function createInbox({
  userId,
  api,
  createActions,
  loadWaitingActions,
  platform,
  ...options
}: InboxOptions): Inbox {
  const { clock, page, report } = platform;
  const store = createInboxStore(options);
  const reader = createInboxReader({ api, store, report });
  const sync = createInboxSync({ api, store, clock, report, onReset: () => void refresh() });
  let readAtMs = clock.monotonicMs();
  const refresh = () => {
    readAtMs = clock.monotonicMs();
    return reader.refresh();
  };
  const waitingRows = createStore<ReadonlySet<string>>(new Set());
  const actions = createActions({
    api,
    loadWaitingActions,
    waitingRows,
    // An action may change rows outside the loaded lists, which only the server can count.
    store: {
      ...store,
      dispatch(event) {
        store.dispatch(event);
        sync.check(false);
      },
    },
    clock,
    page,
    report,
    tabs: platform.openBroadcast(`inbox:${userId}`),
    createId: () => Array.from(platform.random.bytes(12), (byte) => byte.toString(36)).join(''),
  });
  const alarm = createLazyAlarm({ store, clock, page, report, onReturn: () => sync.check(true) });
  const stopWatching = page.subscribe((signal) => {
    // Requests can no longer start after `pagehide`.
    if (signal === 'pagehide') actions.commitAll();
    if (signal !== 'online' || store.getSnapshot().problem?.type !== 'read') return;
    void refresh();
    void sync.run();
  });

  return {
    ...store,
    ...actions,
    waitingRows,
    start() {
      void refresh();
      void sync.run();
    },
    restore(persisted) {
      store.dispatch({ type: 'restored', persisted });
      store.dispatch({ type: 'woken', nowMs: clock.now() });
    },
    close() {
      actions.commitAll();
      stopWatching();
      alarm.close();
      reader.close();
      sync.close();
      actions.close();
    },
    show(filter) {
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
    async find(id) {
      try {
        return await api.find(id);
      } catch (error) {
        store.patch({ problem: { type: 'read', error } });
        report(error);
        throw error;
      }
    },
    loadMore: reader.loadMore,
    prefetchMore: reader.prefetchMore,
    dismissProblem: () => store.patch({ problem: null }),
    receive(changes) {
      store.dispatch({ type: 'changes', changes });
      sync.check(true);
    },
    catchUp() {
      store.dispatch({ type: 'gap' });
      // Lists that were never read are read whole; loaded lists need the changes only.
      if (!store.getSnapshot().isVerified && !store.getSnapshot().isReading) void refresh();
      void sync.run();
    },
    setConnection: (connection) => store.patch({ connection }),
  };
}
