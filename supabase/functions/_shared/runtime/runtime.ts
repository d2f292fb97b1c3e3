import process from 'node:process';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a function takes from its surroundings. The embedded service passes its own clock, settings and fetch. */
export interface Runtime {
  readonly env: Environment;
  readonly fetch: typeof fetch;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export type FunctionHandler = (request: Request, runtime: Runtime) => Promise<Response>;

interface DenoServer {
  serve(handler: (request: Request) => Promise<Response>): unknown;
}

/** Serves the handler where Deno runs the module; elsewhere the default export of the module is called. */
export function serveFunction(handler: FunctionHandler): FunctionHandler {
  const { Deno: deno } = globalThis as { Deno?: DenoServer };
  deno?.serve((request) => handler(request, { env: process.env, fetch, now: Date.now }));
  return handler;
}

/** A secret of the function's environment is missing. */
export class MissingSettingError extends Error {
  override readonly name = 'MissingSettingError';
  constructor(setting: string) {
    super(`The environment of the function lacks ${setting}. Set it with: supabase secrets set ${setting}=…`);
  }
}

/** @throws {MissingSettingError} if it is missing or empty. */
export function requireSetting(env: Environment, setting: string): string {
  const value = env[setting];
  if (!value) throw new MissingSettingError(setting);
  return value;
}
