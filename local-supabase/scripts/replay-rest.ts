import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EXCEPTIONS } from '../test/rest/exceptions.ts';
import { readFamilies } from '../test/rest/recorded-case.ts';
import { createReplay } from '../test/rest/replay.ts';
import { createReplayWorld } from '../test/rest/replay-world.ts';

/**
 * `npm run replay -- [part of family:id] [folder]`: sends recorded requests to the embedded PostgREST and prints where
 * the responses differ from those of the real one. Fails for a difference that is not among the exceptions.
 */
const [wanted = '', folder] = process.argv.slice(2);
const world = await createReplayWorld();
const replay = await createReplay(world);
const families = await readFamilies(folder === undefined ? undefined : pathToFileURL(`${resolve(folder)}/`));
let total = 0;
let unexpected = 0;
for (const { name, cases } of families) {
  const chosen = cases.filter(({ id }) => `${name}:${id}`.includes(wanted));
  let same = 0;
  for (const recorded of chosen) {
    const differences = await replay.run(recorded);
    if (differences.length === 0) {
      same += 1;
      continue;
    }
    const reason = EXCEPTIONS.get(recorded.id);
    if (reason === undefined) unexpected += 1;
    console.log(
      [`${recorded.id} ${recorded.method} ${recorded.path}`, reason ?? '', ...differences].join('\n  '),
    );
  }
  total += chosen.length;
  if (chosen.length > 0) console.log(`${name}: ${same} of ${chosen.length}`);
}
console.log(`${total} cases, ${unexpected} unexpected differences`);
await world.close();
process.exitCode = unexpected > 0 ? 1 : 0;
