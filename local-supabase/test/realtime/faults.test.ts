import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ADA, BOB, createNotesDatabase, createRealtimeWorld } from './realtime-world.ts';
import type { Database } from '../../src/database/database.ts';
import type { RealtimeWorld } from './realtime-world.ts';
import type { RawClient } from './raw-client.ts';

const TOPIC = 'realtime:a';
const NOTES = { event: '*', schema: 'public', table: 'notes' };

let database: Database;
let world: RealtimeWorld;
beforeAll(async () => {
  database = await createNotesDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  world = await createRealtimeWorld({}, database);
});
afterEach(async () => {
  await world.close();
  await database.exec('delete from realtime.outbox; update realtime.process set alive = false');
});

const live = async (user = ADA) => {
  const client = await world.connect();
  await client.joinLive(TOPIC, { changes: [NOTES], token: await world.tokenOf(user) });
  return client;
};
const insert = (id: number, owner = ADA) =>
  world.database.query('insert into notes (id, owner) values ($1, $2)', [id, owner]);
const idsHeard = async (client: RawClient) => {
  await world.service.settled();
  const frames = (await client.flush()).filter(({ event }) => event === 'postgres_changes');
  return frames.map(({ payload }) => (payload['data'] as { record: { id: number } }).record.id);
};

/** Kills the process between the insert of a note and its delivery, and restarts it. */
const dieBeforeDelivering = async (id: number) => {
  const { faults } = world.service;
  faults.pauseDelivery(true);
  await insert(id);
  await faults.kill();
  faults.pauseDelivery(false);
  await faults.recover();
};

describe('a process that is killed between commit and delivery', () => {
  test('replays every committed change to each returning subscriber, before new changes', async () => {
    const before = await live();
    world.service.faults.pauseDelivery(true);
    await insert(1);
    await insert(2, BOB);
    await world.service.faults.kill();
    expect((await before.closed).code).toBe(1006);
    await insert(3);
    await expect(world.connect()).rejects.toThrow('503');

    world.service.faults.pauseDelivery(false);
    await world.service.faults.recover();
    await insert(4);
    const [ada, bob] = [await live(ADA), await live(BOB)];
    await insert(5);
    expect(await idsHeard(ada)).toEqual([1, 3, 4, 5]);
    expect(await idsHeard(bob)).toEqual([2]);
  });

  test('replays every state of a row to a subscriber that returns late or repeatedly', async () => {
    await dieBeforeDelivering(1);
    await world.database.query('update notes set done = true where id = 1');
    await world.service.settled();

    for (const client of [await live(), await live()]) {
      await world.service.settled();
      const received = (await client.flush()).filter(({ event }) => event === 'postgres_changes');
      expect(received.map(({ payload }) => payload['data'])).toMatchObject([
        { type: 'INSERT', record: { id: 1, done: false } },
        { type: 'UPDATE', record: { id: 1, done: true } },
      ]);
    }
    world.timers.advance(60_000);
    await insert(2);
    await world.service.settled();
    expect(await world.database.query('select * from realtime.outbox')).toEqual([]);
  });

  test('also delivers after a new process has started', async () => {
    world.service.faults.pauseDelivery(true);
    await database.query('insert into open_notes values (1)');
    await world.close();
    world = await createRealtimeWorld({}, database);
    const client = await world.connect();
    await client.joinLive(TOPIC, { changes: [{ table: 'open_notes' }], token: await world.tokenOf(ADA) });
    expect(await idsHeard(client)).toEqual([1]);
  });

  test('does not replay changes from before the first start, such as seeds', async () => {
    await world.close();
    await database.query('insert into open_notes values (1)');
    world = await createRealtimeWorld({}, database);
    const client = await world.connect();
    await client.joinLive(TOPIC, { changes: [{ table: 'open_notes' }], token: await world.tokenOf(ADA) });
    expect(await idsHeard(client)).toEqual([]);
  });

  test('discards changes when no subscriber returns in time', async () => {
    await dieBeforeDelivering(1);
    world.timers.advance(60_000);
    await world.service.settled();
    expect(await world.database.query('select * from realtime.outbox')).toEqual([]);
    expect(await idsHeard(await live())).toEqual([]);
  });
});

describe('the outbox', () => {
  test('is empty after delivery, with and without a listener', async () => {
    await insert(1);
    await live();
    await insert(2);
    await world.service.settled();
    expect(await world.database.query('select * from realtime.outbox')).toEqual([]);
  });

  test('the outbox and its functions are denied to users', async () => {
    for (const statement of [`select * from realtime.outbox`, `select realtime.visible('[]')`]) {
      await expect(
        world.database.transaction(async (sql) => {
          await sql.query('set local role authenticated');
          await sql.query(statement);
        }),
      ).rejects.toThrow('permission denied');
    }
  });
});

describe('on command', () => {
  test('sockets are cut without a closing handshake', async () => {
    const client = await live();
    world.service.faults.dropSockets();
    expect((await client.closed).code).toBe(1006);
  });

  test('sockets fall silent but stay open', async () => {
    const client = await live();
    const received = client.texts.length;
    world.service.faults.swallowFrames();
    client.send(null, '9', 'phoenix', 'heartbeat', {});
    await insert(1);
    await world.service.settled();
    const other = await live();
    await other.flush();
    expect([client.socket.readyState, client.texts.length]).toEqual([client.socket.OPEN, received]);
  });

  test('handshakes are refused with a status', async () => {
    world.service.faults.refuseUpgrades(429);
    await expect(world.connect()).rejects.toThrow('Unexpected server response: 429');
    world.service.faults.refuseUpgrades(null);
    expect(await (await world.connect()).flush()).toEqual([]);
  });

  test('a disconnect request sends a system message and closes with 1012', async () => {
    const client = await live();
    world.service.faults.requestDisconnect();
    expect((await client.next()).payload).toMatchObject({
      status: 'ok',
      message: 'Server requested disconnect',
    });
    expect((await client.closed).code).toBe(1012);
  });

  test('on command all tokens expire at once', async () => {
    const client = await live();
    world.service.faults.expireTokens();
    expect([(await client.next()).payload['message'], (await client.next()).event]).toEqual([
      'Token has expired 0 seconds ago',
      'phx_close',
    ]);
  });

  test('channels crash with phx_error', async () => {
    const client = await live();
    world.service.faults.crashChannels();
    expect(await client.next()).toMatchObject({
      event: 'phx_error',
      joinRef: '1',
      payload: { reason: 'channel_crash' },
    });
    await client.joinLive(TOPIC, { changes: [NOTES], token: await world.tokenOf(ADA) });
  });

  test('the subscription and frames are delayed, and changes get lost', async () => {
    world.service.configure({ readyDelayMs: 2_000 });
    const client = await world.connect();
    client.join(TOPIC, { changes: [NOTES], token: await world.tokenOf(ADA) });
    expect((await client.flush()).map(({ event }) => event)).toEqual(['phx_reply']);
    world.timers.advance(2_000);
    expect((await client.next()).event).toBe('system');

    world.service.configure({ dropRate: 1 });
    await insert(1);
    expect(await idsHeard(client)).toEqual([]);

    world.service.configure({ dropRate: 0, latencyMs: 300 });
    await insert(2);
    await world.service.settled();
    const received = client.texts.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(client.texts).toHaveLength(received);
    world.timers.advance(300);
    expect((await client.next()).event).toBe('postgres_changes');
  });

  test('a change of the publication renews every subscription with a system message', async () => {
    const client = await live();
    await world.database.exec('alter publication supabase_realtime add table unpublished');
    expect((await client.next()).payload).toMatchObject({ message: 'Subscribed to PostgreSQL' });
    await insert(1);
    expect(await idsHeard(client)).toEqual([1]);
  });
});
