import { createPostgRest } from '../src/services/rest/postgrest.ts';
import { fuzz } from '../test/rest/fuzz.ts';
import { createReplayWorld } from '../test/rest/replay-world.ts';

/** `npm run fuzz:rest -- [runs] [seed]`: sends generated requests to the embedded PostgREST; default 20,000. */
const [runs = '20000', seed] = process.argv.slice(2);
const world = await createReplayWorld();
const rest = await createPostgRest({ database: world.database });
const startMs = performance.now();
await fuzz(rest, world.database, {
  numRuns: Number(runs),
  ...(seed !== undefined && { seed: Number(seed) }),
});
console.log(`${runs} requests in ${Math.round((performance.now() - startMs) / 1000)} s`);
await rest.close();
await world.close();
