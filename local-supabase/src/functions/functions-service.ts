import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Service } from '../gateway/gateway.ts';
import { readBearer } from '../gateway/bearer.ts';
import type { TokenKeys } from '../keys/keys.ts';
import type { FunctionRuntime } from './function-runtime.ts';

/** The settings of one function, from `[functions.<name>]`. */
export interface FunctionSettings {
  /** Default true. A disabled function is not found. */
  readonly enabled?: boolean;
  /** Whether a request needs a valid token. Default true. */
  readonly verifyJwt?: boolean;
}

/** Handles the requests to one function. */
export type FunctionHandler = (request: Request, runtime: FunctionRuntime) => Promise<Response> | Response;

export interface FunctionsServiceOptions {
  readonly keys: TokenKeys;
  /** Handlers by name; they take precedence over the folder. */
  readonly handlers?: Readonly<Record<string, FunctionHandler>>;
  readonly settings?: Readonly<Record<string, FunctionSettings>>;
  /** A folder with `<name>/index.ts` that exports a handler, or `{ fetch }`, by default. */
  readonly folder: URL;
  readonly report?: (problem: unknown) => void;
  /** Environment, clock and network of the functions. */
  readonly runtime: () => Promise<FunctionRuntime>;
}

/** Serves the functions under /functions/v1/<name>. */
export function createFunctionsService(options: FunctionsServiceOptions): Service {
  const { keys, handlers = {}, settings = {}, folder, report = console.error, runtime } = options;
  return {
    async handle(request) {
      if (request.method === 'OPTIONS') return new Response('ok');
      const [, name = ''] = /^\/functions\/v1\/([\w-]+)/.exec(new URL(request.url).pathname) ?? [];
      const { enabled = true, verifyJwt = true } = Object.hasOwn(settings, name)
        ? (settings[name] ?? {})
        : {};
      const refusal = verifyJwt ? await checkToken(request, keys) : undefined;
      if (refusal) return refusal;
      if (!enabled) return answerError(404, 'NOT_FOUND', 'Requested function was not found');
      const handler = Object.hasOwn(handlers, name) ? handlers[name] : await loadHandler(folder, name);
      if (!handler) return answerError(404, 'NOT_FOUND', 'Requested function was not found');
      try {
        return await handler(request, await runtime());
      } catch (problem) {
        report(problem);
        return answerError(500, 'WORKER_ERROR', 'Function exited due to an error (please check logs)');
      }
    },
  };
}

async function checkToken(request: Request, keys: TokenKeys): Promise<Response | undefined> {
  const token = readBearer(request);
  if (token === null) return answerError(401, 'UNAUTHORIZED_NO_AUTH_HEADER', 'Missing authorization header');
  const check = await keys.verify(token);
  return check.ok ? undefined : answerError(401, 'UNAUTHORIZED_INVALID_JWT', 'Invalid JWT');
}

async function loadHandler(folder: URL, name: string): Promise<FunctionHandler | undefined> {
  const names = await readdir(fileURLToPath(folder)).catch((): string[] => []);
  if (!names.includes(name)) return undefined;
  const { default: exported } = await importTypeScript(new URL(`${name}/index.ts`, folder).href);
  // A folder without `"type": "module"` gives what CommonJS exports.
  const handler = typeof exported === 'object' && 'default' in exported ? exported.default : exported;
  return typeof handler === 'function' ? handler : handler.fetch;
}

type Exported = FunctionHandler | { readonly fetch: FunctionHandler };

interface FunctionModule {
  readonly default: Exported | { readonly default: Exported };
}

/** Node before 22.18 does not load TypeScript by itself. */
async function importTypeScript(href: string): Promise<FunctionModule> {
  try {
    return (await import(href)) as FunctionModule;
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw problem;
    const { tsImport } = await import('tsx/esm/api');
    return (await tsImport(href, import.meta.url)) as FunctionModule;
  }
}

function answerError(status: number, code: string, message: string): Response {
  return Response.json({ code, message }, { status, headers: { 'sb-error-code': code } });
}
