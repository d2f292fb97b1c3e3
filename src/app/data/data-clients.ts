import type { AuthClient } from '../../auth-client/index.ts';
import type { Platform } from '../../platform/platform.ts';
import { createRestClient } from '../../rest-client/index.ts';
import type { Database } from '../../database.types.ts';
import { createLoader } from '../../ui/state/loader.ts';
import type { DataClients } from '../../shared/clients/clients-context.ts';

export interface DataClientsOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly platform: Platform;
  readonly auth: AuthClient;
}

/** Both clients send the current session's access token; creating them sends nothing. */
export function createDataClients({ auth, ...connection }: DataClientsOptions): DataClients {
  const { getAccessToken, onTokenChange } = auth;
  return {
    // One retry, as the data cache has it (specification §9).
    rest: createRestClient<Database>({ ...connection, getAccessToken, retry: { limit: 1 } }),
    loadRealtime: createLoader(async () => {
      const [{ createRealtimeClient }, { shareSocket }] = await Promise.all([
        import('../../realtime-client/index.ts'),
        import('../../realtime-client/tabs/shared-socket.ts'),
      ]);
      return createRealtimeClient({
        ...connection,
        getAccessToken,
        onTokenChange,
        share: shareSocket,
        schedule: (flush) => void requestAnimationFrame(flush),
      });
    }),
  };
}
