import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realtimeSchemaSql } from '../../src/project/realtime-sql.ts';
import type { RawClient } from './raw-client.ts';
import { ADA, createRealtimeWorld } from './realtime-world.ts';
import type { RealtimeWorld } from './realtime-world.ts';

let world: RealtimeWorld;
let topics = 0;
beforeAll(async () => {
  world = await createRealtimeWorld();
  await world.database.exec(`
    grant usage on schema realtime to authenticated;
    create policy reads on realtime.messages for select to authenticated using (extension = 'broadcast');`);
});
afterAll(() => world.close());

const join = async (topic: string, config: object = {}) => {
  const client = await world.connect();
  const payload = { config: { private: true, ...config }, access_token: await world.tokenOf(ADA) };
  client.send('1', '1', `realtime:${topic}`, 'phx_join', payload);
  const reply = await client.next();
  return { client, response: reply.payload['response'] };
};
const newTopic = () => `topic-${(topics += 1)}`;
/** The parts of each broadcast frame: event, metadata, payload. */
const broadcasts = (client: RawClient) =>
  client.binaries.map((frame) => {
    const [, topicSize = 0, eventSize = 0, metadataSize = 0] = frame;
    const parts = [topicSize, eventSize, metadataSize].reduce(
      ({ offset, texts }, size) => ({
        offset: offset + size,
        texts: [...texts, frame.toString('utf8', offset, offset + size)],
      }),
      { offset: 5, texts: [] as string[] },
    );
    return [...parts.texts.slice(1), frame.subarray(parts.offset).toString()];
  });
const received = async (client: RawClient, count: number) => {
  await expect.poll(() => client.binaries.length).toBe(count);
  return broadcasts(client);
};

describe('a message of the database', () => {
  test('is broadcast in commit order with its id, and not when it is rolled back', async () => {
    const topic = newTopic();
    const { client } = await join(topic);
    await world.database.exec(
      `begin; select realtime.send('{"n": 0}', 'hello', '${topic}'); rollback;
       select realtime.send('{"n": 1, "id": "own"}', 'hello', '${topic}');
       select realtime.send_binary('\\x6f6b', 'bytes', '${topic}');`,
    );
    const [first, second] = await received(client, 2);
    expect(first).toEqual(['hello', expect.stringMatching(/^\{"id":"[\w-]+"\}$/), '{"n": 1, "id": "own"}']);
    expect(second?.filter((_part, index) => index !== 1)).toEqual(['bytes', 'ok']);
  });

  test('reaches the public channel of the topic when it is public', async () => {
    const topic = newTopic();
    const [{ client: reader }, { client: member }] = [
      await join(topic, { private: false }),
      await join(topic),
    ];
    await world.database.query(`select realtime.send('{}', 'hello', $1, false)`, [topic]);
    await received(reader, 1);
    expect(await member.flush()).toEqual([]);
    expect(member.binaries).toEqual([]);
  });

  test('contains the change of a row from a trigger', async () => {
    const topic = newTopic();
    const { client } = await join(topic);
    await world.database.exec(`
      create table told (id int primary key);
      create function tell() returns trigger language plpgsql as $$ begin
        perform realtime.broadcast_changes('${topic}', tg_op, tg_op, tg_table_name, tg_table_schema, new, old);
        return null;
      end $$;
      create trigger tell after insert or delete on told for each row execute function tell();
      insert into told values (1); delete from told;`);
    const payloads = (await received(client, 2)).map(([event, , payload = '']) => [
      event,
      JSON.parse(payload) as object,
    ]);
    expect(payloads).toMatchObject([
      ['INSERT', { operation: 'INSERT', record: { id: 1 }, old_record: null, table: 'told' }],
      ['DELETE', { operation: 'DELETE', record: null, old_record: { id: 1 }, schema: 'public' }],
    ]);
  });

  test('a message of the database is lost while the replication is stopped, and a join that requests it waits', async () => {
    const topic = newTopic();
    const { client } = await join(topic);
    const send = (n: number) =>
      world.database.query('select realtime.send($1, $2, $3)', [JSON.stringify({ n }), 'hello', topic]);
    const { faults } = world.service;
    faults.setMessageReplication(false);
    await send(1);
    const { client: other } = await join(topic, { broadcast: { replication_ready: true } });
    expect([await client.flush(), await other.flush()]).toEqual([[], []]);
    faults.setMessageReplication(true);
    expect((await other.next()).payload).toMatchObject({ message: 'Replication connection established' });
    await send(2);
    const payloads = (await received(client, 1)).map(([, , payload = '']) => JSON.parse(payload) as object);
    expect(payloads).toMatchObject([{ n: 2 }]);
  });

  test.each([true, 'false', 0])(
    'a join with replication_ready %j gets a message when the replication runs',
    async (value) => {
      const { client } = await join(newTopic(), { broadcast: { replication_ready: value } });
      expect((await client.next()).payload).toMatchObject({ message: 'Replication connection established' });
    },
  );

  test.each([false, null])(
    'a join with replication_ready %j gets no message about the replication',
    async (value) => {
      const { client } = await join(newTopic(), { broadcast: { replication_ready: value } });
      expect(await client.flush()).toEqual([]);
    },
  );

  test('a message of the database that cannot be stored raises a warning, and the statement continues', async () => {
    const rows = await world.database.query(`select realtime.send('{}', 'hello', null), 1 as one`);
    expect(rows).toMatchObject([{ one: 1 }]);
  });
});

describe('a replay', () => {
  const replay = (parameters: unknown) => ({ broadcast: { replay: parameters } });

  test('sends the latest messages since a time, oldest first, before new messages', async () => {
    const topic = newTopic();
    for (const n of [1, 2, 3]) {
      await world.database.query('select realtime.send($1, $2, $3)', [JSON.stringify({ n }), 'hello', topic]);
    }
    const { client } = await join(topic, replay({ since: Date.now() - 60_000, limit: 2 }));
    expect(
      (await client.flush()).map(({ joinRef, event, payload }) => [joinRef, event, payload]),
    ).toMatchObject([
      ['1', 'broadcast', { payload: { n: 2 }, meta: { replayed: true } }],
      ['1', 'broadcast', { payload: { n: 3 }, meta: { replayed: true } }],
    ]);
  });

  test('sends messages with equal times in the order of their inserts', async () => {
    const topic = newTopic();
    await world.database.query(
      `select realtime.send(jsonb_build_object('n', n), 'hello', $1) from generate_series(1, 12) n`,
      [topic],
    );
    const { client } = await join(topic, replay({ since: Date.now() - 60_000, limit: 3 }));
    expect((await client.flush()).map(({ payload }) => payload)).toMatchObject([
      { payload: { n: 10 } },
      { payload: { n: 11 } },
      { payload: { n: 12 } },
    ]);
  });

  test('sends bytes, and messages without an event or a payload, each marked as replayed', async () => {
    const topic = newTopic();
    await world.database.query(`select realtime.send_binary('\\x6f6b', 'bytes', $1)`, [topic]);
    await world.database.query(
      `insert into realtime.messages (topic, extension, event, payload, private)
       values ($1, 'broadcast', null, '{}', true), ($1, 'broadcast', 'empty', null, true)`,
      [topic],
    );
    const { client } = await join(topic, replay({ since: 0 }));
    expect((await client.flush()).map(({ payload }) => payload)).toEqual([
      { type: 'broadcast', event: null, payload: {}, meta: { id: expect.any(String), replayed: true } },
      { type: 'broadcast', event: 'empty', payload: null, meta: { id: expect.any(String), replayed: true } },
    ]);
    const [[event, metadata = '', bytes] = []] = broadcasts(client);
    expect([event, JSON.parse(metadata), bytes]).toEqual([
      'bytes',
      { id: expect.any(String), replayed: true },
      'ok',
    ]);
  });

  test.each([
    [{ since: 'x' }, 'UnableToReplayMessages: Replay params are not valid', true],
    [{}, 'UnableToReplayMessages: Replay params are not valid', true],
    [{ since: 0 }, 'UnableToReplayMessages: Replay is not allowed for public channels', false],
  ])('a replay with %j is refused: %s', async (parameters, reason, isPrivate) => {
    const { response } = await join(newTopic(), { private: isPrivate, ...replay(parameters) });
    expect(response).toEqual({ reason });
  });
});

describe('the partitions of realtime.messages', () => {
  test('replace the plain table of an earlier version, and keep its policies', async () => {
    const other = await createRealtimeWorld();
    await other.database.exec(`
      drop table realtime.messages;
      create table realtime.messages (topic text not null, extension text not null, id uuid primary key);
      create policy reads on realtime.messages as restrictive for select to authenticated, anon using (topic = 'a');
      create policy writes on realtime.messages for insert with check (extension = 'broadcast');`);
    await other.database.exec(realtimeSchemaSql);
    const policies = await other.database.query(
      `select policyname, permissive, cmd, roles::text, qual, with_check from pg_policies
       where schemaname = 'realtime' and tablename = 'messages' order by 1`,
    );
    expect(policies).toEqual([
      {
        policyname: 'reads',
        permissive: 'RESTRICTIVE',
        cmd: 'SELECT',
        roles: '{anon,authenticated}',
        qual: "(topic = 'a'::text)",
        with_check: null,
      },
      {
        policyname: 'writes',
        permissive: 'PERMISSIVE',
        cmd: 'INSERT',
        roles: '{public}',
        qual: null,
        with_check: "(extension = 'broadcast'::text)",
      },
    ]);
    await other.close();
  });

  test('cover yesterday to three days ahead, and older ones are dropped', async () => {
    await world.database.exec(
      `create table realtime.messages_2020_01_01 partition of realtime.messages for values from ('2020-01-01') to ('2020-01-02');
       select realtime.maintain_messages()`,
    );
    const rows = await world.database.query<{ days: number }>(
      `select (substr(relname, 10)::text)::date - (now() at time zone 'utc')::date as days
       from (select replace(relname, '_', '-') as relname from pg_class where relname ~ '^messages_\\d{4}_\\d\\d_\\d\\d$') p
       order by 1`,
    );
    expect(rows.map(({ days }) => days)).toEqual([-1, 0, 1, 2, 3]);
  });
});
