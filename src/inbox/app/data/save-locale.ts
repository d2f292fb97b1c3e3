import type { AuthClient } from 'supabase-protocol-clients/auth-client';
import { ownTimeZone } from '../../shared/own-time-zone.ts';
import { readStored, writeStored } from '../../ui/state/stored-value.ts';
import type { Language } from '../../ui/texts.ts';

type Account = Pick<AuthClient, 'getSnapshot' | 'updateUser'>;

/** Stores the id of a user, and a choice that was made offline and is not saved yet. */
const unsavedKey = 'unsaved-language';

/**
 * Saves the language with the account. The database copies it to the preferences, which emails use. Never rejects; after
 * a failure, which is reported, `saveMissingLocale` saves it.
 */
export async function saveLanguage(
  language: Language,
  auth: Account,
  report: (problem: unknown) => void,
): Promise<void> {
  const { user } = auth.getSnapshot();
  if (!user) return;
  const isSaved = user.user_metadata?.['language'] === language;
  writeStored(unsavedKey, isSaved ? null : `${user.id} ${language}`);
  if (!isSaved) await saveMissingLocale(language, auth).catch(report);
}

/**
 * Saves language and time zone of this browser with an account that lacks them, such as one that a provider made, and a
 * language that could not be saved when it was chosen.
 */
export async function saveMissingLocale(language: string, auth: Account): Promise<void> {
  const { user } = auth.getSnapshot();
  const { language: known, time_zone } = user?.user_metadata ?? {};
  const unsaved = readStored(unsavedKey);
  const [userId, chosen] = unsaved?.split(' ') ?? [];
  const isChosen = user !== null && user !== undefined && userId === user.id;
  if (!user || (known && time_zone && !isChosen)) return;
  await auth.updateUser({
    data: {
      language: (isChosen ? chosen : known) ?? language,
      time_zone: time_zone ?? ownTimeZone() ?? 'UTC',
    },
  });
  // A later choice is saved by its own call.
  if (isChosen && readStored(unsavedKey) === unsaved) writeStored(unsavedKey, null);
}
