import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSequences } from './recorded-request.ts';
import { STORAGE_EXCEPTIONS } from './storage-exceptions.ts';
import { createStorageReplay, EMPTY_STORAGE } from './storage-replay.ts';
import { createStorageWorld, type StorageWorld } from './storage-world.ts';

/** The short sequences, which run daily. */
const DAILY: ReadonlySet<string> = new Set(['first', 'transfers']);

export const sequences = await readSequences();

/** Describes the tests of the daily sequences, or of all others. */
export function describeReplay(when: 'daily' | 'nightly'): void {
  let world: StorageWorld;
  beforeAll(async () => {
    world = await createStorageWorld();
  });
  afterAll(() => world.close());

  describe('the responses of the real storage service', () => {
    const chosen = sequences.filter(({ name }) => DAILY.has(name) === (when === 'daily'));
    it.each(chosen)('are those of the embedded one: $name', { timeout: 180_000 }, async ({ steps }) => {
      await world.runSql(EMPTY_STORAGE);
      const replay = createStorageReplay(world);
      const unexpected: Record<string, readonly string[]> = {};
      for (const step of steps) {
        const differences = await replay.run(step);
        if (differences.length > 0 !== STORAGE_EXCEPTIONS.has(step.id)) unexpected[step.id] = differences;
      }
      replay.close();
      expect(steps.length).toBeGreaterThan(100);
      expect(unexpected).toEqual({});
    });
  });
}
