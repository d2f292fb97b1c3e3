import { useClients } from '../../shared/clients/clients-context.ts';
import { unsavedDraft } from '../../shared/unsaved-draft.ts';

/** A save during which the session may end: /login then says so and leads back to this user's values. */
export function useKeptDraft(
  userId: string,
): <T>(values: Readonly<Record<string, string>>, save: () => Promise<T>) => Promise<T> {
  const { auth } = useClients();
  return (values, save) =>
    unsavedDraft.keepWhile(userId, values, save, () => auth.getSnapshot().status === 'signed-in');
}
