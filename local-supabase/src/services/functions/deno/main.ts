/**
 * The program that Deno runs for one function: it loads the entrypoint, serves the handler that the entrypoint
 * registers, and sends messages to its parent as lines of standard output. Arguments: the parent's secret, and the
 * entrypoint's URL unless Deno runs the entrypoint itself after this module.
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
/** How long after its module has loaded a function may take to call `Deno.serve`. */
const REGISTRATION_MS = 5000;

const send = (message: WorkerMessage): void => {
  const bytes = new TextEncoder().encode(`${secret}${JSON.stringify(message)}\n`);
  for (let sent = 0; sent < bytes.length;) sent += deno.stdout.writeSync(bytes.subarray(sent));
};
const tasks = createBackgroundTasks((count) => send({ type: 'tasks', count }));

let register: (handler: Handler) => void = () => undefined;
const registered = new Promise<Handler>((resolve) => {
  register = resolve;
});

/** Replaces `Deno.serve`, because the parent assigns the port. */
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

/** As in `Deno.serve`, a handler that throws yields a 500. */
function guard(handler: Handler, onError: ServeOptions['onError']): Handler {
  const respondToError =
    onError ??
    ((problem: unknown) => {
      console.error(problem);
      return new Response('Internal Server Error', { status: 500 });
    });
  return async (request, info) => {
    try {
      return await handler(request, info);
    } catch (problem) {
      return respondToError(problem);
    }
  };
}

/** The handler that a module exports, as for `deno serve`. */
function exportedHandler(exported: unknown): Handler | undefined {
  const value =
    typeof exported === 'object' && exported !== null && 'fetch' in exported ? exported.fetch : undefined;
  return typeof value === 'function'
    ? guard((request, info) => (value as Handler).call(exported, request, info), undefined)
    : undefined;
}

/** Rejects requests that do not come from the parent, whose gateway checks tokens. */
function forParent(handler: Handler): Handler {
  return (request, info) => {
    if (request.headers.get('x-local-supabase-secret') !== secret) return new Response(null, { status: 403 });
    // Deno upgrades only its original request object.
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
      { port: 0, hostname: '127.0.0.1', onListen: ({ port }: Address) => send({ type: 'ready', port }) },
      forParent(handler),
    );
  } catch (problem) {
    send({ type: 'failed', reason: reasonOf(problem) });
    console.error(traceOf(problem));
    deno.exit(1);
  }
}

/** Ends with standard input, which the parent closes to stop the function, and the system closes when the parent dies. */
async function endWithParent(): Promise<void> {
  const reader = deno.stdin.readable.getReader();
  while (!(await reader.read()).done);
  globalThis.dispatchEvent(new CustomEvent('beforeunload', { detail: { reason: 'termination' } }));
  await tasks.settled();
  deno.exit(0);
}

/** Replaces the inference of the vendor's runtime, which is not available here: using a session fails. */
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

/** Deno's module errors have a `code` and a complete message; others need their class name. */
function reasonOf(problem: unknown): string {
  if (!(problem instanceof Error)) return String(problem);
  return 'code' in problem ? problem.message : `${problem.name}: ${problem.message}`;
}

/** The stack without the lines of this module. */
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
// Deno loads the entrypoint when this module has nothing left to do.
if (entrypoint === undefined) void registered.then(run);
else void run();
