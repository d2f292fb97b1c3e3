import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXCEPTIONS } from './exceptions.ts';
import { readFamilies } from './recorded-case.ts';
import { createReplay } from './replay.ts';
import type { Replay } from './replay.ts';
import { createReplayWorld } from './replay-world.ts';
import type { ReplayWorld } from './replay-world.ts';

/** One case in so many runs here; `npm run replay` runs all. */
const STEP = 20;

const families = await readFamilies();
let world: ReplayWorld;
let replay: Replay;

beforeAll(async () => {
  world = await createReplayWorld();
  replay = await createReplay(world);
});
afterAll(() => world.close());

describe('the answers of the real PostgREST 14.17', () => {
  it.each(families)('are given by the embedded one: $name', async ({ cases }) => {
    const chosen = cases.filter((recorded, index) => index % STEP === 0 && !EXCEPTIONS.has(recorded.id));
    const different: Record<string, readonly string[]> = {};
    for (const recorded of chosen) {
      const differences = await replay.run(recorded);
      if (differences.length > 0) different[recorded.id] = differences;
    }
    expect(chosen.length).toBeGreaterThan(0);
    expect(different).toEqual({});
  });

  it('are missed in at most one case of a hundred', () => {
    const known = new Set(families.flatMap(({ cases }) => cases.map(({ id }) => id)));
    expect([...EXCEPTIONS.keys()].filter((id) => !known.has(id))).toEqual([]);
    expect(EXCEPTIONS.size).toBeLessThan(known.size / 100);
  });
});
