import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ADA, createRealtimeWorld } from 'local-supabase/testing';
import { realisticTiming } from 'local-supabase';
import { createRealtimeClient } from '../../src/realtime-client/index.ts';
import { createPostgresChanges } from '../../src/realtime-client/changes/postgres-changes.ts';
import { createFakeWorld } from '../support/fake-platform.ts';
import { openNodeSocket } from '../support/node-socket.ts';

test('four refused channels only delay a good one, with the delays of the real server', async () => {
  const world = await createRealtimeWorld({ ...realisticTiming, coldStartMs: 0, readyDelayMs: 4_000 });
  const { clock, openTab } = createFakeWorld();
  const left: string[] = [];
  let sockets = 0;
  const platform = openTab({
    openSocket(url) {
      sockets += 1;
      const socket = openNodeSocket(url);
      const { send } = socket;
      return Object.assign(socket, {
        send(frame: string) {
          if (frame.includes('phx_leave')) left.push(frame);
          send(frame);
        },
      });
    },
  });
  const token = await world.tokenOf(ADA);
  const client = createRealtimeClient({
    url: world.url,
    apiKey: world.keys.anonKey,
    platform,
    getAccessToken: () => Promise.resolve(token),
  });
  /** The server's clock and the client's advance together, and frames have time to arrive. */
  const advance = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1_000) {
      world.timers.advance(1_000);
      await clock.advance(1_000);
      await pause(30);
    }
  };
  const join = (name: string, isPrivate: boolean) => {
    const channel = client.channel(name, { private: isPrivate });
    createPostgresChanges(channel).on({ table: 'open_notes' }, () => {});
    channel.join();
    return channel;
  };
  const first = join('first', false);
  await advance(2_000);
  const refused = ['a', 'b', 'c', 'd'].map((name) => join(name, true));
  await advance(1_000);
  const last = join('last', false);
  await advance(45_000);
  expect([first, ...refused, last].map((channel) => channel.getSnapshot().status)).toEqual([
    'live',
    'failed',
    'failed',
    'failed',
    'failed',
    'live',
  ]);
  expect(refused[0]?.getSnapshot().error?.code).toBe('unauthorized');
  expect({ left, sockets }).toEqual({ left: [], sockets: 1 });
  client.close();
  await world.close();
});
