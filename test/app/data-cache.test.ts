import 'fake-indexeddb/auto';
import { expect, test } from 'vitest';
import { openDataCache } from '../../src/app/data/data-cache.ts';
import { preferencesKey } from '../../src/features/preferences/cached-preferences.ts';
import { createFakeWorld } from '../support/fake-platform.ts';

const row = {
  id: 'p1',
  user_id: 'ada',
  enable_email_notifications: true,
  enable_in_app_notifications: false,
  email_mentions: true,
  email_edits: true,
  email_comments: true,
  email_invites: true,
  in_app_mentions: true,
  in_app_edits: true,
  in_app_comments: true,
  in_app_invites: true,
  email_digest_frequency: 'weekly',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-02T00:00:00Z',
};

test('a live row that cannot be understood is logged, and those after it count all the same', async () => {
  const tab = createFakeWorld().openTab();
  const cache = await openDataCache({ userId: 'ada', sessionId: 's1' }, tab);
  const change = (record: Record<string, unknown>) =>
    ({ type: 'UPDATE', record, oldRecord: {}, errors: [] }) as never;
  cache.applyPreferences([change({ id: 7 }), change(row)]);
  expect(tab.reported).toHaveLength(1);
  expect(cache.queryClient.getQueryData(preferencesKey('ada'))).toMatchObject({ id: 'p1' });
  await cache.wipe();
});
