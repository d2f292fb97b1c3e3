import { expect, it } from '@jest/globals';

const { SUPABASE_URL: url, SUPABASE_KEY: apikey } = process.env;

it('shows a person their own todos', async () => {
  const signUp = await fetch(`${url}/auth/v1/signup`, {
    method: 'POST',
    headers: { apikey },
    body: JSON.stringify({ email: 'ada@example.com', password: 'correct horse' }),
  });
  const { access_token: token } = await signUp.json();
  const headers = { apikey, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const created = await fetch(`${url}/rest/v1/todos`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ title: 'Write tests' }),
  });
  expect(created.status).toBe(201);
  const mine = await fetch(`${url}/rest/v1/todos?select=title`, { headers });
  expect(await mine.json()).toEqual([{ title: 'Write tests' }]);
});
