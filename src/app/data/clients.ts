import { createAuthClient, type Address, type Store } from '../../auth-client/index.ts';
import type { Platform } from '../../platform/platform.ts';
import { createLoader } from '../../ui/state/loader.ts';
import type { Clients } from '../../shared/clients/clients-context.ts';
import type { Configuration } from '../../shared/clients/env.ts';
import { paths } from '../../shared/routes.ts';
import { dataClients } from '../chunks/screen-chunks.ts';

export interface ClientsOptions {
  readonly configuration: Configuration;
  readonly platform: Platform;
  /** Where the session is stored. */
  readonly store: Store;
  /** The page's address, which mail links and providers return to. */
  readonly address: Address;
}

/** Paths to which mail links and providers return; a callback at any other path is ignored. */
const callbackPaths = [paths.home, paths.resetPassword, paths.account, paths.login]
  // A host or a mail program may have added a trailing slash.
  .flatMap((path): string[] => [path, `${path}/`])
  .concat(paths.root);

/** The clients of the application. The code of the data clients is loaded on first use. */
export function createClients({ configuration, platform, store, address }: ClientsOptions): Clients {
  const connection = { url: configuration.supabaseUrl, apiKey: configuration.supabaseAnonKey, platform };
  const auth = createAuthClient({ ...connection, store, address, callbackPaths });
  return {
    auth,
    configuration,
    platform,
    loadData: createLoader(async () => (await dataClients()).createDataClients({ ...connection, auth })),
  };
}
