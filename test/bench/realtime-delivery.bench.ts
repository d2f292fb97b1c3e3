/**
 * Measures the latency from a committed row to its listener: to the bare frame, through this client and through the
 * vendor's, and the round trip of a websocket echo in the same process. Rows alternate between them. This client
 * batches changes per frame, so it is measured with and without that delay. Prints JSON too; times are milliseconds.
 * Run: `npm run bench delivery`
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg } from 'node:os';
import { RealtimeClient as VendorClient } from '@supabase/realtime-js';
import { WebSocket, WebSocketServer } from 'ws';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import { createPostgresChanges } from '../../src/realtime-client/changes/postgres-changes.ts';
import { createRealtimeClient, type RealtimeClientOptions } from '../../src/realtime-client/index.ts';
import { ADA, createRealtimeWorld } from 'local-supabase/testing';
import { openNodeSocket } from '../support/node-socket.ts';
import { reportMetric } from './report.ts';

const SAMPLES = Number(process.argv[2] ?? 200);
const WARM_UP = 50;
const LISTENERS = 50;

interface Quantiles {
  readonly p50: number;
  readonly p95: number;
}

const quantiles = (samples: readonly number[]): Quantiles => {
  const sorted = samples.slice(WARM_UP).toSorted((a, b) => a - b);
  const at = (share: number) => Number((sorted[Math.floor(sorted.length * share)] ?? NaN).toFixed(3));
  return { p50: at(0.5), p95: at(0.95) };
};

async function openEcho(): Promise<{ roundTrip(): Promise<number>; close(): void }> {
  const server = createServer();
  new WebSocketServer({ server }).on('connection', (peer) => {
    peer.on('message', (data) => peer.send(data));
    peer.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await new Promise((resolve) => socket.once('open', resolve));
  return {
    async roundTrip() {
      const start = performance.now();
      socket.send('x'.repeat(600));
      await new Promise((resolve) => socket.once('message', resolve));
      return performance.now() - start;
    },
    close() {
      socket.terminate();
      server.close();
    },
  };
}

const world = await createRealtimeWorld();
const echo = await openEcho();
const token = await world.tokenOf(ADA);
const bindingOf = (body: string) =>
  ({ event: '*', schema: 'public', table: 'notes', filter: `body=eq.${body}` }) as const;
for (let other = 0; other < LISTENERS; other += 1) {
  const owner = `00000000-0000-4000-9000-${String(other).padStart(12, '0')}`;
  const client = await world.connect();
  await client.joinLive('realtime:bench', {
    changes: [{ event: '*', schema: 'public', table: 'notes', filter: `owner=eq.${owner}` }],
    token: await world.tokenOf(owner),
  });
}

/** Resolves with the arrival time of the next change. */
type Next = () => Promise<number>;

async function listenRaw(body: string): Promise<Next> {
  const listener = await world.connect();
  await listener.joinLive('realtime:bench', { changes: [bindingOf(body)], token });
  return () => listener.next().then(() => performance.now());
}

async function listenOurs(body: string, options: Partial<RealtimeClientOptions>): Promise<Next> {
  const client = createRealtimeClient({
    url: world.url,
    apiKey: world.keys.anonKey,
    platform: createPlatform({ openSocket: openNodeSocket }),
    getAccessToken: () => Promise.resolve(token),
    ...options,
  });
  closers.push(client.close);
  const channel = client.channel('bench');
  let received = (_atMs: number) => {};
  createPostgresChanges(channel).on(bindingOf(body), () => received(performance.now()));
  const live = new Promise<void>((resolve) => {
    channel.subscribe(() => channel.getSnapshot().status === 'live' && resolve());
  });
  channel.join();
  await live;
  return () => new Promise((resolve) => (received = resolve));
}

async function listenVendor(body: string): Promise<Next> {
  const client = new VendorClient(`${world.url.replace('http', 'ws')}/realtime/v1`, {
    params: { apikey: world.keys.anonKey },
    transport: WebSocket as unknown as typeof globalThis.WebSocket,
  });
  closers.push(() => client.disconnect());
  await client.setAuth(token);
  let received = (_atMs: number) => {};
  const channel = client
    .channel('bench')
    .on('postgres_changes', bindingOf(body), () => received(performance.now()));
  const live = new Promise<void>((resolve) => channel.on('system', {}, () => resolve()));
  channel.subscribe();
  await live;
  return () => new Promise((resolve) => (received = resolve));
}

const closers: (() => unknown)[] = [];
const listeners = {
  frame: await listenRaw('frame'),
  client: await listenOurs('client', { schedule: setImmediate }),
  clientNextFrame: await listenOurs('clientNextFrame', {}),
  vendor: await listenVendor('vendor'),
};
type Subject = keyof typeof listeners;
const subjects = Object.keys(listeners) as Subject[];
const [echoes, plainInserts, inserts]: number[][] = [[], [], []];
const deliveries: Record<Subject, number[]> = { frame: [], client: [], clientNextFrame: [], vendor: [] };

for (let sample = 1; sample <= SAMPLES + WARM_UP; sample += 1) {
  echoes?.push(await echo.roundTrip());
  const plainStart = performance.now();
  await world.database.query('insert into unpublished (id) values ($1)', [sample]);
  plainInserts?.push(performance.now() - plainStart);
  // Each client is measured first, second, … equally often.
  subjects.push(...subjects.splice(0, 1));
  for (const subject of subjects) {
    const received = listeners[subject]();
    const start = performance.now();
    await world.database.query('insert into notes (owner, body) values ($1, $2)', [ADA, subject]);
    const committed = performance.now();
    inserts?.push(committed - start);
    deliveries[subject].push((await received) - committed);
    await world.service.settled();
  }
}

const echoRoundTripMs = quantiles(echoes ?? []);
const times = Object.fromEntries(subjects.map((subject) => [subject, quantiles(deliveries[subject])]));
const ratio = (subject: Subject, to: number) => Number(((times[subject]?.p50 ?? NaN) / to).toFixed(2));
reportMetric({
  name: 'realtime: commit to listener, p50',
  ours: times['client']?.p50 ?? NaN,
  peer: times['vendor']?.p50 ?? NaN,
  unit: 'ms',
  goal: null,
});
console.log(
  JSON.stringify(
    {
      samples: SAMPLES,
      listeners: LISTENERS + subjects.length,
      load: loadavg().map((load) => Number(load.toFixed(2))),
      echoRoundTripMs,
      insertWithoutTriggerMs: quantiles(plainInserts ?? []),
      insertWithTriggerMs: quantiles(inserts ?? []),
      commitToListenerMs: times,
      overEcho: Object.fromEntries(subjects.map((subject) => [subject, ratio(subject, echoRoundTripMs.p50)])),
      clientOverVendor: ratio('client', times['vendor']?.p50 ?? NaN),
    },
    null,
    2,
  ),
);
for (const close of closers) close();
echo.close();
await world.close();
