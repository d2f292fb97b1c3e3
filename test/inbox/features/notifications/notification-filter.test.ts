import { expect, test } from 'vitest';
import {
  encodeFilter,
  inboxHref,
  inboxTabs,
  parseFilter,
} from '../../../../src/inbox/features/notifications/model/notification-filter.ts';
import { notificationKinds } from '../../../../src/inbox/features/notifications/model/notification.ts';

test('the filter in the URL is parsed to the filter that was encoded', () => {
  for (const tab of inboxTabs)
    for (const kind of [...notificationKinds, null])
      expect(parseFilter(encodeFilter({ tab, kind }))).toEqual({ tab, kind });
});

test('the filter in the URL is absent for the default filter', () => {
  expect(inboxHref({ tab: 'all', kind: null })).toBe('/home');
});

test('the filter in the URL is the default filter when it is unknown', () => {
  expect(parseFilter('?tab=spam&kind=Pokes!')).toEqual({ tab: 'all', kind: null });
});
