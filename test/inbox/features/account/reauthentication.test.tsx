import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { describedBy } from '../../../support/described-by.ts';
import { createUser, seedPassword, signIn, useLocalSupabase } from '../../../support/local-supabase.ts';
import { renderApp } from '../../../support/render-app.tsx';

let skewMs = 0;
const supabase = useLocalSupabase({
  now: () => Date.now() + skewMs,
  auth: {
    externalProviders: ['github'],
    passwordUpdateRequiresReauthentication: true,
    passwordUpdateRequiresCurrentPassword: true,
  },
});

afterEach(() => void vi.useRealTimers());

test('a password is changed after reauthentication when the sign-in is old', async () => {
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
  const code = await section.findByLabelText('Code from the email');
  expect(section.getByText(new RegExp(`enter the code that we sent to ${email}`))).toBeTruthy();
  expect(code.getAttribute('aria-invalid'), 'not invalid before it could be filled in').not.toBe('true');
  await actor.type(code, `${await mailedCode(email)}{Enter}`);
  const current = await section.findByLabelText('Current password');
  await actor.clear(code);
  await actor.clear(section.getByLabelText('New password'));
  await actor.type(current, '{Enter}');
  await waitFor(() => expect(section.getAllByRole('listitem')).toHaveLength(3));

  // The attempt without the current password has spent the code.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
  const sendCode = section.getByRole('button', { name: 'Send a new code' });
  await waitFor(() => expect(sendCode.getAttribute('aria-disabled')).not.toBe('true'));
  await actor.click(sendCode);
  await section.findByText('A new code is on its way.');
  await actor.type(current, seedPassword);
  await actor.type(section.getByLabelText('New password'), 'another-quiet-boat');
  await actor.type(code, `${await mailedCode(email)}{Enter}`);
  await section.findByText(/^Your password was changed/);
  await signIn(supabase(), email, 'another-quiet-boat');
});

test('another way to sign in is linked only after a proof by password, which shows its purpose, refuses a wrong one at its field, and leaves no second device', async () => {
  const email = `proof-${crypto.randomUUID()}@example.com`;
  skewMs = -25 * 3_600_000;
  await createUser(supabase(), email);
  const { actor, clients } = await renderApp('/account', {
    supabase: supabase(),
    user: { email, password: seedPassword },
  });
  skewMs = 0;
  await act(() => clients.auth.refreshSession());
  const devices = within(await screen.findByRole('region', { name: 'Devices' }));
  // The sessions of `createUser` and of the page.
  await waitFor(() => expect(devices.getAllByRole('listitem')).toHaveLength(2));
  await actor.click(await screen.findByRole('button', { name: 'Link GitHub' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Confirm that it’s you' }));
  expect(await supabase().database.query('select id from auth.flow_state')).toEqual([]);
  dialog.getByText(
    'Your last sign-in was a while ago. To change your ways to sign in, confirm that it’s you.',
  );
  dialog.getByText(`Signed in as ${email}`);
  const password = dialog.getByLabelText('Password');
  await actor.type(password, 'wrong{Enter}');
  await waitFor(() => expect(describedBy(password)).toBe('That isn’t the password of this account.'));
  await actor.clear(password);
  await actor.type(password, `${seedPassword}{Enter}`);
  const count = () =>
    supabase().database.query<{ id: string }>(
      'select s.id from auth.sessions s join auth.users u on u.id = s.user_id where u.email = $1',
      [email],
    );
  await waitFor(async () => expect(await count()).toHaveLength(2));
  await waitFor(() => expect(devices.getAllByRole('listitem')).toHaveLength(2));
});

async function mailedCode(email: string): Promise<string> {
  const { text } = await supabase().mailbox.waitFor({ to: email });
  return /\b\d{6}\b/.exec(text)?.[0] ?? '';
}
