import { Hono } from 'hono';
import type { Claims } from '../keys/keys.ts';
import { createBucketRoutes } from './buckets.ts';
import { createLinkRoutes } from './links.ts';
import { createObjectRoutes } from './objects.ts';
import type { StorageContext, StorageServiceOptions } from './storage-context.ts';
import { answerStorageError } from './storage-error.ts';
import { asCaller, withEffects } from './transaction.ts';

/** The storage API under /storage/v1: buckets, objects, signed links. */
export interface StorageService {
  /** @param claims from the caller's verified token, else from the API key. */
  handle(request: Request, claims: Claims): Promise<Response>;
}

export function createStorageService(options: StorageServiceOptions): StorageService {
  const { database } = options;
  const callers = new WeakMap<Request, Claims>();
  const context: StorageContext = {
    ...options,
    run: (request, task) =>
      withEffects((begun) => asCaller(database, callers.get(request) ?? { role: 'anon' }, begun), task),
    runAllowed: (task) => withEffects(database.transaction, task),
  };
  const app = new Hono().basePath('/storage/v1');
  app.route('/bucket', createBucketRoutes(context));
  app.route('/object', createLinkRoutes(context));
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
  };
}
