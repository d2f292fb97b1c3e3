import { expect, test } from '@playwright/test';

/** The publishable key of every local stack. */
const apikey = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH';

test('a person sees their own todos', async ({ request }) => {
  const signUp = await request.post('/auth/v1/signup', {
    headers: { apikey },
    data: { email: `ada-${Date.now()}@example.com`, password: 'correct horse' },
  });
  const { access_token: token } = await signUp.json();
  const headers = { apikey, authorization: `Bearer ${token}` };
  const created = await request.post('/rest/v1/todos', { headers, data: { title: 'Write tests' } });
  expect(created.status()).toBe(201);
  const mine = await request.get('/rest/v1/todos?select=title', { headers });
  expect(await mine.json()).toEqual([{ title: 'Write tests' }]);
  const others = await request.get('/rest/v1/todos?select=title', { headers: { apikey } });
  expect(await others.json()).toEqual([]);
});
