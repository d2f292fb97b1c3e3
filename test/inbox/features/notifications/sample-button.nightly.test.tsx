import { screen, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { createUser, seedPassword, useLocalSupabase } from '../../../support/local-supabase.ts';
import { renderApp } from '../../../support/render-app.tsx';

const supabase = useLocalSupabase();
let number = 0;
afterEach(() => vi.unstubAllEnvs());

/** Opens an empty inbox whose development server responds to requests for a sample with `status`. */
async function open(status = 204) {
  number += 1;
  const user = await createUser(supabase(), `reader-${number}@example.com`);
  const requests: Request[] = [];
  const { actor, clients } = await renderApp('/home', {
    supabase: supabase(),
    user: { email: user.email, password: seedPassword },
    platform: {
      fetch: (input, init) => {
        if (input !== '/dev/sample') return supabase().fetch(input, init);
        requests.push(new Request(new URL(input, location.href), init));
        return Promise.resolve(new Response(null, { status }));
      },
    },
  });
  await screen.findByText('No notifications yet.');
  return { actor, clients, requests };
}

test('an empty inbox of npm start offers a sample, requested with the token of the user', async () => {
  vi.stubEnv('VITE_SAMPLE_SENDER', '/dev/sample');
  const { actor, clients, requests } = await open();
  await actor.click(await screen.findByRole('button', { name: 'Send me a sample' }));
  expect(await screen.findByText('A sample is on its way.')).toBeTruthy();
  expect(requests.map(({ method, headers }) => [method, headers.get('authorization')])).toEqual([
    ['POST', `Bearer ${await clients.auth.getAccessToken()}`],
  ]);
});

test('the options offer a sample, too, and say when sending fails', async () => {
  vi.stubEnv('VITE_SAMPLE_SENDER', '/dev/sample');
  const { actor } = await open(502);
  await actor.click(screen.getByRole('button', { name: 'Inbox options' }));
  const options = await screen.findByRole('dialog', { name: 'Inbox options' });
  await actor.click(await within(options).findByRole('button', { name: 'Send me a sample' }));
  expect(await screen.findByText(/Couldn’t send a sample/)).toBeTruthy();
});

test('no button for samples is shown where the server has no sender', async () => {
  const { actor } = await open();
  await actor.click(screen.getByRole('button', { name: 'Inbox options' }));
  await screen.findByRole('dialog', { name: 'Inbox options' });
  expect(screen.queryByRole('button', { name: 'Send me a sample' })).toBeNull();
});
