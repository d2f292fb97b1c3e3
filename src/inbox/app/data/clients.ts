import type { Address, AuthStore } from 'supabase-protocol-clients/auth-client';
import { createLazyClients } from 'supabase-protocol-clients/lazy';
import type { Platform } from 'supabase-protocol-clients/platform';
import type { Database } from '../../database.types.ts';
import { createLoader } from '../../ui/state/loader.ts';
import type { Clients } from '../../shared/clients/clients-context.ts';
import type { Configuration } from '../../shared/clients/env.ts';
import { paths } from '../../shared/routes.ts';
import { importRest } from '../chunks/screen-chunks.ts';

export interface ClientsOptions {
  readonly configuration: Configuration;
  readonly platform: Platform;
  /** Where the session is stored. Default: the page's cookies. */
  readonly store?: AuthStore;
  /** The page's address, which mail links and providers return to. Default: the page's own. */
  readonly address?: Address;
}

/** Paths to which mail links and providers return; a callback at any other path is ignored. */
const callbackPaths = [paths.home, paths.resetPassword, paths.account, paths.login]
  // A host or a mail program may have added a trailing slash.
  .flatMap((path): string[] => [path, `${path}/`])
  .concat(paths.root);

/** The clients of the application. The code of REST and realtime is loaded on first use. */
export function createClients({ configuration, platform, store, address }: ClientsOptions): Clients {
  const clients = createLazyClients<Database>({
    url: configuration.supabaseUrl,
    apiKey: configuration.supabaseAnonKey,
    platform,
    ...(store && { store }),
    auth: { callbackPaths, ...(address && { address }) },
    // One retry, as the data cache has it (conformance/protocol/product.md#constants).
    rest: { retry: { limit: 1 } },
    importRest,
    importRealtime: () => import('../live/live.ts'),
  });
  // React's `use` needs a rejected promise kept until an error boundary retries.
  return { ...clients, loadRest: createLoader(clients.loadRest) };
}
