import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSequences } from './recorded-request.ts';
import { STORAGE_EXCEPTIONS } from './storage-exceptions.ts';
import { createStorageReplay, EMPTY_STORAGE } from './storage-replay.ts';
import { createStorageWorld, type StorageWorld } from './storage-world.ts';

/** The short sequences; the nightly run and `npm run replay` have all. */
const DAILY: ReadonlySet<string> = new Set(['first', 'transfers']);

const sequences = await readSequences();
const isNightly = process.env['NIGHTLY'] !== undefined;
let world: StorageWorld;

beforeAll(async () => {
  world = await createStorageWorld();
});
afterAll(() => world.close());

describe('the answers of the real storage service', () => {
  const chosen = sequences.filter(({ name }) => isNightly || DAILY.has(name));
  it.each(chosen)('are given by the embedded one: $name', { timeout: 180_000 }, async ({ steps }) => {
    await world.runSql(EMPTY_STORAGE);
    const replay = createStorageReplay(world);
    const different: Record<string, readonly string[]> = {};
    for (const step of steps) {
      const differences = await replay.run(step);
      if (differences.length > 0 && !STORAGE_EXCEPTIONS.has(step.id)) different[step.id] = differences;
    }
    replay.close();
    expect(steps.length).toBeGreaterThan(100);
    expect(different).toEqual({});
  });

  it('are missed in at most one request of a hundred', () => {
    const known = new Set(sequences.flatMap(({ steps }) => steps.map(({ id }) => id)));
    expect([...STORAGE_EXCEPTIONS.keys()].filter((id) => !known.has(id))).toEqual([]);
    expect(STORAGE_EXCEPTIONS.size).toBeLessThan(known.size / 100);
  });
});
