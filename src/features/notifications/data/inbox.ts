import type { Platform } from '../../../platform/platform.ts';
import { createInboxActions } from '../actions/inbox-actions.ts';
import type { InboxActions } from '../actions/inbox-actions.ts';
import { createInboxReader } from './inbox-reader.ts';
import { createInboxSync } from './inbox-sync.ts';
import { createInboxStore } from './inbox-store.ts';
import type { InboxStatus, InboxStore, InboxStoreOptions } from './inbox-store.ts';
import type { Notification } from '../model/notification.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import type { NotificationsApi } from './notifications-api.ts';
import type { KeptNotifications, NotificationChange } from '../model/notifications-state.ts';

/** One user's inbox: outside of React, so that every part of the page shows the same. */
export interface Inbox
  extends Pick<InboxStore, 'subscribe' | 'getSnapshot'>, Omit<InboxActions, 'close' | 'commitAll'> {
  /** Begins to read. The live channel is opened beside it, at the same time. */
  start(): void;
  /** Shows what was kept from an earlier visit, unless the server's word is there already. */
  restore(kept: KeptNotifications): void;
  close(): void;
  show(filter: NotificationFilter): void;
  refresh(): Promise<void>;
  loadMore(): Promise<void>;
  /** Reads one that may be in no list that was read; null if there is none. Rejects as the read does. */
  find(id: string): Promise<Notification | null>;
  prefetchMore(): void;
  dismissProblem(): void;
  /** Changes from the live channel, oldest first. */
  receive(changes: readonly NotificationChange[]): void;
  /** Changes may have been missed: the server is asked for them in one request. */
  catchUp(): void;
  setConnection(connection: InboxStatus['connection']): void;
}

export interface InboxOptions extends InboxStoreOptions {
  readonly userId: string;
  readonly api: NotificationsApi;
  readonly platform: Pick<Platform, 'clock' | 'random' | 'page' | 'openBroadcast' | 'report'>;
}

/** Without a live channel a list older than this is read again when the reader turns to it. */
const staleMs = 300_000;

export function createInbox({ userId, api, platform, ...options }: InboxOptions): Inbox {
  const { clock, page, report } = platform;
  const store = createInboxStore(options);
  const reader = createInboxReader({ api, store, report });
  const sync = createInboxSync({ api, store, clock, report, onReset: () => void refresh() });
  let readAtMs = clock.monotonicMs();
  const refresh = () => {
    readAtMs = clock.monotonicMs();
    return reader.refresh();
  };
  const actions = createInboxActions({
    api,
    // An action may concern rows that were never read: the server counts those.
    store: {
      ...store,
      dispatch(event) {
        store.dispatch(event);
        sync.check(false);
      },
    },
    clock,
    report,
    tabs: platform.openBroadcast(`inbox:${userId}`),
    createId: () => Array.from(platform.random.bytes(12), (byte) => byte.toString(36)).join(''),
  });
  const stopWatching = page.subscribe((signal) => {
    // The last moment at which a request may leave.
    if (signal === 'pagehide') actions.commitAll();
    if (signal !== 'online' || store.getSnapshot().problem?.type !== 'read') return;
    void refresh();
    void sync.run();
  });

  return {
    ...store,
    ...actions,
    start() {
      void refresh();
      void sync.run();
    },
    restore: (kept) => store.dispatch({ type: 'restored', kept }),
    close() {
      actions.commitAll();
      stopWatching();
      reader.close();
      sync.close();
      actions.close();
    },
    show(filter) {
      store.dispatch({ type: 'filtered', filter });
      const { connection, isVerified } = store.getSnapshot();
      if (!isVerified) return;
      if (connection !== 'live' && clock.monotonicMs() - readAtMs > staleMs) void refresh();
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
      // Lists that were never read are read whole; others need the changes alone.
      if (!store.getSnapshot().isVerified && !store.getSnapshot().isReading) void refresh();
      void sync.run();
    },
    setConnection: (connection) => store.patch({ connection }),
  };
}
