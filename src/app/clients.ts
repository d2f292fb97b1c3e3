import { createAuthClient } from '../auth-client/index.ts';
import type { Platform } from '../platform/platform.ts';
import type { Clients, DataClients } from './clients-context.ts';
import type { Configuration } from './env.ts';

export interface ClientsOptions {
  readonly configuration: Configuration;
  readonly platform: Platform;
}

/** The clients of the application. The data clients' code is loaded when somebody first asks for them. */
export function createClients({ configuration, platform }: ClientsOptions): Clients {
  const connection = { url: configuration.supabaseUrl, apiKey: configuration.supabaseAnonKey, platform };
  const auth = createAuthClient(connection);
  let data: Promise<DataClients> | null = null;
  return {
    auth,
    configuration,
    loadData() {
      data ??= import('./data-clients.ts').then(({ createDataClients }) =>
        createDataClients({ ...connection, auth }),
      );
      return data;
    },
  };
}
