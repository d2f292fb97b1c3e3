import type { Locks } from 'supabase-protocol-clients/platform';
import type { OutboxOutcome, PendingAction } from './outbox-state.ts';

export type TabMessage =
  | { readonly type: 'added'; readonly actions: readonly PendingAction[] }
  | { readonly type: 'adopted'; readonly from: string; readonly actions: readonly PendingAction[] }
  | { readonly type: 'removed'; readonly ids: readonly string[]; readonly outcome: OutboxOutcome['type'] }
  /** Requests the tabs of these actions to discard them. */
  | { readonly type: 'discard'; readonly ids: readonly string[] }
  /** Requests every tab to send what it keeps back for an undo. */
  | { readonly type: 'flush' };

/** The tabs of one origin may run different versions of the application. */
export function isTabMessage(value: unknown): value is TabMessage {
  const { type, actions, ids, from } = Object(value) as Record<string, unknown>;
  switch (type) {
    case 'added':
      return Array.isArray(actions);
    case 'adopted':
      return Array.isArray(actions) && typeof from === 'string';
    case 'removed':
    case 'discard':
      return Array.isArray(ids);
    default:
      return type === 'flush';
  }
}

/** Detects open tabs: each holds the lock of its sender id while it has pending actions, and loses it when it closes. */
export interface Senders {
  hold(senderId: string): void;
  release(senderId: string): void;
  /** Resolves when this tab holds the lock; at once if it is another tab's. */
  whenHeld(senderId: string): Promise<void>;
  /** Calls `onFree` when the tab of this id has released the lock, or was closed. */
  watch(senderId: string): void;
}

export interface SendersOptions {
  readonly locks: Locks;
  readonly nameOf: (senderId: string) => string;
  /** Called under the lock. */
  readonly onFree: (senderId: string) => Promise<void>;
  readonly signal: AbortSignal;
  readonly report: (problem: unknown) => void;
}

export function createSenders({ locks, nameOf, onFree, signal, report }: SendersOptions): Senders {
  const own = new Map<string, { readonly isHeld: Promise<void>; readonly release: () => void }>();
  const watched = new Set<string>();
  const withLock = (senderId: string, task: () => Promise<void>) =>
    locks.hold(nameOf(senderId), task, { signal }).catch((problem: unknown) => {
      if (!signal.aborted) report(problem);
    });
  return {
    hold(senderId) {
      const ending = new Promise<void>((release) => {
        const isHeld = new Promise<void>((markHeld) => {
          void withLock(senderId, () => {
            markHeld();
            return ending;
          });
        });
        own.set(senderId, { isHeld, release });
        signal.addEventListener('abort', () => release(), { once: true });
      });
    },
    release(senderId) {
      own.get(senderId)?.release();
      own.delete(senderId);
    },
    whenHeld: (senderId) => own.get(senderId)?.isHeld ?? Promise.resolve(),
    watch(senderId) {
      if (watched.has(senderId)) return;
      watched.add(senderId);
      void withLock(senderId, () => onFree(senderId)).finally(() => watched.delete(senderId));
    },
  };
}
