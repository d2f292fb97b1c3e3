import { Hono } from 'hono';
import { createCore } from '../core.ts';
import { extensionNames } from '../database/extension-files.ts';
import { createFaultsApi } from '../faults/faults-api.ts';
import { createSkewedClock } from '../faults/faults.ts';
import type { Faults } from '../faults/faults.ts';
import { createFunctionFetch } from '../functions/function-runtime.ts';
import { createHookFetch } from '../functions/hook-fetch.ts';
import { createInProcessFetch } from '../http/in-process.ts';
import { createExpirableKeys } from '../keys/expirable-keys.ts';
import { createTokenKeys } from '../keys/keys.ts';
import type { SavedKeys } from '../keys/keys.ts';
import type { ReceivedMail } from '../mailbox/mail.ts';
import { createMailbox } from '../mailbox/mailbox.ts';
import type { Mailbox } from '../mailbox/mailbox.ts';
import { createMailpitApi } from '../mailbox/mailpit-api.ts';
import type { ServiceSettings } from '../services.ts';
import { loadManifest } from './assets.ts';
import { forgetDatabase, openKeptDatabase } from './kept-database.ts';
import { createMemoryValues, openKeptValues } from './kept-values.ts';
import type { StartProgress } from './messages.ts';
import type { ServedProject } from './port-server.ts';

export interface WorkerOptions extends Pick<ServiceSettings, 'functions'> {
  /** The folder with the output of `buildBrowserAssets`. */
  readonly assets: string | URL;
  /** The name under which this browser stores the data; null stores nothing. Default `project`. */
  readonly name?: string | null;
  /** Settings that override those of the project. */
  readonly settings?: Omit<ServiceSettings, 'functions'>;
  /** Environment variables of the functions. */
  readonly functionEnv?: Readonly<Record<string, string>>;
  /** Receives internal errors. Default: the console. */
  readonly report?: (problem: unknown) => void;
}

const PROJECT_URL = 'http://local-supabase.test';
const MAILBOX_URL = 'http://mailbox.local-supabase.test';

/** Starts the project of a build in this worker. */
export async function startProject(
  options: WorkerOptions,
  onProgress: (progress: StartProgress) => void,
): Promise<ServedProject> {
  const { name = 'project', report = console.error } = options;
  const assets = new URL(options.assets, globalThis.location.href);
  const values = name === null ? createMemoryValues() : openKeptValues(name);
  const project = await loadManifest(assets);
  const clock = createSkewedClock(Date.now);
  const { database, setAhead } = await openKeptDatabase({
    assets,
    project,
    name,
    values,
    onProgress: (loadedBytes, totalBytes) => onProgress({ stage: 'loading', loadedBytes, totalBytes }),
  });
  onProgress({ stage: 'starting' });
  const savedKeys = await values.get<SavedKeys>('keys');
  const tokenKeys = await createTokenKeys({
    now: clock.now,
    apiKeys: project.apiKeys,
    saved: savedKeys,
    onChange: (saved) => values.set('keys', saved),
  });
  const keys = createExpirableKeys(tokenKeys, clock.now);
  const mailbox = createMailbox({
    now: clock.now,
    initial: (await values.get<readonly ReceivedMail[]>('mails')) ?? [],
  });
  mailbox.subscribe(() => void values.set('mails', mailbox.messages()).catch(report));
  const fetch = createInProcessFetch((request) => core.handle(request));
  const { anonKey, publishableKey, serviceRoleKey, secretKey } = keys;
  const core = await createCore({
    ...project.settings,
    ...options.settings,
    functions: options.functions ?? {},
    database,
    setAhead,
    standIns: extensionNames(project.extensionFiles),
    keys,
    clock,
    mailbox,
    objects: values.objects,
    readTemplate: (kind) => Promise.resolve(project.templates[kind] ?? { subject: null, html: null }),
    url: () => PROJECT_URL,
    hookFetch: createHookFetch(() => PROJECT_URL, fetch),
    functionRuntime: () =>
      Promise.resolve({
        env: {
          SUPABASE_URL: PROJECT_URL,
          SUPABASE_ANON_KEY: anonKey,
          SUPABASE_SERVICE_ROLE_KEY: serviceRoleKey,
          ...options.functionEnv,
        },
        fetch: createFunctionFetch(() => PROJECT_URL, fetch),
        now: clock.now,
      }),
    isForeign: () => false,
    report,
  });
  const site = createMailboxApi(mailbox, core.faults);
  return {
    addresses: {
      url: PROJECT_URL,
      mailboxUrl: MAILBOX_URL,
      anonKey,
      publishableKey,
      serviceRoleKey,
      secretKey,
    },
    fetch: async (input, init) => {
      const request = new Request(input, init);
      return request.url.startsWith(`${MAILBOX_URL}/`) ? site.fetch(request) : fetch(request);
    },
    realtime: core.services.realtime,
    database,
    advance: core.clock.advance,
    async forget() {
      await core.drain();
      await core.services.close();
      await database.close();
      if (name !== null) await forgetDatabase(name, values);
      await values.clear();
    },
  };
}

/** The routes of the mailbox's port, except for its pages. */
function createMailboxApi(mailbox: Mailbox, faults: Faults): Hono {
  const app = new Hono();
  app.route('/', createMailpitApi(mailbox));
  app.route('/_faults/api', createFaultsApi(faults));
  return app;
}
