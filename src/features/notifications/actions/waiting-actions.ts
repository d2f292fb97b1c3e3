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
  add(operation: NotificationOperation, delayMs: number): Promise<void>;
  release(operationId: string): Promise<void>;
  withdraw(operationId: string): Promise<boolean>;
  close(): void;
}

/** @param rows receives the ids of the notifications with a waiting action. */
export function createWaitingActions(
  topic: OutboxTopic<WaitingAction>,
  store: InboxStore,
  rows: Store<ReadonlySet<string>>,
): WaitingActions {
  let waiting: ReadonlySet<string> = new Set();
  const follow = () => {
    const changes = topic.getSnapshot();
    const before = waiting;
    waiting = new Set(changes.map(({ id }) => id));
    // Withdrawn in another tab: a change that was sent is settled first.
    for (const id of before) if (!waiting.has(id)) store.dispatch({ type: 'dropped', id });
    const shown = new Set(store.getState().operations.map(({ id }) => id));
    for (const { id, payload } of changes)
      if (!shown.has(id)) store.dispatch({ type: 'started', operation: payload.operation });
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
  return {
    isBusy: topic.isBusy,
    has: (operationId) => waiting.has(operationId),
    async add(operation, delayMs) {
      try {
        await topic.add(operation.id, createWaitingAction(store.getState(), operation), delayMs);
      } catch (error) {
        store.dispatch({ type: 'dropped', id: operation.id });
        store.patch({ problem: { type: 'action', error, action: operation } });
      }
    },
    release: topic.release,
    withdraw: topic.withdraw,
    close() {
      for (const end of endings) end();
    },
  };
}
