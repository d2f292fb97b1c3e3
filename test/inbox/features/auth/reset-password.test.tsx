import { act, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ada, createUser, seedPassword, signIn, useLocalSupabase } from '../../../support/local-supabase.ts';
import { renderApp, type RenderedApp } from '../../../support/render-app.tsx';

const supabase = useLocalSupabase({ auth: { externalProviders: [] } });

async function newUser(): Promise<string> {
  const email = `reset-${crypto.randomUUID()}@example.com`;
  await createUser(supabase(), email);
  return email;
}

/** Requests the mail and enters its code. */
async function enterByCode(actor: RenderedApp['actor'], email: string): Promise<void> {
  const field = await screen.findByLabelText('Email');
  await actor.clear(field);
  await actor.type(field, `${email}{Enter}`);
  const { text } = await supabase().mailbox.waitFor({ to: email });
  const code = await screen.findByLabelText('Code from the email');
  await actor.type(code, `${/\b\d{6}\b/.exec(text)?.[0] ?? ''}{Enter}`);
}

test('resetting a password by the code of the mail sets a new one and replaces the old one', async () => {
  const email = await newUser();
  const { actor, url } = await renderApp('/reset-password', { supabase: supabase() });
  const field = await screen.findByLabelText('Email');
  await actor.clear(field);
  await actor.type(field, `${email}{Enter}`);
  const code = await screen.findByLabelText('Code from the email');
  const { text, links } = await supabase().mailbox.waitFor({ to: email });
  expect(links[0]).toMatch(`${location.origin}/reset-password#token_hash=`);
  await actor.type(code, `${/\b\d{6}\b/.exec(text)?.[0] ?? ''}{Enter}`);
  await screen.findByRole('heading', { name: 'Set a new password' });
  expect(url()).toBe('/reset-password');
  await actor.type(screen.getByLabelText('New password'), 'another-quiet-boat{Enter}');
  await screen.findByRole('heading', { name: 'Your new password is saved' });
  await expect(signIn(supabase(), email)).rejects.toThrow('invalid_credentials');
  await signIn(supabase(), email, 'another-quiet-boat');
  await actor.click(screen.getByRole('button', { name: 'Sign out all other devices' }));
  await screen.findByText('All other devices are signed out.');
  await actor.click(screen.getByRole('link', { name: 'Go to your inbox' }));
  await waitFor(() => expect(url()).toBe('/home'));
});

test('resetting a password refuses the current password, and continues to the requested page', async () => {
  const email = await newUser();
  const { actor, url } = await renderApp('/reset-password?next=%2Fpreferences', { supabase: supabase() });
  await enterByCode(actor, email);
  const password = await screen.findByLabelText('New password');
  await actor.type(password, `${seedPassword}{Enter}`);
  await screen.findByText('That’s already your password. Choose another one.');
  await waitFor(() => expect(document.activeElement).toBe(password));
  await actor.clear(password);
  await actor.type(password, 'another-quiet-boat{Enter}');
  await actor.click(await screen.findByRole('link', { name: 'Go to your inbox' }));
  await waitFor(() => expect(url()).toBe('/preferences'));
});

test('resetting a password asks for the second step, and signing out there leads to /login', async () => {
  const email = await newUser();
  await supabase().database.query(
    `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, secret, created_at, updated_at)
       select gen_random_uuid(), id, 'App', 'totp', 'verified', 'JBSWY3DPEHPK3PXP', now(), now()
       from auth.users where email = $1`,
    [email],
  );
  const { actor, url } = await renderApp('/reset-password', { supabase: supabase() });
  await enterByCode(actor, email);
  await screen.findByRole('heading', { name: 'Enter your two‑step code' });
  await actor.click(screen.getByRole('button', { name: 'Sign in with another account' }));
  await screen.findByRole('heading', { name: 'Sign in' });
  expect(url()).toBe('/login');
});

test('resetting a password ends with a sign-out of the tab: the next user is not asked for a password', async () => {
  const email = await newUser();
  const { actor, clients, url } = await renderApp('/reset-password', { supabase: supabase() });
  await enterByCode(actor, email);
  await screen.findByRole('heading', { name: 'Set a new password' });
  await act(() => clients.auth.signOut({ scope: 'local' }));
  await screen.findByRole('heading', { name: 'Sign in' });
  expect(url()).toBe('/login');
  await act(() => clients.auth.signInWithPassword({ email: ada.email, password: seedPassword }));
  await waitFor(() => expect(url()).toBe('/home'));
});

test('resetting a password responds identically for an address without an account', async () => {
  const { actor } = await renderApp('/reset-password', { supabase: supabase() });
  const field = await screen.findByLabelText('Email');
  await actor.clear(field);
  await actor.type(field, 'unknown@example.com{Enter}');
  expect(await screen.findByText(/^If there’s an account for unknown@example.com/)).toBeTruthy();
});

test('a link opened elsewhere offers a new mail', async () => {
  const { actor } = await renderApp(`/reset-password?code=${crypto.randomUUID()}`, {
    supabase: supabase(),
  });
  await screen.findByText('Open this link where you asked for it');
  const email = await screen.findByLabelText('Email');
  await actor.clear(email);
  await actor.type(email, ada.email);
  await actor.click(screen.getByRole('button', { name: 'Send a new email' }));
  expect(await screen.findByLabelText('Code from the email')).toBeTruthy();
});
