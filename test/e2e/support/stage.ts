import { createServer } from 'node:net';
import { preview } from 'vite';
import {
  createLocalSupabase,
  type LocalSupabase,
  type LocalSupabaseOptions,
} from '../../../local-supabase/server.ts';
import {
  applyToEnvironment,
  buildApp,
  configureApp,
  removeFolder,
  withOwnNodeEnv,
  type AppConfiguration,
} from './app-build.ts';

export interface StageOptions
  extends LocalSupabaseOptions, Pick<AppConfiguration, 'captchaSiteKey' | 'liveSource'> {}

/** The Supabase behind the application, as its clients see it. */
export type StageProject = Pick<LocalSupabase, 'url' | 'anonKey' | 'serviceRoleKey' | 'mailboxUrl'>;

export interface Stage {
  readonly appUrl: string;
  readonly project: StageProject;
  /** The embedded Supabase. Throws on an external stage. */
  readonly supabase: LocalSupabase;
  /** Ends the faults that a test left. */
  mend(): Promise<void>;
  close(): Promise<void>;
}

/** Starts an embedded Supabase and serves a production build of the application that talks to it. */
export async function startStage(options: StageOptions = {}): Promise<Stage> {
  const external = externalProject();
  return external ? startExternalStage(external, options) : startEmbeddedStage(options);
}

/** The project of `E2E_SUPABASE_URL`, which the nightly workflow sets; null for the embedded one. */
function externalProject(): StageProject | null {
  const { E2E_SUPABASE_URL, E2E_ANON_KEY, E2E_SERVICE_KEY, E2E_MAILBOX_URL } = process.env;
  if (!E2E_SUPABASE_URL || !E2E_ANON_KEY || !E2E_SERVICE_KEY || !E2E_MAILBOX_URL) return null;
  return {
    url: E2E_SUPABASE_URL,
    anonKey: E2E_ANON_KEY,
    serviceRoleKey: E2E_SERVICE_KEY,
    mailboxUrl: E2E_MAILBOX_URL,
  };
}

/** The port of `site_url` in `supabase/config.toml`: the external project redirects only there. */
const EXTERNAL_APP_PORT = 5173;

async function startExternalStage(project: StageProject, { liveSource }: StageOptions): Promise<Stage> {
  const app = await serveApp(project, EXTERNAL_APP_PORT, liveSource ? { liveSource } : {});
  return {
    appUrl: app.url,
    project,
    get supabase(): LocalSupabase {
      throw new Error('This test needs the embedded Supabase');
    },
    mend: () => Promise.resolve(),
    close: app.close,
  };
}

async function startEmbeddedStage({
  captchaSiteKey,
  liveSource,
  auth,
  ...options
}: StageOptions): Promise<Stage> {
  const appPort = await findFreePort();
  const appUrl = `http://localhost:${appPort}`;
  const supabase = await createLocalSupabase({
    port: 0,
    mailboxPort: 0,
    siteUrl: appUrl,
    // As in supabase/config.toml: links in mails carry no key.
    functionSettings: { unsubscribe: { verifyJwt: false } },
    auth: { bcryptCost: 4, passwordUpdateRequiresReauthentication: true, ...auth },
    ...options,
  });
  if (liveSource === 'broadcast')
    await supabase.database.exec('select private.broadcast_notifications(true)');
  const app = await serveApp(supabase, appPort, {
    ...(captchaSiteKey === undefined ? {} : { captchaSiteKey }),
    ...(liveSource && { liveSource }),
  });
  return {
    appUrl,
    project: supabase,
    supabase,
    mend: () => supabase.faults.clear(),
    async close() {
      await app.close();
      await supabase.close();
    },
  };
}

/** Serves a production build that is configured for a project. */
async function serveApp(
  { url, anonKey }: StageProject,
  appPort: number,
  parts: Pick<AppConfiguration, 'captchaSiteKey' | 'liveSource'> = {},
): Promise<{ url: string; close(): Promise<void> }> {
  const appUrl = `http://localhost:${appPort}`;
  const configuration = {
    supabaseUrl: url,
    anonKey,
    siteUrl: appUrl,
    ...parts,
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
    url: appUrl,
    async close() {
      await server.close();
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
