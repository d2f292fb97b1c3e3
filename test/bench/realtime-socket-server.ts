/** The server of `realtime-socket.bench.ts`, in a separate process: accepts every join and sends frames on demand. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

const topic = 'realtime:room';
const columns = ['id', 'owner', 'status', 'content', 'created_at'].map((name) => ({ name, type: 'text' }));
let sent = 0;

const frames = {
  changes: () => [
    'postgres_changes',
    {
      ids: [1],
      data: {
        schema: 'public',
        table: 'notes',
        type: 'INSERT',
        // Each change in a separate transaction.
        commit_timestamp: new Date(Date.UTC(2026, 0) + sent).toISOString(),
        columns,
        errors: null,
        record: {
          id: `00000000-0000-4000-8000-${String((sent += 1)).padStart(12, '0')}`,
          owner: 'ada00000-0000-4000-8000-000000000001',
          status: 'unread',
          content: '{"type":"mention","metadata":{}}',
          created_at: '2026-01-01T00:00:00.000Z',
        },
      },
    },
  ],
  broadcasts: () => ['broadcast', { type: 'broadcast', event: 'note', payload: { index: (sent += 1) } }],
};

const server = createServer();
const sockets = new WebSocketServer({ server });
const socketsByKey = new Map<string | null, WebSocket>();
sockets.on('connection', (socket, { url = '' }) => {
  socketsByKey.set(new URL(url, 'http://localhost').searchParams.get('apikey'), socket);
  socket.on('message', (data: Buffer) => {
    const [joinRef, ref, to, event] = JSON.parse(data.toString()) as string[];
    const response =
      event === 'phx_join'
        ? { postgres_changes: [{ event: '*', schema: 'public', table: 'notes', id: 1 }] }
        : {};
    socket.send(JSON.stringify([joinRef, ref, to, 'phx_reply', { status: 'ok', response }]));
    const confirmation = { extension: 'postgres_changes', status: 'ok', message: 'Subscribed to PostgreSQL' };
    if (event === 'phx_join') socket.send(JSON.stringify([joinRef, null, to, 'system', confirmation]));
  });
  socket.on('error', () => {});
});

interface Order {
  /** The public key of the receiving client. */
  readonly to: string;
  readonly kind: keyof typeof frames;
  readonly count: number;
  /** Milliseconds between two frames; 0 for a burst. */
  readonly everyMs: number;
}

process.on('message', ({ to, kind, count, everyMs }: Order) => {
  const send = (upTo: number) => {
    const frame = () => JSON.stringify([null, null, topic, ...frames[kind]()]);
    for (; done < upTo; done += 1) socketsByKey.get(to)?.send(frame());
  };
  let done = 0;
  if (everyMs === 0) return send(count);
  const start = performance.now();
  const timer = setInterval(() => {
    send(Math.min(count, Math.floor((performance.now() - start) / everyMs)));
    if (done >= count) clearInterval(timer);
  }, 2);
});

server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
