import { afterAll, describe, expect, it } from 'vitest';
import { createDatabasePool, createLocalSupabase } from '../src/entries/index.ts';

const databases = createDatabasePool();
afterAll(databases.close);

const countsOf =
  'select (select count(*) from auth.users) as users, (select count(*) from storage.buckets) as buckets';

describe('a pool of databases', () => {
  it('gives each instance the initial state, whatever the previous one has written', async () => {
    const first = await createLocalSupabase({ config: false, databases });
    const counts = await first.database.query(countsOf);
    const random = await first.database.query('select random()');
    await first.database.exec(`
      create table public.large as select repeat('x', 500) as text from generate_series(1, 20000);
      alter table public.large rename to larger;
      alter role authenticated set statement_timeout = '1ms';
      set timezone = 'Asia/Tokyo';
      delete from auth.users;
      select to_tsvector('english', 'dogs'), extensions.crypt('a', extensions.gen_salt('bf', 4))`);
    await first.close();
    await expect(first.database.query('select 1')).rejects.toThrow('The database is closed');

    const second = await createLocalSupabase({ config: false, databases });
    expect(await second.database.query(countsOf)).toEqual(counts);
    expect(await second.database.query('select random()')).not.toEqual(random);
    expect(await second.database.query("select to_regclass('public.larger') as missing")).toEqual([
      { missing: null },
    ]);
    expect(await second.database.query("select current_setting('timezone') as zone")).toEqual([
      { zone: 'UTC' },
    ]);
    await second.database.exec('create table public.larger (id int); drop table public.larger; checkpoint');
    await second.close();
  });

  it('replaces a database that crashed or loaded a library', async () => {
    const loading = await createLocalSupabase({ config: false, databases });
    await loading.database.query(`load '$libdir/euc_cn_and_mic'`);
    await loading.close();
    const crashing = await createLocalSupabase({ config: false, databases });
    // PGlite lacks the encoding conversions: each call crashes PostgreSQL.
    const converted = crashing.database.query(`select convert('a'::bytea, 'UTF8', 'LATIN1')`);
    await expect(converted).rejects.toMatchObject({ code: '57P02' });
    await crashing.close();
    const { database, close } = await createLocalSupabase({ config: false, databases });
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
    await close();
  });
});
