import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { PGliteOptions, QueryOptions, Results } from '@electric-sql/pglite';
import { toDatabaseCrash, type DatabaseCrash } from '../database/database-crash.ts';
import { loadPostgresModule } from './postgres-module.ts';
import { inTransaction, Listeners } from './remote-session.ts';
import type { RemoteSession } from '../database/postgres-session.ts';
import { decodeProblem } from './worker-messages.ts';
import type { WorkerMessage, WorkerMethod, WorkerRequest, WorkerStart } from './worker-messages.ts';

export interface WorkerSessionOptions {
  /** The folder of PostgreSQL's files, which outlive the thread. */
  readonly dataDir: string;
  readonly startParams: PGliteOptions['startParams'];
  /** The archives of extensions, by name. */
  readonly extensions: Readonly<Record<string, URL>>;
  /** The folder with the project's own extensions. */
  readonly ownExtensions: URL;
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (problem: Error) => void;
  readonly settled: Promise<unknown>;
}
type ProtocolOptions = Parameters<RemoteSession['execProtocol']>[1];

const isSource = import.meta.url.endsWith('.ts');
const SCRIPT = new URL(isSource ? './postgres-worker.ts' : './postgres-worker.js', import.meta.url);
/** In Node 20 a thread cannot load TypeScript, whatever loader the main thread uses. */
const SOURCE_LOADER = isSource
  ? `import(${JSON.stringify(tsxModule())}).then(({ register }) => {
       register();
       return import(${JSON.stringify(SCRIPT.href)});
     })`
  : undefined;

/** Resolves the ESM build: the CommonJS one, which `require` would find, looks for its loader in the wrong place. */
function tsxModule(): string {
  const manifest = createRequire(import.meta.url).resolve('tsx/package.json');
  return new URL('dist/esm/api/index.mjs', pathToFileURL(manifest)).href;
}

/**
 * Runs PostgreSQL in a worker thread, so that this thread stays responsive: it can cancel a statement, and the process
 * can end while one runs.
 *
 * @throws {Error} if PostgreSQL does not start.
 */
export async function startWorkerSession(options: WorkerSessionOptions): Promise<RemoteSession> {
  const control = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const start: WorkerStart = {
    module: await loadPostgresModule(),
    control,
    dataDir: options.dataDir,
    startParams: options.startParams,
    extensions: Object.fromEntries(Object.entries(options.extensions).map(([name, url]) => [name, url.href])),
    ownExtensions: options.ownExtensions.href,
  };
  const thread = createThread(start);
  const listeners = new Listeners();
  thread.onNotification = (channel, payload) => listeners.notify(channel, payload);
  const { call } = thread;
  const query = <T>(text: string, params: unknown[] = [], { rowMode }: QueryOptions = {}) =>
    call('query', text, params, rowMode && { rowMode }) as Promise<Results<T>>;
  const exec = (text: string, { rowMode }: QueryOptions = {}) =>
    call('exec', text, rowMode && { rowMode }) as Promise<Results[]>;
  const session: RemoteSession = {
    isRemote: true,
    query,
    exec,
    execProtocol: (bytes, { syncToFs = true, throwOnError = true }: ProtocolOptions = {}) =>
      call('execProtocol', bytes, syncToFs, throwOnError) as ReturnType<RemoteSession['execProtocol']>,
    transaction: (task) => inTransaction({ query, exec, crash: thread.crash }, task),
    listen: (channel, listener) =>
      listeners.add(channel, listener, {
        listen: () => call('listen', channel),
        unlisten: () => call('unlisten', channel),
      }),
    dumpDataDir: async () => new Blob([(await call('dumpDataDir')) as Uint8Array<ArrayBuffer>]),
    writeFiles: async (files) => void (await call('writeFiles', files)),
    setAhead: async (byMs) => void (await call('setAhead', byMs)),
    crash: thread.crash,
    cancel: thread.cancel,
    terminate: thread.terminate,
    close: thread.close,
  };
  // The first response shows whether PostgreSQL has started.
  await exec('select 1').catch(async (problem: unknown) => {
    await thread.terminate();
    throw problem;
  });
  return session;
}

interface Thread {
  onNotification: (channel: string, payload: string) => void;
  call(method: WorkerMethod, ...args: readonly unknown[]): Promise<unknown>;
  cancel(): Promise<void>;
  crash(): DatabaseCrash | undefined;
  terminate(): Promise<void>;
  close(): Promise<void>;
}

function createThread(start: WorkerStart): Thread {
  const worker = new Worker(SOURCE_LOADER ?? SCRIPT, {
    workerData: start,
    eval: SOURCE_LOADER !== undefined,
  });
  worker.unref();
  const pending = new Map<number, Pending>();
  let [lastId, crash]: [number, DatabaseCrash | undefined] = [0, undefined];
  const fail = (problem: Error) => {
    crash ??= toDatabaseCrash(problem);
    for (const { reject } of pending.values()) reject(crash);
    pending.clear();
  };
  worker.on('error', (problem) => fail(problem instanceof Error ? problem : new Error(String(problem))));
  worker.once('exit', (code) => fail(new Error(`its thread ended with code ${code}`)));
  worker.on('message', (message: WorkerMessage) => {
    if ('channel' in message) return thread.onNotification(message.channel, message.payload);
    const waiting = pending.get(message.id);
    pending.delete(message.id);
    if (pending.size === 0) worker.unref();
    if ('result' in message) return waiting?.resolve(message.result);
    const problem = decodeProblem(message.problem);
    if (message.problem.isCrash) crash ??= problem as DatabaseCrash;
    return waiting?.reject(problem);
  });
  const thread: Thread = {
    onNotification: () => undefined,
    call(method, ...args) {
      if (crash) return Promise.reject(crash);
      const id = (lastId += 1);
      let [resolve, reject]: [Pending['resolve'], Pending['reject']] = [() => undefined, () => undefined];
      const response = new Promise((fulfill, refuse) => {
        [resolve, reject] = [fulfill, refuse];
      });
      pending.set(id, { resolve, reject, settled: response.catch(() => undefined) });
      // Keep the process alive while a request is pending.
      worker.ref();
      // eslint-disable-next-line unicorn/require-post-message-target-origin -- A thread has no origin.
      worker.postMessage({ id, method, args } satisfies WorkerRequest);
      return response;
    },
    async cancel() {
      const [running] = pending.entries();
      if (!running) return;
      const [id, { settled }] = running;
      Atomics.store(start.control, 0, id);
      await settled;
    },
    crash: () => crash,
    async terminate() {
      fail(new Error('the database was terminated during a statement'));
      await worker.terminate();
    },
    async close() {
      if (!crash) await thread.call('close');
      await worker.terminate();
    },
  };
  return thread;
}
