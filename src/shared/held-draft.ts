/** What a user was saving when their session ended; in memory alone, so that nothing private stays on the device. */
interface Draft {
  readonly userId: string;
  readonly values: Readonly<Record<string, string>>;
}

let held: Draft | null = null;

export const heldDraft = {
  isHeld: () => held !== null,
  /** The draft of this user; null if there is none. */
  get: (userId: string) => (held?.userId === userId ? held.values : null),
  keep(userId: string, values: Draft['values']) {
    held = { userId, values };
  },
  clear() {
    held = null;
  },
};
