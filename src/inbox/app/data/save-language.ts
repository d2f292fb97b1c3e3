import type { AuthClient } from 'supabase-protocol-clients/auth-client';
import { whenTrue } from '../../ui/state/when-true.ts';
import type { Language } from '../../ui/texts.ts';
import type { UserData } from './user-data.ts';

export interface SaveLanguageOptions {
  readonly auth: Pick<AuthClient, 'getSnapshot' | 'updateUser'>;
  readonly userData: Pick<UserData, 'openCache'>;
  readonly report: (problem: unknown) => void;
}

/**
 * Saves the language of emails at the server: in the preferences for notification emails, in the user's metadata for emails
 * of the auth service. Never rejects; a failure is reported, because the choice holds on this device.
 */
export async function saveLanguage(
  language: Language,
  { auth, userData, report }: SaveLanguageOptions,
): Promise<void> {
  const savePreference = async () => {
    const { preferences } = await userData.openCache();
    preferences.ensure();
    await whenTrue(preferences, () => !preferences.getSnapshot().isReading);
    const known = preferences.getSnapshot().preferences;
    // A table without the column has no `language`.
    if (known?.language !== undefined && known.language !== language) preferences.change({ language });
  };
  const saveMetadata = async () => {
    if (auth.getSnapshot().user?.user_metadata?.['language'] !== language)
      await auth.updateUser({ data: { language } });
  };
  await Promise.all([savePreference().catch(report), saveMetadata().catch(report)]);
}
