import { expect, test } from 'vitest';
import { createLoader, retryFailedLoad } from '../../../src/inbox/ui/state/loader.ts';

/** A load that fails until it is repaired. */
function fragileLoad() {
  const source = { isBroken: true, calls: 0, problem: new TypeError('Failed to fetch') };
  const load = createLoader(async () => {
    source.calls += 1;
    if (source.isBroken) throw source.problem;
    return 'code';
  });
  return { source, load };
}

test('a loader loads once, and marks the loaded promise for React', async () => {
  const { source, load } = fragileLoad();
  source.isBroken = false;
  expect(await load()).toBe('code');
  expect(load()).toBe(load());
  expect(load()).toMatchObject({ status: 'fulfilled', value: 'code' });
  expect(source.calls).toBe(1);
});

test('a loader keeps a failure until it is retried, and then loads again', async () => {
  const { source, load } = fragileLoad();
  await expect(load()).rejects.toBe(source.problem);
  await expect(load()).rejects.toBe(source.problem);
  expect(source.calls).toBe(1);
  expect(retryFailedLoad(source.problem)).toBe(true);
  source.isBroken = false;
  expect(await load()).toBe('code');
  expect(source.calls).toBe(2);
});

test('a loader does not retry after an error of another kind', () => {
  expect(retryFailedLoad(new Error('of a component'))).toBe(false);
  expect(retryFailedLoad(null)).toBe(false);
});
