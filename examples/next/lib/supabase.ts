import { cookies } from 'next/headers';
import { connection } from 'next/server';
import { cache } from 'react';
import { createServerClients, type ServerClients } from 'supabase-protocol-clients/server';
import type { Database } from './database.types';

/** The project. Browsers send cookies without `Secure` over http, too, which `next dev` and tests use. */
export const project = {
  url: process.env['SUPABASE_URL'] ?? '',
  apiKey: process.env['SUPABASE_PUBLISHABLE_KEY'] ?? '',
  cookieOptions: { secure: process.env.NODE_ENV === 'production' && !process.env['COOKIES_OVER_HTTP'] },
  auth: { callbackPaths: ['/callback'] },
};

/** The application's URL, for mailed links. The `Host` of a request cannot be trusted. */
export const siteUrl = process.env['SITE_URL'] ?? 'http://localhost:3000';

/**
 * The request's clients for server components, which cannot set cookies: the proxy has already refreshed the session.
 * `cache` shares them among the components of a page.
 */
export const createPageClients = cache(async (): Promise<ServerClients<Database>> => {
  // Tokens are compared with the current time, which is unknown during prerendering, as for a prefetch.
  await connection();
  const store = await cookies();
  return createServerClients({ ...project, cookies: { getAll: () => store.getAll() } });
});

/** The request's clients for server actions and route handlers, which can set cookies. */
export async function createActionClients(): Promise<ServerClients<Database>> {
  const store = await cookies();
  return createServerClients({
    ...project,
    cookies: {
      getAll: () => store.getAll(),
      setAll(changes) {
        for (const { name, value, options } of changes) store.set(name, value, options);
      },
    },
  });
}
