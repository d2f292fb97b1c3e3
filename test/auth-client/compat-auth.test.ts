import { expect, test } from 'vitest';
import { createClient } from '../../src/compat/index.ts';

test('an incomplete session that is set has no session, as in the vendor’s client', async () => {
  const { auth } = createClient('https://project.test', 'anon-key', {
    global: { fetch: () => Promise.reject(new TypeError('Nothing is sent')) },
  });
  const { data, error } = await auth.setSession({ access_token: '', refresh_token: 'refresh' });
  expect([data.session, error?.name]).toEqual([null, 'AuthSessionMissingError']);
  await auth.dispose();
});
