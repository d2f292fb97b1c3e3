/**
 * Compares ten live lists on one socket with the same lists over the vendor's client, written as in its guides: one read, then
 * each change's record is put into an array. The server runs in another process. Measures CPU time per change, requests and
 * memory, with 10 and 1,000 changes a second, and 100 and 10,000 rows. Run: `npm run bench live-lists`
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { REALTIME_SUBSCRIBE_STATES, RealtimeClient as VendorClient } from '@supabase/realtime-js';
import { WebSocket } from 'ws';
import type * as BrowserPlatform from '../../src/platform/browser-platform.ts';
import type * as LiveQuery from '../../src/realtime-client/live-query/live-query.ts';
import type * as Realtime from '../../src/realtime-client/index.ts';
import type * as Rest from '../../src/rest-client/index.ts';
import type * as WebSocketAdapter from '../../src/platform/web-socket.ts';
import { bundle } from './bundle.ts';
import type { Order } from './live-list-server.ts';
import { reportMetric } from './report.ts';

type Modules = typeof BrowserPlatform &
  typeof LiveQuery &
  typeof Realtime &
  typeof Rest &
  typeof WebSocketAdapter;
const modules = (await import(
  await bundle(
    'live-lists',
    `export { createPlatform } from './src/platform/browser-platform.ts';
     export { adaptWebSocket } from './src/platform/web-socket.ts';
     export { createLiveQuery } from './src/realtime-client/live-query/live-query.ts';
     export { createRealtimeClient } from './src/realtime-client/index.ts';
     export { createRestClient } from './src/rest-client/index.ts';`,
  )
)) as Modules;

const lists = 10;
const server = fork(new URL('./live-list-server.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
const [port] = (await once(server, 'message')) as [number];
const url = `http://127.0.0.1:${port}`;
const ask = async <Reply>(order: Order): Promise<Reply> => {
  const reply = once(server, 'message');
  server.send(order);
  const [message] = (await reply) as [Reply];
  return message;
};
const readCounters = () => ask<{ readonly requests: number; readonly version: number }>({ type: 'count' });

interface Row {
  readonly id: string;
  readonly title: string;
  readonly version: number;
}
interface Database {
  readonly public: { readonly Tables: { readonly notes: { readonly Row: Row } } };
}
/** Ten lists of one client. */
interface Subject {
  readonly versions: () => readonly number[];
  readonly close: () => void;
}
const newestOf = (rows: readonly Row[]) => rows.reduce((newest, { version }) => Math.max(newest, version), 0);

async function openOurs(key: string): Promise<Subject> {
  const { createPlatform, adaptWebSocket, createRestClient, createRealtimeClient, createLiveQuery } = modules;
  const platform = createPlatform({ openSocket: (to) => adaptWebSocket(new WebSocket(to)) });
  const rest = createRestClient<Database>({ url, apiKey: key, platform });
  const client = createRealtimeClient({ url, apiKey: key, platform });
  const queries = Array.from({ length: lists }, (_, index) =>
    createLiveQuery({
      platform,
      channel: client.channel(`list-${index}`),
      query: rest.from('notes').select('id, title, version'),
      key: 'id',
    }),
  );
  queries.forEach((query) => query.start());
  while (!queries.every((query) => query.getSnapshot().isCurrent)) await pause(5);
  return { versions: () => queries.map((query) => newestOf(query.getSnapshot().rows)), close: client.close };
}

async function openTheirs(key: string): Promise<Subject> {
  const client = new VendorClient(`ws://127.0.0.1:${port}/realtime/v1`, {
    params: { apikey: key },
    transport: WebSocket as unknown as typeof globalThis.WebSocket,
  });
  const shown: Row[][] = [];
  for (let index = 0; index < lists; index += 1) {
    const channel = client.channel(`list-${index}`);
    channel.on('postgres_changes', { event: '*', schema: 'public', table: 'notes' }, ({ new: row }) => {
      const rows = shown[index] ?? [];
      const next = row as Row;
      shown[index] = rows.some(({ id }) => id === next.id)
        ? rows.map((one) => (one.id === next.id ? next : one))
        : [...rows, next];
    });
    await new Promise<void>((resolve) => {
      channel.subscribe((status) => status === REALTIME_SUBSCRIBE_STATES.SUBSCRIBED && resolve());
    });
    const response = await fetch(`${url}/rest/v1/notes?select=id,title,version`);
    shown[index] = (await response.json()) as Row[];
  }
  return { versions: () => shown.map(newestOf), close: () => void client.disconnect() };
}

async function measure(
  open: (key: string) => Promise<Subject>,
  rows: number,
  changes: number,
  perSecond: number,
) {
  await ask({ type: 'fill', count: rows });
  globalThis.gc?.();
  const heapBefore = process.memoryUsage().heapUsed;
  const key = `key-${Math.random()}`;
  const subject = await open(key);
  globalThis.gc?.();
  const heapKb = (process.memoryUsage().heapUsed - heapBefore) / 1_024;
  const before = await readCounters();
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  await ask({ type: 'write', to: key, count: changes, perSecond });
  const { version } = await readCounters();
  while (subject.versions().some((shown) => shown < version)) await pause(20);
  const { user, system } = process.cpuUsage(cpuBefore);
  const { requests } = await readCounters();
  const seconds = (performance.now() - start) / 1_000;
  subject.close();
  return {
    cpuUsPerChange: (user + system) / (changes * lists),
    requestsPerSecond: (requests - before.requests) / seconds,
    requestsPerChange: (requests - before.requests) / (changes * lists),
    lagMs: seconds * 1_000 - (changes / perSecond) * 1_000,
    heapKb,
  };
}

const cases = [
  [100, 100, 10],
  [100, 3_000, 1_000],
  [10_000, 100, 10],
  [10_000, 3_000, 1_000],
] as const;
for (const [rows, changes, perSecond] of cases) {
  const ours = await measure(openOurs, rows, changes, perSecond);
  const peer = await measure(openTheirs, rows, changes, perSecond);
  const name = `live lists: ${lists} of ${rows} rows, ${perSecond} changes/s`;
  reportMetric({ name, ours: ours.cpuUsPerChange, peer: peer.cpuUsPerChange, unit: 'µs', goal: null });
  console.log(JSON.stringify({ name, ours, peer }));
}
server.kill();
process.exit(0);
