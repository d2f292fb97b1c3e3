/**
 * The realtime client compared with the vendor's over a real websocket, whose server is another process: the CPU time of 5,000
 * changes to a plain listener and of 10,000 received broadcasts, in bursts and spread over a second. Rounds alternate.
 * Run: `npm run bench realtime-socket`
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { REALTIME_SUBSCRIBE_STATES, RealtimeClient as VendorClient } from '@supabase/realtime-js';
import { WebSocket } from 'ws';
import type * as BrowserPlatform from '../../src/platform/browser-platform.ts';
import type * as WebSocketAdapter from '../../src/platform/web-socket.ts';
import type * as Broadcast from '../../src/realtime-client/broadcast/broadcast.ts';
import type * as PostgresChanges from '../../src/realtime-client/changes/postgres-changes.ts';
import type * as Realtime from '../../src/realtime-client/index.ts';
import { bundle } from './bundle.ts';
import { reportMetric } from './report.ts';
import { alternate, median } from './rounds.ts';

const { adaptWebSocket, createPlatform, createBroadcast, createPostgresChanges, createRealtimeClient } =
  (await import(
    await bundle(
      'realtime-socket',
      `export { createPlatform } from './src/platform/browser-platform.ts';
       export { adaptWebSocket } from './src/platform/web-socket.ts';
       export { createBroadcast } from './src/realtime-client/broadcast/broadcast.ts';
       export { createPostgresChanges } from './src/realtime-client/changes/postgres-changes.ts';
       export { createRealtimeClient } from './src/realtime-client/index.ts';`,
    )
  )) as typeof BrowserPlatform &
    typeof WebSocketAdapter &
    typeof Broadcast &
    typeof PostgresChanges &
    typeof Realtime;

const changes = 5_000;
const broadcasts = 10_000;
const rounds = 16;
const binding = { event: '*', schema: 'public', table: 'notes' } as const;

const server = fork(new URL('./realtime-socket-server.ts', import.meta.url), {
  execArgv: ['--import', 'tsx'],
});
const [port] = (await once(server, 'message')) as [number];

/** Counts the changes and broadcasts of a channel that is live. */
interface Subject {
  readonly arrived: () => number;
}

async function openOurs(): Promise<Subject> {
  let arrived = 0;
  const client = createRealtimeClient({
    url: `http://127.0.0.1:${port}`,
    apiKey: 'ours',
    platform: createPlatform({ openSocket: (url) => adaptWebSocket(new WebSocket(url)) }),
  });
  const channel = client.channel('room');
  createBroadcast(channel).on('note', () => (arrived += 1));
  createPostgresChanges(channel).on(binding, () => (arrived += 1));
  channel.join();
  while (channel.getSnapshot().status !== 'live') await pause(5);
  return { arrived: () => arrived };
}

async function openTheirs(): Promise<Subject> {
  let arrived = 0;
  const client = new VendorClient(`ws://127.0.0.1:${port}/realtime/v1`, {
    params: { apikey: 'peer' },
    transport: WebSocket as unknown as typeof globalThis.WebSocket,
  });
  const channel = client.channel('room');
  channel.on('broadcast', { event: 'note' }, () => (arrived += 1));
  channel.on('postgres_changes', binding, () => (arrived += 1));
  await new Promise<void>((resolve) => {
    channel.subscribe((status) => {
      if (status === REALTIME_SUBSCRIBE_STATES.SUBSCRIBED) resolve();
    });
  });
  await pause(20);
  return { arrived: () => arrived };
}

/** Both clients stay connected: what is measured is their steady state. */
const subjects = { ours: await openOurs(), peer: await openTheirs() };

/** The CPU time in milliseconds until `count` more frames were received. */
async function measure(
  side: keyof typeof subjects,
  kind: 'changes' | 'broadcasts',
  count: number,
  everyMs: number,
) {
  const { arrived } = subjects[side];
  const goal = arrived() + count;
  const before = process.cpuUsage();
  server.send({ to: side, kind, count, everyMs });
  while (arrived() < goal) await pause(10);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function runRound(side: keyof typeof subjects): Promise<Readonly<Record<string, number>>> {
  return {
    [`${changes} changes in a burst`]: await measure(side, 'changes', changes, 0),
    [`${changes} changes in a second`]: await measure(side, 'changes', changes, 1_000 / changes),
    [`${broadcasts} broadcasts in a burst`]: await measure(side, 'broadcasts', broadcasts, 0),
  };
}

const { ours, peer } = await alternate(rounds, runRound);
for (const name of Object.keys(ours[0] ?? {})) {
  const of = (results: typeof ours) => median(results.map((result) => result[name] ?? Number.NaN));
  reportMetric({ name: `realtime socket: ${name}`, ours: of(ours), peer: of(peer), unit: 'ms', goal: 1 });
}
server.kill();
process.exit(0);
