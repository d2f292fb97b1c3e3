import type { Database } from '../../../src/database.types.ts';
import { type RestClient, type RestClientOptions, createRestClient } from '../../../src/rest-client/index.ts';
import type { AuditUser } from '../audit-context.ts';
import type { Tab } from '../clients/tab.ts';

/** A REST client with a user's token, which is never refreshed. */
export function restOf(
  { url, apiKey, platform }: Tab,
  user: Pick<AuditUser, 'accessToken'>,
  options: Partial<RestClientOptions<'public'>> = {},
): RestClient<Database> {
  return createRestClient<Database>({
    url,
    apiKey,
    platform,
    getAccessToken: async () => user.accessToken,
    ...options,
  });
}
