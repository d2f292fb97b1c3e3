import { afterEach, expect, test, vi } from 'vitest';
import { ownTimeZone } from '../../../src/inbox/shared/own-time-zone.ts';

afterEach(() => vi.restoreAllMocks());

// What Chromium says where TZ is the name in the comment.
test.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  ['Asia/Calcutta', 'Asia/Calcutta'],
  ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['Etc/GMT+5', 'Etc/GMT+5'],
  ['UTC', 'UTC'],
  ['Etc/Unknown', null], // Foo/Bar
  ['+00:00', null], // GMT
  ['EST5EDT', null], // EST5EDT
  [undefined, null], // Node, where it is empty
])('the time zone %j of a browser is stored as %j', (timeZone, stored) => {
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue({
    timeZone,
  } as Intl.ResolvedDateTimeFormatOptions);
  expect(ownTimeZone()).toBe(stored);
});
