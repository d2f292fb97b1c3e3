import { decodeProtectedHeader } from 'jose';
import type { Service } from '../../http/in-process.ts';
import { readBearer } from '../../keys/bearer.ts';
import type { TokenKeys } from '../../keys/keys.ts';
import type { FunctionRuntime } from './function-runtime.ts';
import { failureResponse, WorkerFailure } from './worker-failure.ts';

/** The settings of one function, from `[functions.<name>]`. */
export interface FunctionSettings {
  /** Whether the function exists for callers. Default true. */
  readonly enabled?: boolean;
  /** Whether a request needs a valid token. Default true. */
  readonly verifyJwt?: boolean;
  /** The import map, relative to `supabase/`. Default: `deno.json` or `import_map.json` of its folder. */
  readonly importMap?: string;
  /** The module of the function, relative to `supabase/`. Default: `functions/<name>/index.ts`. */
  readonly entrypoint?: string;
}

export type FunctionHandler = (request: Request, runtime: FunctionRuntime) => Promise<Response> | Response;

/** Runs the functions in files. */
export interface FunctionRunner {
  has(name: string): Promise<boolean>;
  /** @throws {WorkerFailure} if the function does not respond. */
  fetch(name: string, request: Request): Promise<Response>;
  close(): Promise<void>;
}

export interface FunctionsServiceOptions {
  readonly keys: TokenKeys;
  /** Handlers by name; they take precedence over the runner. */
  readonly handlers?: Readonly<Record<string, FunctionHandler>>;
  readonly settings?: Readonly<Record<string, FunctionSettings>>;
  /** Default: only the handlers are functions. */
  readonly runner?: FunctionRunner | undefined;
  readonly report?: (problem: unknown) => void;
  /** Environment, clock and network of the handlers. */
  readonly runtime: () => Promise<FunctionRuntime>;
}

export interface FunctionsService extends Service {
  /** Checks a request before it reaches its function, and returns the response if it is refused. */
  refuse(request: Request): Promise<Response | undefined>;
  /** Whether tokens are checked, as each function's settings say; false accepts every request. */
  setVerification(isOn: boolean): void;
}

export const functionName = (request: Request): string =>
  /^\/functions\/v1\/([\w-]+)/.exec(new URL(request.url).pathname)?.[1] ?? '';

/** Serves the functions under /functions/v1/<name>. */
export function createFunctionsService(options: FunctionsServiceOptions): FunctionsService {
  const { keys, handlers = {}, settings = {}, runner, report = console.error, runtime } = options;
  let isVerifying = true;
  const refuse = async (request: Request) => {
    const name = functionName(request);
    const { enabled = true, verifyJwt = true } = Object.hasOwn(settings, name) ? (settings[name] ?? {}) : {};
    const refusal = verifyJwt && isVerifying ? await checkToken(request, keys) : undefined;
    if (refusal) return refusal;
    const exists = enabled && (Object.hasOwn(handlers, name) || (await runner?.has(name)) === true);
    return exists ? undefined : errorResponse(404, 'NOT_FOUND', 'Requested function was not found');
  };
  return {
    refuse,
    setVerification(isOn) {
      isVerifying = isOn;
    },
    async handle(request) {
      if (request.method === 'OPTIONS') return new Response('ok');
      const refusal = await refuse(request);
      if (refusal) return refusal;
      const name = functionName(request);
      const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
      try {
        if (handler) return await handler(request, await runtime());
        if (runner) return await runner.fetch(name, request);
      } catch (problem) {
        if (problem instanceof WorkerFailure) return failureResponse(problem);
        report(problem);
      }
      return errorResponse(500, 'WORKER_ERROR', 'Function exited due to an error (please check logs)');
    },
  };
}

const ASYMMETRIC: ReadonlySet<string> = new Set(['ES256', 'RS256']);

/** Responds as the platform does before a function with `verify_jwt` runs; an API key is not a token. */
async function checkToken(request: Request, keys: TokenKeys): Promise<Response | undefined> {
  const token = readBearer(request);
  if (token === null)
    return errorResponse(401, 'UNAUTHORIZED_NO_AUTH_HEADER', 'Missing authorization header');
  const algorithm = algorithmOf(token);
  if (algorithm === undefined) return errorResponse(401, 'UNAUTHORIZED_INVALID_JWT_FORMAT', 'Invalid JWT');
  if (algorithm !== 'HS256' && !ASYMMETRIC.has(algorithm)) {
    const message = `Unsupported JWT algorithm ${algorithm}`;
    return errorResponse(401, 'UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM', message);
  }
  if ((await keys.verify(token)).ok) return undefined;
  const kind = algorithm === 'HS256' ? 'LEGACY' : 'ASYMMETRIC';
  return errorResponse(401, `UNAUTHORIZED_${kind}_JWT`, 'Invalid JWT');
}

function algorithmOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).alg;
  } catch {
    return undefined;
  }
}

function errorResponse(status: number, code: string, message: string): Response {
  return Response.json({ code, message }, { status, headers: { 'sb-error-code': code } });
}
