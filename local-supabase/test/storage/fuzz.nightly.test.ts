import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fuzzStorage } from './fuzz-storage.ts';
import { createStorageWorld, type StorageWorld } from './storage-world.ts';

let world: StorageWorld;
beforeAll(async () => {
  world = await createStorageWorld();
});
afterAll(() => world.close());

describe('the embedded storage', () => {
  it('fails at none of 10,000 generated requests', { timeout: 1_800_000 }, async () => {
    await expect(fuzzStorage(world, { numRuns: 10_000 })).resolves.toBeUndefined();
  });
});
