import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, vi } from 'vitest';
import { createLocalSupabase } from '../src/index.ts';

/** An instance has some 170 MiB outside of JavaScript's heap. */
const MOST_KEPT_BYTES = 50 * 2 ** 20;

it('a closed instance keeps no memory of PostgreSQL while something refers to it', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const externalBytes = () => {
    collect();
    return process.memoryUsage().external;
  };
  const beforeBytes = externalBytes();
  const closed = await createLocalSupabase({
    project: new URL('./rest/no-project/', import.meta.url),
    seed: false,
  });
  await closed.database.transaction((sql) => sql.query('select 1'));
  expect(externalBytes() - beforeBytes).toBeGreaterThan(MOST_KEPT_BYTES);
  await closed.close();
  await vi.waitFor(() => expect(externalBytes() - beforeBytes).toBeLessThan(MOST_KEPT_BYTES), 10_000);
  await expect(closed.database.query('select 1')).rejects.toThrow('The database is closed');
});
