import { screen, waitFor } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { ada, seedPassword, useLocalSupabase } from '../../support/local-supabase.ts';
import { renderApp, type RenderedApp } from '../../support/render-app.tsx';
import { findRowButton } from '../../support/row-button.ts';
import { useWireFaults } from '../../support/wire/proxy-faults.ts';

const supabase = useLocalSupabase();
const faults = useWireFaults(supabase);
const user = { email: ada.email, password: seedPassword };
const proxyPage = (status: number) => () =>
  HttpResponse.html('<html><body><h1>Bad gateway</h1></body></html>', { status });

const open = (url: string, isSignedIn = false): Promise<RenderedApp> =>
  renderApp(url, {
    supabase: supabase(),
    platform: { fetch: faults.fetch },
    ...(isSignedIn ? { user } : {}),
  });

async function enterPassword({ actor }: RenderedApp): Promise<void> {
  const email = await screen.findByLabelText('Email');
  // An address that was typed before is remembered.
  await actor.clear(email);
  await actor.type(email, user.email);
  await actor.type(screen.getByLabelText('Password'), user.password);
  await actor.click(screen.getByRole('button', { name: 'Sign in' }));
}

const alertTexts = () =>
  screen
    .getAllByRole('alert')
    .map(({ textContent }) => textContent)
    .join(' ');

test('signing in behind a proxy that responds with its own page shows one clear sentence, no markup', async () => {
  faults.respond('post', '/auth/v1/token', proxyPage(502));
  const app = await open('/login');
  await enterPassword(app);
  await waitFor(() => expect(alertTexts()).toMatch(/\S/));
  expect(alertTexts()).not.toMatch(/<|Bad gateway/);
  expect(app.url()).toBe('/login');
});

test('signing in past the limit says when it is possible again', async () => {
  faults.respond('post', '/auth/v1/token', () =>
    HttpResponse.json(
      {
        code: 'over_request_rate_limit',
        message: 'For security purposes, you can only request this after 42 seconds.',
      },
      { status: 429 },
    ),
  );
  await enterPassword(await open('/login'));
  await waitFor(() => expect(document.body.textContent).toMatch(/4[12] s/));
});

test('signing in with a truncated response fails', async () => {
  faults.respond(
    'post',
    '/auth/v1/token',
    () => new HttpResponse('{"access_token":"ey', { headers: { 'Content-Type': 'application/json' } }),
  );
  const app = await open('/login');
  await enterPassword(app);
  await waitFor(() => expect(alertTexts()).toMatch(/\S/));
  expect(app.clients.auth.getSnapshot().status).toBe('signed-out');
});

test('the inbox survives one response of a server that is restarting', async () => {
  let requests = 0;
  faults.respond('get', '/rest/v1/notifications', () => {
    requests += 1;
    return requests === 1
      ? HttpResponse.json({ code: 'PGRST002', message: 'schema cache' }, { status: 503 })
      : supabasePasses();
  });
  const supabasePasses = () => HttpResponse.json([], { headers: { 'Content-Range': '*/*' } });
  await open('/home', true);
  expect(await screen.findByText(/all caught up/)).toBeTruthy();
  expect(requests).toBeGreaterThan(1);
});

test('the inbox behind a captive portal says that it could not be loaded, and keeps the session', async () => {
  const app = await open('/home', true);
  faults.respond('get', '/rest/v1/notifications', proxyPage(403));
  faults.respond('head', '/rest/v1/notifications', proxyPage(403));
  app.unmount();
  const again = await renderApp('/home', {
    supabase: supabase(),
    platform: { fetch: faults.fetch },
    store: app.store,
  });
  expect(await screen.findByText(/Couldn’t (load your notifications|refresh)/)).toBeTruthy();
  expect(again.clients.auth.getSnapshot().status).toBe('signed-in');
  expect(again.url()).toBe('/home');
});

test('the inbox undoes a change that the server refuses', async () => {
  const { actor } = await open('/home', true);
  const button = await findRowButton(actor, /^Mark as read/);
  const refusal = { code: '42501', message: 'permission denied', details: null, hint: null };
  faults.respond('patch', '/rest/v1/notifications', () => HttpResponse.json(refusal, { status: 403 }));
  await actor.click(button);
  expect(await screen.findByText(/Your change was undone/)).toBeTruthy();
  expect((await screen.findAllByRole('button', { name: /^Mark as read/ })).length).toBeGreaterThan(0);
});

test('the inbox keeps a change while the server fails, and sends it later', async () => {
  const { actor } = await open('/home', true);
  const button = await findRowButton(actor, /^Mark as read/);
  let requests = 0;
  faults.respond('patch', '/rest/v1/notifications', () => {
    requests += 1;
    return requests === 1 ? proxyPage(500)() : undefined;
  });
  await actor.click(button);
  expect(await screen.findByText(/Syncing 1 change/)).toBeTruthy();
  await waitFor(() => expect(screen.queryByText(/Syncing 1 change/)).toBeNull(), { timeout: 45_000 });
  expect(requests).toBeGreaterThan(1);
  expect(screen.queryByText(/Your change was undone/)).toBeNull();
});
