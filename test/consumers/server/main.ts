// Renders a page for the user of a request's cookies and keeps the session alive. Prints its port.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createServerClients,
  NO_STORE_HEADERS,
  parseCookieHeader,
  serializeCookie,
} from 'supabase-protocol-clients/server';

const [url = '', apiKey = ''] = process.argv.slice(2);

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { auth, rest } = createServerClients({
    url,
    apiKey,
    cookieOptions: { secure: false },
    cookies: {
      getAll: () => parseCookieHeader(request.headers.cookie ?? ''),
      setAll: (cookies) => response.setHeader('Set-Cookie', cookies.map(serializeCookie)),
    },
  });
  // A page for one user must not be stored for another, whether it sets cookies or not.
  response.setHeaders(new Map(Object.entries(NO_STORE_HEADERS)));
  const session = await auth.getSession();
  if (!session) {
    response.writeHead(303, { Location: '/login' }).end();
    return;
  }
  // The data service verifies the token; the cookie's user is unverified.
  const unread = await rest.from('notifications').count().eq('status', 'unread');
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.end(`<!doctype html><title>Inbox</title><p>${session.user.email}: ${unread} unread</p>`);
}

const server = createServer((request, response) => {
  handle(request, response).catch((problem: unknown) => {
    console.error(problem);
    response.writeHead(502).end();
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
