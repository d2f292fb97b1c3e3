/** The values that a user was saving when the session ended. In memory only, so that nothing private stays on the device. */
interface Draft {
  readonly userId: string;
  readonly values: Readonly<Record<string, string>>;
}

let draft: Draft | null = null;

export const unsavedDraft = {
  exists: () => draft !== null,
  /** The draft of this user; null without one. */
  get: (userId: string) => (draft?.userId === userId ? draft.values : null),
  /**
   * Keeps the values while they are saved, and for the same user's next sign-in if the session ends meanwhile.
   *
   * @param values without secrets: {} for a password.
   */
  async keepWhile<T>(
    userId: string,
    values: Draft['values'],
    save: () => Promise<T>,
    isSignedIn: () => boolean,
  ): Promise<T> {
    draft = { userId, values };
    const result = await save();
    if (isSignedIn()) draft = null;
    return result;
  },
};
