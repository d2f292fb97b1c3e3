import { createStore } from '../../ui/state/store.ts';

/** How many changes of the signed-in user are not sent yet. */
export const unsentCount = createStore(0);

/** Asks before a sign-out that would lose changes. */
export interface SignOutQuestion {
  /** How many changes would be lost. */
  readonly count: number;
  readonly answer: (isConfirmed: boolean) => void;
}

/** The open question; null: none. */
export const signOutQuestion = createStore<SignOutQuestion | null>(null);

/** Resolves to whether to sign out: at once if nothing would be lost, otherwise when the user has answered. */
export async function confirmSignOut(): Promise<boolean> {
  const count = unsentCount.getSnapshot();
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
