import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { resolve } from 'node:path';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import type { FunctionRunner, FunctionSettings } from '../functions-service.ts';
import { WorkerFailure } from '../worker-failure.ts';
import { findDeno } from './find-deno.ts';
import { startFunctionProcess } from './function-process.ts';
import { findFunction, fingerprint } from './function-sources.ts';
import { relayRequest, relayUpgrade } from './relay.ts';
import { WorkerPool } from './worker-pool.ts';

/** The options of `functions serve`. Paths are relative to the working directory. */
export interface FunctionFiles {
  /** A file with environment variables. Default: `supabase/functions/.env`. */
  readonly envFile?: string | undefined;
  /** The import map for all functions. Default: each function's own. */
  readonly importMap?: string | undefined;
}

export interface DenoRunnerOptions {
  /** `supabase/functions/`. */
  readonly folder: URL;
  readonly settings: Readonly<Record<string, FunctionSettings>>;
  /** The platform's variables and the secrets from the options. */
  readonly environment: () => Promise<Readonly<Record<string, string>>>;
  /** Receives each line of a function's output. */
  readonly log: (name: string, line: string) => void;
}

export interface DenoRunner extends FunctionRunner {
  /** Connects a socket that requests an upgrade, such as a WebSocket. */
  upgrade(name: string, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
  useFiles(files: FunctionFiles): void;
}

/** How long the gateway of the vendor's local stack waits for a response. */
const RESPONSE_MS = 150_000;

/**
 * Runs each function of the folder in a separate Deno process, which starts with the first request, restarts after a
 * change in the folder, and ends when it is idle.
 */
export function createDenoRunner(options: DenoRunnerOptions): DenoRunner {
  const { folder, log } = options;
  const settingsOf = (name: string) =>
    Object.hasOwn(options.settings, name) ? options.settings[name] : undefined;
  let files: FunctionFiles = {};
  let generation = 0;
  const pool = new WorkerPool({
    version: async () => `${generation}\n${await fingerprint(folder, files.envFile)}`,
    start: async (name) => {
      const print = (line: string) => log(name, line);
      try {
        const source = await findFunction(folder, name, settingsOf(name), files.importMap);
        if (!source) throw new Error(`There is no function ${name}`);
        const deno = await findDeno(fileURLToPath(new URL('../../../', folder)), print);
        const environment = {
          ...(await options.environment()),
          ...(await readSecrets(folder, files.envFile)),
        };
        return await startFunctionProcess({ deno, source, environment, log: print });
      } catch (problem) {
        throw toFailure(problem, print);
      }
    },
  });
  return {
    has: async (name) => (await findFunction(folder, name, settingsOf(name)).catch(() => true)) !== undefined,
    async fetch(name, request) {
      const { process, done } = await pool.begin(name);
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        process.kill();
      }, RESPONSE_MS);
      try {
        return await relayRequest(process, request, pathOf(request.url), done);
      } catch {
        throw isLate
          ? new WorkerFailure('limit', `No response within ${RESPONSE_MS / 1000} seconds`)
          : await process.failure();
      } finally {
        clearTimeout(timer);
      }
    },
    async upgrade(name, request, socket, head) {
      const { process, done } = await pool.begin(name);
      relayUpgrade(process, request, pathOf(`http://localhost${request.url ?? '/'}`), socket, head, done);
    },
    useFiles(next) {
      files = next;
      generation += 1;
    },
    close: () => pool.close(),
  };
}

/** Logs and returns the reason why a function does not start. */
function toFailure(problem: unknown, print: (line: string) => void): WorkerFailure {
  if (problem instanceof WorkerFailure) return problem;
  const reason = problem instanceof Error ? problem.message : String(problem);
  print(reason);
  return new WorkerFailure('boot', reason);
}

/** A function's own path is `/<name>/…`. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname.replace(/^\/functions\/v1/, '') + search;
}

/** As in the vendor's CLI, drops names with the platform's prefix. */
async function readSecrets(folder: URL, envFile: string | undefined): Promise<Record<string, string>> {
  const file = envFile === undefined ? new URL('.env', folder) : resolve(envFile);
  const text = await readFile(file, 'utf8').catch((problem: unknown) => {
    if (envFile !== undefined) throw problem;
    return '';
  });
  const named = Object.entries(parseEnv(text)).filter(([name]) => !name.startsWith('SUPABASE_'));
  return Object.fromEntries(named.map(([name, value]) => [name, value ?? '']));
}
