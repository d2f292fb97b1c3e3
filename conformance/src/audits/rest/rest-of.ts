import type { Database } from '../../schema/schema.ts';
import {
  type RestClient,
  type RestClientOptions,
  createRestClient,
} from 'supabase-protocol-clients/rest-client';
import type { AuditUser } from '../../audit/audit-context.ts';
import type { Tab } from '../../clients/tab.ts';

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
