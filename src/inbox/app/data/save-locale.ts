import type { AuthClient } from 'supabase-protocol-clients/auth-client';
import { ownTimeZone } from '../../shared/own-time-zone.ts';
import type { Language } from '../../ui/texts.ts';

/**
 * Saves the language with the account, which the database copies to the preferences: every email follows. Never rejects; a
 * failure is reported, because the choice holds on this device.
 */
export async function saveLanguage(
  language: Language,
  auth: Pick<AuthClient, 'getSnapshot' | 'updateUser'>,
  report: (problem: unknown) => void,
): Promise<void> {
  if (auth.getSnapshot().user?.user_metadata?.['language'] === language) return;
  await auth.updateUser({ data: { language } }).catch(report);
}

/** Saves language and time zone of this browser with an account that lacks them, such as one that a provider made. */
export async function saveMissingLocale(
  language: string,
  auth: Pick<AuthClient, 'getSnapshot' | 'updateUser'>,
): Promise<void> {
  const { user } = auth.getSnapshot();
  const { language: known, time_zone } = user?.user_metadata ?? {};
  if (!user || (known && time_zone)) return;
  await auth.updateUser({ data: { language: known ?? language, time_zone: time_zone ?? ownTimeZone() } });
}
