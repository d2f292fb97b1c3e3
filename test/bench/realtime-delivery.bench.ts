/**
 * How long a committed row takes to the frame of its listener, beside the round trip of a bare websocket echo in the
 * same process and run. Prints JSON; times are milliseconds. Run: `npx tsx test/bench/realtime-delivery.bench.ts`
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { WebSocket } from 'ws';
import { ADA, createRealtimeWorld } from '../local-supabase/realtime/realtime-world.ts';

const SAMPLES = Number(process.argv[2] ?? 500);
const WARM_UP = 100;
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
const changes = [{ event: '*', schema: 'public', table: 'notes', filter: `owner=eq.${ADA}` }];
const listener = await world.connect();
await listener.joinLive('realtime:bench', { changes, token });
for (let other = 1; other < LISTENERS; other += 1) {
  const owner = `00000000-0000-4000-9000-${String(other).padStart(12, '0')}`;
  const client = await world.connect();
  await client.joinLive('realtime:bench', {
    changes: [{ ...changes[0], filter: `owner=eq.${owner}` }],
    token: await world.tokenOf(owner),
  });
}

const [echoes, plainInserts, inserts, deliveries]: number[][] = [[], [], [], []];
for (let id = 1; id <= SAMPLES + WARM_UP; id += 1) {
  echoes?.push(await echo.roundTrip());
  const plainStart = performance.now();
  await world.database.query('insert into unpublished (id) values ($1)', [id]);
  plainInserts?.push(performance.now() - plainStart);

  const frame = listener.next().then(() => performance.now());
  const start = performance.now();
  await world.database.query('insert into notes (id, owner, body) values ($1, $2, $3)', [id, ADA, 'body']);
  const committed = performance.now();
  inserts?.push(committed - start);
  deliveries?.push((await frame) - committed);
  await world.service.settled();
}

const result = {
  samples: SAMPLES,
  listeners: LISTENERS,
  echoRoundTripMs: quantiles(echoes ?? []),
  insertWithoutTriggerMs: quantiles(plainInserts ?? []),
  insertWithTriggerMs: quantiles(inserts ?? []),
  commitToFrameMs: quantiles(deliveries ?? []),
  commitToFrameOverEcho: Number((quantiles(deliveries ?? []).p50 / quantiles(echoes ?? []).p50).toFixed(2)),
};
console.log(JSON.stringify(result, null, 2));
echo.close();
await world.close();
