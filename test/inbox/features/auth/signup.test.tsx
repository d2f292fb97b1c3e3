import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { signupError } from '../../../../src/inbox/features/auth/sign-up/signup-screen.tsx';
import { describedBy } from '../../../support/described-by.ts';
import { ada, useLocalSupabase } from '../../../support/local-supabase.ts';
import { renderApp, type RenderedApp } from '../../../support/render-app.tsx';

const supabase = useLocalSupabase({
  auth: { externalProviders: [], passwordMinLength: 10, pwnedPasswords: ['correct-horse'] },
});

async function enter(actor: RenderedApp['actor'], email: string, password: string) {
  const field = await screen.findByLabelText('Email');
  await actor.clear(field);
  await actor.type(field, email);
  const secret = screen.getByLabelText('Password');
  await actor.clear(secret);
  await actor.type(secret, password);
  await actor.click(screen.getByRole('button', { name: 'Create account' }));
}

test("signing up shows the server's reasons on the password", async () => {
  const { actor } = await renderApp('/signup', { supabase: supabase() });
  await enter(actor, `weak-${crypto.randomUUID()}@example.com`, 'nine-loft');
  const password = screen.getByLabelText('Password');
  await waitFor(() =>
    expect(describedBy(password)).toBe('This password is too easy to guess. Use more characters.'),
  );
  await waitFor(() => expect(document.activeElement).toBe(password));
  await actor.clear(password);
  await actor.type(password, 'correct-horse{Enter}');
  await waitFor(() => expect(describedBy(password)).toMatch(/appeared in a data leak/));
});

test('signing up does not reveal whether an address is taken', async () => {
  const { actor } = await renderApp('/signup', { supabase: supabase() });
  await enter(actor, ada.email, 'quiet-paper-boat');
  expect(await screen.findByRole('heading', { name: 'Check your email' })).toBeTruthy();
  expect(screen.getByText(/^If ada@example.com is new here/)).toBeTruthy();
  const again = screen.getByRole('button', { name: /^Send it again/ });
  expect(again.getAttribute('aria-disabled'), 'until the countdown ends').toBe('true');
  await actor.click(screen.getByRole('link', { name: 'Already confirmed? Sign in' }));
  await screen.findByRole('heading', { name: 'Sign in' });
  expect(screen.getByLabelText('Email')).toHaveProperty('value', ada.email);
});

test('signing up shows the strength of the password while typing', async () => {
  const { actor } = await renderApp('/signup', { supabase: supabase() });
  const password = await screen.findByLabelText('Password');
  expect(password.getAttribute('autocomplete')).toBe('new-password');
  await actor.type(password, 'password1');
  await screen.findByText('Strength: very weak');
  await actor.clear(password);
  await actor.type(password, 'violet tractor hums 9 songs');
  await screen.findByText('Strength: strong');
});

test('signing up shows the specified text when a value that is not an error is thrown', () => {
  expect(signupError('broken').message).toBe('Unknown error during signup');
  const problem = new TypeError('x');
  expect(signupError(problem)).toBe(problem);
});
