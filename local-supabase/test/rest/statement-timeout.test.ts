import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRestWorld, type RestWorld } from './rest-world.ts';

const schema = `
  create table public.entry (id int primary key);
  create function public.slow() returns void language sql
    as $$ insert into public.entry values (1); select pg_sleep(0.1) $$;
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

describe('a statement that takes longer than statement_timeout', () => {
  it('a statement that takes longer than statement_timeout of the role is answered with 57014 and undone', async () => {
    await limit('service_role', `'50ms'`);
    const response = await world.ask('/rpc/slow', { method: 'POST' });
    expect([response.status, await response.json()]).toMatchObject([500, timedOut]);
    expect(await (await world.ask('/entry')).json()).toEqual([]);
  });

  it('a statement that takes longer than statement_timeout of the login role is refused, for a role without its own', async () => {
    await limit('service_role', 'default');
    await limit('authenticator', `'50ms'`);
    expect(await (await world.ask('/rpc/slow', { method: 'POST' })).json()).toMatchObject(timedOut);
  });

  it('is answered where the function sets a longer time', async () => {
    const response = await world.ask('/rpc/patient', { method: 'POST' });
    expect(await response.json()).toBe('done');
  });
});
