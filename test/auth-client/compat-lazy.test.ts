import { expect, test, vi } from 'vitest';
import { lazyMethods } from '../../src/compat/auth/lazy-methods.ts';
import { createClient } from '../../src/compat/index.ts';
import { createSettle } from '../../src/compat/outcome.ts';

test('methods are loaded when one of them is called', async () => {
  let loads = 0;
  const load = async () => {
    loads += 1;
    return {
      add: async (a: number, b: number) => ({ data: a + b, error: null }),
      inner: { name: async () => ({ data: 'inner', error: null }) },
    };
  };
  const settle = createSettle({ toError: String });
  const methods = lazyMethods(settle, load, { add: true, inner: { name: true } });
  expect([Object.keys(methods), Object.keys(methods.inner)]).toEqual([['add', 'inner'], ['name']]);
  expect(loads).toBe(0);
  expect(await methods.add(1, 2)).toEqual({ data: 3, error: null });
  expect(await methods.inner.name()).toEqual({ data: 'inner', error: null });
});

test('a call whose code cannot be loaded returns that error', async () => {
  const load = () => Promise.reject<{ call: () => Promise<unknown> }>(new TypeError('Failed to fetch'));
  const methods = lazyMethods(createSettle({ toError: String }), load, { call: true });
  expect(await methods.call()).toEqual({ data: null, error: 'TypeError: Failed to fetch' });
});

test('a program’s tests can replace a method before it is loaded', async () => {
  const { auth } = createClient('https://project.test', 'anon-key');
  vi.spyOn(auth.mfa, 'listFactors').mockRejectedValue(new Error('replaced'));
  await expect(auth.mfa.listFactors()).rejects.toThrow('replaced');
  expect(Object.keys(auth.admin.oauth)).toContain('createClient');
  await auth.dispose();
});
