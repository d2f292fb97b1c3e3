import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { Hono } from 'hono';

import type { Database } from '../database/database.ts';
import type { TokenKeys } from '../keys/keys.ts';
import { createCall } from './http/call.ts';
import type { AuthContext, AuthMailer, SmsBox, Transport } from './context.ts';
import { encodeError } from './http/error-response.ts';
import { AuthHttpError, OAuthError, WeakPasswordError } from './http/errors.ts';
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
import type { MailKind } from './mail/mail-template.ts';
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
  /** Patterns of further URLs that mails and providers may lead to. */
  readonly redirectUrls?: readonly string[];
  /** The project's URL, as clients reach it. Default: the origin of each request. */
  readonly url?: () => string;
  /** A folder of mail templates (`confirmation.html`, `magic_link.html`, …). */
  readonly templates: URL;
  /** Subjects and files of single mails; they replace the file of the folder. */
  readonly mailTemplates?: MailTemplates;
  /** How the service reaches other servers. Default: the network. */
  readonly transport?: Partial<Transport>;
  /** Receives errors that the protocol does not define; clients get 500. */
  readonly report?: (error: unknown) => void;
}

export interface AuthService {
  /** Answers a request whose path begins with `/auth/v1`. Never rejects. */
  handle(request: Request): Promise<Response>;
  /** Deletes expired codes, flows, tokens, challenges and sessions. */
  sweep(): Promise<void>;
}

/** The subject and template file of each mail. */
export type MailTemplates = Readonly<
  Partial<Record<MailKind, { readonly subject?: string; readonly file?: URL }>>
>;

const networkTransport: Transport = {
  fetch: async (request) => fetch(request),
  sleep: async (delayMs, signal) => sleep(delayMs, undefined, { signal }),
};

const basePath = '/auth/v1';

/** Reads the files for each mail, so that a change takes effect without a restart. */
function createTemplateReader(folder: URL, own: MailTemplates = {}): AuthContext['readTemplate'] {
  return async (kind) => {
    const file = own[kind]?.file ?? new URL(`${kind}.html`, folder);
    const html = await readFile(file, 'utf8').catch(() => null);
    return { subject: own[kind]?.subject ?? null, html };
  };
}

function createContext(options: AuthServiceOptions): AuthContext {
  const { mailer, now = Date.now } = options;
  const settings = completeAuthSettings(options.settings);
  const { templates } = options;
  return {
    database: options.database,
    keys: options.keys,
    mailer,
    smsBox: options.smsBox,
    settings,
    now,
    siteUrl: options.siteUrl ?? 'http://localhost:5173',
    redirectUrls: options.redirectUrls ?? [],
    readTemplate: createTemplateReader(templates, options.mailTemplates),
    limiter: createRateLimiter(settings.rateLimits, now),
    testProvider: createTestProvider(now),
    hooks: parseHooks(settings.hooks),
    transport: { ...networkTransport, ...options.transport },
    report: options.report ?? (() => undefined),
  };
}

const isAnswer = (error: unknown): boolean =>
  error instanceof AuthHttpError || error instanceof OAuthError || error instanceof WeakPasswordError;

/** Creates the auth service over a database that has `schema.sql`. */
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
      } catch (error) {
        if (!isAnswer(error)) context.report(error);
        return encodeError(error, request.headers);
      }
    };
  const pathsOf = (path: string): string[] =>
    pathsWithOptionalSlash.has(path) ? [path, `${path}/`] : [path];
  for (const path of groupPaths) app.all(path, (c) => c.notFound());
  for (const { method, path, handler } of routes)
    app.on(method, pathsOf(path), async (c) => run(handler)(c.req.raw, c.req.param()));
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
