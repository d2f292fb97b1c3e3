import { Hono } from 'hono';

import type { Database } from '../../database/database.ts';
import type { TokenKeys } from '../../keys/keys.ts';
import { createCall } from './http/call.ts';
import type { AuthContext, AuthMailer, ReadTemplate, SmsBox, Transport } from './context.ts';
import { encodeError } from './http/error-response.ts';
import { AuthHttpError, OAuthError, refuseNul, WeakPasswordError } from './http/errors.ts';
import { parseHooks } from './hooks/hook-settings.ts';
import { createRateLimiter } from './http/rate-limiter.ts';
import {
  groupPaths,
  type Handler,
  pathsWithOptionalSlash,
  routes,
  subtreeChecks,
  subtreeFallbacks,
} from './routes.ts';
import { type AuthSettings, completeAuthSettings } from './settings.ts';
import { saveConnections } from './sso/connection.ts';
import { sweep } from './sweep.ts';
import { createTestProvider } from './test-provider/test-provider.ts';

export interface AuthServiceOptions {
  readonly database: Database;
  readonly keys: TokenKeys;
  readonly mailer: AuthMailer;
  readonly smsBox: SmsBox;
  readonly settings?: Partial<AuthSettings>;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly siteUrl?: string;
  /** Patterns of further URLs that mails and providers may redirect to. */
  readonly redirectUrls?: readonly string[];
  /** The project's URL, as clients reach it. Default: the origin of each request. */
  readonly url?: () => string;
  /** Default: the service's own texts. */
  readonly readTemplate?: ReadTemplate;
  /** How the service reaches other servers. Default: the network. */
  readonly transport?: Partial<Transport>;
  /** Receives errors that the protocol does not define; clients get 500. */
  readonly report?: (error: unknown) => void;
}

export interface AuthService {
  /** Handles a request to `/auth/v1`. Never rejects. */
  handle(request: Request): Promise<Response>;
  /** Deletes expired codes, flows, tokens, challenges and sessions. */
  sweep(): Promise<void>;
}

const sleep = (delayMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, delayMs);
    signal.addEventListener('abort', abort, { once: true });
  });

const networkTransport: Transport = { fetch: async (request) => fetch(request), sleep };

const basePath = '/auth/v1';

function createContext(options: AuthServiceOptions): AuthContext {
  const { mailer, now = Date.now } = options;
  const settings = completeAuthSettings(options.settings);
  return {
    database: options.database,
    keys: options.keys,
    mailer,
    smsBox: options.smsBox,
    settings,
    now,
    siteUrl: options.siteUrl ?? 'http://localhost:5173',
    redirectUrls: options.redirectUrls ?? [],
    readTemplate: options.readTemplate ?? (() => Promise.resolve({ subject: null, html: null })),
    limiter: createRateLimiter(settings.rateLimits, now),
    testProvider: createTestProvider(now),
    hooks: parseHooks(settings.hooks),
    transport: { ...networkTransport, ...options.transport },
    report: options.report ?? (() => undefined),
  };
}

const isExpectedError = (error: unknown): boolean =>
  error instanceof AuthHttpError || error instanceof OAuthError || error instanceof WeakPasswordError;

/** Creates the auth service. The database must contain `schema.sql`. */
export async function createAuthService(options: AuthServiceOptions): Promise<AuthService> {
  const context = createContext(options);
  await saveConnections(context.database, context.now(), context.settings.ssoConnections);
  const app = new Hono().basePath(basePath);
  for (const { path, check } of subtreeChecks)
    app.use(`${path}/*`, async (c, next) => {
      try {
        check(context);
      } catch (error) {
        return encodeError(error, c.req.raw.headers);
      }
      return next();
    });
  const run =
    (handler: Handler) =>
    async (request: Request, params: Record<string, string>): Promise<Response> => {
      const origin = options.url?.() ?? new URL(request.url).origin;
      const call = createCall(request, params, origin + basePath);
      try {
        return await handler(context, call);
      } catch (thrown) {
        const error = refuseNul(thrown);
        if (!isExpectedError(error)) context.report(error);
        return encodeError(error, request.headers, call.responseHeaders);
      }
    };
  const pathsOf = (path: string): string[] =>
    pathsWithOptionalSlash.has(path) ? [path, `${path}/`] : [path];
  for (const path of groupPaths) app.all(path, (c) => c.notFound());
  for (const { method, path, handler } of routes)
    app.on(method, pathsOf(path), async (c, next) =>
      // The router hands a HEAD request to the route of GET, which would spend the token of a link.
      c.req.raw.method === method ? run(handler)(c.req.raw, c.req.param()) : next(),
    );
  for (const { path } of routes) {
    const allow = routes.filter((route) => route.path === path).map(({ method }) => method);
    app.on(
      ['ALL'],
      pathsOf(path),
      () => new Response(null, { status: 405, headers: { Allow: allow.join(', ') } }),
    );
  }
  for (const { path, handler } of subtreeFallbacks)
    app.all(`${path}/*`, async (c) => run(handler)(c.req.raw, {}));
  app.notFound((c) => c.text('404 page not found\n', 404));
  return {
    handle: async (request) => app.fetch(request),
    sweep: async () => sweep(context),
  };
}
