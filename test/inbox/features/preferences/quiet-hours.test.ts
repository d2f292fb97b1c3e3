import { expect, test } from 'vitest';
import { isQuiet } from '../../../../src/inbox/features/preferences/quiet/quiet-hours.ts';

const night = { quiet_hours_start: '22:00:00', quiet_hours_end: '07:00:00', time_zone: 'Europe/Berlin' };
const workdays = [1, 2, 3, 4, 5];

test.each([
  ['before the start', '2026-11-23T20:59:59Z', false],
  ['at the start', '2026-11-23T21:00:00Z', true],
  ['after midnight', '2026-11-24T00:30:00Z', true],
  ['at the end', '2026-11-24T06:00:00Z', false],
  ['in summer time', '2026-07-01T20:30:00Z', true],
])('quiet hours may pass midnight: %s', (_name, time, expected) => {
  expect(isQuiet(night, Date.parse(time))).toBe(expected);
});

test.each([
  ['the morning after Friday', '2026-11-28T05:00:00Z', true],
  ['Saturday night', '2026-11-28T23:00:00Z', false],
  ['the morning after Sunday', '2026-11-30T05:00:00Z', false],
  ['Monday night', '2026-11-30T23:00:00Z', true],
])('quiet hours belong to the day of their start: %s', (_name, time, expected) => {
  expect(isQuiet({ ...night, quiet_weekdays: workdays }, Date.parse(time))).toBe(expected);
});

test.each([
  ['a period within a day', { quiet_hours_start: '12:00:00', quiet_hours_end: '13:30:00' }, '12:45', true],
  ['its end', { quiet_hours_start: '12:00:00', quiet_hours_end: '13:30:00' }, '13:30', false],
  ['the whole day', { quiet_hours_start: '09:00:00', quiet_hours_end: '09:00:00' }, '03:00', true],
  ['no quiet hours', { quiet_hours_start: null, quiet_hours_end: null }, '03:00', false],
  ['an unknown time zone', { ...night, time_zone: 'Mars/Olympus' }, '23:00', true],
])('quiet hours are in force or not: %s', (_name, preferences, time, expected) => {
  expect(isQuiet(preferences, Date.parse(`2026-11-25T${time}:00Z`))).toBe(expected);
});

test('a table without the columns has no quiet hours', () => {
  expect(isQuiet({}, 0)).toBe(false);
  expect(isQuiet(null, 0)).toBe(false);
});
