import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRestWorld, type RestWorld } from './rest-world.ts';

const schema = `
  create table public.entry (id int primary key);
  create function public.endless() returns void language plpgsql
    as $$ begin insert into public.entry values (1); loop end loop; end $$;
  create function public.asleep() returns void language sql
    as $$ insert into public.entry values (1); select pg_sleep(3600) $$;
  create function public.patient() returns text language sql set statement_timeout = '1min'
    as $$ select pg_sleep(0.1); select 'done' $$;
  grant all on public.entry to service_role;`;

let world: RestWorld;
beforeAll(async () => {
  world = await openRestWorld(schema);
});
afterAll(async () => world.close());

const limit = async (role: string, timeout: string) =>
  world.database.exec(`alter role ${role} set statement_timeout = ${timeout}; notify pgrst`);
const timedOut = { code: '57014', message: 'canceling statement due to statement timeout' };
const call = async (name: string) => {
  const response = await world.ask(`/rpc/${name}`, { method: 'POST' });
  return [response.status, await response.json()];
};

describe('a statement that takes longer than statement_timeout', () => {
  it.each(['endless', 'asleep'])('is canceled at the limit of the role and rolled back: %s', async (name) => {
    await limit('service_role', `'50ms'`);
    expect(await call(name)).toMatchObject([500, timedOut]);
    expect(await (await world.ask('/entry')).json()).toEqual([]);
  });

  it('is canceled at the limit of the login role, for a role without its own', async () => {
    await limit('service_role', 'default');
    await limit('authenticator', `'50ms'`);
    expect(await call('endless')).toMatchObject([500, timedOut]);
  });

  it('succeeds if the function sets a longer time', async () => {
    expect(await call('patient')).toEqual([200, 'done']);
  });

  it('is canceled at the limit of its transaction, which can continue from a savepoint', async () => {
    const rows = world.database.transaction(async (sql) => {
      await sql.query(`select set_config('statement_timeout', '50ms', true)`);
      await sql.query('savepoint before');
      await expect(sql.query('select count(*) from generate_series(1, 1e12::int8)')).rejects.toMatchObject(
        timedOut,
      );
      await sql.query('rollback to before');
      return sql.query('select 1 as one');
    });
    await expect(rows).resolves.toEqual([{ one: 1 }]);
  });

  it('raises an error that a function can handle, once', async () => {
    await world.database.exec(`create table public.seen (message text);
      set statement_timeout = '50ms';
      do $$ begin
        begin loop end loop; exception when query_canceled then insert into public.seen values (sqlerrm); end;
      end $$;
      reset statement_timeout`);
    expect(await world.database.query('select message from public.seen')).toEqual([
      { message: timedOut.message },
    ]);
  });

  it('is canceled after another was canceled while it was planned', async () => {
    await world.database.exec(`create function public.sleep_at_planning(seconds float8) returns void
      language internal immutable strict as 'pg_sleep';
      set statement_timeout = '50ms'`);
    for (const text of [
      'select sleep_at_planning(3600)',
      'select count(*) from generate_series(1, 2e6::int)',
    ])
      await expect(world.database.query(text)).rejects.toMatchObject(timedOut);
    await world.database.exec('reset statement_timeout');
  });
});
