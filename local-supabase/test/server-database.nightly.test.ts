import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createLocalSupabase, StartError } from '../src/entries/index.ts';
import { startTestedServer, type TestedServer } from './tested-server.ts';
import { createUser, requestApi } from '../../test/support/local-supabase.ts';

// POSTGRES_URL selects a real server, as in the workflow; without it, a PGlite behind a port tests the connection.
let server: TestedServer;
beforeAll(async () => {
  server = await startTestedServer();
});
afterAll(() => server.close());

const project = new URL('./rest/', import.meta.url);
const start = (url = server.url) =>
  createLocalSupabase({ project, databaseUrl: url, auth: { bcryptCost: 4 }, report: () => undefined });

describe('the services on a server of PostgreSQL', () => {
  it('reject a database with other objects, and keep them', async () => {
    await server.exec('create table public.theirs (id int)');
    await expect(start()).rejects.toThrow(/has objects that are not this project's\. They are kept/);
    await server.exec('drop table public.theirs');
  });

  it('report an unreachable server without its password', async () => {
    const problem = await start('postgres://postgres:secret@127.0.0.1:1/shop').catch(
      (error: unknown) => error,
    );
    expect(problem).toBeInstanceOf(StartError);
    expect((problem as Error).message).toMatch(
      /^The database at postgres:\/\/postgres@127\.0\.0\.1:1\/shop /,
    );
  });

  it('set up a project that only mentions an extension which the server lacks', async () => {
    const other = await startTestedServer();
    const folder = await mkdtemp(join(tmpdir(), 'mentions-'));
    onTestFinished(async () => {
      await other.close();
      await rm(folder, { recursive: true });
    });
    await mkdir(join(folder, 'supabase/migrations'), { recursive: true });
    await writeFile(
      join(folder, 'supabase/migrations/1_secret.sql'),
      `create function public.read_secret() returns text language plpgsql as
         $$ begin return (select decrypted_secret from vault.decrypted_secrets limit 1); end $$`,
    );
    const supabase = await createLocalSupabase({
      project: folder,
      databaseUrl: other.url,
      report: () => undefined,
    });
    const [found] = await supabase.database.query("select to_regproc('public.read_secret') as name");
    expect(found).toEqual({ name: 'read_secret' });
    await supabase.close();
  });

  it('set up the schema, sign in, apply policies, and keep all of it across a restart', async () => {
    const first = await start();
    await first.database.exec(`create table public.entry (id int primary key, owner uuid default auth.uid());
      alter table public.entry enable row level security;
      create policy own on public.entry using (owner = auth.uid()) with check (owner = auth.uid())`);
    const ada = await createUser(first, 'ada@example.com');
    const insert = (token: string) =>
      requestApi(first, '/rest/v1/entry', { method: 'POST', token, body: { id: 7 } });
    expect((await insert(ada.token)).status).toBe(201);
    const grace = await createUser(first, 'grace@example.com');
    expect(await (await requestApi(first, '/rest/v1/entry', { token: grace.token })).json()).toEqual([]);
    await first.close();

    const second = await start();
    expect(await second.database.query('select id, owner from public.entry')).toEqual([
      { id: 7, owner: ada.id },
    ]);
    await expect(second.clock.advance(1000)).rejects.toThrow(
      'Moving the clock of SQL is not possible with --database-url',
    );
    await second.close();
  });

  it('receive notifications and reconnect after the connection has ended', async () => {
    const supabase = await start();
    const received: string[] = [];
    await supabase.database.listen('news', (payload) => received.push(payload));
    const other = new Client(server.url);
    other.on('error', () => undefined);
    await other.connect();
    await other.query(`notify news, 'one'`);
    await server.disconnect();
    // The connection may end before the query or instead of its response.
    const next = supabase.database.query('select 1 as one').catch((error: unknown) => error);
    expect([[{ one: 1 }], expect.objectContaining({ code: '57P02' })]).toContainEqual(await next);
    expect(await supabase.database.query('select 1 as one')).toEqual([{ one: 1 }]);
    await supabase.database.query(`select pg_notify('news', 'two')`);
    await supabase.database.query('select 1');
    await expect.poll(() => received).toHaveLength(2);
    expect(received).toEqual(['one', 'two']);
    await supabase.close();
  });
});
