import { createObservable, type Readable } from 'supabase-protocol-clients/platform';
import type { Cached } from '../../../shared/cached.ts';
import type { Outbox } from '../../../shared/outbox/outbox.ts';
import { createInboxActions } from './inbox-actions.ts';
import { InboxReads, type InboxReadsOptions } from './inbox-reads.ts';
import { createInboxStore, type InboxStore, type InboxStoreOptions } from './inbox-store.ts';
import { cursorOf, type Notification } from '../model/notification.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import type { NotificationsApi } from './notifications-api.ts';
import { actionsTopic } from '../model/notification-operation.ts';
import type { NotificationChange, PersistedNotifications } from '../model/state-types.ts';
import { startSnoozeAlarm } from './snooze-alarm.ts';

/** One user's inbox: outside of React, so that every part of the page shows the same state. */
export type Inbox = ReturnType<typeof createInbox>;

export interface InboxOptions extends InboxStoreOptions, Omit<InboxReadsOptions, 'store'> {
  readonly outbox: Pick<Outbox, 'addTopic' | 'getSnapshot' | 'subscribe'>;
}

export function createInbox({ api, outbox, platform, onKinds, onGap, ...options }: InboxOptions) {
  const { clock, page, report } = platform;
  const store = createInboxStore(options);
  const reads = new InboxReads({ api, store, platform, onKinds, onGap });
  const pending = followPendingRows(outbox);
  const actions = createInboxActions({
    api,
    outbox,
    // An action may change rows outside the loaded lists, which only the server can count.
    store: {
      ...store,
      dispatch(event) {
        store.dispatch(event);
        reads.check(false);
      },
    },
    clock,
  });
  const stops = [
    pending.stop,
    startSnoozeAlarm({ store, clock, page, onReturn: () => reads.check(true) }),
    page.subscribe((signal) => {
      if (signal === 'online' && store.getSnapshot().problem !== null) void reads.refresh();
    }),
  ];
  return {
    subscribe: store.subscribe,
    getSnapshot: store.getSnapshot,
    ...actions,
    ...createLookups(api, store, report),
    /** Ids of the notifications with a pending action that waits for the connection; the same set until it changes. */
    pendingRows: pending.rows,
    /** Starts reading; the live channel is opened in parallel. */
    start: () => void reads.refresh(),
    /** Reads whenever the lists may lack changes of the channel, which the caller joins. */
    follow: reads.follow,
    /** Shows the persisted list of an earlier visit, unless the server has responded already. */
    restore({ value: persisted, readAtMs: asOfMs }: Cached<PersistedNotifications>) {
      if (!store.getSnapshot().isVerified) store.patch({ asOfMs });
      store.dispatch({ type: 'restored', persisted });
      store.dispatch({ type: 'woken', nowMs: clock.now() });
    },
    close() {
      stops.forEach((stop) => stop());
      reads.close();
    },
    show(filter: NotificationFilter) {
      store.dispatch({ type: 'filtered', filter });
      reads.ensure();
    },
    refresh: () => reads.refresh(),
    /** Reads the next page of the shown list. */
    loadMore: () => void reads.loadMore(),
    /** Changes from the live channel, oldest first. */
    receive: (changes: readonly NotificationChange[]) => reads.receive(changes),
    /** Requests changes that were not received, in one request. */
    catchUp: () => reads.catchUp(),
    setLost: (isLost: boolean) => store.patch({ isLost }),
  };
}

function followPendingRows(outbox: Pick<Outbox, 'getSnapshot' | 'subscribe'>) {
  const rows = createObservable<ReadonlySet<string>>(new Set());
  const update = () => {
    const pending = outbox.getSnapshot().filter(({ topic }) => topic === actionsTopic);
    rows.set(new Set(pending.flatMap(({ keys }) => keys ?? [])));
  };
  update();
  return { rows: rows as Readable<ReadonlySet<string>>, stop: outbox.subscribe(update) };
}

/** Reads of single rows, which do not change the lists. */
function createLookups(api: NotificationsApi, store: InboxStore, report: (problem: unknown) => void) {
  return {
    findLoaded: (id: string) => store.getState().rows.get(id),
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
  };
}
