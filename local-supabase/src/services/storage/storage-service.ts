import { Hono } from 'hono';
import { requestLineOf } from '../../http/request-line.ts';
import { createBucketRoutes } from './buckets.ts';
import type { StorageCaller } from './caller.ts';
import { createLifecycleRoutes, expireVersions } from './lifecycle.ts';
import { createLinkTokens } from './link-tokens.ts';
import { createLinkRoutes } from './links.ts';
import { createListRoutes } from './list-routes.ts';
import { createReadRoutes } from './objects.ts';
import { operationOf } from './operation.ts';
import { createRemovalRoutes } from './removal.ts';
import { createResumableRoutes } from './resumable/resumable-routes.ts';
import { sweepUploads } from './resumable/upload-state.ts';
import type { StorageContext, StorageServiceOptions } from './storage-context.ts';
import { accessDenied, storageErrorResponse, invalidRequest } from './storage-error.ts';
import { withCallerRole, withServiceRole, withEffects, type RequestScope } from './transaction.ts';
import { createTransferRoutes } from './transfers.ts';
import { createUploadRoutes } from './upload-routes.ts';

/** The storage API under /storage/v1: buckets, objects, signed links. */
export interface StorageService {
  /** @param caller from the caller's token, else from the API key. */
  handle(request: Request, caller: StorageCaller): Promise<Response>;
  /** Removes expired resumable uploads and object versions. */
  sweep(): Promise<void>;
}

const PREFIX = '/storage/v1';
const DEFAULT_LIMIT_BYTES = 50 * 1024 ** 3;
/** The service's error for an empty token. */
const NO_TOKEN = 'Invalid Compact JWS';

export function createStorageService(options: StorageServiceOptions): StorageService {
  const { database, objects, now } = options;
  const context = createContext(options);
  const app = new Hono({ getPath: routePathOf });
  app.get('/status', () => new Response(null, { headers: { 'content-length': '0' } }));
  app.get('/version', (c) =>
    c.body('0.0.0', 200, { 'content-type': 'text/plain; charset=utf-8', 'content-length': '5' }),
  );
  app.get('/health', async (c) => {
    context.admit(c.req.raw, { isHeaderChecked: false });
    return c.json({ healthy: true });
  });
  app.route('/bucket', createBucketRoutes(context));
  app.route('/bucket', createLifecycleRoutes(context));
  app.route('/cdn', createCdnRoutes(context));
  app.route('/upload/resumable', createResumableRoutes(context));
  app.route('/object', createLinkRoutes(context));
  app.route('/object', createListRoutes(context));
  app.route('/object', createTransferRoutes(context));
  app.route('/object', createReadRoutes(context));
  app.route('/object', createUploadRoutes(context));
  app.route('/object', createRemovalRoutes(context));
  app.onError(storageErrorResponse);
  app.notFound((c) => notFoundResponse(c.req.raw));
  const callers = callersOf(context);
  return {
    async handle(request, caller) {
      if (hasBadEscape(rawPathOf(request))) return badUrlResponse(request);
      callers.set(request, caller);
      return app.fetch(request);
    },
    async sweep() {
      await sweepUploads(context);
      await expireVersions({ database, objects }, now());
    },
  };
}

const registries = new WeakMap<StorageContext, WeakMap<Request, StorageCaller>>();
const callersOf = (context: StorageContext) =>
  registries.get(context) ?? new WeakMap<Request, StorageCaller>();

function createContext(options: StorageServiceOptions): StorageContext {
  const { database, keys, now } = options;
  const callers = new WeakMap<Request, StorageCaller>();
  const callerOf = (request: Request): StorageCaller => callers.get(request) ?? null;
  const scopeOf = (request: Request): RequestScope => {
    const caller = callerOf(request);
    const { claims, token } =
      caller !== null && 'claims' in caller ? caller : { claims: { role: 'anon' }, token: '' };
    const headers = Object.fromEntries(request.headers);
    return {
      claims,
      token,
      // The gateway adds the token of an API key.
      headers: token === '' ? headers : { authorization: `Bearer ${token}`, ...headers },
      method: requestLineOf(request).method,
      target: targetOf(request),
      operation: operationOf(request),
    };
  };
  const context: StorageContext = {
    ...options,
    fileSizeLimitBytes: options.fileSizeLimitBytes ?? DEFAULT_LIMIT_BYTES,
    links: createLinkTokens(keys, now),
    callerOf,
    admit(request, { isHeaderChecked = true } = {}) {
      const caller = callerOf(request);
      if (caller === null && !isHeaderChecked) throw accessDenied(NO_TOKEN);
      if (caller === null)
        throw invalidRequest("headers must have required property 'authorization'", 'Error');
      if ('problem' in caller) throw accessDenied(caller.problem);
      return caller.claims;
    },
    run: (request, task) => withEffects((begun) => withCallerRole(database, scopeOf(request), begun), task),
    runAllowed: (request, task) =>
      withEffects((begun) => withServiceRole(database, scopeOf(request), begun), task),
  };
  registries.set(context, callers);
  return context;
}

/** The routes below /cdn. This service has no cache, so a purge does nothing. */
function createCdnRoutes({ admit }: StorageContext): Hono {
  const app = new Hono();
  app.on('DELETE', ['', '/', '/:bucket', '/:bucket/:path{.+}'], (c) => {
    if (admit(c.req.raw).role !== 'service_role') throw accessDenied('Access denied: Invalid role', 403);
    return c.json({ message: 'success' });
  });
  return app;
}

const targetOf = (request: Request): string => requestLineOf(request).target.slice(PREFIX.length);
/** The path as the client sent it, because names may contain segments that a URL parser resolves. */
const rawPathOf = (request: Request): string => targetOf(request).replace(/\?.*/s, '');

/** The service ignores a trailing slash of these two paths only. */
const routePathOf = (request: Request): string => {
  const path = rawPathOf(request);
  return path === '/bucket/' || path === '/cdn/' ? path.slice(0, -1) : path;
};

const hasBadEscape = (path: string): boolean => {
  try {
    decodeURIComponent(path);
    return false;
  } catch {
    return true;
  }
};

function badUrlResponse(request: Request): Response {
  const message = `'${targetOf(request)}' is not a valid url component`;
  return Response.json(
    { error: 'Bad Request', code: 'FST_ERR_BAD_URL', message, statusCode: 400 },
    { status: 400 },
  );
}

/** The parts of the service with their own error format for unknown routes. */
const OWN_NOT_FOUND = /^\/(?:bucket|object|render\/image|cdn|vector)(?:\/|$)/;

function notFoundResponse(request: Request): Response {
  const { method } = requestLineOf(request);
  const target = targetOf(request);
  const message = `Route ${method}:${target} not found`;
  return OWN_NOT_FOUND.test(rawPathOf(request))
    ? Response.json(
        { statusCode: '404', error: 'Not Found', message, code: 'InvalidRequest' },
        { status: 404 },
      )
    : Response.json({ message, error: 'Not Found', statusCode: 404 }, { status: 404 });
}
