/**
 * What Deno runs for one function: it loads the function's entrypoint, serves the handler that this registers, and tells
 * its parent by lines on standard output. Arguments: the secret of the parent, and the entrypoint's URL unless Deno runs the
 * entrypoint itself after this module.
 */
import { createBackgroundTasks } from './background-tasks.ts';
import type { WorkerMessage } from './worker-message.ts';

type Handler = (request: Request, info: unknown) => Response | Promise<Response>;

interface ServeOptions {
  readonly handler?: Handler;
  readonly fetch?: Handler;
  readonly port?: number;
  readonly hostname?: string;
  readonly onError?: (problem: unknown) => Response | Promise<Response>;
  readonly onListen?: (address: Address) => void;
}

interface Address {
  readonly transport: 'tcp';
  readonly hostname: string;
  readonly port: number;
}

/** The part of Deno's namespace that is used here. */
interface DenoNamespace {
  readonly args: readonly string[];
  readonly stdin: { readonly readable: ReadableStream<Uint8Array> };
  readonly stdout: { writeSync(bytes: Uint8Array): number };
  serve(...args: readonly unknown[]): unknown;
  exit(code: number): never;
}

const { Deno: deno } = globalThis as unknown as { readonly Deno: DenoNamespace };
const [secret = '', entrypoint] = deno.args;
const serve = deno.serve.bind(deno);
/** How long a function may take after its module has loaded until it calls `Deno.serve`. */
const REGISTRATION_MS = 5000;

const send = (message: WorkerMessage): void => {
  const bytes = new TextEncoder().encode(`${secret}${JSON.stringify(message)}\n`);
  for (let sent = 0; sent < bytes.length;) sent += deno.stdout.writeSync(bytes.subarray(sent));
};
const tasks = createBackgroundTasks((count) => send({ kind: 'tasks', count }));

let register: (handler: Handler) => void = () => undefined;
const registered = new Promise<Handler>((resolve) => {
  register = resolve;
});

/** Takes the place of `Deno.serve`: the parent chooses the port. */
function serveHere(...args: readonly (Handler | ServeOptions)[]): unknown {
  const options = args.find((arg): arg is ServeOptions => typeof arg === 'object') ?? {};
  const handler =
    args.find((arg): arg is Handler => typeof arg === 'function') ?? options.handler ?? options.fetch;
  if (!handler) throw new TypeError('A handler function must be provided');
  register(guard(handler, options.onError));
  const address: Address = {
    transport: 'tcp',
    hostname: options.hostname ?? '0.0.0.0',
    port: options.port ?? 8000,
  };
  options.onListen?.(address);
  const shutdown = () => Promise.resolve();
  return {
    addr: address,
    finished: new Promise(() => undefined),
    shutdown,
    ref() {},
    unref() {},
    [Symbol.asyncDispose]: shutdown,
  };
}

/** As `Deno.serve`, answers 500 to a request whose handler throws. */
function guard(handler: Handler, onError: ServeOptions['onError']): Handler {
  const answerError =
    onError ??
    ((problem: unknown) => {
      console.error(problem);
      return new Response('Internal Server Error', { status: 500 });
    });
  return async (request, info) => {
    try {
      return await handler(request, info);
    } catch (problem) {
      return answerError(problem);
    }
  };
}

/** The handler of a module that exports it, as `deno serve` takes it. */
function exportedHandler(exported: unknown): Handler | undefined {
  const value =
    typeof exported === 'object' && exported !== null && 'fetch' in exported ? exported.fetch : undefined;
  return typeof value === 'function'
    ? guard((request, info) => (value as Handler).call(exported, request, info), undefined)
    : undefined;
}

/** Refuses callers other than the parent, whose gateway checks tokens. */
function forParent(handler: Handler): Handler {
  return (request, info) => {
    if (request.headers.get('x-local-supabase-secret') !== secret) return new Response(null, { status: 403 });
    // A request for a websocket must stay the one that Deno gave.
    if (request.headers.has('upgrade')) return handler(request, info);
    const headers = new Headers(request.headers);
    headers.delete('x-local-supabase-secret');
    return handler(new Request(request, { headers }), info);
  };
}

async function load(url: string): Promise<Handler> {
  const { default: exported } = (await import(url)) as { readonly default?: unknown };
  const handler = exportedHandler(exported);
  if (handler) return handler;
  const late = new Promise<never>((_, reject) => {
    const reason = 'The function neither calls Deno.serve() nor exports a default object with fetch()';
    setTimeout(() => reject(new Error(reason)), REGISTRATION_MS);
  });
  return Promise.race([registered, late]);
}

async function run(): Promise<void> {
  void endWithParent();
  try {
    const handler = await (entrypoint === undefined ? registered : load(entrypoint));
    serve(
      { port: 0, hostname: '127.0.0.1', onListen: ({ port }: Address) => send({ kind: 'ready', port }) },
      forParent(handler),
    );
  } catch (problem) {
    send({ kind: 'failed', reason: reasonOf(problem) });
    console.error(traceOf(problem));
    deno.exit(1);
  }
}

/** The parent closes standard input when the function must end, and the system does when the parent has died. */
async function endWithParent(): Promise<void> {
  const reader = deno.stdin.readable.getReader();
  while (!(await reader.read()).done);
  globalThis.dispatchEvent(new CustomEvent('beforeunload', { detail: { reason: 'termination' } }));
  await tasks.settled();
  deno.exit(0);
}

/** The inference of the vendor's runtime, which nothing here replaces: a session is refused when it is used. */
class Session {
  readonly model: string;
  constructor(model: string) {
    this.model = model;
  }
  run(): Promise<never> {
    const reason = `Supabase.ai.Session("${this.model}") is not available in the local Supabase`;
    return Promise.reject(new Error(reason));
  }
}

/** A module that cannot be loaded has a code, and a message that says all. */
function reasonOf(problem: unknown): string {
  if (!(problem instanceof Error)) return String(problem);
  return 'code' in problem ? problem.message : `${problem.name}: ${problem.message}`;
}

/** Without the lines of this module. */
const traceOf = (problem: unknown): string =>
  problem instanceof Error && !('code' in problem) && problem.stack !== undefined
    ? problem.stack
        .split('\n')
        .filter((line) => !line.includes(import.meta.url))
        .join('\n')
    : reasonOf(problem);

Object.assign(deno, { serve: serveHere });
Object.assign(globalThis, {
  EdgeRuntime: { waitUntil: tasks.waitUntil },
  Supabase: { ai: { Session } },
});
// Deno loads the entrypoint once nothing is pending here.
if (entrypoint === undefined) void registered.then(run);
else void run();
