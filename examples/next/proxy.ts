import { NextResponse, type NextRequest } from 'next/server';
import { createServerClients } from 'supabase-protocol-clients/server';
import { project } from './lib/supabase';

/** Refreshes the session before rendering, and redirects visitors without one from `/todos`. */
export async function proxy(request: NextRequest) {
  const changed: Parameters<NextResponse['cookies']['set']>[] = [];
  const headers = new Headers();
  const { auth } = createServerClients({
    ...project,
    cookies: {
      getAll: () => request.cookies.getAll(),
      setAll(changes, noStoreHeaders) {
        // First update the request's cookies for rendering…
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
  // …then create the response, which copies the request's cookies…
  const response = isClosed
    ? NextResponse.redirect(new URL('/login', request.url))
    : NextResponse.next({ request });
  // …then set the browser's cookies, which an earlier response would lack.
  for (const cookie of changed) response.cookies.set(...cookie);
  headers.forEach((value, name) => response.headers.set(name, value));
  return response;
}

export const config = { matcher: ['/((?!_next/static|_next/image|favicon.ico).*)'] };
