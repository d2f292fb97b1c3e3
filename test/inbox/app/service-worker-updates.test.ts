import { expect, test, vi } from 'vitest';
import { checkForUpdates } from '../../../src/inbox/app/service-worker-updates.ts';
import { createFakeWorld } from '../../support/fake-platform.ts';

const hourMs = 3_600_000;

test('a page that stays open looks for a new version each hour, a hidden one when it is shown again', async () => {
  const { clock, openTab } = createFakeWorld();
  const tab = openTab();
  const update = vi.fn<() => Promise<void>>(async () => undefined);
  checkForUpdates(tab, update);
  await clock.advance(hourMs / 2);
  tab.setVisible(false);
  tab.setVisible(true);
  expect(update, 'the browser has looked when the page was opened').not.toHaveBeenCalled();
  await clock.advance(hourMs / 2);
  expect(update).toHaveBeenCalledTimes(1);

  tab.setVisible(false);
  await clock.advance(24 * hourMs);
  expect(update).toHaveBeenCalledTimes(1);
  update.mockRejectedValueOnce(new TypeError('offline'));
  tab.setVisible(true);
  expect(update).toHaveBeenCalledTimes(2);
  await clock.advance(hourMs);
  expect(update).toHaveBeenCalledTimes(3);
});
