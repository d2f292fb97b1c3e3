import { expect, onTestFinished, test, vi } from 'vitest';
import { followServiceWorker } from '../../src/app/service-worker.ts';

const hourMs = 3_600_000;

/** Gives the page a service worker container that counts the checks for updates. */
function installContainer() {
  const update = vi.fn<() => Promise<void>>(async () => undefined);
  const registration = Object.assign(new EventTarget(), { waiting: null, update });
  const container = Object.assign(new EventTarget(), {
    controller: null,
    register: async () => registration,
  });
  Object.defineProperty(navigator, 'serviceWorker', { value: container, configurable: true });
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'serviceWorker'));
  return update;
}

function setVisible(isVisible: boolean): void {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(isVisible ? 'visible' : 'hidden');
  document.dispatchEvent(new Event('visibilitychange'));
}

test('a page that stays open looks for a new version each hour, a hidden one when it is shown again', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  const update = installContainer();
  await followServiceWorker();
  await vi.advanceTimersByTimeAsync(hourMs / 2);
  setVisible(false);
  setVisible(true);
  expect(update, 'the browser has looked when the page was opened').not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(hourMs / 2);
  expect(update).toHaveBeenCalledTimes(1);

  setVisible(false);
  await vi.advanceTimersByTimeAsync(24 * hourMs);
  expect(update).toHaveBeenCalledTimes(1);
  update.mockRejectedValueOnce(new TypeError('offline'));
  setVisible(true);
  expect(update).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(hourMs);
  expect(update).toHaveBeenCalledTimes(3);
});
