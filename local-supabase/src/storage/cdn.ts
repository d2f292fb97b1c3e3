import { Hono } from 'hono';
import type { StorageContext } from './storage-context.ts';
import { StorageError } from './storage-error.ts';

/** The routes below /cdn: there is no cache in front of this service, so a purge has nothing to remove. */
export function createCdnRoutes({ claimsOf }: StorageContext): Hono {
  const app = new Hono();
  app.on('DELETE', ['/', '/:bucket', '/:bucket/:path{.+}'], (c) => {
    if (claimsOf(c.req.raw).role !== 'service_role')
      throw new StorageError(403, 'AccessDenied', 'Access denied: Invalid role', 'Unauthorized');
    return c.json({ message: 'success' });
  });
  return app;
}
