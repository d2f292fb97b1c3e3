import { cookies } from 'next/headers';
import { createServerClients, type ServerClients } from 'supabase-protocol-clients/server';

/** The project of the application, and cookies over http, because the test has no certificate. */
export const project = {
  url: process.env['SUPABASE_URL'] ?? '',
  apiKey: process.env['SUPABASE_KEY'] ?? '',
  cookieOptions: { secure: false },
  auth: { callbackPaths: ['/callback'] },
};

/** For route handlers, which may set cookies. */
export async function createRouteClients(): Promise<ServerClients> {
  const store = await cookies();
  return createServerClients({
    ...project,
    cookies: {
      getAll: () => store.getAll(),
      setAll: (changes) => changes.forEach(({ name, value, options }) => store.set(name, value, options)),
    },
  });
}

/** For server components, which may not: the proxy has refreshed the session before. */
export async function createPageClients(): Promise<ServerClients> {
  const store = await cookies();
  return createServerClients({ ...project, cookies: { getAll: () => store.getAll() } });
}
