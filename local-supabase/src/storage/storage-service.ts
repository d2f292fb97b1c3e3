import { Hono } from 'hono';
import type { Claims } from '../keys/keys.ts';
import { createBucketRoutes } from './buckets.ts';
import { createCdnRoutes } from './cdn.ts';
import { createLifecycleRoutes, expireVersions } from './lifecycle.ts';
import { createLinkTokens } from './link-tokens.ts';
import { createLinkRoutes } from './links.ts';
import { createObjectRoutes } from './objects.ts';
import { createResumableRoutes } from './resumable/resumable-routes.ts';
import { sweepUploads } from './resumable/upload-state.ts';
import type { StorageContext, StorageServiceOptions } from './storage-context.ts';
import { answerStorageError } from './storage-error.ts';
import { asCaller, withEffects } from './transaction.ts';
import { createTransferRoutes } from './transfers.ts';

/** The storage API under /storage/v1: buckets, objects, signed links. */
export interface StorageService {
  /** @param claims from the caller's verified token, else from the API key. */
  handle(request: Request, claims: Claims): Promise<Response>;
  /** Removes resumable uploads and versions of objects whose time is over. */
  sweep(): Promise<void>;
}

export function createStorageService(options: StorageServiceOptions): StorageService {
  const { database, keys, now, objects } = options;
  const callers = new WeakMap<Request, Claims>();
  const claimsOf = (request: Request): Claims => callers.get(request) ?? { role: 'anon' };
  const context: StorageContext = {
    ...options,
    links: createLinkTokens(keys, now),
    claimsOf,
    run: (request, task) => withEffects((begun) => asCaller(database, claimsOf(request), begun), task),
    runAllowed: (task) => withEffects(database.transaction, task),
  };
  const app = new Hono().basePath('/storage/v1');
  app.route('/bucket', createBucketRoutes(context));
  app.route('/bucket', createLifecycleRoutes(context));
  app.route('/cdn', createCdnRoutes(context));
  app.route('/upload/resumable', createResumableRoutes(context));
  app.route('/object', createLinkRoutes(context));
  app.route('/object', createTransferRoutes(context));
  app.route('/object', createObjectRoutes(context));
  app.onError(answerStorageError);
  app.notFound((c) =>
    c.json({ statusCode: '404', error: 'Not Found', message: `Route ${c.req.path} not found` }, 404),
  );
  return {
    async handle(request, claims) {
      callers.set(request, claims);
      return app.fetch(request);
    },
    async sweep() {
      await sweepUploads(context);
      await expireVersions({ database, objects }, now());
    },
  };
}
