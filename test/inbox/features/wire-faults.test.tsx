import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { expect, test, vi } from 'vitest';
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

test('signing in past the limit counts down until it is possible again, without announcing the seconds', async () => {
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
  const countdown = await screen.findByText(/^\(4[12] s\)$/);
  expect(countdown.getAttribute('aria-hidden')).toBe('true');
  expect(countdown.closest('[role]')).toBeNull();
  expect(screen.getByRole('button', { name: 'Sign in' }).getAttribute('aria-disabled')).toBe('true');
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

test('the inbox behind a captive portal says that it could not be loaded, keeps the session, and can be retried', async () => {
  const app = await open('/home', true);
  const report = vi.fn<(problem: unknown) => void>();
  let isCaptive = true;
  for (const method of ['get', 'head'] as const)
    faults.respond(method, '/rest/v1/notifications', () => (isCaptive ? proxyPage(403)() : undefined));
  app.unmount();
  const again = await renderApp('/home', {
    supabase: supabase(),
    platform: { fetch: faults.fetch, report },
    store: app.store,
  });
  const message = await screen.findByText(/Couldn’t (load your notifications|refresh)/);
  expect(report).toHaveBeenCalled();
  expect(again.clients.auth.getSnapshot().status).toBe('signed-in');
  expect(again.url()).toBe('/home');
  isCaptive = false;
  const notice = within(message.parentElement ?? document.body);
  await again.actor.click(notice.getByRole('button', { name: 'Try again' }));
  expect(await findRowButton(again.actor, /^Mark as read/)).toBeTruthy();
});

test('the inbox undoes a change that the server refuses, and repeats it on request', async () => {
  const { actor } = await open('/home', true);
  const button = await findRowButton(actor, /^Mark as read/);
  const rail = within(screen.getByRole('complementary', { name: 'Views' }));
  const unread = () => rail.getByRole('link', { name: /^Unread, \d/ }).getAttribute('aria-label');
  const before = unread();
  const refusal = { code: '42501', message: 'permission denied', details: null, hint: null };
  let isRefused = true;
  faults.respond('patch', '/rest/v1/notifications', () =>
    isRefused ? HttpResponse.json(refusal, { status: 403 }) : undefined,
  );
  await actor.click(button);
  const toast = await screen.findByText(/Your change was undone/);
  await waitFor(() => expect(unread()).toBe(before));
  isRefused = false;
  const notice = within(toast.parentElement ?? document.body);
  await actor.click(notice.getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(unread()).not.toBe(before));
});

test('the inbox keeps a change while the server fails or is not found, and sends it later', async () => {
  const { actor } = await open('/home', true);
  const button = await findRowButton(actor, /^Archive/);
  const archived = () =>
    supabase().database.query(
      `select id from notifications where recipient_id = $1 and status = 'archived'`,
      [ada.id],
    );
  const { length: before } = await archived();
  let requests = 0;
  faults.respond('patch', '/rest/v1/notifications', () => {
    requests += 1;
    if (requests === 1) return proxyPage(500)();
    return requests === 2 ? HttpResponse.error() : undefined;
  });
  await actor.click(button);
  expect(await screen.findByText('Syncing 1 change…')).toBeTruthy();
  expect(button.isConnected, 'the row is gone at once').toBe(false);
  await waitFor(() => expect(screen.queryByText('Syncing 1 change…')).toBeNull(), { timeout: 45_000 });
  expect(requests).toBe(3);
  expect(await archived()).toHaveLength(before + 1);
  expect(screen.queryByText(/Your change was undone/)).toBeNull();
});
