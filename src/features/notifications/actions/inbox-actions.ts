import type { Broadcast, Clock, Timer } from '../../../platform/platform.ts';
import type { InboxStore } from '../data/inbox-store.ts';
import { compareNewestFirst } from '../model/notification.ts';
import type { Notification, NotificationKind, NotificationStatus } from '../model/notification.ts';
import { mustFollow } from '../model/notification-operation.ts';
import type { NotificationAction, NotificationOperation } from '../model/notification-operation.ts';
import type { NotificationsApi } from '../data/notifications-api.ts';

/** What the reader can do. Every action shows at once here and in the other tabs, and is taken back if it fails. */
export interface InboxActions {
  setStatus(ids: readonly string[], status: NotificationStatus): void;
  /** All unread ones of the kind, also those that were not loaded; null: of every kind. */
  markAllRead(kind: NotificationKind | null): void;
  /** Hides them; they are deleted once the removal is committed. */
  remove(ids: readonly string[]): HeldRemoval;
  /** Does again what failed last. */
  retry(): void;
  /** Deletes at once whatever waits for its time to undo to pass. */
  commitAll(): void;
  close(): void;
}

/** The first call decides; further ones do nothing. */
export interface HeldRemoval {
  commit(): void;
  undo(): void;
}

export interface InboxActionsOptions {
  readonly api: NotificationsApi;
  readonly store: InboxStore;
  readonly clock: Clock;
  /** The channel to the other tabs of this user. */
  readonly tabs: Broadcast;
  readonly createId: () => string;
  readonly report: (problem: unknown) => void;
}

type TabMessage =
  | { readonly type: 'started'; readonly operation: NotificationOperation }
  | { readonly type: 'done' | 'dropped'; readonly id: string };

/** A tab that was closed never says how its operation ended; then the server's word counts again. */
const strangerLifeMs = 60_000;

export function createInboxActions(options: InboxActionsOptions): InboxActions {
  const { api, store, tabs, createId, report } = options;
  const held = new Map<string, HeldRemoval>();
  const stopListening = listenToTabs(options);
  const flights = new Map<NotificationOperation, Promise<void>>();
  let isClosed = false;

  const tell = (message: TabMessage) => {
    store.dispatch(message);
    // What was under way at the sign-out ends after it.
    if (!isClosed) tabs.post(message);
  };
  const start = (action: NotificationAction): NotificationOperation => {
    const operation = { ...action, id: createId() };
    tell({ type: 'started', operation });
    return operation;
  };
  const attempt = async (operation: NotificationOperation) => {
    try {
      const rows = await execute(api, operation);
      if (rows) store.dispatch({ type: 'done', id: operation.id, rows });
      tell({ type: 'done', id: operation.id });
    } catch (error) {
      tell({ type: 'dropped', id: operation.id });
      store.patch({ problem: { type: 'action', error, action: operation } });
      report(error);
    }
  };
  // Nothing waits but what would undo another: the page may be left, or the person signed out, at any moment.
  const send = (operation: NotificationOperation) => {
    const earlier = [...flights]
      .filter(([other]) => mustFollow(operation, other))
      .map(([, flight]) => flight);
    const flight = (
      earlier.length === 0 ? attempt(operation) : Promise.all(earlier).then(() => attempt(operation))
    ).finally(() => flights.delete(operation));
    flights.set(operation, flight);
  };
  const perform = (action: NotificationAction) => send(start(action));

  return {
    setStatus: (ids, status) => perform({ type: 'status', ids, status }),
    markAllRead(kind) {
      const newest = [...store.getState().rows.values()].sort(compareNewestFirst)[0] ?? null;
      const { unread } = store.getSnapshot().counts;
      perform({ type: 'read-all', kind, newest: newest && cursorOf(newest), unread });
    },
    remove(ids) {
      const operation = start({ type: 'remove', ids });
      const removal: HeldRemoval = {
        commit: () => held.delete(operation.id) && send(operation),
        undo: () => held.delete(operation.id) && tell({ type: 'dropped', id: operation.id }),
      };
      held.set(operation.id, removal);
      return removal;
    },
    retry() {
      const { problem } = store.getSnapshot();
      if (problem?.type !== 'action') return;
      store.patch({ problem: null });
      perform(problem.action);
    },
    commitAll() {
      for (const removal of held.values()) removal.commit();
    },
    close() {
      isClosed = true;
      stopListening();
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
    case 'read-all':
      return api.markAllRead(operation.kind, operation.unread);
    case 'remove':
      return api.remove(operation.ids);
  }
}

function listenToTabs({ tabs, store, clock }: InboxActionsOptions): () => void {
  const strangers = new Map<string, Timer>();
  const stop = tabs.subscribe((received) => {
    if (!isTabMessage(received)) return;
    const id = received.type === 'started' ? received.operation.id : received.id;
    strangers.get(id)?.cancel();
    strangers.delete(id);
    if (received.type === 'started')
      strangers.set(
        id,
        clock.setTimer(() => store.dispatch({ type: 'dropped', id }), strangerLifeMs),
      );
    store.dispatch(received);
  });
  return () => {
    stop();
    for (const timer of strangers.values()) timer.cancel();
  };
}

/** The tabs of one origin may run different versions of the application. */
function isTabMessage(value: unknown): value is TabMessage {
  const message = value as Partial<TabMessage> | null;
  return message?.type === 'started'
    ? typeof (message as { operation?: NotificationOperation }).operation?.id === 'string'
    : message?.type === 'done' || message?.type === 'dropped';
}

function cursorOf({ id, createdAt, createdAtMs }: Notification) {
  return { id, createdAt, createdAtMs };
}
