// Renders a page for whoever the request's cookies say, and keeps their session alive. Prints its port.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  NO_STORE_HEADERS,
  readSessionCookies,
  refreshOnServer,
  type SessionReply,
  writeSessionCookies,
} from 'supabase-protocol-clients/auth-client/server';
import { createBrowserPlatform } from 'supabase-protocol-clients/platform';
import { createRestClient } from 'supabase-protocol-clients/rest-client';

const [url = '', apiKey = ''] = process.argv.slice(2);
const project = { url, apiKey, platform: createBrowserPlatform() };
const storageKey = `sb-${new URL(url).hostname.split('.')[0]}-auth-token`;

/** Requests of one page come together: they share the refresh of the session that they share. */
const refreshes = new Map<string, ReturnType<typeof refreshOnServer>>();

function refreshOnce(session: { readonly refresh_token: string }): ReturnType<typeof refreshOnServer> {
  const key = session.refresh_token;
  const known = refreshes.get(key);
  if (known) return known;
  const refresh = refreshOnServer(project, session);
  refreshes.set(key, refresh);
  setTimeout(() => refreshes.delete(key), 10_000).unref();
  return refresh;
}

async function handle(existing: string, response: ServerResponse): Promise<void> {
  let session = readSessionCookies(existing, storageKey);
  let reply: SessionReply | null = null;
  if (session && (session.expires_at ?? 0) * 1000 < Date.now()) {
    session = await refreshOnce(session);
    reply = writeSessionCookies(session, { storageKey, existing });
  }
  // A page for one user must not be stored for another, whether it sets cookies or not.
  response.setHeaders(new Map(Object.entries(NO_STORE_HEADERS)));
  if (reply) response.setHeader('Set-Cookie', [...reply.setCookies]);
  if (!session) {
    response.writeHead(303, { Location: '/login' }).end();
    return;
  }
  const { access_token: token, user } = session;
  const rest = createRestClient({ ...project, getAccessToken: async () => token });
  // The data service verifies the token; what the cookie says of the user is only what the browser says.
  const unread = await rest.from('notifications').count().eq('status', 'unread');
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.end(`<!doctype html><title>Inbox</title><p>${user.email}: ${unread} unread</p>`);
}

const server = createServer((request, response) => {
  handle(request.headers.cookie ?? '', response).catch((problem: unknown) => {
    console.error(problem);
    response.writeHead(502).end();
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
