import { expect, it } from 'vitest';
import { describeReplay, sequences } from './describe-replay.ts';
import { STORAGE_EXCEPTIONS } from './storage-exceptions.ts';

describeReplay('daily');

it('the embedded storage deviates in at most one of a hundred recorded responses', () => {
  const known = new Set(sequences.flatMap(({ steps }) => steps.map(({ id }) => id)));
  expect([...STORAGE_EXCEPTIONS.keys()].filter((id) => !known.has(id))).toEqual([]);
  expect(STORAGE_EXCEPTIONS.size).toBeLessThan(known.size / 100);
});
