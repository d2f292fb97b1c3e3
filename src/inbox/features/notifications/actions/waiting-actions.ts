import type { OutboxTopic } from '../../../shared/outbox/outbox.ts';
import type { Store } from '../../../ui/state/store.ts';
import type { InboxStore } from '../data/inbox-store.ts';
import type { NotificationOperation } from '../model/notification-operation.ts';
import { createWaitingAction } from '../model/waiting-action.ts';
import type { WaitingAction } from '../model/waiting-action.ts';

/** The actions in the outbox, which the store shows as pending operations. */
export interface WaitingActions {
  isBusy(): boolean;
  has(operationId: string): boolean;
  /** Never rejects: an operation that cannot be stored is rolled back, with a problem that offers the retry. */
  add(operation: NotificationOperation): Promise<void>;
  /**
   * Stores an operation that can be undone. It is sent when it is released, or after 60 s.
   *
   * @throws what the storage throws.
   */
  hold(operation: NotificationOperation): Promise<void>;
  /** Sends a held operation, also one that could not be stored. */
  release(operation: NotificationOperation): Promise<void>;
  /** Removes a held operation that was undone. */
  withdraw(operationId: string): Promise<void>;
  /** Removes a held operation that was sent, or refused, by a request of its own. */
  confirm(operationId: string): Promise<void>;
  close(): void;
}

/** Longer than an undo toast, which is shown for 10 s, and on while the pointer is on it. */
const undoMs = 60_000;

/** @param rows receives the ids of the notifications with a waiting action. */
export function createWaitingActions(
  topic: OutboxTopic<WaitingAction>,
  store: InboxStore,
  rows: Store<ReadonlySet<string>>,
): WaitingActions {
  let waiting: ReadonlySet<string> = new Set();
  /** Operations of this tab: the store has shown them, and the user may have undone them since. */
  const own = new Set<string>();
  const follow = () => {
    const changes = topic.getSnapshot();
    const before = waiting;
    waiting = new Set(changes.map(({ id }) => id));
    // Withdrawn in another tab: a change that was sent is settled first.
    for (const id of before) if (!waiting.has(id)) store.dispatch({ type: 'dropped', id });
    const shown = new Set(store.getState().operations.map(({ id }) => id));
    for (const { id, payload } of changes)
      if (!shown.has(id) && !own.has(id)) store.dispatch({ type: 'started', operation: payload.operation });
    rows.set(
      new Set(changes.flatMap(({ payload: { operation } }) => ('ids' in operation ? operation.ids : []))),
    );
  };
  const endings = [
    topic.subscribe(follow),
    topic.onSettled(({ id }, outcome) =>
      store.dispatch({ type: outcome === 'sent' ? 'done' : 'dropped', id }),
    ),
  ];
  follow();
  const addToTopic = (operation: NotificationOperation, delayMs: number) => {
    own.add(operation.id);
    return topic.add(operation.id, createWaitingAction(store.getState(), operation), delayMs);
  };
  const add = async (operation: NotificationOperation) => {
    try {
      await addToTopic(operation, 0);
    } catch (error) {
      store.dispatch({ type: 'dropped', id: operation.id });
      store.patch({ problem: { type: 'action', error, action: operation } });
    }
  };
  /** The held operations by id, each with whether it was stored. */
  const holds = new Map<string, Promise<boolean>>();
  const endHold = async (operationId: string) => {
    const isStored = await holds.get(operationId);
    holds.delete(operationId);
    return isStored === true;
  };
  return {
    isBusy: topic.isBusy,
    has: (operationId) => waiting.has(operationId),
    add,
    hold(operation) {
      const storing = addToTopic(operation, undoMs);
      const isStored = storing.then(
        () => true,
        () => false,
      );
      holds.set(operation.id, isStored);
      return storing;
    },
    async release(operation) {
      await ((await endHold(operation.id)) ? topic.release(operation.id) : add(operation));
    },
    async withdraw(operationId) {
      if (await endHold(operationId)) await topic.withdraw(operationId);
    },
    async confirm(operationId) {
      if (await endHold(operationId)) await topic.confirm(operationId);
    },
    close() {
      for (const end of endings) end();
    },
  };
}
