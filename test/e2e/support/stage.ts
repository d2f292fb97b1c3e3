import { appendFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Pool } from 'pg';
import { preview } from 'vite';
import { createLocalSupabase, type LocalSupabase, type LocalSupabaseOptions } from 'local-supabase';
import { projectFunctions } from '../../../scripts/project-functions.ts';
import {
  applyToEnvironment,
  buildApp,
  configureApp,
  removeFolder,
  withOwnNodeEnv,
  type AppConfiguration,
} from './app-build.ts';
import type { UsedPart } from './needs.ts';

export interface StageOptions
  extends LocalSupabaseOptions, Pick<AppConfiguration, 'captchaSiteKey' | 'liveSource'> {}

/** The Supabase behind the application, as its clients see it. */
export type StageProject = Pick<LocalSupabase, 'url' | 'anonKey' | 'serviceRoleKey'> & {
  /** The root of a Mailpit HTTP API; null without one. */
  readonly mailboxUrl: string | null;
};

export interface Stage {
  readonly appUrl: string;
  readonly project: StageProject;
  /** The embedded Supabase. Throws on an external stage. */
  readonly supabase: LocalSupabase;
  /** Whether the project is another one than the embedded Supabase. */
  readonly isExternal: boolean;
  /** Whether a timer delivers what is inserted, as a job of pg_cron does. */
  readonly deliversByTimer: boolean;
  /** Whether the auth service makes recovery codes itself. */
  readonly hasRecoveryCodes: boolean;
  /** The minimum time between two mails to one address. */
  readonly mailIntervalMs: number;
  /** What was used since {@link mend}. */
  readonly used: Set<UsedPart>;
  /** Runs SQL as the owner of the tables. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Publishes another version of the application, whose service worker differs. */
  releaseVersion(): Promise<void>;
  /** Ends the faults that a test left. */
  mend(): Promise<void>;
  close(): Promise<void>;
}

/** Starts an embedded Supabase and serves a production build of the application that talks to it. */
export async function startStage(options: StageOptions = {}): Promise<Stage> {
  const external = externalProject();
  return external ? startExternalStage(external, options) : startEmbeddedStage(options);
}

/** The project of `npm run e2e:project`, which names it in the environment; null for the embedded one. */
function externalProject(): StageProject | null {
  const { E2E_SUPABASE_URL, E2E_ANON_KEY, E2E_SERVICE_KEY, E2E_MAILBOX_URL } = process.env;
  if (!E2E_SUPABASE_URL || !E2E_ANON_KEY || !E2E_SERVICE_KEY) return null;
  return {
    url: E2E_SUPABASE_URL,
    anonKey: E2E_ANON_KEY,
    serviceRoleKey: E2E_SERVICE_KEY,
    mailboxUrl: E2E_MAILBOX_URL || null,
  };
}

async function startExternalStage(
  project: StageProject,
  { liveSource, ...settings }: StageOptions,
): Promise<Stage> {
  if (Object.keys(settings).length > 0) throw new Error('A running project has settings of its own');
  const { E2E_APP_PORT, E2E_MAIL_INTERVAL_SECONDS, E2E_DATABASE_URL, E2E_UNMET_NEEDS } = process.env;
  const server = await AppServer.listen(Number(E2E_APP_PORT));
  const app = await serveApp(project, server, liveSource ? { liveSource } : {});
  const pool = E2E_DATABASE_URL ? new Pool({ connectionString: E2E_DATABASE_URL, max: 2 }) : null;
  const used = new Set<UsedPart>();
  return {
    appUrl: server.url,
    project,
    isExternal: true,
    deliversByTimer: true,
    hasRecoveryCodes: !E2E_UNMET_NEEDS?.includes('@recovery-codes'),
    mailIntervalMs: Number(E2E_MAIL_INTERVAL_SECONDS) * 1000,
    used,
    get supabase(): LocalSupabase {
      used.add('embedded');
      throw new Error('This journey needs the embedded Supabase');
    },
    async query<Row>(text: string, values: readonly unknown[] = []) {
      used.add('@database');
      if (!pool) throw new Error('This journey needs --database-url');
      return (await pool.query(text, [...values])).rows as Row[];
    },
    releaseVersion: app.releaseVersion,
    mend: () => Promise.resolve(),
    async close() {
      await app.close();
      await pool?.end();
    },
  };
}

async function startEmbeddedStage({
  captchaSiteKey,
  liveSource,
  auth,
  ...options
}: StageOptions): Promise<Stage> {
  const realisticTiming = process.env.REALISTIC_TIMING === '1';
  const server = await AppServer.listen(0);
  const supabase = await createLocalSupabase({
    config: false,
    functions: projectFunctions,
    port: 0,
    mailboxPort: 0,
    siteUrl: server.url,
    realisticTiming,
    // As in supabase/config.toml: links in mails carry no key.
    functionSettings: { unsubscribe: { verifyJwt: false } },
    auth: {
      bcryptCost: 4,
      mailResponseMs: 0,
      passwordUpdateRequiresReauthentication: true,
      ...auth,
    },
    ...options,
  });
  if (liveSource === 'postgres-changes')
    await supabase.database.exec('select private.broadcast_notifications(false)');
  const app = await serveApp(supabase, server, {
    ...(captchaSiteKey === undefined ? {} : { captchaSiteKey }),
    ...(liveSource && { liveSource }),
  });
  const used = new Set<UsedPart>();
  return {
    appUrl: server.url,
    project: supabase,
    isExternal: false,
    deliversByTimer: realisticTiming,
    hasRecoveryCodes: true,
    mailIntervalMs: 0,
    used,
    get supabase() {
      used.add('embedded');
      return supabase;
    },
    query<Row>(text: string, values: readonly unknown[] = []) {
      used.add('@database');
      return supabase.database.query<Row>(text, values);
    },
    releaseVersion: app.releaseVersion,
    mend: () => supabase.faults.clear(),
    async close() {
      await app.close();
      await supabase.close();
    },
  };
}

/**
 * The server of the application listens before the application is built: the project gets its URL, and no other process
 * can take its port.
 */
class AppServer {
  readonly url: string;
  #handle: RequestListener = (_request, response) => response.writeHead(503).end();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://localhost:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => this.#handle(request, response));
  }

  static async listen(port: number): Promise<AppServer> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      // Without a host it holds the port for IPv4 and IPv6: `localhost` may be either.
      server.listen(port, resolve);
    });
    return new AppServer(server);
  }

  serve(handle: RequestListener): void {
    this.#handle = handle;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

/** Serves a production build that is configured for a project. */
async function serveApp(
  { url, anonKey }: StageProject,
  server: AppServer,
  parts: Pick<AppConfiguration, 'captchaSiteKey' | 'liveSource'> = {},
): Promise<Pick<Stage, 'releaseVersion' | 'close'>> {
  const configuration = {
    supabaseUrl: url,
    anonKey,
    siteUrl: server.url,
    ...parts,
  };
  const shared = process.env.E2E_BUILD;
  const built = shared ?? (await buildApp());
  const folder = await configureApp(built, configuration);
  // The preview derives the page's policy from the environment when it starts.
  applyToEnvironment(configuration);
  const app = await withOwnNodeEnv(() =>
    preview({
      logLevel: 'error',
      build: { outDir: folder },
      // Vite takes the next port when this one is in use; for port 0 it would find a port and lose it again.
      preview: { port: 4173, strictPort: false },
    }),
  );
  server.serve(app.middlewares);
  return {
    releaseVersion: () => appendFile(join(folder, 'sw.js'), `\n// ${crypto.randomUUID()}`),
    async close() {
      await server.close();
      await app.close();
      await removeFolder(folder);
      if (shared === undefined) await removeFolder(built);
    },
  };
}
