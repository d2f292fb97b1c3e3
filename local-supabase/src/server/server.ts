import { resolve } from 'node:path';
import { configuredPostgres } from '../database/cluster/binaries.ts';
import { openDataFolder } from '../project/data-folder.ts';
import type { Database } from '../database/database.ts';
import { createExpirableKeys } from '../keys/expirable-keys.ts';
import { createSkewedClock } from './faults/faults.ts';
import { createFaultsApi } from './faults/faults-api.ts';
import type { Faults } from './faults/faults.ts';
import { createHookFetch } from '../services/functions/hook-fetch.ts';
import { createFunctionSurroundings } from './function-surroundings.ts';
import type { FunctionFiles } from '../services/functions/deno/deno-runner.ts';
import { listen } from '../http/http-server.ts';
import { createOwnHosts } from '../http/own-host.ts';
import { isUpload } from './json-depth.ts';
import { createInProcessFetch } from '../http/in-process.ts';
import type { FetchFunction } from '../http/in-process.ts';
import type { TokenKeys } from '../keys/keys.ts';
import type { MailRun } from '../services/functions/mail-timer.ts';
import type { PushRun } from '../services/functions/push-timer.ts';
import { createMailboxSite } from '../mail/mailbox-site.ts';
import type { Mailbox } from '../mail/mailbox.ts';
import { createSmtpMailer } from '../mail/smtp-mailer.ts';
import { createSmtpServer } from '../mail/smtp-server.ts';
import type { LocalSupabaseOptions } from '../project/options.ts';
import { startPostgresServer } from '../postgres-port/postgres-server.ts';
import { withProjectConfig } from '../project/project-config.ts';
import { createTemplateReader } from '../project/mail-templates.ts';
import { createFolderStore } from '../project/object-folder.ts';
import { uploadBucketFiles } from '../project/bucket-files.ts';
import { openProject } from '../project/open-project.ts';
import { guardTransactions } from '../project/transaction-guard.ts';
import { supabaseFolder } from '../project/project-folder.ts';
import { realtimeSchemaSql } from '../project/realtime-sql.ts';
import { StartError } from '../platform/start-error.ts';
import type { RealtimeService } from '../services/realtime/realtime-service.ts';
import { createCore } from './core.ts';
import type { ProjectClock } from './core.ts';
import { createMemoryStore } from '../services/storage/object-store.ts';

/** A Supabase project in this process. */
export interface LocalSupabase {
  /** `http://127.0.0.1:<port>`, or `http://local-supabase.test` without a port. */
  readonly url: string;
  /** API keys of the legacy form (HS256 tokens) and of the newer form. */
  readonly anonKey: string;
  readonly publishableKey: string;
  readonly serviceRoleKey: string;
  readonly secretKey: string;
  /** Calls the server in process, even without a port. */
  readonly fetch: FetchFunction;
  readonly mailboxUrl: string | null;
  /** `postgresql://postgres:postgres@127.0.0.1:<port>/postgres`; null without a port for it. */
  readonly databaseUrl: string | null;
  /** Runs SQL as superuser. */
  readonly database: Database;
  readonly mailbox: Mailbox;
  readonly faults: Faults;
  readonly keys: TokenKeys;
  readonly clock: ProjectClock;
  /**
   * Applies the migrations that were added to the project's folder since the start.
   *
   * @returns their paths.
   * @throws {SchemaError} for a rejected migration, which is rolled back.
   */
  migrate(): Promise<readonly string[]>;
  /** Sentences about the data, and about files and patterns of the project that have no effect. */
  readonly notes: readonly string[];
  /** Sends the notification mails that are due by the project's clock; a timer does so every minute. */
  sendDueMails(): Promise<MailRun>;
  /** Sends the push messages that are due by the project's clock; a timer does so every ten seconds. */
  sendDuePushMessages(): Promise<PushRun>;
  /** The realtime service. WebSockets need a port. */
  readonly realtime: RealtimeService;
  /** Restarts the functions of `supabase/functions` with other files, or without token checks. */
  serveFunctions(options: FunctionFiles & { readonly verifyJwt?: boolean }): void;
  close(): Promise<void>;
}

const IN_PROCESS_URL = 'http://local-supabase.test';

/**
 * Starts an embedded Supabase: PostgreSQL with the schema of `supabase/`, and the services on top of it, with the settings
 * of its `config.toml`.
 *
 * @throws {StartError} with a message to print: a taken port, an unusable folder, NODE_ENV=production.
 */
export async function createLocalSupabase(options: LocalSupabaseOptions = {}): Promise<LocalSupabase> {
  if (process.env['NODE_ENV'] === 'production')
    throw new StartError(
      'The embedded Supabase is for development: it does not start with NODE_ENV=production',
    );
  const closers: (() => Promise<unknown> | void)[] = [];
  const close = async () => {
    for (const end of closers.splice(0).toReversed()) await end();
  };
  try {
    return { ...(await start(withProjectConfig(options), (end) => closers.push(end))), close };
  } catch (problem) {
    await close();
    throw problem;
  }
}

/** @param onClose registers a cleanup; cleanups run in reverse order. */
async function start(
  options: LocalSupabaseOptions,
  onClose: (end: () => Promise<unknown> | void) => void,
): Promise<Omit<LocalSupabase, 'close'>> {
  const { port = null, mailboxPort = null, seed = true } = options;
  const sources = supabaseFolder(options.project);
  const clock = createSkewedClock(options.now ?? Date.now);
  const version = options.databaseUrl === undefined ? (options.postgres ?? configuredPostgres()) : undefined;
  const folder = options.dataDir === undefined ? undefined : openDataFolder(resolve(options.dataDir));
  if (folder) onClose(folder.release);
  const project = await openProject(folder, clock.now, {
    seed,
    project: sources,
    settings: options.databaseSettings,
    pool: options.databases,
    worker: options.databaseThread,
    databaseUrl: options.databaseUrl,
    postgres: version && { version, port: options.databasePort ?? 0 },
    apiKeys: options.apiKeys,
  });
  const { database, mailbox } = project;
  onClose(database.close);
  const keys = createExpirableKeys(project.keys, clock.now);
  const { report = console.error } = options;
  let url = IN_PROCESS_URL;
  const smtpServer = createSmtpServer(mailbox, options.smtpPort ?? 0);
  onClose(smtpServer.close);
  if (options.smtpPort !== undefined) await smtpServer.port();
  const inProcessFetch = createInProcessFetch((request) => core.handle(request));
  const surroundings = createFunctionSurroundings(options, {
    sources,
    keys,
    now: clock.now,
    smtpServer,
    url: () => url,
    fetch: inProcessFetch,
    reachable: () => reachable(),
  });
  onClose(surroundings.runner.close);
  const hosts = createOwnHosts(options.allowedHosts);
  const core = await createCore({
    ...options,
    ...project,
    keys,
    clock,
    report,
    mailer: options.smtp && createSmtpMailer(options.smtp),
    readTemplate: createTemplateReader(new URL('templates/', sources), options.mailTemplates),
    objects: folder ? createFolderStore(folder.storageDir) : createMemoryStore(),
    realtimeSchemaSql,
    url: () => url,
    hookFetch: createHookFetch(() => url, inProcessFetch),
    functionRuntime: surroundings.runtime,
    functionRunner: surroundings.runner,
    isForeign: hosts.isForeign,
    dropConnections: () => api?.dropConnections(),
  });
  const { services, faults, handle } = core;
  onClose(services.close);

  const api = port === null ? undefined : await listen(port, hosts, handle, isUpload);
  if (api) {
    url = api.url;
    const { functions, realtime } = services;
    // Import on demand: without a port, `ws` is not needed.
    const { attachSockets } = await import('./socket-upgrades.ts');
    const { attachFunctionSockets } = await import('../services/functions/deno/function-sockets.ts');
    const detach = attachSockets(api.server, realtime, { admits: hosts.admits, report });
    const sockets = { functions, runner: surroundings.runner, admits: hosts.admits };
    const detachFunctions = attachFunctionSockets(api.server, sockets);
    onClose(async () => {
      detach();
      detachFunctions();
      await api.close();
    });
  }
  const mailboxServer =
    mailboxPort === null
      ? undefined
      : await listen(
          mailboxPort,
          hosts,
          createMailboxSite({ mailbox, faultsApi: createFaultsApi(faults), isForeign: hosts.isForeign }),
        );
  if (mailboxServer) onClose(mailboxServer.close);
  const { serverUrl } = project;
  const databasePort = serverUrl === undefined ? (options.databasePort ?? null) : null;
  const postgres =
    databasePort === null ? undefined : await startPostgresServer({ database, port: databasePort });
  if (postgres) onClose(postgres.close);
  const reachable = onlyOnce(async () => {
    const open = api ?? (await listen(0, hosts, handle));
    if (!api) onClose(open.close);
    if (serverUrl !== undefined) return { url: open.url, databaseUrl: serverUrl };
    const sql = postgres ?? (await startPostgresServer({ database, port: 0 }));
    if (!postgres) onClose(sql.close);
    return { url: open.url, databaseUrl: sql.url };
  });
  onClose(database.interrupt);
  onClose(core.drain);
  const { anonKey, publishableKey, serviceRoleKey, secretKey } = keys;
  const folders = options.bucketFolders ?? {};
  await uploadBucketFiles({ folders, url, secretKey, fetch: inProcessFetch });
  const doors = guardTransactions({ database, fetch: inProcessFetch });
  return {
    url,
    anonKey,
    publishableKey,
    serviceRoleKey,
    secretKey,
    fetch: doors.fetch,
    mailboxUrl: mailboxServer?.url ?? null,
    databaseUrl: serverUrl ?? postgres?.url ?? null,
    migrate: project.migrate,
    notes: project.notes,
    clock: core.clock,
    database: doors.database,
    mailbox,
    faults,
    keys,
    sendDueMails: services.sendDueMails,
    sendDuePushMessages: services.sendDuePushMessages,
    realtime: services.realtime,
    serveFunctions({ verifyJwt = true, ...files }) {
      services.functions.setVerification(verifyJwt);
      surroundings.runner.useFiles(files);
    },
  };
}

/** Calls a function on first use, and again after a failure. */
function onlyOnce<T>(call: () => Promise<T>): () => Promise<T> {
  let called: Promise<T> | undefined;
  return () => {
    called ??= call().catch((problem: unknown) => {
      called = undefined;
      throw problem;
    });
    return called;
  };
}
