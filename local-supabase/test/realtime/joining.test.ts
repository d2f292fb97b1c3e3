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
  test('gets a reply with its bindings and their ids, and then the message of the live subscription', async () => {
    const client = await world.connect();
    client.join(TOPIC, { changes: [OWN_NOTES], token: await world.tokenOf(ADA) });
    expect(await client.next()).toEqual({
      joinRef: '1',
      ref: '1',
      topic: TOPIC,
      event: 'phx_reply',
      payload: { status: 'ok', response: { postgres_changes: [{ ...OWN_NOTES, id: expect.any(Number) }] } },
    });
    expect(await client.next()).toEqual({
      joinRef: '1',
      ref: null,
      topic: TOPIC,
      event: 'system',
      payload: {
        extension: 'postgres_changes',
        status: 'ok',
        message: 'Subscribed to PostgreSQL',
        channel: 'user:ada',
      },
    });
  });

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

  test('a join without bindings gets no message of a live subscription', async () => {
    const client = await world.connect();
    client.join(TOPIC);
    expect((await client.flush()).map(({ event }) => event)).toEqual(['phx_reply']);
  });

  test('replaces the channel of the same topic, and closes it after the reply', async () => {
    const client = await world.connect();
    client.join(TOPIC, { joinRef: '1' });
    client.join(TOPIC, { joinRef: '2' });
    expect(
      [await client.next(), await client.next(), await client.next()].map(({ joinRef, ref, event }) => [
        joinRef,
        ref,
        event,
      ]),
    ).toEqual([
      ['1', '1', 'phx_reply'],
      ['2', '2', 'phx_reply'],
      ['1', '1', 'phx_close'],
    ]);
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
    [{ postgres_changes: [[]] }, 'expected a map, got: []'],
    [{ postgres_changes: [null, 'x'] }, 'expected a map, got: "x"'],
    [{ broadcast: 'x' }, 'no function clause matching in Access.get/3'],
    [
      { broadcast: [] },
      'the Access module supports only keyword lists (with atom keys), got: "replication_ready"\n\nIf you want to search lists of tuples, use List.keyfind/3\n',
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
  const PLEASE = 'Unable to subscribe to changes with given parameters.';

  test('an invalid subscription for an unknown column causes a system error after the ok reply', async () => {
    expect(await refusalOf({ event: '*', schema: 'public', table: 'notes', filter: 'nope=eq.1' })).toBe(
      `${PLEASE} An exception happened so please check your connect parameters: [event: *, schema: public, table: notes, filters: [{"nope", "eq", "1", false}], select: nil]. Exception: ERROR P0001 (raise_exception) invalid column for filter nope`,
    );
  });

  test('an invalid subscription for a value that does not fit names the condition', async () => {
    expect(
      await refusalOf({ event: 'INSERT', schema: 'public', table: 'notes', filter: 'id=eq.x' }),
    ).toContain(
      'Exception: ERROR 22P02 (invalid_text_representation) invalid input syntax for type bigint: "x"',
    );
  });

  test('an invalid subscription for a table outside of the publication is refused with a hint at the publication', async () => {
    for (const table of ['unpublished', 'absent']) {
      expect(await refusalOf({ event: '*', schema: 'public', table })).toBe(
        `${PLEASE} Please check Realtime is enabled for the given connect parameters: [event: *, schema: public, table: ${table}, filters: [], select: nil]`,
      );
    }
  });

  test('also refuses the valid bindings of its channel', async () => {
    expect(await refusalOf(OWN_NOTES, { event: '*', schema: 'public', table: 'absent' })).toContain(
      'table: absent',
    );
  });

  test.each([
    [{ schema: 'public', table: 'notes', filter: 'id=foo.1' }, 'Error parsing `filter` params: ["foo", "1"]'],
    [
      { schema: 'public', table: 'notes', filter: 'undefined' },
      'Error parsing `filter` params: ["undefined"]',
    ],
    [
      { schema: 'public', table: 'notes', filter: 'id=eq.1,,id=eq.2' },
      'Error parsing `filter` params: filter must not contain empty segments (check for extra commas)',
    ],
    [
      { schema: 'public', table: 'notes', filter: 'id=in.1' },
      'Error parsing `filter` params: `in` filter value must be wrapped by parentheses',
    ],
    [
      { event: '*', schema: 'public', filter: 'id=eq.1' },
      'No subscription params provided. Please provide at least a `schema` or `table` to subscribe to: %{"event" => "*", "filter" => "id=eq.1", "schema" => "public"}',
    ],
    [
      { schema: '*', table: 'notes', select: ['id'] },
      'Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.',
    ],
    [
      { schema: 'public', table: 'notes', select: 'id' },
      'Error parsing `select` params: expected a list of column name strings, e.g. select: ["col1", "col2"]',
    ],
  ])('reports the error in %j', async (binding, message) => {
    expect(await refusalOf(binding)).toBe(message);
  });

  test.each([
    ['id=is.true', 'is true filter requires a boolean column, got bigint'],
    ['done=is.maybe', 'invalid value for is filter: must be null, true, false, or unknown'],
    ['id=like.1%', 'operator like requires a text-compatible column type, got bigint'],
    ['body=match.(', 'invalid regular expression for match filter: '],
    [
      `id=in.(${Array.from({ length: 101 }, (_, index) => index).join()})`,
      'too many values for `in` filter. Maximum 100',
    ],
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
  test('a leave gets a reply, then the channel is closed', async () => {
    const client = await world.connect();
    client.join(TOPIC);
    client.send('1', '8', TOPIC, 'phx_leave', {});
    expect((await client.flush()).slice(1)).toEqual([
      { joinRef: '1', ref: '8', topic: TOPIC, event: 'phx_reply', payload: { status: 'ok', response: {} } },
      { joinRef: '1', ref: '1', topic: TOPIC, event: 'phx_close', payload: {} },
    ]);
  });

  test('a channel that was left receives nothing', async () => {
    const client = await world.connect();
    await client.joinLive(TOPIC, { changes: [{ schema: 'public', table: 'open_notes' }] });
    client.send('1', '8', TOPIC, 'phx_leave', {});
    await client.nextOf('phx_close');
    await world.database.query(`insert into open_notes values (902)`);
    await world.service.settled();
    expect(await client.flush()).toEqual([]);
  });

  test('a push to a topic without a channel gets the reply "unmatched topic", a leave gets ok', async () => {
    const client = await world.connect();
    client.send(null, '3', 'realtime:unjoined', 'broadcast', {});
    client.send(null, '4', 'realtime:unjoined', 'phx_leave', {});
    expect((await client.flush()).map(({ ref, payload }) => [ref, payload])).toEqual([
      ['3', { status: 'error', response: { reason: 'unmatched topic' } }],
      ['4', { status: 'ok', response: {} }],
    ]);
  });

  test('a message that is not a frame gets no reply and keeps the socket open', async () => {
    const client = await world.connect();
    for (const text of ['not json', '{}', '[1,2]', 'null', '[null,null,"x",7,{}]']) client.socket.send(text);
    client.socket.send(Buffer.from([9, 9, 9]));
    client.socket.send(Buffer.from([3, 255, 255, 255, 255, 255, 1]));
    expect(await client.flush()).toEqual([]);
  });
});

describe('version 1.0.0', () => {
  test('has frames that are objects without join_ref', async () => {
    const client = await world.connect({ version: '1.0.0' });
    client.send(null, '1', TOPIC, 'phx_join', {
      config: { postgres_changes: [{ schema: 'public', table: 'open_notes' }] },
    });
    await client.nextOf('system');
    await world.database.query(`insert into open_notes values (903)`);
    await client.nextOf('postgres_changes');
    expect(client.texts.map((text) => Object.keys(JSON.parse(text)).sort())).toEqual([
      ['event', 'payload', 'ref', 'topic'],
      ['event', 'payload', 'ref', 'topic'],
      ['event', 'payload', 'ref', 'topic'],
    ]);
  });

  test('a join without config takes its binding from the topic and receives events named by action', async () => {
    const client = await world.connect({ version: '1.0.0' });
    client.send(null, '1', 'realtime:public:open_notes:id=eq.904', 'phx_join', {});
    await client.nextOf('system');
    await world.database.query(`insert into open_notes values (904), (905)`);
    await world.service.settled();
    expect((await client.flush()).map(({ event, payload }) => [event, payload['record']])).toEqual([
      ['INSERT', { id: 904, owner: null, body: null }],
    ]);
  });
});
