/** `local-supabase/vite`: a plugin that starts the project with `vite dev`. */
import { fileURLToPath } from 'node:url';
import { join, resolve } from 'node:path';
import type { Plugin } from 'vite';
import { readProjectConfig } from './project/project-config.ts';
import { moveToLocalPort } from './project/local-origins.ts';
import { realisticTiming } from './realtime/settings.ts';
import { createLocalSupabase } from './server.ts';

export interface LocalSupabasePluginOptions {
  /** The folder that contains `supabase/`. Default: Vite's root. */
  readonly project?: string | URL;
  /** Whether nothing is kept after the end. Default false: the data is in `.local-supabase`. */
  readonly inMemory?: boolean;
}

/**
 * Starts the local Supabase with Vite's development server, by `supabase/config.toml`, and ends it with that. Pages read
 * its address from `import.meta.env.VITE_SUPABASE_URL` and `VITE_SUPABASE_PUBLISHABLE_KEY`, unless these are set already.
 */
export function localSupabase(options: LocalSupabasePluginOptions = {}): Plugin {
  let close = (): Promise<void> => Promise.resolve();
  return {
    name: 'local-supabase',
    apply: 'serve',
    async config(config) {
      const { project = config.root ?? process.cwd(), inMemory = false } = options;
      const folder = project instanceof URL ? fileURLToPath(project) : resolve(project);
      const { options: settings, ports } = readProjectConfig({ project: folder });
      const supabase = await createLocalSupabase({
        ...moveToLocalPort(settings, config.server?.port ?? 5173),
        project: folder,
        port: ports.api,
        databasePort: ports.database,
        databaseThread: true,
        mailboxPort: ports.mailbox,
        realtime: realisticTiming,
        ...(!inMemory && { dataDir: join(folder, '.local-supabase') }),
      });
      close = supabase.close;
      const { url, publishableKey, mailboxUrl } = supabase;
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
      server.httpServer?.once('close', () => void close());
    },
    async closeBundle() {
      await close();
    },
  };
}
