import { act, screen, waitFor } from '@testing-library/react';
import * as OTPAuth from 'otpauth';
import { expect, test } from 'vitest';
import { createMfa } from '../../../../src/auth-client/features/mfa.ts';
import { describedBy } from '../../../support/described-by.ts';
import { createUser, ada, seedPassword, useLocalSupabase } from '../../../support/local-supabase.ts';
import { renderApp } from '../../../support/render-app.tsx';
import { createBreakableFetch, to } from '../../../support/wire/breakable-fetch.ts';

const supabase = useLocalSupabase({ auth: { externalProviders: ['github'] } });

async function enter(actor: Awaited<ReturnType<typeof renderApp>>['actor'], email: string, password: string) {
  const field = await screen.findByLabelText('Email');
  await actor.clear(field);
  await actor.type(field, email);
  await actor.type(screen.getByLabelText('Password'), password);
  await actor.click(screen.getByRole('button', { name: 'Sign in' }));
}

test('signing in by password checks its fields, shows the password on request, and offers the providers of the project', async () => {
  const { actor } = await renderApp('/login', { supabase: supabase() });
  const email = await screen.findByLabelText('Email');
  const password = screen.getByLabelText('Password');
  expect(password.getAttribute('autocomplete')).toBe('current-password');
  await actor.clear(email);
  await actor.click(screen.getByRole('button', { name: 'Sign in' }));
  await waitFor(() => expect(document.activeElement, 'the first wrong field').toBe(email));
  expect(email.getAttribute('aria-invalid')).toBe('true');
  expect(describedBy(email)).toBe('Enter your email address.');
  expect(describedBy(password)).toBe('Enter your password.');
  await actor.click(screen.getByRole('button', { name: 'Show password' }));
  expect(password.getAttribute('type')).toBe('text');
  await actor.click(screen.getByRole('button', { name: 'Hide password' }));
  expect(password.getAttribute('type')).toBe('password');
  await screen.findByRole('button', { name: 'Continue with GitHub' });
  expect(screen.getAllByRole('button', { name: /^Continue with/ })).toHaveLength(1);
});

test('signing in by password checks an address on blur, then on each change', async () => {
  const { actor } = await renderApp('/login', { supabase: supabase() });
  const email = await screen.findByLabelText('Email');
  await actor.clear(email);
  await actor.type(email, 'ada@');
  expect(describedBy(email)).toBe('');
  await actor.tab();
  expect(describedBy(email)).toMatch(/doesn’t look like an email address/);
  await actor.type(email, 'example.com');
  expect(describedBy(email)).toBe('');
});

test('signing in by password shows a wrong password in the existing alert region, and offers to clear the cookies after the second', async () => {
  const { actor } = await renderApp('/login', { supabase: supabase() });
  const link = () => screen.queryByRole('link', { name: /Clear cookies/ });
  await screen.findByLabelText('Email');
  const regions = screen.getAllByRole('alert');
  await enter(actor, ada.email, 'wrong');
  const message = await screen.findByText('Wrong email or password.');
  expect(regions).toContain(message.closest('[role="alert"]'));
  expect(screen.getByLabelText('Email')).toHaveProperty('value', ada.email);
  expect(link()).toBeNull();
  await enter(actor, ada.email, 'wrong');
  await waitFor(() => expect(link()?.getAttribute('href')).toBe('/clear-cookies'));
});

test('signing in by password shows that the server cannot be reached', async () => {
  const platform = { fetch: () => Promise.reject(new TypeError('Failed to fetch')) };
  const { actor } = await renderApp('/login', { supabase: supabase(), platform });
  await enter(actor, ada.email, seedPassword);
  await screen.findByText(/^Can’t reach the server/);
  expect(screen.getByLabelText('Password')).toHaveProperty('value', seedPassword);
});

test('signing in by mail accepts the mailed code', async () => {
  const email = `mail-${crypto.randomUUID()}@example.com`;
  await createUser(supabase(), email);
  const { actor, url } = await renderApp('/login?next=%2Faccount', { supabase: supabase() });
  await actor.click(await screen.findByRole('button', { name: 'Email me a code instead' }));
  await screen.findByRole('heading', { name: 'Sign in by email' });
  const field = await screen.findByLabelText('Email');
  await actor.clear(field);
  await actor.type(field, email);
  await actor.click(screen.getByRole('button', { name: 'Email me a code' }));
  const code = await screen.findByLabelText('Code from the email');
  expect(code.getAttribute('autocomplete')).toBe('one-time-code');
  await actor.click(code);
  // A mail program copies the code with spaces.
  await actor.paste(` ${(await mailedCode(email)).replace(/^(...)/, '$1 ')} `);
  await actor.click(screen.getByRole('button', { name: 'Confirm' }));
  await waitFor(() => expect(url()).toBe('/account'));
});

test('signing in by mail does not reveal whether an address has an account', async () => {
  const { actor } = await renderApp('/login', { supabase: supabase() });
  await actor.click(await screen.findByRole('button', { name: 'Email me a code instead' }));
  await screen.findByRole('heading', { name: 'Sign in by email' });
  const field = await screen.findByLabelText('Email');
  await actor.clear(field);
  await actor.type(field, 'unknown@example.com{Enter}');
  await screen.findByRole('heading', { name: 'Check your email' });
  expect(screen.getByText(/^If there’s an account for unknown@example\.com/)).toBeTruthy();
});

test('a code can still be entered after the page was loaded again, and a wrong one is shown on its field', async () => {
  const email = `reload-${crypto.randomUUID()}@example.com`;
  await createUser(supabase(), email);
  const { actor, unmount } = await renderApp('/login', { supabase: supabase() });
  await actor.click(await screen.findByRole('button', { name: 'Email me a code instead' }));
  await screen.findByRole('heading', { name: 'Sign in by email' });
  const field = await screen.findByLabelText('Email');
  await actor.clear(field);
  await actor.type(field, `${email}{Enter}`);
  await screen.findByLabelText('Code from the email');
  const historyState: unknown = history.state;
  unmount();
  const after = await renderApp('/login', { supabase: supabase(), historyState });
  const code = await screen.findByLabelText('Code from the email');
  expect(screen.getByText(new RegExp(`^If there’s an account for ${email}`))).toBeTruthy();
  const right = await mailedCode(email);
  await after.actor.type(code, `${right === '000000' ? '111111' : '000000'}{Enter}`);
  await waitFor(() => expect(describedBy(code)).toMatch(/^That code isn’t valid/));
  await waitFor(() => expect(document.activeElement).toBe(code));
  await after.actor.clear(code);
  await after.actor.type(code, `${right}{Enter}`);
  await waitFor(() => expect(after.url()).toBe('/home'));
});

test.each([
  ['/signup', 'signup'],
  ['/reset-password', 'recovery'],
])('%s waits for its code after a reload, until another address is chosen', async (path, purpose) => {
  const historyState = { purpose, email: 'grace@example.com' };
  const { actor } = await renderApp(path, { supabase: supabase(), historyState });
  await screen.findByLabelText('Code from the email');
  await actor.click(screen.getByRole('button', { name: 'Use another address' }));
  await screen.findByLabelText('Email');
  expect(history.state).toBeNull();
});

test('a link from another browser continues by the code of a new mail', async () => {
  const { actor, url } = await renderApp(`/home?code=${crypto.randomUUID()}`, { supabase: supabase() });
  await screen.findByText('Open this link where you asked for it');
  expect(url()).toBe('/login');
  const email = await screen.findByLabelText('Email');
  await actor.clear(email);
  await actor.type(email, ada.email);
  await actor.click(screen.getByRole('button', { name: 'Send a new email' }));
  expect(await screen.findByLabelText('Code from the email')).toBeTruthy();
  expect(screen.getByText(/a new email is on its way/)).toBeTruthy();
});

test('says that a mail is new if it replaces a link that was used', async () => {
  const { actor } = await renderApp('/login', { supabase: supabase(), historyState: 'link-expired' });
  await screen.findByText('This link has expired or was already used');
  const email = await screen.findByLabelText('Email');
  await actor.clear(email);
  await actor.type(email, ada.email);
  await actor.click(screen.getByRole('button', { name: 'Send a new email' }));
  await waitFor(() => expect(history.state).toMatchObject({ purpose: 'magiclink' }));
  expect(await screen.findByText(/a new email is on its way/)).toBeTruthy();
});

test('a link that is used or expired shows a message', async () => {
  const error = 'error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid&sb=';
  await renderApp(`/home?${error}#${error}`, { supabase: supabase() });
  expect(await screen.findByText('This link has expired or was already used')).toBeTruthy();
});

test('an account with a second factor requires the code', async () => {
  const email = `mfa-${crypto.randomUUID()}@example.com`;
  await createUser(supabase(), email);
  const before = await renderApp('/_app', {
    supabase: supabase(),
    user: { email, password: seedPassword },
  });
  const factor = await createMfa(before.clients.auth).enroll({ factorType: 'totp', friendlyName: 'Phone' });
  const totp = new OTPAuth.TOTP({ secret: factor.totp?.secret ?? '' });
  await createMfa(before.clients.auth).challengeAndVerify({ factorId: factor.id, code: totp.generate() });
  before.unmount();

  const { actor, url } = await renderApp('/account', { supabase: supabase() });
  await enter(actor, email, seedPassword);
  await screen.findByRole('heading', { name: 'Enter your two‑step code' });
  expect(url()).toBe('/login?next=%2Faccount');
  const code = screen.getByLabelText('Code from the app');
  const wrong = String((Number(totp.generate()) + 1) % 1_000_000).padStart(6, '0');
  await actor.type(code, `${wrong}{Enter}`);
  await waitFor(() => expect(describedBy(code)).toMatch(/^That code isn’t right/));
  await actor.clear(code);
  await actor.type(code, `${totp.generate({ timestamp: Date.now() + 30_000 })}{Enter}`);
  await screen.findByRole('heading', { name: 'Account' });
});

test('an account with a second factor by phone requires the code of the message', async () => {
  const email = `phone-${crypto.randomUUID()}@example.com`;
  await createUser(supabase(), email);
  await supabase().database.query(
    `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, phone, created_at, updated_at)
       select gen_random_uuid(), id, 'Mine', 'phone', 'verified', '4915112345678', now(), now()
       from auth.users where email = $1`,
    [email],
  );
  const { actor } = await renderApp('/account', { supabase: supabase() });
  await enter(actor, email, seedPassword);
  await actor.click(await screen.findByRole('button', { name: 'Text me a code' }));
  const field = await screen.findByLabelText('Code from the text message');
  expect(screen.getByRole('button', { name: /^Send it again/ }).getAttribute('aria-disabled')).toBe('true');
  const [challenge] = await supabase().database.query<{ otp_code: string }>(
    'select otp_code from auth.mfa_challenges order by created_at desc limit 1',
  );
  await actor.type(field, `${challenge?.otp_code}{Enter}`);
  await screen.findByRole('heading', { name: 'Account' });
});

async function mailedCode(to: string): Promise<string> {
  const { text } = await supabase().mailbox.waitFor({ to });
  return /\b\d{6}\b/.exec(text)?.[0] ?? '';
}

test('providers that could not be read offline appear when the browser is online again', async () => {
  const { fetch, ...backend } = createBreakableFetch(supabase);
  backend.break(to('/settings'));
  Object.defineProperty(navigator, 'onLine', { configurable: true, value: false });
  try {
    await renderApp('/login', { supabase: supabase(), platform: { fetch } });
    await screen.findByText(/^You’re offline/);
    backend.mend();
  } finally {
    Reflect.deleteProperty(navigator, 'onLine');
  }
  act(() => void dispatchEvent(new Event('online')));
  expect(await screen.findByRole('button', { name: 'Continue with GitHub' })).toBeTruthy();
  expect(screen.queryByText(/^Couldn’t load the other ways/)).toBeNull();
});
