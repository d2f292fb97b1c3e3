import { Hono } from 'hono';
import type { StorageContext } from './storage-context.ts';
import { accessDenied } from './storage-error.ts';

/** The routes below /cdn. This service has no cache, so a purge does nothing. */
export function createCdnRoutes({ admit }: StorageContext): Hono {
  const app = new Hono();
  app.on('DELETE', ['', '/', '/:bucket', '/:bucket/:path{.+}'], (c) => {
    if (admit(c.req.raw).role !== 'service_role') throw accessDenied('Access denied: Invalid role', 403);
    return c.json({ message: 'success' });
  });
  return app;
}
