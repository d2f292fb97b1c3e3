import { useClients } from '../../shared/clients/clients-context.ts';
import { unsavedDraft } from '../../shared/unsaved-draft.ts';

/** Keeps the values while they are saved: if the session ends meanwhile, /login shows it and leads back to them. */
export function useKeptDraft(
  userId: string,
): <T>(values: Readonly<Record<string, string>>, save: () => Promise<T>) => Promise<T> {
  const { auth } = useClients();
  return (values, save) =>
    unsavedDraft.keepWhile(userId, values, save, () => auth.getSnapshot().status === 'signed-in');
}
