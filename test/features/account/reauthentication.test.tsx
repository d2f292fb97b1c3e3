import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { createUser, seedPassword, signIn, useLocalSupabase } from '../../support/local-supabase.ts';
import { renderApp } from '../../support/render-app.tsx';

let skewMs = 0;
const supabase = useLocalSupabase({
  now: () => Date.now() + skewMs,
  auth: { externalProviders: [], passwordUpdateRequiresReauthentication: true },
});

test('a password is changed after a code where the sign-in was long ago', async () => {
  const email = `old-${crypto.randomUUID()}@example.com`;
  skewMs = -25 * 3_600_000;
  await createUser(supabase(), email);
  const { actor, clients } = await renderApp('/account', {
    supabase: supabase(),
    user: { email, password: seedPassword },
  });
  await screen.findByRole('heading', { name: 'Account' });
  skewMs = 0;
  await clients.auth.refreshSession();
  const section = within(screen.getByRole('region', { name: 'Password' }));
  await actor.type(section.getByLabelText('New password'), 'another-quiet-boat{Enter}');
  const code = await section.findByLabelText('Code from the mail');
  expect(section.getByText(new RegExp(`We have sent a code to ${email}`))).toBeTruthy();
  const { text } = await supabase().mailbox.waitFor({ to: email });
  await actor.type(code, `${/\b\d{6}\b/.exec(text)?.[0] ?? ''}{Enter}`);
  await section.findByText(/^Your password is changed/);
  await signIn(supabase(), email, 'another-quiet-boat');
});
