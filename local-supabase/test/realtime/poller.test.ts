import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { realisticTiming } from '../../src/services/realtime/settings.ts';
import type { RawClient } from './raw-client.ts';
import { ADA, BOB, createNotesDatabase, createRealtimeWorld } from './realtime-world.ts';
import type { RealtimeWorld } from './realtime-world.ts';

const TOPIC = 'realtime:polled';
const NOTES = { event: '*', schema: 'public', table: 'notes' };

let database: Database;
let world: RealtimeWorld;
beforeAll(async () => {
  database = await createNotesDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  world = await createRealtimeWorld({ ...realisticTiming, coldStartMs: 0 }, database);
});
afterEach(() => world.close());

const subscribe = async (user = ADA) => {
  const client = await world.connect();
  await client.joinLive(TOPIC, { changes: [NOTES], token: await world.tokenOf(user) });
  return client;
};
const insert = (id: number, owner = ADA) =>
  world.database.query('insert into notes (id, owner) values ($1, $2)', [id, owner]);
/** Enough time for every poll to run at least once. */
const POLLED_MS = 600;
/** Runs due polls one after another, and returns the frames that a client received. */
const received = async (client: RawClient, waitMs = POLLED_MS) => {
  for (let waited = 0; waited < waitMs; waited += 100) {
    world.timers.advance(100);
    await client.flush();
  }
  return client.flush();
};
/** Sends a join that is refused, and waits until its reply is delayed. */
const joinRefused = async (client: RawClient, topic: string) => {
  const { pending } = world.timers;
  client.join(topic, { joinRef: '9' });
  await expect.poll(() => world.timers.pending).toBe(pending + 1);
};
const changesOf = (client: RawClient) =>
  client.texts
    .map((text) => JSON.parse(text) as [unknown, unknown, unknown, string, { data: ChangeData }])
    .filter(([, , , event]) => event === 'postgres_changes')
    .map(([, , , , { data }]) => [data.type, data.record?.id ?? data.old_record?.id]);
const systemMessages = (client: RawClient) =>
  client.texts.filter((text) => text.includes('Subscribed to PostgreSQL')).length;

interface ChangeData {
  readonly type: string;
  readonly record?: { readonly id: number };
  readonly old_record?: { readonly id: number };
}

describe('a poll', () => {
  test('delivers a change at the next interval, not at the commit', async () => {
    const client = await subscribe();
    await insert(1);
    await client.flush();
    expect(changesOf(client)).toEqual([]);
    await received(client);
    expect(changesOf(client)).toEqual([['INSERT', 1]]);
  });

  test('delivers a change that precedes the subscription, unless an earlier poll has read it', async () => {
    await received(await subscribe());
    await insert(1);
    world.timers.advance(100);
    const late = await subscribe();
    await received(late);
    expect(changesOf(late)).toEqual([['INSERT', 1]]);
    const later = await subscribe();
    await received(later);
    expect(changesOf(later)).toEqual([]);
  });

  test('omits a row that was deleted or changed its owner before the poll', async () => {
    const client = await subscribe();
    await insert(1);
    await insert(2);
    await insert(3);
    await world.database.exec(
      `delete from notes where id = 1; update notes set owner = '${BOB}' where id = 2`,
    );
    await received(client);
    expect(changesOf(client)).toEqual([
      ['INSERT', 3],
      ['DELETE', 1],
    ]);
  });

  test('delivers a change committed just before a join after the join', async () => {
    const [other, late] = [await subscribe(BOB), await world.connect()];
    await insert(1);
    await late.joinLive(TOPIC, { changes: [NOTES], token: await world.tokenOf(ADA) });
    expect(changesOf(late)).toEqual([]);
    await received(late);
    expect([changesOf(late), changesOf(other)]).toEqual([[['INSERT', 1]], []]);
  });

  test('omits changes from before the first subscription', async () => {
    await insert(1);
    const client = await subscribe();
    await received(client);
    expect(changesOf(client)).toEqual([]);
  });

  test('uses the previous rights for 1 to 3 seconds after a pushed token', async () => {
    const client = await subscribe();
    const token = await world.tokenOf(BOB);
    client.send('1', '2', TOPIC, 'access_token', { access_token: token });
    await insert(1, ADA);
    await insert(2, BOB);
    await received(client);
    expect(changesOf(client)).toEqual([['INSERT', 1]]);
    await received(client, 3_000);
    await insert(3, BOB);
    await received(client);
    expect([changesOf(client), systemMessages(client)]).toEqual([
      [
        ['INSERT', 1],
        ['INSERT', 3],
      ],
      2,
    ]);
  });

  test('loses its batch when a policy raises, and continues with the next', async () => {
    await world.database.exec(
      'alter policy own on notes using (owner = auth.uid() and 10 / (id - 13) > -100)',
    );
    const client = await subscribe();
    await insert(13);
    await insert(14);
    await received(client);
    await insert(15);
    await received(client, 2_000);
    await world.database.exec('alter policy own on notes using (owner = auth.uid())');
    expect(changesOf(client)).toEqual([['INSERT', 15]]);
    expect(world.reported).toHaveLength(1);
  });
});

describe('a refused join', () => {
  test('delays the frames of other channels of its socket', async () => {
    const client = await subscribe();
    await joinRefused(client, 'realtime:');
    await insert(1);
    for (let waited = 0; waited < 4_000; waited += 500) {
      world.timers.advance(500);
      await world.service.settled();
    }
    expect(changesOf(client)).toEqual([]);
    world.timers.advance(1_500);
    expect((await client.next()).payload['response']).toEqual({
      reason: 'TopicNameRequired: You must provide a topic name',
    });
    await client.flush();
    expect(changesOf(client)).toEqual([['INSERT', 1]]);
  });
});

test('refused joins delay a later change one after another', async () => {
  const [client, other] = [await subscribe(), await world.connect()];
  await joinRefused(client, 'realtime:');
  client.join('realtime:', { joinRef: '10' });
  // Once the server has replied to a later frame of another socket, it has read the second join.
  await other.flush();
  await insert(1);
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 500) {
      world.timers.advance(500);
      await world.service.settled();
    }
  };
  await pass(5_000);
  expect((await client.next()).joinRef).toBe('9');
  expect(changesOf(client)).toEqual([]);
  await pass(5_000);
  expect((await client.next()).joinRef).toBe('10');
  await client.flush();
  expect(changesOf(client)).toEqual([['INSERT', 1]]);
});

test('the first subscription, and one made in the meantime, wait until the poller runs', async () => {
  world.service.configure({ coldStartMs: 3_000 });
  const [first, second] = [await world.connect(), await world.connect()];
  const token = await world.tokenOf(ADA);
  first.join(TOPIC, { changes: [NOTES], token });
  await first.flush();
  world.timers.advance(2_000);
  second.join(TOPIC, { changes: [NOTES], token });
  await second.flush();
  expect([systemMessages(first), systemMessages(second)]).toEqual([0, 0]);
  world.timers.advance(1_000);
  await expect.poll(() => [systemMessages(first), systemMessages(second)]).toEqual([1, 1]);
});

describe('a join with `wait` while the poller starts', () => {
  const waitingFor = async (timeout: number | undefined) => {
    world.service.configure({ coldStartMs: 3_000, joinErrorBackoffMs: 0 });
    const client = await world.connect();
    const config = { postgres_changes_options: { wait: true, timeout } };
    client.join(TOPIC, { changes: [NOTES], token: await world.tokenOf(ADA), config });
    client.send(null, 'heartbeat', 'phoenix', 'heartbeat', {});
    // The join has then set its timeout and begun its subscription.
    await expect.poll(() => world.timers.nextDueMs - world.timers.now()).toBeLessThanOrEqual(3_000);
    return client;
  };

  test('blocks the socket until its reply', async () => {
    const client = await waitingFor(undefined);
    world.timers.advance(2_999);
    expect(client.texts).toEqual([]);
    world.timers.advance(1);
    const { ref, payload } = await client.next();
    expect([ref, payload['status']]).toEqual(['1', 'ok']);
    const later = [await client.next(), await client.next()];
    expect(later.map(({ event }) => event).sort()).toEqual(['phx_reply', 'system']);
  });

  test('is refused when its timeout has passed', async () => {
    const client = await waitingFor(1_000);
    world.timers.advance(1_000);
    expect((await client.next()).payload['response']).toEqual({
      reason:
        'PostgresChangesSubscribeTimeout: Timed out after 1000ms waiting for the postgres_changes subscription',
    });
  });
});

describe('a table that is added to the publication', () => {
  test('is detected within a minute, and every subscription is renewed', async () => {
    const client = await world.connect();
    const changes = [{ event: 'INSERT', schema: 'public' }];
    await client.joinLive(TOPIC, { changes, token: await world.tokenOf(ADA) });
    await world.database.exec(
      `grant all on unpublished to authenticated; alter publication supabase_realtime add table unpublished`,
    );
    await world.database.exec('insert into unpublished values (1)');
    await received(client);
    expect([changesOf(client), systemMessages(client)]).toEqual([[], 1]);
    await received(client, 60_000);
    await world.database.exec('insert into unpublished values (2)');
    await received(client);
    await world.database.exec(
      `alter publication supabase_realtime drop table unpublished; truncate unpublished`,
    );
    expect([changesOf(client), systemMessages(client)]).toEqual([[['INSERT', 2]], 2]);
  });
});

describe('a fault of the poller', () => {
  const insertAndPoll = async (client: RawClient, id: number) => {
    await insert(id);
    await received(client);
  };

  test('a poller that ended loses changes without notice, until it runs and channels subscribe again', async () => {
    const client = await subscribe();
    await world.service.faults.setSlot('ended');
    await insertAndPoll(client, 1);
    expect([changesOf(client), systemMessages(client)]).toEqual([[], 1]);
    await world.service.faults.setSlot('available');
    await received(client, 3_000);
    await insertAndPoll(client, 2);
    expect([changesOf(client), systemMessages(client)]).toEqual([[['INSERT', 2]], 2]);
  });

  test('a poller without a slot confirms subscriptions repeatedly, and delivers nothing', async () => {
    await world.service.faults.setSlot('refused');
    const client = await subscribe();
    await insertAndPoll(client, 1);
    expect([changesOf(client), systemMessages(client)]).toEqual([[], 1]);
    await received(client, 30_000);
    expect(changesOf(client)).toEqual([]);
    expect(systemMessages(client)).toBeGreaterThan(1);
  });

  test('a poller whose slot waits for a transaction delivers later commits', async () => {
    await world.service.faults.setSlot('waiting');
    const client = await subscribe();
    await insertAndPoll(client, 1);
    await world.service.faults.setSlot('available');
    await insertAndPoll(client, 2);
    expect([changesOf(client), systemMessages(client)]).toEqual([[['INSERT', 2]], 1]);
  });

  test('a poller at the limit of events drops changes while the average is above it', async () => {
    const client = await subscribe();
    world.service.faults.limitEvents(1);
    await world.database.query(`insert into notes (id, owner) select generate_series(1, 20), $1::uuid`, [
      ADA,
    ]);
    await received(client, 5_000);
    expect(changesOf(client)).toHaveLength(20);
    await insertAndPoll(client, 21);
    expect(changesOf(client)).toHaveLength(20);
    world.service.faults.limitEvents(null);
    await insertAndPoll(client, 22);
    expect(changesOf(client)).toHaveLength(21);
  });

  test('a poller whose database fails refuses joins and keeps sockets open', async () => {
    const client = await subscribe();
    await world.service.faults.setDatabaseAvailable(false);
    await joinRefused(client, 'realtime:other');
    world.timers.advance(5_000);
    expect((await client.nextOf('phx_reply')).payload['response']).toEqual({
      reason: 'UnableToConnectToProject: Realtime was unable to connect to the project database',
    });
    await world.service.faults.setDatabaseAvailable(true);
    await received(client, 3_000);
    await insertAndPoll(client, 1);
    expect([changesOf(client), systemMessages(client)]).toEqual([[['INSERT', 1]], 2]);
  });
});
