import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { parseFrame, type Frame } from '../target/frames.ts';
import type { ConformanceTarget } from '../target/target.ts';
import { at, parseJson } from '../target/wire.ts';

/** A request as the client sent it. */
export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly json: unknown;
}

/** A proxy in front of the project that records traffic and injects faults. */
export interface RecordingProxy {
  readonly url: string;
  to(path: string): readonly ProxiedRequest[];
  readonly requests: readonly ProxiedRequest[];
  readonly sent: readonly Frame[];
  readonly socketUrls: readonly string[];
  /** Responds to the next request to a path in place of the server; null breaks the connection. */
  scriptResponse(path: string, response: { readonly status: number; readonly body: string } | null): void;
  /** Makes the sessions of later responses expire after this many seconds. */
  shortenSessions(seconds: number | null): void;
  close(): Promise<void>;
}

interface ScriptedResponse {
  readonly path: string;
  readonly response: { readonly status: number; readonly body: string } | null;
}

export async function openRecordingProxy(target: ConformanceTarget): Promise<RecordingProxy> {
  const requests: ProxiedRequest[] = [];
  const sent: Frame[] = [];
  const socketUrls: string[] = [];
  const scripted: ScriptedResponse[] = [];
  let lifetimeSeconds: number | null = null;
  const projectUrl = target.authUrl.replace(/\/auth\/v1$/, '');

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { pathname, search, searchParams } = new URL(incoming.url ?? '/', projectUrl);
    const headers = toHeaders(incoming);
    const body = await readBody(incoming);
    const method = incoming.method ?? 'GET';
    if (method !== 'OPTIONS') {
      const json = parseJson(body.toString());
      requests.push({ method, path: pathname, query: searchParams, headers, json });
    }
    const index = scripted.findIndex(({ path }) => path === pathname);
    const [script] = index < 0 ? [] : scripted.splice(index, 1);
    if (script) {
      if (script.response === null) return void incoming.socket.destroy();
      outgoing.writeHead(script.response.status, { 'content-type': 'application/json' });
      return void outgoing.end(script.response.body);
    }
    const response = await target.fetch(
      projectUrl + pathname + search,
      forwardedRequest(method, headers, body),
    );
    const text = withLifetime(Buffer.from(await response.arrayBuffer()), lifetimeSeconds);
    outgoing.writeHead(response.status, forwardedHeaders(response));
    return void outgoing.end(text);
  };

  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (client, { url = '' }) => {
    socketUrls.push(url);
    relay(client, new WebSocket(`${target.realtimeUrl}${url.slice(url.indexOf('?'))}`), target, sent);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    sent,
    socketUrls,
    to: (path) => requests.filter((request) => request.path === path),
    scriptResponse: (path, response) => void scripted.push({ path, response }),
    shortenSessions: (seconds) => void (lifetimeSeconds = seconds),
    async close() {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function forwardedRequest(method: string, headers: Headers, body: Buffer) {
  for (const name of ['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding'])
    headers.delete(name);
  const sent = body.length > 0 && { body: new Uint8Array(body) };
  return { method, headers, redirect: 'manual', ...sent } as const;
}

function forwardedHeaders({ headers }: Response): Record<string, string> {
  const kept = [...headers].filter(
    ([name]) => !/^(?:content-(?:length|encoding)|transfer-encoding|connection)$/.test(name),
  );
  return Object.fromEntries(kept);
}

function toHeaders({ headers }: IncomingMessage): Headers {
  const copied = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) copied.set(name, Array.isArray(value) ? value.join(', ') : value);
  return copied;
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Returns the body of a session with another lifetime, and other bodies unchanged. */
function withLifetime(body: Buffer, seconds: number | null): Buffer {
  const json = seconds === null ? undefined : parseJson(body.toString());
  if (seconds === null || typeof at(json, 'refresh_token') !== 'string') return body;
  const expires_at = Math.floor(Date.now() / 1000) + seconds;
  return Buffer.from(JSON.stringify({ ...(json as object), expires_in: seconds, expires_at }));
}

function relay(client: WebSocket, upstream: WebSocket, target: ConformanceTarget, sent: Frame[]): void {
  const opened = once(upstream, 'open').catch(() => client.terminate());
  client.on('message', (data, isBinary) => {
    const text = (data as Buffer).toString();
    if (!isBinary && text.startsWith('[')) {
      sent.push(parseFrame(text));
      target.onFrame?.('sent', text);
    }
    void opened.then(() => upstream.send(data, { binary: isBinary }));
  });
  upstream.on('message', (data, isBinary) => {
    if (!isBinary) target.onFrame?.('received', (data as Buffer).toString());
    client.send(data, { binary: isBinary });
  });
  client.on('close', () => upstream.close());
  upstream.on('close', () => client.close());
  upstream.on('error', () => client.terminate());
  client.on('error', () => upstream.terminate());
}
