import { expect, test } from 'vitest';
import { createVisibleTab } from '../../../../src/inbox/features/notifications/arrivals/visible-tab.ts';
import { createFakeWorld } from '../../../support/fake-platform.ts';

function openTabs() {
  const world = createFakeWorld();
  const [here, there, third] = [world.openTab(), world.openTab(), world.openTab()];
  const tabs = [here, there, third].map((tab) => createVisibleTab(tab));
  third.setVisible(false);
  const ask = async () => {
    const isAnyVisible = tabs[0]?.isAnyVisible();
    await world.clock.advance(200);
    return isAnyVisible;
  };
  return { here, there, tabs, ask, world };
}

test('a visible tab finds itself', async () => {
  const { ask, world } = openTabs();
  expect(await ask()).toBe(true);
  expect(world.broadcasts).toEqual([]);
});

test('a hidden tab finds the visible tab', async () => {
  const { here, ask } = openTabs();
  here.setVisible(false);
  expect(await ask()).toBe(true);
});

test('no tab responds without a visible tab', async () => {
  const { here, there, tabs, ask } = openTabs();
  here.setVisible(false);
  there.setVisible(false);
  expect(await ask()).toBe(false);
  expect(await ask()).toBe(false);
  there.setVisible(true);
  expect(await ask()).toBe(true);
  for (const tab of tabs) tab.close();
});
