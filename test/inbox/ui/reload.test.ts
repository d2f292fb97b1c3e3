import { afterEach, expect, test, vi } from 'vitest';
import { reloadIfReachable } from '../../../src/inbox/ui/state/reload.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('a reload is given up after 5 s without a response of the site', async () => {
  vi.useFakeTimers();
  vi.spyOn(globalThis, 'fetch').mockImplementation(
    (_input, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
      }),
  );
  const settled = vi.fn<(isReloading: boolean) => void>();
  void reloadIfReachable().then(settled);
  await vi.advanceTimersByTimeAsync(4_900);
  expect(settled).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(200);
  expect(settled).toHaveBeenCalledWith(false);
});
