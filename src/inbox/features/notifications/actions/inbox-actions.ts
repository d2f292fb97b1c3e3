import type { Broadcast, Clock, Page, Timer } from 'supabase-protocol-clients/platform';
import type { InboxStore } from '../data/inbox-store.ts';
import { compareNewestFirst } from '../model/notification.ts';
import type { Notification, NotificationKind, NotificationStatus } from '../model/notification.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import { isBulk, mustFollow } from '../model/notification-operation.ts';
import type { NotificationAction, NotificationOperation } from '../model/notification-operation.ts';
import type { NotificationsApi } from '../data/notifications-api.ts';
import { createOfflineActions } from './offline-actions.ts';
import type { OfflineActions, OfflineActionsOptions } from './offline-actions.ts';

/** The user's actions. Each is shown at once in every tab, and rolled back if its request fails. */
export interface InboxActions {
  /** @returns how many of the notifications were deleted before; 0 as well if the action waits or fails. */
  setStatus(ids: readonly string[], status: NotificationStatus): Promise<number>;
  /**
   * Snoozes until the time, in milliseconds since the epoch; null or a past time ends the snooze.
   *
   * @returns as {@link InboxActions.setStatus}.
   */
  snooze(ids: readonly string[], untilMs: number | null): Promise<number>;
  /** Marks all unread notifications of the kind as read, also those that are not loaded; null: of every kind. */
  markAllRead(kind: NotificationKind | null): UndoableAction;
  remove(ids: readonly string[]): UndoableAction;
  /** Deletes the whole list of the filter, also the part that is not loaded. */
  removeAll(filter: NotificationFilter): UndoableAction;
  /** Repeats the action that failed last. */
  retry(): void;
  /** Shows and sends the actions that an earlier visit left. */
  openOutbox(): void;
  /** Sends all actions that can still be undone. */
  commitAll(): void;
  close(): void;
}

/** An action that is shown and stored on the device but not sent yet. The first call decides; further calls do nothing. */
export interface UndoableAction {
  commit(): void;
  undo(): void;
}

export interface InboxActionsOptions {
  readonly api: NotificationsApi;
  readonly store: InboxStore;
  readonly clock: Clock;
  readonly page: Page;
  /** Loads the code that stores actions while there is no connection, and those that can be undone. */
  readonly loadWaitingActions: OfflineActionsOptions['load'];
  /** Receives the ids of the notifications with an action that waits. */
  readonly waitingRows: OfflineActionsOptions['waitingRows'];
  /** The channel to the other tabs of this user. */
  readonly tabs: Broadcast;
  readonly createId: () => string;
  readonly report: (problem: unknown) => void;
}

type TabMessage =
  | { readonly type: 'started'; readonly operation: NotificationOperation }
  | { readonly type: 'done' | 'dropped'; readonly id: string };

/** A closed tab never publishes the end of its operation; after this time the operation is dropped. */
const remoteOperationTtlMs = 60_000;

export function createInboxActions(options: InboxActionsOptions): InboxActions {
  const { api, store, clock, tabs, createId, report, loadWaitingActions, ...parts } = options;
  const offline = createOfflineActions({ ...parts, load: loadWaitingActions, store, report });
  const undoable = new Map<NotificationOperation, UndoableAction>();
  const stopListening = listenToTabs(options, offline);
  const inFlight = new Map<NotificationOperation, Promise<unknown>>();
  let isClosed = false;

  const publish = (message: TabMessage) => {
    store.dispatch(message);
    // A request that is in flight at sign-out ends after the channel is closed.
    if (!isClosed) tabs.post(message);
  };
  const start = (action: NotificationAction): NotificationOperation => {
    const operation = { ...action, id: createId() };
    publish({ type: 'started', operation });
    return operation;
  };
  /** @returns how many rows of the operation do not exist. */
  const attempt = async (operation: NotificationOperation): Promise<number> => {
    try {
      const rows = await execute(api, operation);
      if (rows) store.dispatch({ type: 'done', id: operation.id, rows });
      publish({ type: 'done', id: operation.id });
      offline.confirm(operation.id);
      return rows && 'ids' in operation ? operation.ids.length - rows.length : 0;
    } catch (error) {
      // The connection was lost during the request.
      if (offline.mustWait(operation)) {
        offline.add(operation);
        return 0;
      }
      publish({ type: 'dropped', id: operation.id });
      offline.confirm(operation.id);
      store.patch({ problem: { type: 'action', error, action: operation } });
      report(error);
      return 0;
    }
  };
  // Only operations whose order matters wait: the page may close, or the user sign out, at any moment.
  const send = (operation: NotificationOperation): Promise<number> => {
    if (offline.mustWait(operation)) {
      offline.add(operation);
      return Promise.resolve(0);
    }
    const earlier = [...inFlight]
      .filter(([other]) => mustFollow(operation, other))
      .map(([, request]) => request);
    const request = (
      earlier.length === 0 ? attempt(operation) : Promise.all(earlier).then(() => attempt(operation))
    ).finally(() => inFlight.delete(operation));
    inFlight.set(operation, request);
    return request;
  };
  /** Sends undoable operations that the server must apply before this one. */
  const commitEarlier = (operation: NotificationOperation) => {
    for (const [other, action] of undoable) if (mustFollow(operation, other)) action.commit();
  };
  const perform = (action: NotificationAction) => {
    const operation = start(action);
    commitEarlier(operation);
    return send(operation);
  };
  const performUndoable = (action: NotificationAction): UndoableAction => {
    const operation = start(action);
    commitEarlier(operation);
    // Store the operation now, because a page that crashes cannot send it.
    offline.hold(operation);
    const created: UndoableAction = {
      commit() {
        // The outbox has sent it already if its toast stayed for long.
        const isPending = store.getState().operations.includes(operation);
        if (undoable.delete(operation) && isPending) void send(operation);
      },
      undo() {
        if (!undoable.delete(operation)) return;
        publish({ type: 'dropped', id: operation.id });
        offline.withdraw(operation.id);
      },
    };
    undoable.set(operation, created);
    return created;
  };
  const newestCursor = () => {
    const [newest] = [...store.getState().rows.values()].sort(compareNewestFirst);
    return newest ? { id: newest.id, createdAt: newest.createdAt, createdAtMs: newest.createdAtMs } : null;
  };

  return {
    setStatus: (ids, status) => perform({ type: 'status', ids, status }),
    snooze: (ids, untilMs) => perform({ type: 'snooze', ids, untilMs, nowMs: clock.now() }),
    markAllRead: (kind) =>
      performUndoable({
        type: 'read-all',
        kind,
        newest: newestCursor(),
        unread: store.getSnapshot().counts.unread,
      }),
    remove: (ids) => performUndoable({ type: 'remove', ids }),
    removeAll: (filter) => performUndoable({ type: 'remove-all', filter, newest: newestCursor() }),
    retry() {
      const { problem } = store.getSnapshot();
      if (problem?.type !== 'action') return;
      store.patch({ problem: null });
      void perform(problem.action);
    },
    openOutbox: offline.open,
    commitAll() {
      for (const [operation, action] of undoable) {
        // The answer may never arrive here. Deleting rows by id twice is harmless; a bulk action that the next visit repeats
        // would also change rows that came to match meanwhile.
        if (isBulk(operation) && !offline.mustWait(operation)) offline.confirm(operation.id);
        action.commit();
      }
    },
    close() {
      isClosed = true;
      stopListening();
      offline.close();
      tabs.close();
    },
  };
}

function execute(
  api: NotificationsApi,
  operation: NotificationOperation,
): Promise<readonly Notification[] | void> {
  switch (operation.type) {
    case 'status':
      return api.setStatus(operation.ids, operation.status);
    case 'snooze':
      return api.snooze(operation.ids, operation.untilMs);
    case 'read-all':
      return api.markAllRead(operation.kind, operation.unread, operation.newest?.createdAt ?? null);
    case 'remove':
      return api.remove(operation.ids);
    case 'remove-all':
      return api.removeAll(operation.filter, operation.newest?.createdAt ?? null);
  }
}

function listenToTabs({ tabs, store, clock }: InboxActionsOptions, offline: OfflineActions): () => void {
  const expiries = new Map<string, Timer>();
  const stop = tabs.subscribe((received) => {
    if (!isTabMessage(received)) return;
    const id = received.type === 'started' ? received.operation.id : received.id;
    expiries.get(id)?.cancel();
    expiries.delete(id);
    if (received.type === 'started')
      expiries.set(
        id,
        clock.setTimer(
          () => !offline.has(id) && store.dispatch({ type: 'dropped', id }),
          remoteOperationTtlMs,
        ),
      );
    store.dispatch(received);
  });
  return () => {
    stop();
    for (const timer of expiries.values()) timer.cancel();
  };
}

/** The tabs of one origin may run different versions of the application. */
function isTabMessage(value: unknown): value is TabMessage {
  const message = value as Partial<TabMessage> | null;
  return message?.type === 'started'
    ? typeof (message as { operation?: NotificationOperation }).operation?.id === 'string'
    : message?.type === 'done' || message?.type === 'dropped';
}
