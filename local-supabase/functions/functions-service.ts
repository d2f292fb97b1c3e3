import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Service } from '../gateway/gateway.ts';
import { readBearer } from '../gateway/bearer.ts';
import type { TokenKeys } from '../keys/keys.ts';

/** Answers the requests to one function. */
export type FunctionHandler = (request: Request) => Promise<Response> | Response;

export interface FunctionsServiceOptions {
  readonly keys: TokenKeys;
  /** Handlers by name; they come before those of the folder. */
  readonly handlers?: Readonly<Record<string, FunctionHandler>>;
  /** A folder with `<name>/index.ts` that exports a handler, or `{ fetch }`, by default. */
  readonly folder?: URL;
  readonly report?: (problem: unknown) => void;
}

const PROJECT_FOLDER = new URL('../../supabase/functions/', import.meta.url);

/** The functions under /functions/v1/<name>; a verified token is needed, as with `verify_jwt`. */
export function createFunctionsService(options: FunctionsServiceOptions): Service {
  const { keys, handlers = {}, folder = PROJECT_FOLDER, report = console.error } = options;
  return {
    async handle(request) {
      if (request.method === 'OPTIONS') return new Response('ok');
      const [, name = ''] = /^\/functions\/v1\/([\w-]+)/.exec(new URL(request.url).pathname) ?? [];
      const refusal = await checkToken(request, keys);
      if (refusal) return refusal;
      const handler = Object.hasOwn(handlers, name) ? handlers[name] : await loadHandler(folder, name);
      if (!handler) return answerError(404, 'NOT_FOUND', 'Requested function was not found');
      try {
        return await handler(request);
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
  const { default: exported } = (await import(new URL(`${name}/index.ts`, folder).href)) as {
    default: FunctionHandler | { fetch: FunctionHandler };
  };
  return typeof exported === 'function' ? exported : exported.fetch;
}

function answerError(status: number, code: string, message: string): Response {
  return Response.json({ code, message }, { status, headers: { 'sb-error-code': code } });
}
