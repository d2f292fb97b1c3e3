import { createObservable } from 'supabase-protocol-clients/platform';
import type { Outbox } from '../outbox/outbox.ts';

/** The outbox of the signed-in user; null: none is open. */
export const openedOutbox = createObservable<Pick<Outbox, 'flush' | 'countPending'> | null>(null);

/** How many changes of the last user were not sent when the outbox was closed. */
export const keptChanges = createObservable(0);

/** How many changes of the user whose session ends are not sent: of the open outbox, else of the one that was closed last. */
export const countUnsent = () => openedOutbox.getSnapshot()?.countPending() ?? keptChanges.getSnapshot();

/** Asks before a sign-out that would lose changes. */
export interface SignOutQuestion {
  /** How many changes would be lost. */
  readonly count: number;
  readonly answer: (isConfirmed: boolean) => void;
}

/** The open question; null: none. */
export const signOutQuestion = createObservable<SignOutQuestion | null>(null);

/** How long a sign-out waits for pending changes. */
const flushMs = 3_000;

/** Sends what is pending. Resolves to whether to sign out: if nothing would be lost, otherwise as the user decides. */
export async function confirmSignOut(): Promise<boolean> {
  const count = (await openedOutbox.getSnapshot()?.flush(flushMs)) ?? 0;
  if (count === 0) return true;
  return new Promise((resolve) => {
    signOutQuestion.getSnapshot()?.answer(false);
    signOutQuestion.set({
      count,
      answer(isConfirmed) {
        signOutQuestion.set(null);
        resolve(isConfirmed);
      },
    });
  });
}
