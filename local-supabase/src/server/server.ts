import { resolve } from 'node:path';
import { configuredPostgres } from '../database/cluster/binaries.ts';
import { openDataFolder } from '../project/data-folder.ts';
import type { Database } from '../database/database.ts';
import { createExpirableKeys } from '../keys/expirable-keys.ts';
import { createSkewedClock } from './faults/faults.ts';
import type { Faults } from './faults/faults.ts';
import { createHookFetch } from '../services/functions/hook-fetch.ts';
import { createFunctionEnvironment } from './function-environment.ts';
import type { DenoRunner, FunctionFiles } from '../services/functions/deno/deno-runner.ts';
import { createInProcessFetch } from '../http/in-process.ts';
import type { FetchFunction } from '../http/in-process.ts';
import type { TokenKeys } from '../keys/keys.ts';
import type { MailRun } from '../services/functions/mail-timer.ts';
import type { PushRun } from '../services/functions/push-timer.ts';
import type { Mailbox } from '../mail/mailbox.ts';
import { createSmtpMailer } from '../mail/smtp-mailer.ts';
import type { LocalSupabaseOptions } from '../project/options.ts';
import { withProjectConfig } from '../project/project-config.ts';
import { createTemplateReader } from '../project/mail-templates.ts';
import { createFolderStore } from '../project/object-folder.ts';
import { uploadBucketFiles } from '../project/bucket-files.ts';
import { openProject, type OpenProject } from '../project/open-project.ts';
import { guardTransactions } from '../project/transaction-guard.ts';
import { supabaseFolder } from '../project/project-folder.ts';
import { realtimeSchemaSql } from '../project/realtime-sql.ts';
import { StartError } from '../platform/start-error.ts';
import type { RealtimeService } from '../services/realtime/realtime-service.ts';
import { createCore, type Core, type ProjectClock } from './core.ts';
import { Ports, type OnClose } from './ports.ts';
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

async function start(options: LocalSupabaseOptions, onClose: OnClose): Promise<Omit<LocalSupabase, 'close'>> {
  const clock = createSkewedClock(options.now ?? Date.now);
  const { project, folder } = await open(options, clock.now, onClose);
  const { database } = project;
  const keys = createExpirableKeys(project.keys, clock.now);
  const handle = (request: Request) => core.handle(request);
  const ports = new Ports(options, project, handle, onClose);
  const fetch = createInProcessFetch(handle);
  const functionEnvironment = createFunctionEnvironment(options, { keys, now: clock.now, ports, fetch });
  const { runner } = functionEnvironment;
  onClose(runner.close);
  const core = await createCore({
    ...options,
    ...project,
    keys,
    clock,
    report: options.report ?? console.error,
    mailer: options.smtp && createSmtpMailer(options.smtp),
    readTemplate: createTemplateReader(
      new URL('templates/', supabaseFolder(options.project)),
      options.mailTemplates,
    ),
    objects: folder ? createFolderStore(folder.storageDir) : createMemoryStore(),
    realtimeSchemaSql,
    url: () => ports.url,
    hookFetch: createHookFetch(() => ports.url, fetch),
    functionRuntime: functionEnvironment.runtime,
    functionRunner: runner,
    isForeign: ports.hosts.isForeign,
    dropConnections: () => ports.api?.dropConnections(),
  });
  onClose(core.services.close);
  await ports.open(core, runner);
  onClose(database.interrupt);
  onClose(core.drain);
  const folders = options.bucketFolders ?? {};
  await uploadBucketFiles({ folders, url: ports.url, secretKey: keys.secretKey, fetch });
  return describe({ project, keys, core, ports, runner, fetch });
}

/** Opens the data folder, if there is one, and the database. */
async function open(options: LocalSupabaseOptions, now: () => number, onClose: OnClose) {
  const version = options.databaseUrl === undefined ? (options.postgres ?? configuredPostgres()) : undefined;
  const folder = options.dataDir === undefined ? undefined : openDataFolder(resolve(options.dataDir));
  if (folder) onClose(folder.release);
  const project = await openProject(folder, now, {
    seed: options.seed ?? true,
    project: supabaseFolder(options.project),
    settings: options.databaseSettings,
    pool: options.databases,
    worker: options.databaseThread,
    databaseUrl: options.databaseUrl,
    postgres: version && { version, port: options.databasePort ?? 0 },
    apiKeys: options.apiKeys,
  });
  onClose(project.database.close);
  return { project, folder };
}

/** @param fetch calls the server in this process. */
function describe(parts: {
  readonly project: OpenProject;
  readonly keys: TokenKeys;
  readonly core: Core;
  readonly ports: Ports;
  readonly runner: DenoRunner;
  readonly fetch: FetchFunction;
}): Omit<LocalSupabase, 'close'> {
  const { project, keys, ports, runner } = parts;
  const { services, faults, clock } = parts.core;
  const doors = guardTransactions({ database: project.database, fetch: parts.fetch });
  return {
    url: ports.url,
    anonKey: keys.anonKey,
    publishableKey: keys.publishableKey,
    serviceRoleKey: keys.serviceRoleKey,
    secretKey: keys.secretKey,
    fetch: doors.fetch,
    mailboxUrl: ports.mailbox?.url ?? null,
    databaseUrl: ports.databaseUrl,
    migrate: project.migrate,
    notes: project.notes,
    clock,
    database: doors.database,
    mailbox: project.mailbox,
    faults,
    keys,
    sendDueMails: services.sendDueMails,
    sendDuePushMessages: services.sendDuePushMessages,
    realtime: services.realtime,
    serveFunctions({ verifyJwt = true, ...files }) {
      services.functions.setVerification(verifyJwt);
      runner.useFiles(files);
    },
  };
}
