/** The server of `live-lists.bench.ts`, in a separate process: a table by REST, and its changes by websocket, on demand. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

interface Row {
  readonly id: string;
  readonly title: string;
  readonly version: number;
}

const columns = ['id', 'title', 'version'].map((name) => ({ name, type: 'text' }));
const rows = new Map<string, Row>();
const idOf = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
let requests = 0;
let commits = 0;

const server = createServer(({ url = '' }, response) => {
  requests += 1;
  const ids = /[?&]id=in\.\(([^)]*)\)/.exec(decodeURIComponent(url))?.[1]?.replaceAll('"', '').split(',');
  const found = ids ? ids.flatMap((id) => rows.get(id) ?? []) : [...rows.values()];
  response.setHeader('content-type', 'application/json').end(JSON.stringify(found));
});
/** By the public key of the client: its socket, and the topics that it has joined. */
const clients = new Map<string, { readonly socket: WebSocket; readonly topics: Set<string> }>();
new WebSocketServer({ server }).on('connection', (socket, { url = '' }) => {
  const topics = new Set<string>();
  clients.set(new URL(url, 'http://localhost').searchParams.get('apikey') ?? '', { socket, topics });
  socket.on('message', (data: Buffer) => {
    const [joinRef, ref, topic, event, payload] = JSON.parse(data.toString()) as [
      string,
      string,
      string,
      string,
      { readonly config?: { readonly postgres_changes: readonly object[] } },
    ];
    const bound = payload.config?.postgres_changes.map((binding) => Object.assign(binding, { id: 1 }));
    const reply = { status: 'ok', response: bound ? { postgres_changes: bound } : {} };
    socket.send(JSON.stringify([joinRef, ref, topic, 'phx_reply', reply]));
    if (event !== 'phx_join') return;
    topics.add(topic);
    const confirmation = { extension: 'postgres_changes', status: 'ok', message: 'Subscribed to PostgreSQL' };
    socket.send(JSON.stringify([joinRef, null, topic, 'system', confirmation]));
  });
  socket.on('error', () => {});
});

/** Writes the row, and notifies every topic of the client. */
function write(index: number, to: string): void {
  commits += 1;
  const record = { id: idOf(index), title: `Title ${commits}`, version: commits };
  const type = rows.has(record.id) ? 'UPDATE' : 'INSERT';
  rows.set(record.id, record);
  const commit = new Date(Date.UTC(2026, 0) + commits).toISOString();
  const data = { schema: 'public', table: 'notes', type, commit_timestamp: commit, columns, errors: null };
  const { socket, topics } = clients.get(to) ?? {};
  const change = { ids: [1], data: { ...data, record, old_record: { id: record.id } } };
  for (const topic of topics ?? [])
    socket?.send(JSON.stringify([null, null, topic, 'postgres_changes', change]));
}

export type Order =
  /** Empties the table and fills it with `count` rows. */
  | { readonly type: 'fill'; readonly count: number }
  /** Writes `count` rows, this many per second. */
  | { readonly type: 'write'; readonly to: string; readonly count: number; readonly perSecond: number }
  | { readonly type: 'count' };

process.on('message', (order: Order) => {
  if (order.type === 'count') return void process.send?.({ requests, version: commits });
  if (order.type === 'fill') {
    rows.clear();
    for (let index = 0; index < order.count; index += 1)
      rows.set(idOf(index), { id: idOf(index), title: `Title ${index}`, version: 0 });
    return void process.send?.('filled');
  }
  const { to, count, perSecond } = order;
  const start = performance.now();
  let done = 0;
  const timer = setInterval(() => {
    const due = Math.min(count, Math.floor(((performance.now() - start) / 1_000) * perSecond));
    for (; done < due; done += 1) write(done, to);
    if (done < count) return;
    clearInterval(timer);
    process.send?.('written');
  }, 2);
});

server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
