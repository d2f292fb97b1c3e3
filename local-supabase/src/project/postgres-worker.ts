/** The thread in which `startWorkerSession` runs PostgreSQL. */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { PGlite, QueryOptions } from '@electric-sql/pglite';
import { createDatabaseClock } from '../database/database-clock.ts';
import { watchForCrash } from '../database/database-crash.ts';
import { INITIAL_MEMORY_BYTES } from '../database/interruptible-wasm.ts';
import { resultParsers } from '../database/result-parsers.ts';
import { createPrivilegedStatements } from '../database/privileged-statements.ts';
import { startPglite } from '../database/start-pglite.ts';
import { createStatementInterrupts } from '../database/statement-interrupts.ts';
import { writeFiles } from '../database/extension-files.ts';
import type { SessionFile } from '../database/postgres-session.ts';
import { extensionFiles } from './extensions.ts';
import { encodeProblem } from './worker-messages.ts';
import type { WorkerMessage, WorkerMethod, WorkerRequest, WorkerStart } from './worker-messages.ts';

type Handlers = Readonly<Record<WorkerMethod, (...args: never[]) => Promise<unknown>>>;

async function serve(port: MessagePort, start: WorkerStart): Promise<void> {
  const { control, extensions } = start;
  let current = 0;
  // While no request runs, `current` equals the 0 of a control without a cancellation.
  const takeCancel = () => current !== 0 && Atomics.compareExchange(control, 0, current, 0) === current;
  const clock = createDatabaseClock();
  const archives = Object.entries(extensions).map(([name, url]) => [name, new URL(url)] as const);
  const send = (message: WorkerMessage) => port.postMessage(message);
  const opening = startPglite({
    dataDir: start.dataDir,
    pgliteWasmModule: start.module,
    initialMemory: INITIAL_MEMORY_BYTES,
    ...(start.startParams && { startParams: start.startParams }),
    parsers: resultParsers,
    extensions: {
      ...Object.fromEntries(archives),
      clock: clock.extension,
      interrupts: createStatementInterrupts(takeCancel).extension,
      privilegedStatements: createPrivilegedStatements((name) =>
        extensionFiles(name, new URL(start.ownExtensions)),
      ),
    },
  });
  const handlers = opening.then((pglite) => {
    watchForCrash(pglite);
    pglite.onNotification((channel, payload) => send({ channel, payload }));
    return createHandlers(pglite, clock.setAhead);
  });
  // Requests wait for the start and then run one after another.
  let turn: Promise<unknown> = handlers.catch(() => undefined);
  port.on('message', ({ id, method, args }: WorkerRequest) => {
    turn = turn.then(async () => {
      current = id;
      try {
        send({ id, result: await (await handlers)[method](...(args as never[])) });
      } catch (problem) {
        send({ id, problem: encodeProblem(problem) });
      }
      current = 0;
      if (method === 'close') port.close();
    });
  });
  await opening.catch(() => undefined);
}

function createHandlers(pglite: PGlite, setAhead: (byMs: number) => void): Handlers {
  return {
    query: (text: string, params: unknown[], options?: QueryOptions) => pglite.query(text, params, options),
    exec: (text: string, options?: QueryOptions) => pglite.exec(text, options),
    // With `throwOnError: false`, callers use the bytes; otherwise the messages.
    execProtocol: async (bytes: Uint8Array, syncToFs: boolean, throwOnError: boolean) => {
      const { messages, data } = await pglite.execProtocol(bytes, { syncToFs, throwOnError });
      return throwOnError ? { messages, data: new Uint8Array() } : { messages: [], data };
    },
    listen: async (channel: string) => void (await pglite.query(`listen ${channel}`)),
    unlisten: async (channel: string) => void (await pglite.query(`unlisten ${channel}`)),
    dumpDataDir: async () => new Uint8Array(await (await pglite.dumpDataDir('none')).arrayBuffer()),
    writeFiles: (files: readonly SessionFile[]) => {
      writeFiles(pglite.Module.FS, files);
      return Promise.resolve();
    },
    setAhead: (byMs: number) => Promise.resolve(setAhead(byMs)),
    close: () => pglite.close(),
  };
}

if (parentPort) await serve(parentPort, workerData as WorkerStart);
