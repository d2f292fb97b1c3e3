import { expect, test } from 'vitest';
import {
  muteChoices,
  parseLocalInput,
  snoozeChoices,
  toLocalInput,
} from '../../../../src/inbox/features/notifications/times/snooze-times.ts';
import { shortTime } from '../../../../src/inbox/ui/list/relative-time.ts';
import { formatComingTime } from '../../../../src/inbox/shared/coming-time.ts';

const local = (text: string) => new Date(text).getTime();

test.each([
  ['a morning', '2026-11-25T09:20', ['2026-11-25T13:00', '2026-11-26T09:00', '2026-11-30T09:00']],
  ['a full hour', '2026-11-25T09:00', ['2026-11-25T12:00', '2026-11-26T09:00', '2026-11-30T09:00']],
  ['an evening', '2026-11-25T21:30', ['2026-11-25T23:00', '2026-11-26T09:00', '2026-11-30T09:00']],
  ['a late evening', '2026-11-25T22:31', ['2026-11-26T09:00', '2026-11-30T09:00']],
  ['a Monday', '2026-11-30T08:00', ['2026-11-30T11:00', '2026-12-01T09:00', '2026-12-07T09:00']],
  ['a Sunday', '2026-11-29T08:00', ['2026-11-29T11:00', '2026-11-30T09:00', '2026-12-07T09:00']],
])('the snooze dialog suggests times in the future on %s', (_name, now, expected) => {
  expect(snoozeChoices(local(now)).map(({ atMs }) => toLocalInput(atMs))).toEqual(expected);
});

test('a mute suggests the same time in a week, and no end', () => {
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

test('a future time shows its date from six days ahead on', () => {
  const sunday = local('2026-11-29T08:00');
  expect(formatComingTime(local('2026-11-30T09:00'), sunday, 'en-US')).toMatch(/^Monday 9:00\sAM$/);
  expect(formatComingTime(local('2026-12-07T09:00'), sunday, 'en-US')).toMatch(/^Mon, Dec 7, 9:00\sAM$/);
  expect(formatComingTime(local('2026-12-01T09:00'), sunday, 'de', 'long')).toBe('Dienstag, 09:00');
});

test.each([
  ['en-US', ['9:00 AM', 'Monday 9:00 AM', 'Mon, Dec 7, 9:00 AM', 'Monday, December 7 at 9:00 AM']],
  ['de', ['09:00', 'Montag, 09:00', 'Mo., 7. Dez., 09:00', 'Montag, 7. Dezember um 09:00']],
])('a time of day has one form in %s, alone and beside a date', (locale, forms) => {
  const sunday = local('2026-11-29T08:00');
  const written = [
    shortTime(local('2026-11-29T09:00'), sunday, locale),
    formatComingTime(local('2026-11-30T09:00'), sunday, locale),
    formatComingTime(local('2026-12-07T09:00'), sunday, locale),
    formatComingTime(local('2026-12-07T09:00'), sunday, locale, 'long'),
  ];
  // Intl writes narrow spaces that cannot break.
  expect(written.map((text) => text.replaceAll(/\s/g, ' '))).toEqual(forms);
});

test('the value of a datetime-local field is parsed, and nothing else', () => {
  expect(parseLocalInput('2026-11-25T09:20')).toBe(local('2026-11-25T09:20'));
  expect(parseLocalInput('')).toBeNull();
});
