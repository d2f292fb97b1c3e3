/** `local-supabase/vite`: a plugin that starts the project with `vite dev`. */
import { fileURLToPath } from 'node:url';
import { join, resolve } from 'node:path';
import type { Plugin } from 'vite';
import { readProjectConfig, warnOfUnsetVariables } from '../project/project-config.ts';
import { moveToLocalPort } from '../project/local-origins.ts';
import { environmentOf, findInstance } from '../command/instance-file.ts';
import { startCommanded } from '../command/start-command.ts';

export interface LocalSupabasePluginOptions {
  /** The folder that contains `supabase/`. Default: Vite's root. */
  readonly project?: string | URL;
  /** Whether data is only kept in memory. Default false: it is stored in `.local-supabase`. */
  readonly inMemory?: boolean;
}

/** An instance that the plugin has started or found. */
interface Instance {
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** The lease of a folder's instance by a Vite server. */
interface Lease {
  readonly started: Promise<Instance>;
  /** Ends the instance, unless a later server has taken it over. */
  end(): Promise<void>;
}

const leases = new Map<string, Lease>();

/** On a restart, Vite creates the next server before it closes the previous one: the next one takes over the instance. */
function takeInstance(folder: string, start: () => Promise<Instance>): Lease {
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

/** Starts the project's instance, or finds the one that `local-supabase start` runs. */
async function startOrFind(folder: string, inMemory: boolean, appPort: number): Promise<Instance> {
  const dataDir = join(folder, '.local-supabase');
  const running = await findInstance(dataDir).catch(() => undefined);
  if (running) return { environment: running.environment, close: () => Promise.resolve() };
  const configured = readProjectConfig({ project: folder });
  warnOfUnsetVariables(configured);
  const { options, ports } = configured;
  const instance = await startCommanded(
    { ...moveToLocalPort(options, appPort), project: folder, config: false, realisticTiming: true },
    {
      port: ports.api,
      databasePort: ports.database,
      mailboxPort: ports.mailbox,
      ...(!inMemory && { dataDir }),
    },
    dataDir,
    () => Promise.reject(new Error('Vite has started this instance: stop the development server')),
  );
  return { environment: environmentOf(instance.current()), close: instance.close };
}

/**
 * Starts the local Supabase with Vite's development server, from `supabase/config.toml`, and ends it with the server; one that
 * `local-supabase start` runs in the same folder is used instead. Pages read its URL and key from
 * `import.meta.env.VITE_SUPABASE_URL` and `VITE_SUPABASE_PUBLISHABLE_KEY`, unless these are already set.
 */
export function localSupabase(options: LocalSupabasePluginOptions = {}): Plugin {
  let lease: Lease | undefined;
  return {
    name: 'local-supabase',
    apply: 'serve',
    async config(config) {
      const { project = config.root ?? process.cwd(), inMemory = false } = options;
      const folder = project instanceof URL ? fileURLToPath(project) : resolve(project);
      lease = takeInstance(folder, () => startOrFind(folder, inMemory, config.server?.port ?? 5173));
      const { environment } = await lease.started;
      console.log(`  local Supabase ${environment['API_URL']}, mailbox ${environment['MAILPIT_URL']}`);
      const define = (name: string, value: string | undefined) =>
        process.env[name] === undefined ? { [`import.meta.env.${name}`]: JSON.stringify(value) } : {};
      return {
        define: {
          ...define('VITE_SUPABASE_URL', environment['API_URL']),
          ...define('VITE_SUPABASE_PUBLISHABLE_KEY', environment['PUBLISHABLE_KEY']),
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
