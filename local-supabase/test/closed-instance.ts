/** Prints the off-heap bytes of an open instance, and of the same instance closed but still referenced. */
import { setTimeout } from 'node:timers/promises';
import { createLocalSupabase } from '../src/entries/index.ts';

const externalBytes = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().external;
};
const beforeBytes = externalBytes();
const supabase = await createLocalSupabase({
  config: false,
  project: new URL('./rest/no-project/', import.meta.url),
  seed: false,
});
await supabase.database.transaction((sql) => sql.query('select 1'));
const openBytes = externalBytes() - beforeBytes;
await supabase.close();
let closedBytes = openBytes;
// The engine frees the memory only after several collections.
for (let attempt = 0; attempt < 20 && closedBytes > openBytes / 2; attempt += 1) {
  await setTimeout(500);
  closedBytes = externalBytes() - beforeBytes;
}
const refusal = await supabase.database.query('select 1').catch(String);
console.log(JSON.stringify({ openBytes, closedBytes, refusal }));
