import { createServer } from 'node:net';
import { preview } from 'vite';
import {
  createLocalSupabase,
  type LocalSupabase,
  type LocalSupabaseOptions,
} from '../../../local-supabase/server.ts';
import { applyToEnvironment, buildApp, configureApp, removeFolder, withOwnNodeEnv } from './app-build.ts';

export interface StageOptions extends LocalSupabaseOptions {
  /** The application asks for a captcha with this key. */
  readonly captchaSiteKey?: string;
}

export interface Stage {
  readonly appUrl: string;
  readonly supabase: LocalSupabase;
  close(): Promise<void>;
}

/** Starts an embedded Supabase and serves a production build of the application that talks to it. */
export async function startStage({ captchaSiteKey, auth, ...options }: StageOptions = {}): Promise<Stage> {
  const appPort = await findFreePort();
  const appUrl = `http://localhost:${appPort}`;
  const supabase = await createLocalSupabase({
    port: 0,
    mailboxPort: 0,
    siteUrl: appUrl,
    auth: { bcryptCost: 4, passwordUpdateRequiresReauthentication: true, ...auth },
    ...options,
  });
  const configuration = {
    supabaseUrl: supabase.url,
    anonKey: supabase.anonKey,
    siteUrl: appUrl,
    ...(captchaSiteKey === undefined ? {} : { captchaSiteKey }),
  };
  const shared = process.env.E2E_BUILD;
  const built = shared ?? (await buildApp());
  const folder = await configureApp(built, configuration);
  // The page's policy is made of it when the server starts.
  applyToEnvironment(configuration);
  const server = await withOwnNodeEnv(() =>
    preview({
      logLevel: 'error',
      build: { outDir: folder },
      preview: { port: appPort, strictPort: true },
    }),
  );
  return {
    appUrl,
    supabase,
    async close() {
      await server.close();
      await supabase.close();
      await removeFolder(folder);
      if (shared === undefined) await removeFolder(built);
    },
  };
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
