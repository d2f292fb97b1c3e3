import { describe, expect, test } from 'vitest';
import { dayLabel, groupByDay } from '../../../../src/inbox/features/notifications/model/day-groups.ts';
import { createMinuteClock } from '../../../../src/inbox/ui/list/minute-clock.ts';
import { absoluteTime, shortTime } from '../../../../src/inbox/ui/list/relative-time.ts';
import { createFakeWorld } from '../../../support/fake-platform.ts';
import { createNotification } from './notification-fixtures.ts';

const nowMs = new Date(2026, 2, 10, 12).getTime();
const at = (...date: [number, number, number, number]) => ({
  notifications: [{ ...createNotification(1), createdAtMs: new Date(...date).getTime() }] as const,
  isMember: false,
});

test('day groups follow the calendar of the reader, not spans of 24 hours', () => {
  const groups = groupByDay(
    [at(2026, 2, 10, 0), at(2026, 2, 9, 23), at(2026, 2, 9, 1), at(2026, 1, 1, 1)],
    nowMs,
  );
  expect(groups.map(({ daysAgo, first, end }) => [daysAgo, first, end])).toEqual([
    [0, 0, 1],
    [1, 1, 3],
    [37, 3, 4],
  ]);
});

test('day groups are named today, yesterday, by weekday within a week, else by date', () => {
  const groups = groupByDay(
    [at(2026, 2, 10, 1), at(2026, 2, 9, 1), at(2026, 2, 6, 1), at(2026, 1, 1, 1)],
    nowMs,
  );
  expect(groups.map(({ daysAgo, atMs }) => dayLabel(daysAgo, atMs, 'en-GB'))).toEqual([
    'Today',
    'Yesterday',
    'Friday',
    '1 February 2026',
  ]);
  expect(groups.map(({ daysAgo, atMs }) => dayLabel(daysAgo, atMs, 'de')).slice(0, 2)).toEqual([
    'Heute',
    'Gestern',
  ]);
});

test('the rows of an open thread stay below it, whatever their day', () => {
  const member = { ...at(2026, 2, 8, 9), isMember: true };
  const groups = groupByDay([at(2026, 2, 10, 9), member, at(2026, 2, 10, 8), at(2026, 2, 8, 8)], nowMs);
  expect(groups.map(({ daysAgo, first, end }) => [daysAgo, first, end])).toEqual([
    [0, 0, 3],
    [2, 3, 4],
  ]);
});

test('a list without notifications has no day groups', () => {
  expect(groupByDay([], nowMs)).toEqual([]);
});

describe('the time of a row', () => {
  const afternoon = new Date(2026, 2, 10, 14, 20).getTime();
  test.each([
    [0, 'now'],
    [59_000, 'now'],
    [-120_000, 'now'],
    [60_000, '1m'],
    [3_599_000, '59m'],
    [3_600_000 * 5, '5h'],
    [86_400_000 * 4, 'Fri'],
    [86_400_000 * 15, '23 Feb'],
    [86_400_000 * 800, /^31 Dec(ember)? 2023$/],
    [-3_600_000 * 3, '17:20'],
    [-86_400_000, /^Wed,? 14:20$/],
  ])('the time of a row of %i ms ago has one style: %s', (elapsedMs, words) => {
    expect(shortTime(afternoon - elapsedMs, afternoon, 'en-GB')).toMatch(words);
  });

  test('the time of a row abbreviates minutes and hours in German', () => {
    const agesMs = [0, 26 * 60_000, 5 * 3_600_000, 86_400_000 * 4];
    for (const locale of ['de', 'de-AT'])
      expect(agesMs.map((ageMs) => shortTime(afternoon - ageMs, afternoon, locale))).toEqual([
        'jetzt',
        '26 Min.',
        '5 Std.',
        expect.stringMatching(/^Fr\.?$/),
      ]);
  });

  test('the time of a row has the absolute date and time as its title', () => {
    expect(absoluteTime(nowMs, 'en-GB')).toMatch(/^Tuesday,? 10 March 2026 at 12:00$/);
  });
});

test('the minute clock ticks at each full minute, once for all listeners', async () => {
  const { openTab, clock } = createFakeWorld({ startMs: 30_000 });
  const minutes = createMinuteClock(openTab());
  const ticks: number[] = [];
  minutes.subscribe(() => ticks.push(minutes.getSnapshot()));
  minutes.subscribe(() => undefined);
  expect(clock.pendingTimers).toBe(1);
  await clock.advance(29_999);
  expect(ticks).toEqual([]);
  await clock.advance(1);
  expect(ticks).toEqual([60_000]);
  await clock.advance(60_000);
  expect(ticks).toEqual([60_000, 120_000]);
});

test('the minute clock stops without listeners', () => {
  const { openTab, clock } = createFakeWorld();
  const minutes = createMinuteClock(openTab());
  const stop = minutes.subscribe(() => undefined);
  stop();
  expect(clock.pendingTimers).toBe(0);
});

test('the minute clock updates when a suspended page becomes visible', () => {
  const { openTab, clock } = createFakeWorld({ startMs: 0 });
  const tab = openTab();
  const minutes = createMinuteClock(tab);
  let ticks = 0;
  minutes.subscribe(() => (ticks += 1));
  clock.sleep(600_000);
  tab.setVisible(true);
  expect([ticks, minutes.getSnapshot()]).toEqual([1, 600_000]);
});
