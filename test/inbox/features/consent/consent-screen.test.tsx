import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ada, seedPassword, useLocalSupabase } from '../../../support/local-supabase.ts';
import { registerApplication } from '../../../support/oauth-application.ts';
import { renderApp } from '../../../support/render-app.tsx';
import { createBreakableFetch, to } from '../../../support/wire/breakable-fetch.ts';

const local = useLocalSupabase({
  auth: { oauthServerEnabled: true, oauthDynamicRegistrationEnabled: true },
});
const user = { email: ada.email, password: seedPassword };
const heading = (name: string | RegExp) => screen.findByRole('heading', { level: 1, name });
const answerOf = async () => {
  const { href } = await screen.findByRole<HTMLAnchorElement>('link', { name: 'Go there now' });
  const { origin, pathname, searchParams } = new URL(href);
  return [origin + pathname, Object.fromEntries(searchParams)];
};

test('a person sees who asks for what and where it leads, and continues; the next request is answered at once', async () => {
  const application = await registerApplication(local());
  const first = `/oauth/consent?authorization_id=${await application.authorize('openid email')}`;
  const { actor } = await renderApp(first, { supabase: local(), user });
  await heading('Tool wants to sign you in');
  expect(screen.getByText(`It will know you as ${ada.email}.`)).toBeTruthy();
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'That you have an account here, and its id',
    'Your email address',
  ]);
  expect(screen.getByText(/You’ll go to tool\.example\./)).toBeTruthy();
  await actor.click(screen.getByRole('button', { name: 'Continue' }));
  await heading('Taking you to tool.example');
  expect(await answerOf()).toEqual([
    'https://tool.example/callback',
    { code: expect.any(String), state: 's' },
  ]);

  const again = `/oauth/consent?authorization_id=${await application.authorize('openid')}`;
  await renderApp(again, { supabase: local(), user });
  expect((await answerOf())[1]).toMatchObject({ code: expect.any(String) });
});

test('a person sees the scheme of an application on the device, not the host that it chose', async () => {
  const application = await registerApplication(local(), 'com.example.tool://accounts.google.com/callback');
  const path = `/oauth/consent?authorization_id=${await application.authorize()}`;
  await renderApp(path, { supabase: local(), user });
  expect(await screen.findByText(/^You’ll go to com\.example\.tool\./)).toBeTruthy();
  expect(
    screen.getByText(/^It can’t read or send notifications\. It could change your account/),
  ).toBeTruthy();
});

test.each([
  ['Tool\u202e\n ', /^Tool wants to sign you in$/],
  ['\u200b\u2066', /^An application wants to sign you in$/],
  ['T'.repeat(300), /^T{60} wants to sign you in$/],
])('a person reads the name that the application chose, %j, as one short line', async (name, expected) => {
  const application = await registerApplication(local(), undefined, name);
  const path = `/oauth/consent?authorization_id=${await application.authorize()}`;
  await renderApp(path, { supabase: local(), user });
  expect(await heading(expected)).toBeTruthy();
});

test('a person who cancels is taken back without a code', async () => {
  const application = await registerApplication(local());
  const path = `/oauth/consent?authorization_id=${await application.authorize()}`;
  const { actor } = await renderApp(path, { supabase: local(), user });
  await actor.click(await screen.findByRole('button', { name: 'Cancel' }));
  expect((await answerOf())[1]).toMatchObject({ error: 'access_denied', state: 's' });
});

test('a person who is signed out signs in and comes back to the request', async () => {
  const application = await registerApplication(local());
  const path = `/oauth/consent?authorization_id=${await application.authorize()}`;
  const { url } = await renderApp(path, { supabase: local() });
  await heading(/Sign in/);
  expect(new URL(url(), 'http://app').searchParams.get('next')).toBe(path);
});

test('a request that is unknown says so', async () => {
  await renderApp('/oauth/consent?authorization_id=unknown', { supabase: local(), user });
  expect(await heading('This request is no longer valid')).toBeTruthy();
});

test('a request that cannot be loaded is loaded again', async () => {
  const application = await registerApplication(local());
  const fetch = createBreakableFetch(local);
  fetch.break(to('/oauth/authorizations/'));
  const path = `/oauth/consent?authorization_id=${await application.authorize()}`;
  const { actor } = await renderApp(path, { supabase: local(), user, platform: { fetch: fetch.fetch } });
  await heading('Couldn’t load the request');
  fetch.mend();
  await actor.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await heading('Tool wants to sign you in')).toBeTruthy();
});
