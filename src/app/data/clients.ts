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
  /** Where the session is kept. */
  readonly store: Store;
  /** The page's own address, to which mail links and providers lead back. */
  readonly address: Address;
}

/** Pages to which links and providers lead back: a code at one of them is meant for us, whoever asked for it. */
const callbackPaths = [paths.home, paths.resetPassword, paths.account, paths.login]
  // A host or a mail program may have added a slash.
  .flatMap((path): string[] => [path, `${path}/`])
  .concat(paths.root);

/** The clients of the application. The data clients' code is loaded when somebody first asks for them. */
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
