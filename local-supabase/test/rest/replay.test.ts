import { expect, it } from 'vitest';
import { describeReplay, families } from './describe-replay.ts';
import { EXCEPTIONS } from './exceptions.ts';

describeReplay('daily');

it('the embedded PostgREST deviates in at most one of a hundred recorded responses', () => {
  const known = new Set(families.flatMap(({ cases }) => cases.map(({ id }) => id)));
  expect([...EXCEPTIONS.keys()].filter((id) => !known.has(id))).toEqual([]);
  expect(EXCEPTIONS.size).toBeLessThan(known.size / 100);
});
