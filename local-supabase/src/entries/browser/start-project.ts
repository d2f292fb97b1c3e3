import { Hono } from 'hono';
import { createCore } from '../../server/core.ts';
import { extensionNames } from '../../database/extension-files.ts';
import { createFaultsApi } from '../../server/faults/faults-api.ts';
import { createSkewedClock } from '../../server/faults/faults.ts';
import type { Faults } from '../../server/faults/faults.ts';
import { createFunctionFetch } from '../../services/functions/function-runtime.ts';
import { createHookFetch } from '../../services/functions/hook-fetch.ts';
import { createInProcessFetch } from '../../http/in-process.ts';
import { createExpirableKeys } from '../../keys/expirable-keys.ts';
import { createTokenKeys } from '../../keys/keys.ts';
import type { SavedKeys, TokenKeysOptions } from '../../keys/keys.ts';
import type { ReceivedMail } from '../../mail/mail.ts';
import { createMailbox } from '../../mail/mailbox.ts';
import type { Mailbox } from '../../mail/mailbox.ts';
import { createMailpitApi } from '../../mail/mailpit-api.ts';
import type { ServiceSettings } from '../../server/services.ts';
import { loadManifest } from '../../server/assets.ts';
import { forgetDatabase, openKeptDatabase } from './kept-database.ts';
import { createMemoryValues, openKeptValues, type KeptValues } from './kept-values.ts';
import type { ProjectAddresses, StartProgress } from './messages.ts';
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
  const keys = await openKeptKeys(values, project.apiKeys, clock.now);
  const mailbox = await openKeptMailbox(values, clock.now, report);
  const fetch = createInProcessFetch((request) => core.handle(request));
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
    functionRuntime: () => {
      const env = { ...functionEnv(keys), ...options.functionEnv };
      return Promise.resolve({ env, fetch: createFunctionFetch(() => PROJECT_URL, fetch), now: clock.now });
    },
    isForeign: () => false,
    report,
  });
  const site = createMailboxApi(mailbox, core.faults);
  return {
    addresses: addressesOf(keys),
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

type ApiKeys = Pick<ProjectAddresses, 'anonKey' | 'publishableKey' | 'serviceRoleKey' | 'secretKey'>;

const addressesOf = ({ anonKey, publishableKey, serviceRoleKey, secretKey }: ApiKeys): ProjectAddresses => ({
  url: PROJECT_URL,
  mailboxUrl: MAILBOX_URL,
  anonKey,
  publishableKey,
  serviceRoleKey,
  secretKey,
});

const functionEnv = ({ anonKey, serviceRoleKey }: ApiKeys) => ({
  SUPABASE_URL: PROJECT_URL,
  SUPABASE_ANON_KEY: anonKey,
  SUPABASE_SERVICE_ROLE_KEY: serviceRoleKey,
});

async function openKeptKeys(values: KeptValues, apiKeys: TokenKeysOptions['apiKeys'], now: () => number) {
  const saved = await values.get<SavedKeys>('keys');
  const onChange = (changed: SavedKeys) => values.set('keys', changed);
  return createExpirableKeys(await createTokenKeys({ now, apiKeys, saved, onChange }), now);
}

async function openKeptMailbox(
  values: KeptValues,
  now: () => number,
  report: (problem: unknown) => void,
): Promise<Mailbox> {
  const initial = (await values.get<readonly ReceivedMail[]>('mails')) ?? [];
  const mailbox = createMailbox({ now, initial });
  mailbox.subscribe(() => void values.set('mails', mailbox.messages()).catch(report));
  return mailbox;
}

/** The routes of the mailbox's port, except for its pages. */
function createMailboxApi(mailbox: Mailbox, faults: Faults): Hono {
  const app = new Hono();
  app.route('/', createMailpitApi(mailbox));
  app.route('/_faults/api', createFaultsApi(faults));
  return app;
}
