/** Starts an instance on PostgreSQL 17, prints its database's URL, and waits to be killed. */
import { createLocalSupabase } from '../../src/entries/index.ts';

const { databaseUrl } = await createLocalSupabase({
  project: new URL('../rest/no-project/', import.meta.url),
  config: false,
  postgres: 17,
});
console.log(databaseUrl);
setInterval(() => undefined, 60_000);
