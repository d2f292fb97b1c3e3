import { once } from 'node:events';
import { createServer } from 'node:net';
import { listenError } from '../http/http-server.ts';
import { StartError } from '../platform/start-error.ts';
import { removeData } from '../project/data-folder.ts';
import type { LocalSupabaseOptions } from '../project/options.ts';
import { createLocalSupabase, type LocalSupabase } from '../server/server.ts';
import { startControlServer, type ControlServer } from './control-server.ts';
import { environmentOf, findInstance, removeInstance, saveInstance } from './instance-file.ts';

/** The ports and the data folder of an instance. */
type Places = Pick<
  LocalSupabaseOptions,
  'port' | 'databasePort' | 'databaseUrl' | 'postgres' | 'mailboxPort' | 'smtpPort' | 'dataDir'
>;

/** An instance that takes the commands of other processes. */
export interface CommandedInstance {
  /** The instance; another one after `local-supabase reset`. */
  current(): LocalSupabase;
  close(): Promise<void>;
}

/**
 * Starts an instance that other commands find.
 *
 * @param folder where they find it, even without stored data.
 * @param stop handles `local-supabase stop`.
 */
export async function startCommanded(
  settings: LocalSupabaseOptions,
  places: Places,
  folder: string,
  stop: () => Promise<string>,
): Promise<CommandedInstance> {
  let supabase: LocalSupabase;
  const control = await startControlServer({
    stop,
    reset: async (query) => {
      if (places.databaseUrl !== undefined)
        return 'Nothing was reset: the database of --database-url is not ours to remove. Stop, drop it and create it anew, and start again.';
      // Try the project's SQL first, because an error in it must not cost data.
      const seed = query.get('seed') === 'false' ? { seed: false } : {};
      const { postgres } = places;
      await (await createLocalSupabase({ ...settings, ...seed, ...(postgres && { postgres }) })).close();
      await supabase.close();
      if (places.dataDir !== undefined) removeData(places.dataDir);
      supabase = await createLocalSupabase({ ...started, ...seed });
      save(folder, supabase, control);
      return `The database has the migrations${seed.seed === false ? '' : ' and the seed'}, and nothing else.`;
    },
    migrate: async () => describeMigrations(await supabase.migrate()),
    functions: (query) => {
      const file = (name: string) => query.get(name) ?? undefined;
      const verifyJwt = query.get('verifyJwt') !== 'false';
      supabase.serveFunctions({ envFile: file('envFile'), importMap: file('importMap'), verifyJwt });
      return Promise.resolve(`Serving functions on ${supabase.url}/functions/v1/<name>`);
    },
  });
  const started = { ...settings, ...places, databaseThread: true, ...outputs(control) };
  try {
    supabase = await createLocalSupabase(started);
  } catch (problem) {
    control.close();
    throw problem;
  }
  save(folder, supabase, control);
  return {
    current: () => supabase,
    async close() {
      removeInstance(folder);
      await supabase.close();
      control.close();
    },
  };
}

/**
 * Runs the services until Ctrl-C or `local-supabase stop`.
 *
 * @throws {StartError} if the folder's instance is already running, or a port is taken.
 */
export async function runUntilStopped(
  settings: LocalSupabaseOptions,
  places: Places,
  folder: string,
): Promise<void> {
  const { stop, stopped } = createStop();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  const running = await findInstance(folder).catch(() => undefined);
  if (running)
    throw new StartError(
      `The local Supabase of this folder is already running at ${running.environment['API_URL']}. Its keys: \`local-supabase status\``,
    );
  await requireFreePorts(places);
  console.error('Starting PostgreSQL and the services…');
  const instance = await startCommanded(settings, places, folder, () => {
    // Stop after the response is sent.
    setTimeout(stop, 50);
    return Promise.resolve('Stopped.');
  });
  for (const note of instance.current().notes) console.warn(note);
  console.log(describe(instance.current()));
  await stopped;
  await instance.close();
}

function createStop(): { readonly stop: () => void; readonly stopped: Promise<void> } {
  let stop = (): void => undefined;
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  return { stop, stopped };
}

/** What happens in the instance, for the terminal and for `local-supabase logs`. */
function outputs(
  control: ControlServer,
): Pick<LocalSupabaseOptions, 'report' | 'onFunctionOutput' | 'onRequest'> {
  return {
    report: (problem) => {
      console.error(problem);
      const text = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem);
      control.log(`${now()} ${text}`);
    },
    onFunctionOutput: (name, line) => {
      console.log(`[${name}] ${line}`);
      control.log(`${now()} [${name}] ${line}`);
    },
    onRequest: ({ method, path, status, durationMs }) =>
      control.log(`${now()} ${method} ${path} ${status} ${Math.round(durationMs)} ms`),
  };
}

const describeMigrations = (applied: readonly string[]): string =>
  applied.length === 0 ? 'No new migration.' : `Applied:\n${applied.map((path) => `  ${path}`).join('\n')}`;

/** Writes the file by which other commands find the instance. */
function save(folder: string, supabase: LocalSupabase, control: ControlServer): void {
  const { url: controlUrl, token: controlToken } = control;
  const environment = environmentOf(supabase);
  try {
    saveInstance(folder, { pid: process.pid, controlUrl, controlToken, environment });
  } catch (problem) {
    const reason = problem instanceof Error ? problem.message : String(problem);
    console.warn(`Other commands do not find this instance, because ${folder} cannot be written: ${reason}`);
  }
}

/** Finds a taken port before PostgreSQL starts, which takes seconds. @throws {StartError} naming the port. */
async function requireFreePorts({ port, databasePort, mailboxPort, smtpPort }: Places): Promise<void> {
  for (const each of [port, databasePort, mailboxPort, smtpPort]) {
    if (!each) continue;
    const probe = createServer();
    try {
      probe.listen(each, '127.0.0.1');
      await once(probe, 'listening');
    } catch (problem) {
      throw listenError(problem as Error, each);
    }
    probe.close();
    await once(probe, 'close');
  }
}

const now = (): string => new Date().toISOString();

function describe({ url, mailboxUrl, databaseUrl, ...keys }: LocalSupabase): string {
  const lines = [
    ['API URL', url],
    ['Database', databaseUrl],
    ['Mailbox', mailboxUrl],
    ['Publishable key', keys.publishableKey],
    ['Secret key', keys.secretKey],
    ['anon key', keys.anonKey],
    ['service_role key', keys.serviceRoleKey],
  ];
  const texts = lines
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `  ${(name ?? '').padEnd(16)} ${value}`);
  return [...texts, '', '  Ctrl-C stops.'].join('\n');
}
