/**
 * The realtime client compared with the vendor's: bytes of a bundle; 1,000 changes fed through one socket in a second of fake
 * time; memory after 10,000 reconnects. Prints JSON too. Run: `npm run bench realtime-client`
 */
import { loadavg } from 'node:os';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { createLiveQuery } from '../../src/realtime-client/live-query/live-query.ts';
import { createTableQuery } from '../support/wire/live-query-scene.ts';
import { createScriptedScene } from '../support/wire/scripted-realtime.ts';
import { reportMetric } from './report.ts';

async function measureBytes(entry: string): Promise<{ minified: number; gzip: number }> {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: process.cwd() },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
  });
  const code = outputFiles[0]?.contents ?? new Uint8Array();
  return { minified: code.length, gzip: gzipSync(code, { level: 9 }).length };
}

const client = "export { createRealtimeClient } from './src/realtime-client/index.ts';";
const query = "export { createLiveQuery } from './src/realtime-client/live-query/live-query.ts';";
const shared = "export { shareSocket } from './src/realtime-client/tabs/shared-socket.ts';";
const bytes = {
  client: await measureBytes(client),
  withLiveQuery: await measureBytes(client + query),
  withAll: await measureBytes(client + query + shared),
  vendor: await measureBytes("export { RealtimeClient } from '@supabase/realtime-js';"),
};

async function measureBurst() {
  const scene = createScriptedScene();
  const channel = scene.client.channel('user:ada');
  const table: { id: string; version: number }[] = [];
  const live = createLiveQuery<{ id: string; version: number }>({
    channel,
    platform: scene.tab,
    query: createTableQuery(() => table, { filters: [] }),
    key: 'id',
  });
  live.start();
  scene.server.open();
  await scene.world.settle();
  scene.server.acceptJoin();
  scene.server.confirm();
  await scene.world.settle();
  let notifications = 0;
  live.subscribe(() => (notifications += 1));
  let longestFrameMs = 0;
  let busyMs = 0;
  for (let frame = 0; frame < 60; frame += 1) {
    const start = performance.now();
    for (let index = frame * 17; index < Math.min(1_000, (frame + 1) * 17); index += 1) {
      table.push({ id: `${index}`, version: 1 });
      scene.server.change({ record: table.at(-1) });
    }
    const received = performance.now() - start;
    await scene.world.clock.advance(17);
    busyMs += received;
    longestFrameMs = Math.max(longestFrameMs, performance.now() - start);
  }
  return { rows: live.getSnapshot().rows.length, notifications, receiveMs: busyMs, longestFrameMs };
}

async function measureMemory(reconnects: number) {
  const scene = createScriptedScene({ settings: { reconnectDelaysMs: [0] } });
  await scene.openLiveChannel();
  const collect = () => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const timersBefore = scene.world.clock.pendingTimers;
  const before = collect();
  for (let count = 0; count < reconnects; count += 1) {
    const old = scene.server.socket();
    old.fail();
    scene.tab.signal('visible');
    scene.server.open();
    // The fake tab keeps every socket for inspection; only the newest is needed here.
    (scene.tab.sockets as unknown[]).splice(0, scene.tab.sockets.length - 1);
    if (count % 500 === 0) await scene.world.settle();
  }
  await scene.world.settle();
  return {
    reconnects,
    heapGrowthKB: Math.round((collect() - before) / 1024),
    timersGrowth: scene.world.clock.pendingTimers - timersBefore,
    isCollected: globalThis.gc !== undefined,
  };
}

reportMetric({
  name: 'realtime: bundle, gzip',
  ours: bytes.client.gzip,
  peer: bytes.vendor.gzip,
  unit: 'bytes',
  goal: null,
});
console.log(
  JSON.stringify(
    {
      bytes,
      burst: await measureBurst(),
      memory: await measureMemory(10_000),
      load: loadavg().map((load) => Number(load.toFixed(2))),
    },
    null,
    2,
  ),
);
