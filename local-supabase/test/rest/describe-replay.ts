import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXCEPTIONS } from './exceptions.ts';
import { readFamilies } from './recorded-case.ts';
import { createReplay, type Replay } from './replay.ts';
import { createReplayWorld, type ReplayWorld } from './replay-world.ts';

/** Every nth case runs daily. */
const STEP = 20;

export const families = await readFamilies();

/** Describes the tests of the daily cases, or of all others. */
export function describeReplay(when: 'daily' | 'nightly'): void {
  let world: ReplayWorld;
  let replay: Replay;
  beforeAll(async () => {
    world = await createReplayWorld();
    replay = await createReplay(world);
  });
  afterAll(() => world.close());

  describe('the responses of the real PostgREST 14.17', () => {
    it.each(families)('are those of the embedded one: $name', { timeout: 180_000 }, async ({ cases }) => {
      const chosen = cases.filter((_, index) => (index % STEP === 0) === (when === 'daily'));
      const unexpected: Record<string, readonly string[]> = {};
      for (const recorded of chosen) {
        const differences = await replay.run(recorded);
        if (differences.length > 0 !== EXCEPTIONS.has(recorded.id)) unexpected[recorded.id] = differences;
      }
      expect(chosen.length).toBeGreaterThan(0);
      expect(unexpected).toEqual({});
    });
  });
}
