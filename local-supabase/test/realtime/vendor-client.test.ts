import { REALTIME_SUBSCRIBE_STATES, RealtimeClient } from '@supabase/realtime-js';
import type { RealtimeChannel, RealtimePostgresChangesPayload } from '@supabase/realtime-js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { ADA, BOB, createRealtimeWorld } from './realtime-world.ts';
import type { RealtimeWorld } from './realtime-world.ts';

let world: RealtimeWorld;
const clients: RealtimeClient[] = [];
beforeAll(async () => {
  world = await createRealtimeWorld();
});
afterAll(() => world.close());
afterEach(async () => {
  for (const client of clients.splice(0)) {
    await client.removeAllChannels();
    await client.disconnect();
  }
});

const connect = async (user: string): Promise<RealtimeClient> => {
  const client = new RealtimeClient(`${world.url.replace('http', 'ws')}/realtime/v1`, {
    params: { apikey: world.keys.anonKey },
    transport: WebSocket as unknown as typeof globalThis.WebSocket,
    reconnectAfterMs: () => 10,
  });
  clients.push(client);
  await client.setAuth(await world.tokenOf(user));
  return client;
};

/** Subscribes; `ready` resolves with each message that the subscription is live. */
function subscribe(channel: RealtimeChannel) {
  const statuses: string[] = [];
  const systems: { status: string; message: string }[] = [];
  channel.on('system', {}, (message: { status: string; message: string }) => void systems.push(message));
  channel.subscribe((status) => void statuses.push(status));
  return { statuses, systems, ready: (times = 1) => expect.poll(() => systems.length).toBe(times) };
}

type Row = { id: number; owner: string; body: string };

describe('the vendor’s client', () => {
  test('receives inserts, updates and deletes that match a filter, and no others', async () => {
    const client = await connect(ADA);
    const heard: RealtimePostgresChangesPayload<Row>[] = [];
    const channel = client
      .channel('user:ada')
      .on<Row>(
        'postgres_changes',
        { event: '*', schema: 'public', table: 'notes', filter: `owner=eq.${ADA}` },
        (change) => void heard.push(change),
      )
      .on<Row>(
        'postgres_changes',
        { event: 'DELETE', schema: 'public', table: 'notes', filter: 'id=eq.1' },
        (change) => void heard.push(change),
      );
    await subscribe(channel).ready();
    await world.database.exec(
      `insert into notes (id, owner, body) values (1, '${ADA}', 'mine'), (2, '${BOB}', 'other')`,
    );
    await world.service.settled();
    await world.database.exec(`update notes set body = 'changed'`);
    await world.service.settled();
    await world.database.exec('delete from notes');
    await expect
      .poll(() =>
        heard.map(({ eventType, new: row, old }) => [
          eventType,
          'body' in row ? row.body : null,
          'id' in old ? old.id : undefined,
        ]),
      )
      .toEqual([
        ['INSERT', 'mine', undefined],
        ['UPDATE', 'changed', 1],
        ['DELETE', null, 1],
      ]);
  });

  test('uses the rights of a pushed token', async () => {
    const client = await connect(ADA);
    const heard: string[] = [];
    const channel = client
      .channel('push')
      .on<Row>(
        'postgres_changes',
        { event: 'INSERT', schema: 'public', table: 'notes' },
        ({ new: row }) => void heard.push(row.body),
      );
    const { ready } = subscribe(channel);
    await ready();
    await client.setAuth(await world.tokenOf(BOB));
    await ready(2);
    await world.database.exec(
      `insert into notes (id, owner, body) values (11, '${ADA}', 'a'), (12, '${BOB}', 'b')`,
    );
    await expect.poll(() => heard).toEqual(['b']);
  });

  test('joins again after its socket ended, and receives changes', async () => {
    const client = await connect(ADA);
    const heard: number[] = [];
    const channel = client
      .channel('again')
      .on<Row>(
        'postgres_changes',
        { event: 'INSERT', schema: 'public', table: 'notes' },
        ({ new: row }) => void heard.push(row.id),
      );
    const { statuses, ready } = subscribe(channel);
    await ready();
    world.service.faults.dropSockets();
    await ready(2);
    await world.database.exec(`insert into notes (id, owner) values (21, '${ADA}')`);
    await expect.poll(() => heard).toEqual([21]);
    expect(statuses.filter((status) => status === 'SUBSCRIBED').length).toBeGreaterThanOrEqual(1);
  });

  test('broadcasts to another, text and bytes, and shares its presence', async () => {
    const [ada, bob] = [await connect(ADA), await connect(BOB)];
    const heard: unknown[] = [];
    const states: string[][] = [];
    const listener = bob.channel('room', { config: { presence: { key: 'bob' } } });
    listener.on('broadcast', { event: 'hello' }, ({ payload }) => void heard.push(payload));
    listener.on('presence', { event: 'sync' }, () => void states.push(Object.keys(listener.presenceState())));
    const sender = ada.channel('room', { config: { presence: { key: 'ada' }, broadcast: { ack: true } } });
    await Promise.all(
      [listener, sender].map(
        (channel) =>
          new Promise<void>((resolve) =>
            channel.subscribe((status) =>
              status === REALTIME_SUBSCRIBE_STATES.SUBSCRIBED ? resolve() : undefined,
            ),
          ),
      ),
    );
    expect(await sender.send({ type: 'broadcast', event: 'hello', payload: { n: 1 } })).toBe('ok');
    expect(await sender.track({ mood: 'calm' })).toBe('ok');
    await expect.poll(() => heard).toEqual([{ n: 1 }]);
    await expect.poll(() => states.at(-1)).toEqual(['ada']);
  });
});
