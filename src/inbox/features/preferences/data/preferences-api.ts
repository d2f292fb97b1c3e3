import type { Database } from '../../../database.types.ts';
import { matches, type RestClient } from 'supabase-protocol-clients/rest-client';
import { defaultSettings, parsePreferences } from '../preferences.ts';
import type { PreferenceChange, Preferences } from '../preferences.ts';

/** Calls to the table `notification_preferences`, all limited to the user's own row. */
export interface PreferencesApi {
  /** @throws {RestError} `not-one-row` if there is no row. */
  read(): Promise<Preferences>;
  insertDefaults(): Promise<Preferences>;
  /** @throws {RestError} `not-one-row` if there is no row with the settings `before`. Default: any settings. */
  update(change: PreferenceChange, before?: PreferenceChange): Promise<Preferences>;
}

export function createPreferencesApi(rest: RestClient<Database>, userId: string): PreferencesApi {
  const table = () => rest.from('notification_preferences');
  return {
    read: async () => parsePreferences(await table().select().eq('user_id', userId).single().execute()),
    insertDefaults: async () =>
      parsePreferences(
        await table()
          .insert({ ...defaultSettings, user_id: userId })
          .select()
          .single()
          .execute(),
      ),
    update: async (change, before = {}) =>
      parsePreferences(
        await table()
          .update(change)
          .eq('user_id', userId)
          .where(...matches(before as Required<PreferenceChange>))
          .select()
          .single()
          .execute({ keepalive: true }),
      ),
  };
}
