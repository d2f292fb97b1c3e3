import { expect, test } from 'vitest';
import { muteChoices } from '../../../src/features/notifications/senders/mute-times.ts';
import {
  parseLocalInput,
  snoozeChoices,
  toLocalInput,
} from '../../../src/features/notifications/snooze/snooze-times.ts';
import { formatComingTime } from '../../../src/shared/coming-time.ts';

const local = (text: string) => new Date(text).getTime();

test.each([
  ['a morning', '2026-11-25T09:20', ['2026-11-25T13:00', '2026-11-26T09:00', '2026-11-30T09:00']],
  ['a full hour', '2026-11-25T09:00', ['2026-11-25T12:00', '2026-11-26T09:00', '2026-11-30T09:00']],
  ['an evening', '2026-11-25T21:30', ['2026-11-25T23:00', '2026-11-26T09:00', '2026-11-30T09:00']],
  ['a late evening', '2026-11-25T22:31', ['2026-11-26T09:00', '2026-11-30T09:00']],
  ['a Monday', '2026-11-30T08:00', ['2026-11-30T11:00', '2026-12-01T09:00', '2026-12-07T09:00']],
  ['a Sunday', '2026-11-29T08:00', ['2026-11-29T11:00', '2026-11-30T09:00', '2026-12-07T09:00']],
])('suggests times in the future on %s', (_name, now, expected) => {
  expect(snoozeChoices(local(now)).map(({ atMs }) => toLocalInput(atMs))).toEqual(expected);
});

test('suggests ends of a mute: the same time in a week, and no end', () => {
  const choices = muteChoices(local('2026-11-29T21:40'));
  expect(choices.map(({ name, untilMs }) => [name, untilMs === null ? null : toLocalInput(untilMs)])).toEqual(
    [
      ['hour', '2026-11-29T22:40'],
      ['tomorrow', '2026-11-30T09:00'],
      ['week', '2026-12-06T21:40'],
      ['forever', null],
    ],
  );
});

test('a coming time has its date from six days on', () => {
  const sunday = local('2026-11-29T08:00');
  expect(formatComingTime(local('2026-11-30T09:00'), sunday, 'en-US')).toMatch(/^Mon 9:00\sAM$/);
  expect(formatComingTime(local('2026-12-07T09:00'), sunday, 'en-US')).toMatch(/^Mon, Dec 7, 9:00\sAM$/);
  expect(formatComingTime(local('2026-12-01T09:00'), sunday, 'de', 'long')).toBe('Dienstag, 09:00');
});

test('parses the value of a datetime-local field, and nothing else', () => {
  expect(parseLocalInput('2026-11-25T09:20')).toBe(local('2026-11-25T09:20'));
  expect(parseLocalInput('')).toBeNull();
});
