import type { Page } from 'supabase-protocol-clients/platform';
import type { Store } from '../../../ui/state/store.ts';
import type { InboxStore } from '../data/inbox-store.ts';
import type { NotificationOperation } from '../model/notification-operation.ts';
import type { WaitingActions } from './waiting-actions.ts';

/**
 * The actions that are done without a connection, or while earlier ones wait; and those that can be undone, which a crash or a
 * request that hangs must not lose.
 */
export interface OfflineActions {
  /** Whether an operation that is about to be sent has to wait. */
  mustWait(operation: NotificationOperation): boolean;
  /** Whether the operation waits. */
  has(operationId: string): boolean;
  /** Leaves the operation to the outbox, also one that is held. */
  add(operation: NotificationOperation): void;
  /** Stores an operation that can be undone. The outbox sends it after 60 s, unless the page did. */
  hold(operation: NotificationOperation): void;
  /** Removes a held operation whose request was answered. */
  confirm(operationId: string): void;
  /** Removes a held operation that was undone, unless it is being sent already. */
  withdraw(operationId: string): void;
  /** Loads what an earlier visit left. */
  open(): void;
  close(): void;
}

export interface OfflineActionsOptions {
  /** Loads the code of {@link WaitingActions}, once. */
  readonly load: (store: InboxStore, rows: Store<ReadonlySet<string>>) => Promise<WaitingActions>;
  /** Receives the ids of the notifications with an action that waits. */
  readonly waitingRows: Store<ReadonlySet<string>>;
  readonly store: InboxStore;
  readonly page: Page;
  readonly report: (problem: unknown) => void;
}

/** Actions that can wait; others need an answer at once. */
const waitingTypes: ReadonlySet<string> = new Set(['status', 'snooze', 'remove', 'read-all', 'remove-all']);

/** Decides which actions wait; the code that stores them is loaded on first use. */
export function createOfflineActions({
  load,
  waitingRows,
  store,
  page,
  report,
}: OfflineActionsOptions): OfflineActions {
  let opened: WaitingActions | null = null;
  let opening: Promise<WaitingActions> | null = null;
  /** Operations that are not stored yet. */
  let addingCount = 0;
  /** Ids of the held operations. */
  const held = new Set<string>();

  const call = async (act: (actions: WaitingActions) => unknown) => {
    try {
      opening ??= load(store, waitingRows);
      opened = await opening;
      await act(opened);
    } catch (problem) {
      if (!opened) opening = null;
      report(problem);
    }
  };
  const add = async (operation: NotificationOperation) => {
    const isHeld = held.delete(operation.id);
    addingCount += 1;
    await call((actions) => (isHeld ? actions.release(operation) : actions.add(operation)));
    addingCount -= 1;
  };
  return {
    mustWait: ({ type }) =>
      waitingTypes.has(type) && (!page.isOnline() || addingCount > 0 || (opened?.isBusy() ?? false)),
    has: (operationId) => opened?.has(operationId) ?? false,
    add: (operation) => void add(operation),
    hold(operation) {
      held.add(operation.id);
      void call((actions) => actions.hold(operation));
    },
    confirm: (id) => void (held.delete(id) && call((actions) => actions.confirm(id))),
    withdraw: (id) => void (held.delete(id) && call((actions) => actions.withdraw(id))),
    open: () => void call(() => undefined),
    close: () => opened?.close(),
  };
}
