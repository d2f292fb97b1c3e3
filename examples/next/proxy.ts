import { NextResponse, type NextRequest } from 'next/server';
import { createServerClients } from 'supabase-protocol-clients/server';
import { project } from './lib/supabase';

/** Renews the session before anything is rendered, and keeps visitors without one out of `/todos`. */
export async function proxy(request: NextRequest) {
  const changed: Parameters<NextResponse['cookies']['set']>[] = [];
  const headers = new Headers();
  const { auth } = createServerClients({
    ...project,
    cookies: {
      getAll: () => request.cookies.getAll(),
      setAll(changes, noStoreHeaders) {
        // First for what renders this request…
        for (const { name, value, options } of changes) {
          if (options.maxAge > 0) request.cookies.set(name, value);
          else request.cookies.delete(name);
          changed.push([name, value, options]);
        }
        for (const [name, value] of Object.entries(noStoreHeaders)) headers.set(name, value);
      },
    },
  });
  const token = await auth.getAccessToken().catch(() => null);
  const isClosed = request.nextUrl.pathname.startsWith('/todos') && token === null;
  // …then the response, which copies the cookies of the request…
  const response = isClosed
    ? NextResponse.redirect(new URL('/login', request.url))
    : NextResponse.next({ request });
  // …then the cookies for the browser, which a response made earlier would lack.
  for (const cookie of changed) response.cookies.set(...cookie);
  headers.forEach((value, name) => response.headers.set(name, value));
  return response;
}

export const config = { matcher: ['/((?!_next/static|_next/image|favicon.ico).*)'] };
