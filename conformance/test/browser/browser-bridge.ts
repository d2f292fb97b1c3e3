import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { startWorkerSite } from 'local-supabase/testing';
import { chromium, type Page } from 'playwright-core';
import { WebSocketServer, type WebSocket } from 'ws';
import { browserArgs, findBrowser } from '../../../scripts/browser.ts';
import type { ConformanceTarget } from '../../src/target/target.ts';
import type { SocketEvent } from './bridge-page.ts';

/** A project in a browser's worker that audits reach over ports, like any server. */
export interface BrowserBridge {
  readonly target: ConformanceTarget;
  close(): Promise<void>;
}

const here = fileURLToPath(new URL('./', import.meta.url));

/**
 * Starts Chromium with a page whose worker runs the project, and a server that forwards requests and sockets to the
 * page. Like a proxy, it replaces the project's own URL by the server's in headers and texts.
 */
export async function openBrowserBridge(): Promise<BrowserBridge> {
  const site = await startWorkerSite(`${here}bridge-page.ts`, `${here}bridge-worker.ts`);
  const browser = await chromium.launch({ executablePath: findBrowser(), args: [...browserArgs] });
  const page = await browser.newPage();
  const sockets = createSocketTable(page);
  await page.exposeFunction('emitToSocket', sockets.receive);
  await page.goto(site.origin);
  const addresses = await page.evaluate(() => window.bridge.addresses());
  const api = await listen(page, addresses.url);
  const mailbox = await listen(page, addresses.mailboxUrl, [[addresses.url, api.url]]);
  api.server.on('upgrade', sockets.upgrade(addresses.url));
  return {
    target: {
      authUrl: `${api.url}/auth/v1`,
      restUrl: `${api.url}/rest/v1`,
      storageUrl: `${api.url}/storage/v1`,
      realtimeUrl: `${api.url.replace(/^http/, 'ws')}/realtime/v1/websocket`,
      anonKey: addresses.anonKey,
      serviceKey: addresses.serviceRoleKey,
      mailboxUrl: mailbox.url,
      smsInMailbox: true,
      redirectTo: 'http://localhost:5173/home',
      fetch: (input, init) => fetch(input, init),
      query: (text, values = []) =>
        page.evaluate(([sql, list]) => window.bridge.query(sql, list), [text, values] as const),
      createsTables: true,
    },
    async close() {
      await browser.close();
      for (const { server } of [api, mailbox]) {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }
      await site.close();
    },
  };
}

/** Opens a port that forwards requests to a URL of the project. */
async function listen(page: Page, projectUrl: string, replaced: readonly [string, string][] = []) {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const rename = (text: string) =>
    [...replaced, [projectUrl, url] as const].reduce((now, [from, to]) => now.replaceAll(from, to), text);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    passOn(page, projectUrl, rename, request, response).catch((problem: unknown) =>
      response.headersSent ? response.destroy() : response.writeHead(502).end(String(problem)),
    );
  });
  return { server, url };
}

/** Headers of one connection, and headers that pages cannot set. */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'host',
  'content-length',
  'transfer-encoding',
]);

async function passOn(
  page: Page,
  projectUrl: string,
  rename: (text: string) => string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { method = 'GET', url = '/' } = incoming;
  const bytes = await buffer(incoming);
  const hasBody = method !== 'GET' && method !== 'HEAD' && bytes.length > 0;
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
    ofConnection.has(name) ? [] : values.map((value): [string, string] => [name, value]),
  );
  const response = await page.evaluate((request) => window.bridge.request(request), {
    url: projectUrl + url,
    method,
    headers,
    body: hasBody ? bytes.toString('base64') : null,
  });
  const body = Buffer.from(response.body, 'base64');
  const isText = /json|text/.test(new Headers([...response.headers]).get('content-type') ?? '');
  // Without a body, the length is that of a GET response.
  const isPassedOn = (name: string) =>
    !ofConnection.has(name) || (method === 'HEAD' && name === 'content-length');
  for (const [name, value] of response.headers)
    if (isPassedOn(name)) outgoing.appendHeader(name, rename(value));
  const sent = isText ? Buffer.from(rename(body.toString())) : body;
  const hasLength = response.headers.some(([name]) => name === 'content-length');
  if (hasLength && method !== 'HEAD') outgoing.setHeader('content-length', sent.length);
  outgoing.writeHead(response.status).end(sent);
}

/** The page's sockets for the audits. */
function createSocketTable(page: Page) {
  const receivers = new Map<number, (event: SocketEvent) => void>();
  let lastId = 0;
  const server = new WebSocketServer({ noServer: true });

  const connect = (id: number, socket: WebSocket) => {
    receivers.set(id, (event) => {
      if (event.kind === 'text') socket.send(event.data);
      else if (event.kind === 'binary') socket.send(Buffer.from(event.data, 'base64'));
      else if (event.kind === 'closed') {
        receivers.delete(id);
        if (event.code === 1006) socket.terminate();
        else socket.close(event.code, event.reason);
      }
    });
    socket.on('message', (data: Buffer, isBinary) => {
      const text = data.toString(isBinary ? 'base64' : 'utf8');
      void page
        .evaluate(([...call]) => window.bridge.send(...call), [id, text, isBinary] as const)
        .catch(() => socket.terminate());
    });
    socket.on('close', () => {
      void page.evaluate((closed) => window.bridge.close(closed), id).catch(() => undefined);
    });
  };
  return {
    receive: (id: number, event: SocketEvent) => receivers.get(id)?.(event),
    upgrade: (projectUrl: string) => (request: IncomingMessage, stream: Duplex, head: Buffer) => {
      const id = (lastId += 1);
      // A page learns only that a handshake was refused, not why.
      receivers.set(id, ({ kind }) => {
        if (kind === 'opened') server.handleUpgrade(request, stream, head, (socket) => connect(id, socket));
        else stream.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      });
      const url = projectUrl.replace(/^http/, 'ws') + (request.url ?? '/');
      void page.evaluate(([...call]) => window.bridge.open(...call), [id, url] as const);
    },
  };
}
