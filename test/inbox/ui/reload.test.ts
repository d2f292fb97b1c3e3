import { afterEach, expect, test, vi } from 'vitest';
import { reloadIfReachable } from '../../../src/inbox/ui/state/reload.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('the page is not reloaded where the site sends no response within 5 s', async () => {
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
