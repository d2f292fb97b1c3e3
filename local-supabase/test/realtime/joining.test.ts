import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADA, createRealtimeWorld } from './realtime-world.ts';
import type { RealtimeWorld } from './realtime-world.ts';

const TOPIC = 'realtime:user:ada';
const OWN_NOTES = { event: '*', schema: 'public', table: 'notes', filter: `owner=eq.${ADA}` };

let world: RealtimeWorld;
beforeAll(async () => {
  world = await createRealtimeWorld();
});
afterAll(() => world.close());

describe('a join', () => {
  test('with `wait` gets its reply once the subscription is live', async () => {
    const client = await world.connect();
    const config = { postgres_changes_options: { wait: true } };
    client.join(TOPIC, { changes: [OWN_NOTES], token: await world.tokenOf(ADA), config });
    expect((await client.flush()).map(({ event, payload }) => [event, payload['status']])).toEqual([
      ['phx_reply', 'ok'],
      ['system', 'ok'],
    ]);
  });

  test('with `wait` is refused with the reason of the subscription, and leaves no channel', async () => {
    const client = await world.connect();
    const config = { postgres_changes_options: { wait: 'true', timeout: 500 } };
    const absent = { event: '*', schema: 'public', table: 'absent' };
    client.join(TOPIC, { changes: [absent], token: await world.tokenOf(ADA), config });
    client.send('1', '2', TOPIC, 'broadcast', {});
    const [refused, unmatched] = await client.flush();
    expect(refused).toMatchObject({
      event: 'phx_reply',
      ref: '1',
      payload: {
        status: 'error',
        response: {
          reason: expect.stringMatching(/^RealtimeDisabledForConfiguration: Unable to subscribe to changes/),
        },
      },
    });
    expect(unmatched?.payload['response']).toEqual({ reason: 'unmatched topic' });
  });

  test('with `wait` and without bindings gets its reply at once', async () => {
    const client = await world.connect();
    client.join(TOPIC, { config: { postgres_changes_options: { wait: true } } });
    expect((await client.flush()).map(({ event }) => event)).toEqual(['phx_reply']);
  });

  test('gives a binding the same small id for every client, in any order of its keys', async () => {
    const ids = [];
    for (const binding of [OWN_NOTES, Object.fromEntries(Object.entries(OWN_NOTES).toReversed())]) {
      const client = await world.connect();
      client.join(TOPIC, { changes: [binding], token: await world.tokenOf(ADA) });
      const { response } = (await client.next()).payload as {
        response: { postgres_changes: { id: number }[] };
      };
      ids.push(response.postgres_changes[0]?.id);
    }
    expect(ids[0]).toBe(ids[1]);
    expect(ids[0]).toBeLessThan(2 ** 27);
  });

  test('tolerates unknown fields, and refuses a payload that is not an object', async () => {
    const client = await world.connect();
    client.join('realtime:a', { config: { novelty: { x: 1 } } });
    client.send('2', '2', 'realtime:b', 'phx_join', [1]);
    expect((await client.flush()).map(({ payload }) => payload['response'])).toEqual([
      { postgres_changes: [] },
      { reason: 'UnknownErrorOnChannel: expected params to be a :map, got: `[1]`' },
    ]);
  });

  test.each([
    [{ postgres_changes: [[]] }, 'expected a map, got:\n\n    []\n'],
    [{ postgres_changes: [null, 'x'] }, 'expected a map, got:\n\n    "x"\n'],
    [{ broadcast: 'x' }, 'no function clause matching in Access.get/3'],
    [
      { broadcast: [] },
      'the Access module supports only keyword lists (with atom keys), got: "replication_ready"\n\nIf you want to search lists of tuples, use List.keyfind/3',
    ],
  ])('a join with the config %j is refused', async (config, problem) => {
    const client = await world.connect();
    client.join(TOPIC, { config });
    expect((await client.next()).payload['response']).toEqual({
      reason: `UnknownErrorOnChannel: ${problem}`,
    });
  });

  test('a heartbeat gets a reply without a join_ref, even if it had one', async () => {
    const client = await world.connect();
    client.send('7', 'hb', 'phoenix', 'heartbeat', {});
    expect(await client.next()).toMatchObject({ joinRef: null, ref: 'hb', payload: { status: 'ok' } });
  });

  test('a join without a name after "realtime:" is refused, and a topic without that prefix is unmatched', async () => {
    const client = await world.connect();
    client.join('realtime:');
    client.join('other:topic');
    expect((await client.flush()).map(({ payload }) => payload['response'])).toEqual([
      { reason: 'TopicNameRequired: You must provide a topic name' },
      { reason: 'unmatched topic' },
    ]);
  });
});

describe('an invalid subscription', () => {
  const refusalOf = async (...changes: Record<string, unknown>[]) => {
    const client = await world.connect();
    client.join(TOPIC, { changes, token: await world.tokenOf(ADA) });
    expect((await client.next()).payload['status']).toBe('ok');
    const { event, payload } = await client.next();
    expect({ event, ...payload }).toMatchObject({
      event: 'system',
      status: 'error',
      extension: 'postgres_changes',
    });
    expect(await client.flush()).toEqual([]);
    return payload['message'];
  };

  test('reports an empty part of a filter', async () => {
    expect(await refusalOf({ schema: 'public', table: 'notes', filter: 'id=eq.1,,id=eq.2' })).toBe(
      'Error parsing `filter` params: filter must not contain empty segments (check for extra commas)',
    );
  });

  test.each([
    ['id=is.true', 'is true filter requires a boolean column, got bigint'],
    ['id=like.1%', 'operator like requires a text-compatible column type, got bigint'],
  ])('refuses the filter %s', async (filter, message) => {
    expect(await refusalOf({ schema: 'public', table: 'notes', filter })).toContain(message);
  });

  test('refuses a select of an unknown column', async () => {
    expect(await refusalOf({ schema: 'public', table: 'notes', select: ['nope'] })).toContain(
      'invalid column for select nope',
    );
  });
});

describe('leaving and pushing', () => {
  test('a channel that was left receives nothing', async () => {
    const client = await world.connect();
    await client.joinLive(TOPIC, { changes: [{ schema: 'public', table: 'open_notes' }] });
    client.send('1', '8', TOPIC, 'phx_leave', {});
    await client.nextOf('phx_close');
    await world.database.query(`insert into open_notes values (902)`);
    await world.service.settled();
    expect(await client.flush()).toEqual([]);
  });
});
