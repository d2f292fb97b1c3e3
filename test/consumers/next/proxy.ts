import { NextResponse, type NextRequest } from 'next/server';
import { createServerClients } from 'supabase-protocol-clients/server';
import { project } from './clients';

/** Next's middleware: refreshes the session for what renders the request, and for the browser. */
export async function proxy(request: NextRequest) {
  const changed: Parameters<NextResponse['cookies']['set']>[] = [];
  const headers = new Headers();
  const { auth } = createServerClients({
    ...project,
    cookies: {
      getAll: () => request.cookies.getAll(),
      setAll(changes, noStoreHeaders) {
        for (const { name, value, options } of changes) {
          if (options.maxAge > 0) request.cookies.set(name, value);
          else request.cookies.delete(name);
          changed.push([name, value, options]);
        }
        for (const [name, value] of Object.entries(noStoreHeaders)) headers.set(name, value);
      },
    },
  });
  await auth.getAccessToken().catch(() => null);
  const response = NextResponse.next({ request });
  for (const cookie of changed) response.cookies.set(...cookie);
  headers.forEach((value, name) => response.headers.set(name, value));
  return response;
}
