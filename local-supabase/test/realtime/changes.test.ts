import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADA, BOB, createRealtimeWorld } from './realtime-world.ts';
import type { RealtimeWorld } from './realtime-world.ts';
import type { RawClient } from './raw-client.ts';

const NOTES = { event: '*', schema: 'public', table: 'notes' };

let world: RealtimeWorld;
beforeAll(async () => {
  world = await createRealtimeWorld();
});
afterAll(() => world.close());

interface Data {
  readonly type: string;
  readonly commit_timestamp: string;
  readonly columns: { name: string; type: string }[];
  readonly record?: Record<string, unknown>;
  readonly old_record?: Record<string, unknown>;
  readonly errors: string[] | null;
}

const listen = async (binding: Record<string, unknown>, user = ADA, claims = {}) => {
  const client = await world.connect();
  await client.joinLive('realtime:t', { changes: [binding], token: await world.tokenOf(user, claims) });
  return client;
};
const received = async (client: RawClient): Promise<Data[]> => {
  await world.service.settled();
  const frames = await client.flush();
  return frames
    .filter(({ event }) => event === 'postgres_changes')
    .map(({ payload }) => payload['data'] as Data);
};
const query = (text: string, params: unknown[] = []) => world.database.query(text, params);

describe('transactions', () => {
  test('a change that is rolled back is not sent', async () => {
    const client = await listen(NOTES);
    await world.database
      .transaction(async (sql) => {
        await sql.query('insert into notes (owner) values ($1)', [ADA]);
        throw new Error('no');
      })
      .catch(() => undefined);
    // While the transaction is open, other statements in the shared session must not see the change either.
    await world.database.exec(`begin; insert into notes (owner) values ('${ADA}')`);
    await world.service.settled();
    await world.database.exec('rollback');
    expect(await received(client)).toEqual([]);
  });

  test('changes of one transaction keep their order and share their timestamp', async () => {
    const client = await listen(NOTES);
    await world.database.transaction(async (sql) => {
      for (const body of ['a', 'b', 'c'])
        await sql.query('insert into notes (owner, body) values ($1, $2)', [ADA, body]);
    });
    const changes = await received(client);
    expect(changes.map(({ record }) => record?.['body'])).toEqual(['a', 'b', 'c']);
    expect(new Set(changes.map(({ commit_timestamp }) => commit_timestamp)).size).toBe(1);
  });

  test('a row that is inserted and deleted in one transaction is sent as its DELETE only', async () => {
    const client = await listen(NOTES);
    await world.database.transaction(async (sql) => {
      await sql.query('insert into notes (id, owner) values (7001, $1)', [ADA]);
      await sql.query('delete from notes where id = 7001');
    });
    expect((await received(client)).map(({ type, old_record }) => [type, old_record])).toEqual([
      ['DELETE', { id: 7001 }],
    ]);
  });
});

describe('row-level security', () => {
  test('withholds an update that makes the row invisible', async () => {
    await query('insert into notes (id, owner) values (7100, $1)', [ADA]);
    const ada = await listen(NOTES);
    await query('update notes set owner = $1 where id = 7100', [BOB]);
    expect(await received(ada)).toEqual([]);
  });

  test('does not apply to the service role, and the role of the session is restored', async () => {
    const client = await world.connect({ apiKey: world.keys.serviceRoleKey });
    await client.joinLive('realtime:t', { changes: [NOTES] });
    await query('insert into notes (owner) values ($1)', [BOB]);
    expect(await received(client)).toHaveLength(1);
    const [session] = await query(
      `select current_user as who, current_setting('request.jwt.claims', true) as claims`,
    );
    expect(session).toEqual({ who: 'postgres', claims: '' });
  });

  test('a policy that raises loses the whole batch, for every subscriber', async () => {
    await query(`create table public.strict_notes (id int primary key)`);
    await query(`grant select on strict_notes to authenticated, service_role`);
    await query(`alter table strict_notes enable row level security`);
    await query(
      `create policy p on strict_notes to authenticated using (1 / (current_setting('request.jwt.claims')::json ->> 'n')::int > 0)`,
    );
    await query(`alter publication supabase_realtime add table strict_notes`);
    const binding = { schema: 'public', table: 'strict_notes' };
    const [failing, passing] = [await listen(binding, ADA, { n: 0 }), await listen(binding, ADA, { n: 1 })];
    await query('insert into strict_notes values (1)');
    expect([await received(failing), await received(passing)]).toEqual([[], []]);
    const { sockets } = world.service.statistics;
    failing.terminate();
    await expect.poll(() => world.service.statistics.sockets).toBe(sockets - 1);
    world.timers.advance(1_000);
    await query('insert into strict_notes values (2)');
    expect((await received(passing)).map(({ record }) => record)).toEqual([{ id: 2 }]);
  });
});

describe('values', () => {
  beforeAll(async () => {
    await query(`create table public.kinds (
      id bigint primary key, t timestamptz, b bytea, n numeric, j jsonb, a text[], f float8, "Weird ""name" text, hidden text)`);
    await query('alter publication supabase_realtime add table kinds');
    await query(`grant select (id, t, b, n, j, a, f, "Weird ""name") on kinds to authenticated`);
  });

  test('are PostgreSQL’s JSON with every digit, and null for numbers without a JSON form', async () => {
    const client = await listen({ schema: 'public', table: 'kinds' });
    await query(
      `insert into kinds values (9007199254740993, '2024-01-02 03:04:05.678901+00', '\\xc0ffee', 1.50, '{"big": 12345678901234567890}',
         '{a,"b c"}', 'Infinity', 'q', 'h')`,
    );
    const [change] = await received(client);
    const text = client.texts.find((frame) => frame.includes('"data"'));
    expect(text).toContain('"id":9007199254740993');
    expect(text).toContain('12345678901234567890');
    expect(text).toContain('"n":1.50');
    expect(change?.record).toMatchObject({
      t: '2024-01-02T03:04:05.678901+00:00',
      b: 'c0ffee',
      a: ['a', 'b c'],
      f: null,
      'Weird "name': 'q',
    });
    expect(change?.columns).toContainEqual({ name: 'a', type: '_text' });
  });

  test('values and the list of columns omit columns that the role may not read', async () => {
    const client = await listen({ schema: 'public', table: 'kinds' });
    await query(`insert into kinds (id, hidden) values (2, 'h')`);
    const [change] = await received(client);
    expect(change?.record).not.toHaveProperty('hidden');
    expect(change?.columns.map(({ name }) => name)).not.toContain('hidden');
  });
});

describe('wildcards', () => {
  test('wildcards of tables and schemas reach every table of the publication', async () => {
    await world.database.exec(`create schema side; create table side.s (id int primary key);
      grant usage on schema side to authenticated; grant select on side.s to authenticated;
      alter publication supabase_realtime add table side.s`);
    const [all, schema, updates] = [
      await listen({ event: '*', schema: '*', table: '*' }),
      await listen({ schema: 'public' }),
      await listen({ event: 'update', table: 'open_notes' }),
    ];
    await world.database.exec(
      `insert into side.s values (1); insert into open_notes values (50); update open_notes set body = 'x' where id = 50`,
    );
    const types = async (client: RawClient) => (await received(client)).map(({ type }) => type);
    expect([await types(all), await types(schema), await types(updates)]).toEqual([
      ['INSERT', 'INSERT', 'UPDATE'],
      ['INSERT', 'UPDATE'],
      ['UPDATE'],
    ]);
  });
});

describe('errors in changes', () => {
  test('a table without a primary key reports 400, a key that the role cannot read 401', async () => {
    await world.database.exec(`create table keyless (a int); create table locked (id int primary key, a int);
      grant select on keyless to authenticated; grant select (a) on locked to authenticated;
      alter publication supabase_realtime add table keyless, locked`);
    const [keyless, locked] = [await listen({ table: 'keyless' }), await listen({ table: 'locked' })];
    await world.database.exec('insert into keyless values (1); insert into locked values (1)');
    const empty = { columns: [], record: {}, commit_timestamp: null };
    expect([await received(keyless), await received(locked)]).toMatchObject([
      [{ ...empty, errors: ['Error 400: Bad Request, no primary key'] }],
      [{ ...empty, errors: ['Error 401: Unauthorized'] }],
    ]);
  });
});

describe('the publication', () => {
  test('is tracked: changes of an added table are sent, those of a removed table are not', async () => {
    await world.database.exec(
      `create table late (id int primary key); grant select on late to authenticated`,
    );
    await world.database.exec('alter publication supabase_realtime add table late');
    const client = await listen({ table: 'late' });
    await query('insert into late values (1)');
    await world.database.exec('alter publication supabase_realtime drop table late');
    await query('insert into late values (2)');
    expect((await received(client)).map(({ record }) => record)).toEqual([{ id: 1 }]);
  });

  test('limits changes to the actions that it publishes', async () => {
    const client = await listen({ table: 'open_notes' });
    await world.database.exec(`alter publication supabase_realtime set (publish = 'insert')`);
    await world.database.exec(`insert into open_notes values (70); delete from open_notes where id = 70`);
    await world.database.exec(
      `alter publication supabase_realtime set (publish = 'insert, update, delete, truncate')`,
    );
    await world.database.exec(`insert into open_notes values (71); delete from open_notes where id = 71`);
    expect((await received(client)).map(({ type }) => type)).toEqual(['INSERT', 'INSERT', 'DELETE']);
  });
});
