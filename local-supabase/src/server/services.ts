import { unreference } from '../platform/timers.ts';
import { createAuthService } from '../services/auth/auth-service.ts';
import type { AuthService } from '../services/auth/auth-service.ts';
import type { ReadTemplate } from '../services/auth/context.ts';
import type { AuthSettings } from '../services/auth/settings.ts';
import { createCronJobs } from '../database/extensions/cron-jobs.ts';
import { startNetRequests } from '../database/extensions/net-requests.ts';
import type { PgliteDatabase } from '../database/pglite-database.ts';
import { runRetention, startDelivery, vacuumDatabase } from '../database/upkeep.ts';
import type { FunctionRuntime } from '../services/functions/function-runtime.ts';
import { createFunctionsService } from '../services/functions/functions-service.ts';
import type {
  FunctionHandler,
  FunctionRunner,
  FunctionSettings,
  FunctionsService,
} from '../services/functions/functions-service.ts';
import { sendDueMails } from '../services/functions/mail-timer.ts';
import type { MailRun } from '../services/functions/mail-timer.ts';
import { sendDuePushMessages, sendDueWebhooks } from '../services/functions/push-timer.ts';
import type { PushRun } from '../services/functions/push-timer.ts';
import type { TokenKeys } from '../keys/keys.ts';
import { createRestService } from '../services/rest/rest-service.ts';
import type { RestService } from '../services/rest/rest-service.ts';
import type { ApiSettings } from '../services/rest/settings.ts';
import { createRealtimeService } from '../services/realtime/realtime-service.ts';
import type { RealtimeService } from '../services/realtime/realtime-service.ts';
import { realisticTiming, type RealtimeSettings } from '../services/realtime/settings.ts';
import { createSmsBox } from '../mail/mail.ts';
import type { Mailer } from '../mail/mail.ts';
import type { Mailbox } from '../mail/mailbox.ts';
import { saveBuckets } from '../services/storage/configured-buckets.ts';
import type { StorageSettings } from '../services/storage/configured-buckets.ts';
import type { ObjectStore } from '../services/storage/object-store.ts';
import { createStorageService } from '../services/storage/storage-service.ts';
import type { StorageService } from '../services/storage/storage-service.ts';

export interface ServiceSettings {
  readonly siteUrl?: string;
  readonly redirectUrls?: readonly string[];
  readonly auth?: Partial<AuthSettings>;
  readonly rest?: ApiSettings;
  readonly storage?: StorageSettings;
  readonly realtime?: Partial<RealtimeSettings>;
  /** Whether realtime's delays and the delivery of queued notifications are those of the platform. Default false. */
  readonly realisticTiming?: boolean;
  readonly functions?: Readonly<Record<string, FunctionHandler>>;
  readonly functionSettings?: Readonly<Record<string, FunctionSettings>>;
}

/** The settings of the services, and their environment. */
export interface ServicesOptions extends ServiceSettings {
  readonly database: PgliteDatabase;
  /** The URL of a real PostgreSQL for other programs. Default: the embedded one. */
  readonly serverUrl?: string;
  /** The names of the available extensions in SQL. */
  readonly standIns: ReadonlySet<string>;
  readonly keys: TokenKeys;
  readonly mailbox: Mailbox;
  /** Default: the mailbox. */
  readonly mailer?: Mailer | undefined;
  readonly readTemplate: ReadTemplate;
  /** Stores the bytes of objects. */
  readonly objects: ObjectStore;
  /** The SQL of the schema `realtime`. Default: the database already contains it. */
  readonly realtimeSchemaSql?: string;
  readonly now: () => number;
  /** The project's URL for clients. */
  readonly url: () => string;
  readonly functionRuntime: () => Promise<FunctionRuntime>;
  /** Runs the functions of the project's folder. */
  readonly functionRunner?: FunctionRunner;
  /** Sends requests to the endpoints of auth hooks. */
  readonly hookFetch: (request: Request) => Promise<Response>;
  readonly report: (problem: unknown) => void;
}

export interface Services {
  readonly auth: AuthService;
  readonly rest: RestService;
  readonly storage: StorageService;
  readonly realtime: RealtimeService;
  readonly functions: FunctionsService;
  /** Runs the mail worker if mails are due by the project's clock. */
  sendDueMails(): Promise<MailRun>;
  /** Runs the push worker if messages are due by the project's clock. */
  sendDuePushMessages(): Promise<PushRun>;
  close(): Promise<void>;
}

/** The default allow list: any port of this machine. */
const LOCAL_URLS = ['http://localhost:*/**', 'http://127.0.0.1:*/**'];
const SWEEP_INTERVAL_MS = 60_000;
const PUSH_INTERVAL_MS = 10_000;
const CRON_INTERVAL_MS = 1000;
/** The interval of the job that delivers queued notifications on a hosted project. */
const DELIVERY_INTERVAL_MS = 1000;

/** Starts the services of a project on its database. */
export async function createServices(options: ServicesOptions): Promise<Services> {
  const { database, keys, now, report } = options;
  const { realisticTiming: isTimed = false } = options;
  const auth = await startAuth(options);
  const realtime = await startRealtime(options);
  const rest = await createRestService({ database, settings: options.rest ?? {}, report });
  await saveBuckets(database, options.storage?.buckets ?? {});
  const functions = createFunctionsService({
    keys,
    report,
    runner: options.functionRunner,
    handlers: options.functions ?? {},
    settings: options.functionSettings ?? {},
    runtime: options.functionRuntime,
  });
  const workers = { database, functions, serviceKey: () => keys.serviceRoleKey, url: options.url, now };
  const sendMails = () => sendDueMails(workers);
  const sendPush = () => sendDuePushMessages(workers);
  const stopDelivery = await startDelivery(database, report, isTimed ? DELIVERY_INTERVAL_MS : undefined);
  const stopStandIns = await startStandIns(options);
  const storage = createStorageService({
    database,
    keys,
    objects: options.objects,
    now,
    fileSizeLimitBytes: options.storage?.fileSizeLimitBytes,
  });
  const stopTimers = startTimers(report, [
    [
      SWEEP_INTERVAL_MS,
      async () => {
        await auth.sweep();
        await storage.sweep();
        await runRetention(database, now());
        await sendMails();
        await vacuumDatabase(database);
      },
    ],
    [PUSH_INTERVAL_MS, sendPush],
    [PUSH_INTERVAL_MS, () => sendDueWebhooks(workers)],
  ]);
  return {
    auth,
    rest,
    storage,
    realtime,
    functions,
    sendDueMails: sendMails,
    sendDuePushMessages: sendPush,
    async close() {
      stopTimers();
      await stopStandIns();
      await stopDelivery();
      await realtime.close();
      await rest.close();
    },
  };
}

function startAuth(options: ServicesOptions): Promise<AuthService> {
  const { mailbox, siteUrl, redirectUrls = LOCAL_URLS } = options;
  return createAuthService({
    database: options.database,
    keys: options.keys,
    mailer: options.mailer ?? mailbox,
    smsBox: createSmsBox(mailbox),
    readTemplate: options.readTemplate,
    now: options.now,
    url: options.url,
    settings: options.auth ?? {},
    ...(siteUrl === undefined ? {} : { siteUrl }),
    redirectUrls,
    transport: { fetch: options.hookFetch },
    report: options.report,
  });
}

function startRealtime(options: ServicesOptions): Promise<RealtimeService> {
  const { database, keys, now, report } = options;
  return createRealtimeService({
    database,
    hasOtherSessions: options.serverUrl !== undefined,
    keys,
    schemaSql: options.realtimeSchemaSql,
    now,
    report,
    settings: { ...(options.realisticTiming && realisticTiming), ...options.realtime },
  });
}

/** @returns a function that stops them. */
function startTimers(
  report: (problem: unknown) => void,
  tasks: readonly (readonly [intervalMs: number, run: () => Promise<unknown>])[],
): () => void {
  const timers = tasks.map(([intervalMs, run]) => setInterval(() => void run().catch(report), intervalMs));
  for (const timer of timers) unreference(timer);
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}

/** Starts the replacements of extensions with a background worker, now or once they are created. */
async function startStandIns(options: ServicesOptions): Promise<() => Promise<void>> {
  const { database, standIns, now, report } = options;
  const begin = {
    'net.http_request_queue': () =>
      startNetRequests({ database, url: options.url, fetch: options.hookFetch, now, report }),
    'cron.job': () => Promise.resolve(startCronJobs(options)),
  };
  const started = new Map<string, () => Promise<void>>();
  const startCreated = async () => {
    const created = await database.query<{ name: keyof typeof begin }>(
      'select name from unnest($1::text[]) as name where to_regclass(name) is not null',
      [Object.keys(begin).filter((name) => !started.has(name))],
    );
    for (const { name } of created) started.set(name, await begin[name]());
  };
  if (standIns.size === 0) return () => Promise.resolve();
  await startCreated();
  let starting = Promise.resolve();
  const unlisten = await database.listen('local_supabase_extension', () => {
    starting = starting.then(startCreated).catch(report);
  });
  return async () => {
    await unlisten();
    await starting;
    for (const stop of [...started.values()].toReversed()) await stop();
  };
}

function startCronJobs({ database, now, report }: ServicesOptions): () => Promise<void> {
  const runDueJobs = createCronJobs({ database, now });
  let running = Promise.resolve();
  let isRunning = false;
  const timer = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    running = runDueJobs()
      .catch(report)
      .finally(() => {
        isRunning = false;
      });
  }, CRON_INTERVAL_MS);
  unreference(timer);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
