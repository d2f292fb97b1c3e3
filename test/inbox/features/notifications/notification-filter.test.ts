import { expect, test } from 'vitest';
import {
  coveringFilters,
  encodeFilter,
  inboxHref,
  inboxTabs,
  matchesFilter,
  parseFilter,
} from '../../../../src/inbox/features/notifications/model/notification-filter.ts';
import { notificationKinds } from '../../../../src/inbox/features/notifications/model/notification.ts';
import { createNotification } from './notification-fixtures.ts';

test('the filter in the URL is parsed to the filter that was encoded', () => {
  for (const tab of inboxTabs)
    for (const kind of [...notificationKinds, null])
      expect(parseFilter(encodeFilter({ tab, kind }))).toEqual({ tab, kind });
});

const person = '00000000-0000-4000-8000-000000000001';
const narrow = { tab: 'unread', kind: 'edit', person, place: 'document/7&8' } as const;

test('the filter in the URL has a person and a place in addition to the kind', () => {
  expect(parseFilter(encodeFilter(narrow))).toEqual(narrow);
  expect(parseFilter('?person=grace&place=document')).toEqual({ tab: 'all', kind: null });
});

test('a filter matches the rows that have all of its parts', () => {
  const row = createNotification(1, { kind: 'edit' });
  const found = { ...row, senderId: person, thread: 'document/7&8' };
  expect(matchesFilter(found, narrow)).toBe(true);
  for (const other of [{ senderId: null }, { thread: null }, { kindName: 'comment' }])
    expect([other, matchesFilter({ ...found, ...other }, narrow)]).toEqual([other, false]);
});

test('the list of what needs the user has unread mentions, open invitations and important rows', () => {
  const matches = (kind: string, data: object = {}, status: 'unread' | 'read' = 'unread') =>
    matchesFilter(
      { ...createNotification(1), kindName: kind, data: { ...data }, status },
      { tab: 'needs-you', kind: null },
    );
  expect([matches('mention'), matches('invite'), matches('edit', { important: true })]).toEqual([
    true,
    true,
    true,
  ]);
  expect([
    matches('mention', {}, 'read'),
    matches('invite', { answer: 'accepted' }),
    matches('edit'),
  ]).toEqual([false, false, false]);
});

test('a filter is covered by every filter with fewer conditions', () => {
  const covering = coveringFilters(narrow);
  expect(covering[0]).toEqual(narrow);
  expect(covering.at(-1)).toEqual({ tab: 'all', kind: null });
  expect(new Set(covering.map(encodeFilter)).size).toBe(8);
});

test('the filter in the URL is absent for the default filter', () => {
  expect(inboxHref({ tab: 'all', kind: null })).toBe('/home');
});

test('the filter in the URL is the default filter when it is unknown', () => {
  expect(parseFilter('?tab=spam&kind=Pokes!')).toEqual({ tab: 'all', kind: null });
});

test('the filter in the URL has no text that the database refuses', () => {
  expect(parseFilter('?place=document/7%00')).toEqual({ tab: 'all', kind: null });
  expect(parseFilter('?q=%00')).toEqual({ tab: 'all', kind: null });
  expect(parseFilter('?q=quarterly%00report').query).toBe('quarterly report');
  const { query = '' } = parseFilter(`?q=${'a'.repeat(199)}${encodeURIComponent('😀')}`);
  expect(query).toBe('a'.repeat(199));
});
