import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { setLanguage } from '../../../src/inbox/ui/texts.ts';
import { toasts } from '../../../src/inbox/ui/state/toasts.ts';
import { ada, createUser, seedPassword, useLocalSupabase } from '../../support/local-supabase.ts';
import { renderApp } from '../../support/render-app.tsx';
import { findRowButton } from '../../support/row-button.ts';
import { createBreakableFetch, to } from '../../support/wire/breakable-fetch.ts';

const supabase = useLocalSupabase({ auth: { externalProviders: [] } });
const user = { email: ada.email, password: seedPassword };

beforeEach(() => toasts.clear());

test.each([
  ['en', 'Loading...', 'Account'],
  ['de', 'Wird geladen...', 'Konto'],
] as const)('the application in %s shows "%s" until the session is known', async (language, text, name) => {
  await setLanguage(language);
  try {
    await renderApp('/account', { supabase: supabase(), user });
    expect(screen.getByText(text)).toBeTruthy();
    await screen.findByRole('heading', { name });
  } finally {
    await act(() => setLanguage('en'));
  }
});

test('the application ignores a trailing slash', async () => {
  const { actor, url, unmount } = await renderApp('/login/', { supabase: supabase() });
  const email = await screen.findByLabelText('Email');
  await actor.clear(email);
  await actor.type(email, user.email);
  await actor.type(screen.getByLabelText('Password'), `${user.password}{Enter}`);
  await waitFor(() => expect(url()).toBe('/home'));
  unmount();
  const { clients } = await renderApp('/home/?code=of-another-browser', { supabase: supabase() });
  await screen.findByRole('heading', { name: /^Sign in/ });
  expect(clients.auth.getSnapshot().callbackError?.code).toBe('pkce-verifier-missing');
});

test.each([
  ['another device has ended the session', 'delete from auth.sessions where user_id = $1'],
  ['the account was deleted', 'delete from auth.users where id = $1'],
])('the inbox shows /login and no empty list when %s', async (_, statement) => {
  const person = { email: `ended-${crypto.randomUUID()}@example.com`, password: seedPassword };
  const { id } = await createUser(supabase(), person.email);
  const { store, unmount } = await renderApp('/account', { supabase: supabase(), user: person });
  await screen.findByRole('heading', { name: 'Account' });
  unmount();
  await supabase().database.query(statement, [id]);
  await renderApp('/home', { supabase: supabase(), store });
  expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeTruthy();
});

test('an action waits while its session cannot be checked, and for the next sign-in if the session has ended', async () => {
  const person = { email: `unnoticed-${crypto.randomUUID()}@example.com`, password: seedPassword };
  const { id } = await createUser(supabase(), person.email);
  await supabase().database.query(
    `insert into notifications (recipient_id, content) values ($1, '{"type": "system", "data": {"text": "Hello"}}')`,
    [id],
  );
  const { fetch, ...backend } = createBreakableFetch(supabase);
  const openSocket = () => ({ send: () => undefined, close: () => undefined }) as never;
  const { actor } = await renderApp('/home', {
    supabase: supabase(),
    user: person,
    platform: { fetch, openSocket },
  });
  const archive = await findRowButton(actor, /^Archive/, /Hello/);
  await supabase().database.query('delete from auth.sessions where user_id = $1', [id]);
  let checks = 0;
  backend.break(
    (request) => to('/auth/v1/')(request) && (checks += 1) > 0,
    () => {
      throw new TypeError('Failed to fetch');
    },
  );
  await actor.click(archive);
  expect(await screen.findByText(/^Syncing 1 change/)).toBeTruthy();
  expect(checks).toBeGreaterThan(0);
  expect(screen.queryByText('Hello')).toBeNull();
  backend.mend();
  await screen.findByRole('heading', { name: 'Sign in' });
  expect(screen.queryByText(/deleted in the meantime/)).toBeNull();
  expect(screen.getByText(/^You were signed out. Sign in to send the changes that/)).toBeTruthy();
  const email = screen.getByLabelText('Email');
  await actor.clear(email);
  await actor.type(email, person.email);
  await actor.type(screen.getByLabelText('Password'), `${person.password}{Enter}`);
  await screen.findByRole('heading', { name: 'Inbox' });
  const statuses = () =>
    supabase().database.query('select status from notifications where recipient_id = $1', [id]);
  await waitFor(async () => expect(JSON.stringify(await statuses())).toContain('archived'));
});

test('a list that is not stored says so offline; only an inbox without any list says that there is no copy', async () => {
  const person = { email: `offline-${crypto.randomUUID()}@example.com`, password: seedPassword };
  const { id } = await createUser(supabase(), person.email);
  await supabase().database.query(
    `insert into notifications (recipient_id, content) values ($1, '{"type": "system", "data": {"text": "Hello"}}')`,
    [id],
  );
  const { fetch, ...backend } = createBreakableFetch(supabase);
  const options = { supabase: supabase(), user: person, platform: { fetch } };
  const { actor, unmount, store } = await renderApp('/home', options);
  await screen.findByText('Hello');
  Object.defineProperty(navigator, 'onLine', { configurable: true, value: false });
  try {
    backend.break(to('/rest/'));
    act(() => void dispatchEvent(new Event('offline')));
    const rail = within(screen.getByRole('complementary', { name: 'Views' }));
    await actor.click(rail.getByRole('link', { name: /^Archived, / }));
    expect(await screen.findByText(/^This list isn’t saved on this device/)).toBeTruthy();
    expect(screen.queryByText(/^No copy of your inbox/)).toBeNull();
    unmount();
    indexedDB.deleteDatabase('inbox-cache');
    await renderApp('/home', { supabase: supabase(), store, platform: { fetch } });
    expect(await screen.findByText(/^No copy of your inbox/)).toBeTruthy();
  } finally {
    Reflect.deleteProperty(navigator, 'onLine');
  }
});

test('the application redirects to /login with a message when the server ends the session', async () => {
  const person = { email: `ended-${crypto.randomUUID()}@example.com`, password: seedPassword };
  const { id } = await createUser(supabase(), person.email);
  const { actor, clients, url } = await renderApp('/account?x=1', { supabase: supabase(), user: person });
  await screen.findByRole('heading', { name: 'Account' });
  await supabase().database.query('delete from auth.sessions where user_id = $1', [id]);
  await act(() => clients.auth.refreshSession().catch(() => undefined));
  await screen.findByRole('heading', { name: 'Sign in' });
  expect(url()).toBe('/login?next=%2Faccount%3Fx%3D1');
  const news = screen.getByText('You were signed out. Sign in to continue.');
  expect(news.closest('[role="status"]')).not.toBeNull();
  const email = screen.getByLabelText('Email');
  await actor.clear(email);
  await actor.type(email, person.email);
  await actor.type(screen.getByLabelText('Password'), `${person.password}{Enter}`);
  await screen.findByRole('heading', { name: 'Account' });
  expect(url()).toBe('/account?x=1');
  // A sign-out by the user shows no notice, and /login gets no page to return to.
  await act(() => clients.auth.signOut());
  await screen.findByRole('heading', { name: 'Sign in' });
  expect(url()).toBe('/login');
  expect(screen.queryByText(/^You were signed out/)).toBeNull();
});

test.each([
  ['with a broken percent escape', '/join/%E0%A4%A'],
  ['with a character that the database refuses', '/join/a%00b'],
])('the application opens an invitation link %s', async (_, link) => {
  await renderApp(link, { supabase: supabase() });
  expect(await screen.findByRole('heading', { name: 'We can’t find this invitation' })).toBeTruthy();
});

test('/_app leads to the inbox', async () => {
  const { url } = await renderApp('/_app', { supabase: supabase(), user });
  expect(await screen.findByRole('heading', { name: 'Inbox' })).toBeTruthy();
  expect(url()).toBe('/home');
});

test('the shell reports a sign-out that did not reach the server', async () => {
  const { fetch, ...backend } = createBreakableFetch(supabase);
  backend.break(to('/logout'));
  const { actor } = await renderApp('/account', { supabase: supabase(), user, platform: { fetch } });
  await actor.click(await screen.findByRole('button', { name: /^Account menu/ }));
  const menu = within(screen.getByRole('dialog', { name: 'Account' }));
  await actor.click(menu.getByRole('button', { name: 'Sign out' }));
  await screen.findByRole('heading', { name: 'Sign in' });
  expect(await screen.findByText(/^You’re signed out on this device, but/)).toBeTruthy();
});

test('a second click on a link makes no second history entry; Back closes a dialog', async () => {
  const { actor, url } = await renderApp('/home', { supabase: supabase(), user });
  const { length } = history;
  // The tabs of narrow screens have the same link.
  const rail = within(await screen.findByRole('complementary', { name: 'Views' }));
  await actor.dblClick(rail.getByRole('link', { name: /^Archived, / }));
  await screen.findByRole('heading', { name: 'Archived' });
  expect(history.length).toBe(length + 1);
  await actor.click(await screen.findByRole('button', { name: 'Invite' }));
  await screen.findByRole('heading', { name: 'Invite someone' });
  act(() => void dispatchEvent(new PopStateEvent('popstate')));
  expect(screen.queryByRole('heading', { name: 'Invite someone' })).toBeNull();
  expect(url()).toBe('/home?tab=archived');
});

test('the shell shows not found for an unknown path, and moves the focus to the heading of the next page', async () => {
  const { actor } = await renderApp('/nowhere', { supabase: supabase(), user });
  await screen.findByRole('heading', { name: 'Page not found' });
  expect(document.title).toMatch(/Page not found · Tidings$/);
  const menu = screen.getByRole('button', { name: /^Account menu/ });
  await actor.click(menu);
  await actor.click(
    within(screen.getByRole('dialog', { name: 'Account' })).getByRole('link', { name: 'Account' }),
  );
  const heading = await screen.findByRole('heading', { level: 1, name: 'Account' });
  await waitFor(() => expect(document.activeElement).toBe(heading));
});

test('the shell announces that the device is offline and online', async () => {
  await renderApp('/nowhere', { supabase: supabase(), user });
  expect(await screen.findByRole('heading', { name: 'Page not found' })).toBeTruthy();
  const online = Object.getOwnPropertyDescriptor(Navigator.prototype, 'onLine');
  Object.defineProperty(navigator, 'onLine', { configurable: true, value: false });
  act(() => void dispatchEvent(new Event('offline')));
  expect((await screen.findByText(/^You’re offline/)).closest('[role="status"]')).not.toBeNull();
  Object.defineProperty(navigator, 'onLine', online ?? { configurable: true, value: true });
  Reflect.deleteProperty(navigator, 'onLine');
  act(() => void dispatchEvent(new Event('online')));
  expect(screen.queryByText(/^You’re offline/)).toBeNull();
});

test.each([
  ['/account', 0],
  ['/home', 1],
])('the shell shows a failed link at %s, and not again on further pages', async (path, shown) => {
  const { actor } = await renderApp(`${path}?error=access_denied&error_code=otp_expired&sb=`, {
    supabase: supabase(),
    user,
  });
  await screen.findByText(/^That code isn’t valid/);
  expect(toasts.getSnapshot()).toHaveLength(shown);
  await act(async () => toasts.clear());
  for (const page of ['Preferences', 'Account', 'Preferences']) {
    await actor.click(screen.getAllByRole('link', { name: page }).at(-1) ?? document.body);
    await screen.findByRole('heading', { name: page, level: 1 });
  }
  await screen.findByRole('switch', { name: /Email notifications/ });
  expect(toasts.getSnapshot()).toEqual([]);
});

test('the shell keeps the page and the focus when the language changes, and emails follow', async () => {
  const { actor } = await renderApp('/preferences', { supabase: supabase(), user });
  const saved = () =>
    supabase().database.query(
      `select p.language as notifications, u.raw_user_meta_data ->> 'language' as account
         from auth.users u join notification_preferences p on p.user_id = u.id where u.id = $1`,
      [ada.id],
    );
  const choice = await screen.findByRole('combobox', { name: 'Language' });
  choice.focus();
  // React hides suspended content by a style.
  const hidden: Node[] = [];
  const observer = new MutationObserver((changes) => {
    for (const { target } of changes)
      if (target instanceof HTMLElement && target.style.display === 'none') hidden.push(target);
  });
  observer.observe(document.body, { subtree: true, attributeFilter: ['style'] });
  try {
    await actor.selectOptions(choice, 'de');
    await screen.findByRole('heading', { name: 'Einstellungen' });
    expect(document.activeElement).toBe(choice);
    expect(hidden).toEqual([]);
    expect(document.documentElement.lang).toBe('de');
    await waitFor(async () => expect(await saved()).toEqual([{ notifications: 'de', account: 'de' }]));
    await actor.selectOptions(await screen.findByRole('combobox', { name: 'Sprache' }), 'en');
    await waitFor(async () => expect(await saved()).toEqual([{ notifications: 'en', account: 'en' }]));
  } finally {
    observer.disconnect();
    await act(() => setLanguage('en'));
  }
});

test('the shell is available in German', async () => {
  await renderApp('/login', { supabase: supabase() });
  await screen.findByRole('heading', { name: 'Sign in' });
  try {
    await act(async () => setLanguage('de'));
    const heading = await screen.findByRole('heading', { name: 'Anmelden' });
    expect(within(heading.parentElement ?? document.body).getByLabelText('Passwort')).toBeTruthy();
    expect(document.documentElement.lang).toBe('de');
  } finally {
    await act(async () => setLanguage('en'));
  }
});

test('the first visit asks for language, zone and digest once; all can be skipped', async () => {
  const email = `new-${crypto.randomUUID()}@example.com`;
  const { id } = await createUser(supabase(), email);
  await supabase().database.query(
    `update auth.users set raw_user_meta_data = '{"first_visit": true, "time_zone": "Asia/Tokyo"}' where id = $1`,
    [id],
  );
  const person = { email, password: seedPassword };
  const { actor, store, unmount } = await renderApp('/home', { supabase: supabase(), user: person });
  const questions = within(await screen.findByRole('region', { name: 'Three quick questions' }));
  expect(questions.getByRole('combobox', { name: 'Language' })).toBeTruthy();
  const zone = questions.getByRole<HTMLSelectElement>('combobox', { name: 'Time zone' });
  expect(zone.value).toBe('Asia/Tokyo');
  await actor.selectOptions(questions.getByRole('combobox', { name: 'Email digest' }), 'weekly');
  await waitFor(async () =>
    expect(
      await supabase().database.query(
        'select email_digest_frequency from notification_preferences where user_id = $1',
        [id],
      ),
    ).toEqual([{ email_digest_frequency: 'weekly' }]),
  );
  await actor.click(questions.getByRole('button', { name: 'Skip' }));
  expect(screen.queryByText('Three quick questions')).toBeNull();
  const readChoice = async () => {
    const [row] = await supabase().database.query<{ asked: string }>(
      `select raw_user_meta_data ->> 'first_visit' as asked from auth.users where id = $1`,
      [id],
    );
    return row?.asked;
  };
  await waitFor(async () => expect(await readChoice()).toBe('false'));
  unmount();
  await renderApp('/home', { supabase: supabase(), store });
  await screen.findByText(/No notifications yet/);
  expect(screen.queryByText('Three quick questions')).toBeNull();
});
