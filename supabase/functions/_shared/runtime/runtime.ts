import process from 'node:process';
import { InvalidRequestError } from './parse.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The dependencies of a function. The embedded service passes its own clock, settings and fetch. */
export interface Runtime {
  readonly env: Environment;
  readonly fetch: typeof fetch;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export type FunctionHandler = (request: Request, runtime: Runtime) => Promise<Response>;

export interface FunctionOptions {
  /** The methods that reach the handler; others get 405. */
  readonly methods: readonly string[];
  /** Headers of every response, errors included. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface DenoServer {
  serve(handler: (request: Request) => Promise<Response>): unknown;
}

/**
 * Serves the handler where Deno runs the module; elsewhere the default export of the module is called. A request of another
 * shape gets 400 and a missing setting 500, both as `{"code", "message"}`. Only the log names the setting, because anyone may
 * send the request.
 */
export function serveFunction(options: FunctionOptions, handler: FunctionHandler): FunctionHandler {
  const handle: FunctionHandler = async (request, runtime) => {
    const response = await respond(request, runtime, options, handler);
    for (const [name, value] of Object.entries(options.headers ?? {})) response.headers.set(name, value);
    return response;
  };
  const { Deno: deno } = globalThis as { Deno?: DenoServer };
  deno?.serve((request) => handle(request, { env: process.env, fetch, now: Date.now }));
  return handle;
}

async function respond(
  request: Request,
  runtime: Runtime,
  { methods, headers }: FunctionOptions,
  handler: FunctionHandler,
): Promise<Response> {
  // A preflight request, which the platform leaves to the function.
  if (request.method === 'OPTIONS' && headers) return new Response('ok');
  if (!methods.includes(request.method))
    return errorResponse(405, 'method_not_allowed', `The method is ${methods.join(' or ')}`);
  try {
    return await handler(request, runtime);
  } catch (problem) {
    if (problem instanceof InvalidRequestError)
      return errorResponse(400, 'validation_failed', problem.message);
    if (problem instanceof MissingSettingError || problem instanceof InvalidSettingError) {
      reportToOperator(problem.message);
      return errorResponse(
        500,
        'function_misconfigured',
        'The function lacks a setting, which its log names',
      );
    }
    throw problem;
  }
}

/** Writes to the log of the function, which the platform shows to the project's operators. */
export function reportToOperator(message: string): void {
  // oxlint-disable-next-line no-console -- A function has no other way to its operators.
  console.error(message);
}

export function errorResponse(status: number, code: string, message: string): Response {
  return Response.json({ code, message }, { status });
}

/** A secret of the function's environment is missing. */
export class MissingSettingError extends Error {
  override readonly name = 'MissingSettingError';
  constructor(setting: string) {
    // A hosted project refuses secrets with the platform's own prefix.
    const advice = setting.startsWith('SUPABASE_')
      ? 'The platform sets it for deployed functions.'
      : `Set it with: supabase secrets set ${setting}=…`;
    super(`The environment of the function lacks ${setting}. ${advice}`);
  }
}

/** A secret of the function's environment cannot be used. */
export class InvalidSettingError extends Error {
  override readonly name = 'InvalidSettingError';
  /** @param expected what it should be. The value is not reported. */
  constructor(setting: string, expected: string, options?: ErrorOptions) {
    super(`The setting ${setting} of the function cannot be used: it is not ${expected}.`, options);
  }
}

/** @throws {MissingSettingError} if it is missing or empty. */
export function requireSetting(env: Environment, setting: string): string {
  const value = env[setting];
  if (!value) throw new MissingSettingError(setting);
  return value;
}
