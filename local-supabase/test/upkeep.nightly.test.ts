import { expect, it } from 'vitest';
import { vacuumDatabase } from '../src/database/upkeep.ts';
import { useLocalSupabase } from '../../test/support/local-supabase.ts';

const supabase = useLocalSupabase();

const sizes = async () => {
  const [row] = await supabase().database.query<{ table: number; log: number }>(
    `select pg_total_relation_size('public.spent')::int as table,
       (select sum(size) from pg_ls_waldir())::float8 / 1048576 as log`,
  );
  if (!row) throw new Error('PostgreSQL tells no sizes');
  return row;
};

it('frees the space of dead rows and old log after many writes', async () => {
  const { database } = supabase();
  await database.exec('create table public.spent (id int primary key, body text)');
  const spend = async () => {
    await database.query(
      `insert into public.spent select n, repeat('x', 2000) from generate_series(1, 4000) n`,
    );
    await database.query('delete from public.spent');
  };
  const spendMuch = async (rounds: number) => {
    for (let round = 0; round < rounds; round += 1) {
      await spend();
      await vacuumDatabase(database);
    }
    return sizes();
  };
  const once = await spendMuch(3);
  const often = await spendMuch(11);
  expect(often.table).toBeLessThanOrEqual(once.table);
  expect(often.log).toBeLessThan(100);
});
