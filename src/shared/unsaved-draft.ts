/** The values that a user was saving when the session ended. In memory only, so that nothing private stays on the device. */
interface Draft {
  readonly userId: string;
  readonly values: Readonly<Record<string, string>>;
}

let draft: Draft | null = null;

export const unsavedDraft = {
  exists: () => draft !== null,
  /** The draft of this user; null if there is none. */
  get: (userId: string) => (draft?.userId === userId ? draft.values : null),
  keep(userId: string, values: Draft['values']) {
    draft = { userId, values };
  },
  clear() {
    draft = null;
  },
};
