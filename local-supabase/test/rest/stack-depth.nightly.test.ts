import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/project/open-database.ts';
import { openRestWorld, type RestWorld } from './rest-world.ts';

const schema = `
  create table public.entry (id int primary key);
  insert into public.entry values (1);
  create function public.descend(levels int) returns int language plpgsql
    as $$ begin return case when levels = 0 then 0 else 1 + public.descend(levels - 1) end; end $$;
  create table public.chain (id int primary key);
  create function public.insert_next() returns trigger language plpgsql
    as $$ begin insert into public.chain values (new.id + 1); return new; end $$;
  create trigger insert_next after insert on public.chain
    for each row execute function public.insert_next();
  grant all on public.entry to service_role;`;

const tooDeep = { code: '54001', message: 'stack depth limit exceeded' };

describe('a statement with endless recursion', () => {
  let world: RestWorld;
  beforeAll(async () => {
    world = await openRestWorld(schema);
  });
  afterAll(async () => world.close());

  const read = async (path: string) => {
    const response = await world.ask(path);
    return [response.status, await response.json()];
  };

  it('is rejected with 54001; committed rows and the notice of schema changes remain', async () => {
    const inserted = await world.ask('/entry', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 2 }),
    });
    expect(inserted.status).toBe(201);
    expect(await read('/rpc/descend?levels=1000000')).toMatchObject([500, tooDeep]);
    expect(await read('/entry?order=id')).toEqual([200, [{ id: 1 }, { id: 2 }]]);
    expect(await read('/rpc/descend?levels=50')).toEqual([200, 50]);
    await world.database.exec(`create function public.added() returns int language sql as 'select 7';
      notify pgrst`);
    expect(await read('/rpc/added')).toEqual([200, 7]);
  });

  it('a statement that recurses without end in a trigger undoes its transaction, in a database of files', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'stack-depth-'));
    const project = new URL('./no-project/', import.meta.url);
    const { database } = await openDatabase({ dataDir, project, seed: false });
    await database.exec(schema);
    const task = database.transaction(async (sql) => {
      await sql.query('insert into public.entry values (2)');
      await sql.query('insert into public.chain values (1)');
    });
    await expect(task).rejects.toMatchObject(tooDeep);
    expect(await database.query('select id from public.entry')).toEqual([{ id: 1 }]);
    expect(await database.query('select id from public.chain')).toEqual([]);
    await database.close();
    await rm(dataDir, { recursive: true });
  });
});
