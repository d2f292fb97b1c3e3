/** `local-supabase/vite`: a plugin that starts the project with `vite dev`. */
import { fileURLToPath } from 'node:url';
import { join, resolve } from 'node:path';
import type { Plugin } from 'vite';
import { readProjectConfig, warnOfUnsetVariables } from '../project/project-config.ts';
import { moveToLocalPort } from '../project/local-origins.ts';
import { createLocalSupabase, type LocalSupabase } from '../server/server.ts';

export interface LocalSupabasePluginOptions {
  /** The folder that contains `supabase/`. Default: Vite's root. */
  readonly project?: string | URL;
  /** Whether data is only kept in memory. Default false: it is stored in `.local-supabase`. */
  readonly inMemory?: boolean;
}

/** The lease of a folder's instance by a Vite server. */
interface Lease {
  readonly started: Promise<LocalSupabase>;
  /** Ends the instance, unless a later server has taken it over. */
  end(): Promise<void>;
}

const leases = new Map<string, Lease>();

/** On a restart, Vite creates the next server before it closes the previous one: the next one takes over the instance. */
function takeInstance(folder: string, start: () => Promise<LocalSupabase>): Lease {
  const started = leases.get(folder)?.started ?? start();
  const lease: Lease = {
    started,
    async end() {
      if (leases.get(folder) !== lease) return;
      leases.delete(folder);
      await (await started).close();
    },
  };
  leases.set(folder, lease);
  started.catch(() => leases.delete(folder));
  return lease;
}

/**
 * Starts the local Supabase with Vite's development server, from `supabase/config.toml`, and ends it with the server.
 * Pages read its URL and key from `import.meta.env.VITE_SUPABASE_URL` and `VITE_SUPABASE_PUBLISHABLE_KEY`, unless these
 * are already set.
 */
export function localSupabase(options: LocalSupabasePluginOptions = {}): Plugin {
  let lease: Lease | undefined;
  return {
    name: 'local-supabase',
    apply: 'serve',
    async config(config) {
      const { project = config.root ?? process.cwd(), inMemory = false } = options;
      const folder = project instanceof URL ? fileURLToPath(project) : resolve(project);
      lease = takeInstance(folder, () => {
        const configured = readProjectConfig({ project: folder });
        warnOfUnsetVariables(configured);
        const { options: settings, ports } = configured;
        return createLocalSupabase({
          ...moveToLocalPort(settings, config.server?.port ?? 5173),
          project: folder,
          config: false,
          port: ports.api,
          databasePort: ports.database,
          databaseThread: true,
          mailboxPort: ports.mailbox,
          realisticTiming: true,
          ...(!inMemory && { dataDir: join(folder, '.local-supabase') }),
        });
      });
      const { url, publishableKey, mailboxUrl } = await lease.started;
      console.log(`  local Supabase ${url}, mailbox ${mailboxUrl}`);
      const define = (name: string, value: string) =>
        process.env[name] === undefined ? { [`import.meta.env.${name}`]: JSON.stringify(value) } : {};
      return {
        define: {
          ...define('VITE_SUPABASE_URL', url),
          ...define('VITE_SUPABASE_PUBLISHABLE_KEY', publishableKey),
        },
      };
    },
    configureServer(server) {
      const { close } = server;
      const leaseOfServer = lease;
      server.close = async () => {
        await close.call(server);
        await leaseOfServer?.end();
      };
    },
  };
}
