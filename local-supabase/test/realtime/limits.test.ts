import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RealtimeSettings } from '../../src/services/realtime/settings.ts';
import { ADA, createNotesDatabase, createRealtimeWorld } from './realtime-world.ts';
import type { Database } from '../../src/database/database.ts';
import type { RealtimeWorld } from './realtime-world.ts';

let database: Database;
let world: RealtimeWorld;
beforeAll(async () => {
  database = await createNotesDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  world = await createRealtimeWorld({}, database);
});
afterEach(() => world.close());

const limit = (settings: Partial<RealtimeSettings>) => world.service.configure(settings);
const OPEN = { schema: 'public', table: 'open_notes' };

describe('a limit', () => {
  test('a limit of joins in a second is enforced at the next tick, refuses the join and closes the socket', async () => {
    limit({ maxJoinsPerSecond: 1 });
    const client = await world.connect();
    for (let join = 0; join < 20; join += 1) client.join(`realtime:${join}`);
    expect((await client.flush()).every(({ payload }) => payload['status'] === 'ok')).toBe(true);
    world.timers.advance(5_000);
    client.join('realtime:late');
    expect((await client.next()).payload['response']).toEqual({
      reason: 'ClientJoinRateLimitReached: Too many joins per second',
    });
    expect((await client.closed).code).toBe(1001);
    await expect(world.connect()).rejects.toThrow('429');
    world.timers.advance(60_000);
    const next = await world.connect();
    next.join('realtime:a');
    expect((await next.next()).payload['status']).toBe('ok');
  });

  test('a limit of connections refuses joins of sockets without a channel, and new handshakes with 429', async () => {
    limit({ maxConnections: 1 });
    const [first, second] = [await world.connect(), await world.connect()];
    first.join('realtime:a');
    await first.flush();
    second.join('realtime:a');
    expect((await second.next()).payload['response']).toEqual({
      reason: 'ConnectionRateLimitReached: Too many connected users',
    });
    await expect(world.connect()).rejects.toThrow('Unexpected server response: 429');
  });

  test('a limit of events in a second drops changes without notice while the average is above it', async () => {
    limit({ maxEventsPerSecond: 1 });
    const client = await world.connect();
    await client.joinLive('realtime:a', { changes: [OPEN], token: await world.tokenOf(ADA) });
    const insert = async (from: number, to: number) => {
      await world.database.query('insert into open_notes select generate_series($1::int, $2::int)', [
        from,
        to,
      ]);
      await world.service.settled();
      return (await client.flush()).length;
    };
    expect(await insert(1, 20)).toBe(20);
    world.timers.advance(5_000);
    expect(await insert(21, 22)).toBe(0);
    expect(world.service.statistics).toMatchObject({ delivered: 20, dropped: 2 });
    world.timers.advance(60_000);
    expect(await insert(23, 23)).toBe(1);
  });

  test('a limit of messages in a second ends the channels that exceed it', async () => {
    limit({ maxEventsPerSecond: 1 });
    const client = await world.connect();
    client.join('realtime:a', { config: { broadcast: { self: true } } });
    for (let ref = 0; ref < 20; ref += 1) client.send('1', ref, 'realtime:a', 'broadcast', { event: 'x' });
    expect((await client.flush()).at(-1)?.event).toBe('broadcast');
    world.timers.advance(5_000);
    client.send('1', '3', 'realtime:a', 'broadcast', { event: 'x' });
    expect((await client.flush()).slice(1).map(({ event, payload }) => [event, payload['message']])).toEqual([
      ['system', 'Too many messages per second'],
      ['phx_close', undefined],
    ]);
  });
});

describe('a socket', () => {
  test('a socket that is idle for a minute is closed, one with heartbeats stays open', async () => {
    const [silent, beating] = [await world.connect(), await world.connect()];
    world.timers.advance(40_000);
    await beating.flush();
    world.timers.advance(25_000);
    expect((await silent.closed).code).toBe(1000);
    expect(await beating.flush()).toEqual([]);
  });

  test('a socket without a channel for ten minutes is closed; one with a channel stays open', async () => {
    const [empty, joined] = [await world.connect(), await world.connect()];
    joined.join('realtime:a');
    for (let minute = 0; minute < 10; minute += 1) {
      await Promise.all([empty.flush(), joined.flush()]);
      world.timers.advance(59_000);
    }
    await Promise.all([empty.flush(), joined.flush()]);
    world.timers.advance(20_000);
    expect((await empty.closed).code).toBe(1000);
    expect(await joined.flush()).toEqual([]);
  });

  test('a socket with a client that does not read is closed, and the others receive everything', async () => {
    limit({ maxBufferedBytes: 100_000 });
    const token = await world.tokenOf(ADA);
    const [slow, quick] = [await world.connect(), await world.connect()];
    for (const client of [slow, quick]) await client.joinLive('realtime:a', { changes: [OPEN], token });
    slow.socket.pause();
    let id = 0;
    while (world.service.statistics.sockets === 2) {
      id += 1;
      await world.database.query(`insert into open_notes values ($1, null, repeat('x', 500000))`, [id]);
      await world.service.settled();
      await quick.next();
    }
    slow.socket.resume();
    expect((await slow.closed).code).toBe(1006);
    await world.database.query('insert into open_notes values (0)');
    expect((await quick.next()).payload['data']).toMatchObject({ record: { id: 0 } });
  });
});
