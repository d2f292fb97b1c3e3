import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { WorkerFailure } from '../worker-failure.ts';
import type { FunctionSource } from './function-sources.ts';
import type { WorkerMessage } from './worker-message.ts';

/** A running Deno process that serves one function on a port of 127.0.0.1. */
export interface FunctionProcess {
  readonly port: number;
  /** The header value that authenticates the parent. */
  readonly secret: string;
  readonly hasEnded: boolean;
  /** The number of promises that `EdgeRuntime.waitUntil` waits for. */
  readonly pendingTasks: number;
  /** Why a request got no response, once the process has ended. */
  failure(): Promise<WorkerFailure>;
  /** Waits briefly for background tasks, then ends the process. */
  end(): Promise<void>;
  /** Kills a process that does not respond. */
  kill(): void;
}

export interface FunctionProcessOptions {
  readonly deno: string;
  readonly source: FunctionSource;
  readonly environment: Readonly<Record<string, string>>;
  /** Receives each line of the function's output. */
  readonly log: (line: string) => void;
}

/** The limit of the vendor's runtime. */
const MAX_HEAP_MIB = 256;
const START_MS = 120_000;
const END_MS = 2000;
const main = new URL('./main.ts', import.meta.url);

/** The variables that Deno itself needs: caches, registries, certificates and proxies. */
const inherited =
  /^(?:DENO_.*|HOME|PATH|TMPDIR|TMP|TEMP|USERPROFILE|LOCALAPPDATA|SYSTEMROOT|NPM_CONFIG_REGISTRY|(?:https?|no|all)_proxy)$/i;

/**
 * Starts a function and waits until it listens.
 *
 * @throws {WorkerFailure} of kind `boot` with the reason: a missing module, an error in the code, no handler.
 */
export async function startFunctionProcess(options: FunctionProcessOptions): Promise<FunctionProcess> {
  const { log, source } = options;
  const secret = crypto.randomUUID();
  const child = spawn(options.deno, denoArguments(source, secret), {
    env: { ...denoEnvironment(source), ...options.environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  child.stdin?.on('error', () => undefined);
  const recent: string[] = [];
  const print = (line: string) => {
    recent.push(line);
    if (recent.length > 20) recent.shift();
    log(line);
  };
  let pendingTasks = 0;
  const exited = new Promise<number | null>((resolve) => {
    child.once('error', (problem) => {
      print(problem.message);
      resolve(null);
    });
    child.once('close', (code) => resolve(code));
  });
  const port = await untilListening({
    child,
    secret,
    print,
    exited,
    output: recent,
    onTasks: (count) => {
      pendingTasks = count;
    },
  });
  let hasEnded = false;
  void exited.then(() => {
    hasEnded = true;
  });
  return {
    port,
    secret,
    get hasEnded() {
      return hasEnded;
    },
    get pendingTasks() {
      return pendingTasks;
    },
    async failure() {
      // The connection ends slightly before the process. If the process is still running, only the request was lost.
      await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, END_MS))]);
      return failureOf(recent);
    },
    async end() {
      child.stdin?.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
      await exited;
      clearTimeout(timer);
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

interface StartingProcess {
  readonly child: ChildProcess;
  readonly secret: string;
  readonly print: (line: string) => void;
  /** Resolves after the last output. */
  readonly exited: Promise<unknown>;
  /** The latest lines. */
  readonly output: readonly string[];
  readonly onTasks: (count: number) => void;
}

/** Resolves with the port. @throws {WorkerFailure} of kind `boot`. */
function untilListening({ child, secret, print, exited, output, onTasks }: StartingProcess): Promise<number> {
  return new Promise<number>((resolve, reject) => {
    let reason: string | undefined;
    const timer = setTimeout(() => {
      reason = `The function did not start within ${START_MS / 1000} seconds`;
      child.kill('SIGKILL');
    }, START_MS);
    readLines(child, secret, print, (message) => {
      if (message.type === 'tasks') onTasks(message.count);
      else if (message.type === 'failed') ({ reason } = message);
      else {
        clearTimeout(timer);
        resolve(message.port);
      }
    });
    void exited.then(() => {
      clearTimeout(timer);
      const known = reason ?? (output.join('\n') || 'It ended without a call of Deno.serve()');
      reject(new WorkerFailure('boot', known));
    });
  });
}

const failureOf = (lines: readonly string[]): WorkerFailure =>
  lines.some((line) => line.includes('JavaScript out of memory') || line.includes('heap out of memory'))
    ? new WorkerFailure('limit', `It needed more than ${MAX_HEAP_MIB} MiB`)
    : new WorkerFailure('crash', lines.find((line) => line.includes('rror')) ?? 'The process ended');

function denoArguments(
  { entrypoint, asksForMain, config, importMap }: FunctionSource,
  secret: string,
): string[] {
  const map = `data:application/json,${encodeURIComponent(JSON.stringify(importMap))}`;
  return [
    'run',
    '--quiet',
    '--no-prompt',
    '--no-lock',
    '--node-modules-dir=none',
    '--unstable-no-legacy-abort',
    `--v8-flags=--max-old-space-size=${MAX_HEAP_MIB}`,
    '--allow-net',
    '--allow-env',
    '--allow-read',
    '--allow-sys',
    '--allow-import',
    '--allow-write=/tmp',
    ...(config === undefined ? ['--no-config'] : ['--config', config]),
    '--import-map',
    map,
    ...(asksForMain
      ? ['--preload', main.href, entrypoint.href, secret]
      : [main.href, secret, entrypoint.href]),
  ];
}

function denoEnvironment({ usesPackageJson }: FunctionSource): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => inherited.test(name));
  return {
    // The system's store may contain the certificates of a company's proxy.
    DENO_TLS_CA_STORE: 'mozilla,system',
    DENO_NO_UPDATE_CHECK: '1',
    NO_COLOR: '1',
    // The packages of the application around `supabase/` are not for its functions.
    ...(!usesPackageJson && { DENO_NO_PACKAGE_JSON: '1' }),
    ...Object.fromEntries(kept),
  };
}

function readLines(
  { stdout, stderr }: ChildProcess,
  secret: string,
  print: (line: string) => void,
  receive: (message: WorkerMessage) => void,
): void {
  if (!stdout || !stderr) return;
  createInterface({ input: stderr }).on('line', print);
  createInterface({ input: stdout }).on('line', (line) => {
    // The function's output may end without a newline before the message.
    const at = line.indexOf(secret);
    if (at === -1) return print(line);
    if (at > 0) print(line.slice(0, at));
    return receive(JSON.parse(line.slice(at + secret.length)) as WorkerMessage);
  });
}
