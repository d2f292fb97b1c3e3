import { describe, expect, test } from 'vitest';
import {
  encodeFilter,
  inboxHref,
  inboxTabs,
  parseFilter,
} from '../../../src/features/notifications/model/notification-filter.ts';
import { notificationKinds } from '../../../src/features/notifications/model/notification.ts';

describe('the filter in the URL', () => {
  test('comes back as it was put in, whichever it is', () => {
    for (const tab of inboxTabs)
      for (const kind of [...notificationKinds, null])
        expect(parseFilter(encodeFilter({ tab, kind }))).toEqual({ tab, kind });
  });

  test('is absent where everything is shown', () => {
    expect(inboxHref({ tab: 'all', kind: null })).toBe('/home');
  });

  test('that is unknown shows everything', () => {
    expect(parseFilter('?tab=spam&kind=pokes')).toEqual({ tab: 'all', kind: null });
  });
});
