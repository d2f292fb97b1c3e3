import { expect, test } from 'vitest';
import { createAnnouncer } from '../../../../src/inbox/ui/list/arrival-announcer.ts';
import { createFakeWorld } from '../../../support/fake-platform.ts';

function openAnnouncer() {
  const { openTab, clock } = createFakeWorld();
  const announced: number[] = [];
  const announcer = createAnnouncer(openTab().clock, (count) => announced.push(count));
  return { clock, announced, announcer };
}

test('announcements of new notifications are combined in a burst', async () => {
  const { clock, announced, announcer } = openAnnouncer();
  for (let number = 0; number < 100; number += 1) announcer.add(1);
  await clock.advance(500);
  expect(announced).toEqual([100]);
});

test('announcements of new notifications are made at most every five seconds, and none is lost', async () => {
  const { clock, announced, announcer } = openAnnouncer();
  for (let second = 0; second < 20; second += 1) {
    announcer.add(2);
    await clock.advance(1_000);
  }
  await clock.advance(5_000);
  expect(announced.length).toBeLessThanOrEqual(5);
  expect(announced.reduce((sum, count) => sum + count, 0)).toBe(40);
});

test('announcements of new notifications stop when the inbox closes', async () => {
  const { clock, announced, announcer } = openAnnouncer();
  announcer.add(1);
  announcer.close();
  await clock.advance(10_000);
  expect(announced).toEqual([]);
});
