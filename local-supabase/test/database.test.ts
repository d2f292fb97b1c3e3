import { describe, expect, it } from 'vitest';
import { requestApi, useLocalSupabase } from '../../test/support/local-supabase.ts';

const supabase = useLocalSupabase();

describe('the database of a project', () => {
  it('has the roles of the API', async () => {
    const roles = await supabase().database.query(
      `select rolname, rolbypassrls, rolsuper from pg_roles
       where rolname in ('anon', 'authenticated', 'service_role', 'authenticator', 'supabase_auth_admin')
       order by rolname`,
    );
    expect(roles).toEqual([
      { rolname: 'anon', rolbypassrls: false, rolsuper: false },
      { rolname: 'authenticated', rolbypassrls: false, rolsuper: false },
      { rolname: 'authenticator', rolbypassrls: false, rolsuper: false },
      { rolname: 'service_role', rolbypassrls: true, rolsuper: false },
      { rolname: 'supabase_auth_admin', rolbypassrls: false, rolsuper: false },
    ]);
  });

  it('denies the API access to the tables of the auth service', async () => {
    const task = supabase().database.transaction(async (sql) => {
      await sql.query(`select set_config('role', 'authenticated', true)`);
      return sql.query('select id from auth.users');
    });
    await expect(task).rejects.toMatchObject({ code: '42501' });
  });

  it('reads the caller from the claims', async () => {
    const id = crypto.randomUUID();
    const [caller] = await supabase().database.transaction(async (sql) => {
      const claims = { sub: id, role: 'authenticated', email: 'a@example.com', aal: 'aal2' };
      await sql.query(`select set_config('request.jwt.claims', $1, true)`, [JSON.stringify(claims)]);
      return sql.query(
        `select auth.uid() as uid, auth.role() as role, auth.email() as email, auth.jwt() ->> 'aal' as aal`,
      );
    });
    expect(caller).toEqual({ uid: id, role: 'authenticated', email: 'a@example.com', aal: 'aal2' });
  });

  it('has the extensions that migrations expect', async () => {
    const [row] = await supabase().database.query(
      `select crypt('x', gen_salt('bf', 4)) like '$2a$04$%' as crypt,
         extensions.uuid_generate_v4() is not null as uuid,
         length(extensions.gen_random_bytes(8)) as bytes`,
    );
    expect(row).toEqual({ crypt: true, uuid: true, bytes: 8 });
  });
});

describe('its only session', () => {
  it.each([false, 5, { a: 1 }])(
    'is in no transaction after a query with %o in place of a list',
    async (value) => {
      const { database } = supabase();
      const broken = (sql: { query: typeof database.query }) => sql.query('select $1::text[]', [value]);
      await expect(database.transaction(broken)).rejects.toBeInstanceOf(Error);
      await expect(database.query('select 1 as one')).resolves.toEqual([{ one: 1 }]);
      await expect(database.exec('begin; select nope')).rejects.toMatchObject({ code: '42703' });
      await expect(database.query('select 1 as one')).resolves.toEqual([{ one: 1 }]);
      await expect(broken(database)).rejects.toBeInstanceOf(Error);
      await expect(database.transaction((sql) => sql.query('select 2 as two'))).resolves.toEqual([
        { two: 2 },
      ]);
    },
  );

  it('survives an encoding conversion, which PGlite lacks', async () => {
    const { database } = supabase();
    await expect(database.query(`select convert('a'::bytea, 'UTF8', 'LATIN1')`)).rejects.toMatchObject({
      code: '57P02',
    });
    await expect(database.query('select 1 as one')).resolves.toEqual([{ one: 1 }]);
  });

  it('rolls back a failed transaction and stays usable', async () => {
    const { database } = supabase();
    const task = database.transaction(async (sql) => {
      await sql.query(`create table public.gone (id int)`);
      throw new Error('no');
    });
    await expect(task).rejects.toThrow('no');
    await expect(database.query(`select to_regclass('public.gone') as found`)).resolves.toEqual([
      { found: null },
    ]);
  });

  it('runs no other statement within a transaction', async () => {
    const { database } = supabase();
    await database.exec('create table public.steps (step text)');
    await Promise.all([
      database.transaction(async (sql) => {
        await sql.query(`insert into steps values ('first')`);
        await new Promise((resolve) => setImmediate(resolve));
        await sql.query(`insert into steps values ('second')`);
      }),
      database.query(`insert into steps values ('third')`),
    ]);
    await expect(database.query('select step from steps')).resolves.toEqual([
      { step: 'first' },
      { step: 'second' },
      { step: 'third' },
    ]);
    await database.exec('drop table public.steps');
  });

  it('rejects a call of the API or of the database within a transaction, which continues', async () => {
    const { database } = supabase();
    const waits = /within database\.transaction waits for the transaction itself/;
    const rows = database.transaction(async (sql) => {
      await expect(requestApi(supabase(), '/rest/v1/')).rejects.toThrow(waits);
      await expect(database.query('select 1')).rejects.toThrow(waits);
      await expect(database.transaction(() => Promise.resolve())).rejects.toThrow(waits);
      return sql.query('select 1 as one');
    });
    await expect(rows).resolves.toEqual([{ one: 1 }]);
    expect((await requestApi(supabase(), '/rest/v1/', { apiKey: supabase().serviceRoleKey })).status).toBe(
      200,
    );
  });

  it('delivers notifications of committed transactions only, to listeners that may use the database', async () => {
    const { database } = supabase();
    const received: unknown[] = [];
    let result: Promise<unknown> | undefined;
    const stop = await database.listen('news', (payload) => {
      received.push(payload);
      result = database.query('select 1 as one');
    });
    const failed = database.transaction(async (sql) => {
      await sql.query(`select pg_notify('news', 'never')`);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    await database.transaction((sql) => sql.query(`select pg_notify('news', 'committed')`));
    expect(received).toEqual(['committed']);
    await expect(result).resolves.toEqual([{ one: 1 }]);
    await stop();
    await database.query(`select pg_notify('news', 'later')`);
    expect(received).toEqual(['committed']);
  });

  it('parses values to JavaScript types', async () => {
    const [row] = await supabase().database.query(
      `select 7::int8 as small, 9007199254740993::int8 as large, '2026-01-02 03:04:05+00'::timestamptz as time,
         '{"a":1}'::jsonb as json, '2026-01-02'::date as day, 1.50::numeric as exact, array['a'] as list`,
    );
    expect(row).toEqual({
      small: 7,
      large: 9_007_199_254_740_993n,
      time: new Date('2026-01-02T03:04:05Z'),
      json: { a: 1 },
      day: '2026-01-02',
      exact: '1.50',
      list: ['a'],
    });
  });
});
