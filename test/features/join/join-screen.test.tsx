import 'fake-indexeddb/auto';
import { configure, screen, waitFor, within } from '@testing-library/react';
import * as OTPAuth from 'otpauth';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createMfa } from '../../../src/auth-client/features/mfa.ts';
import { toasts } from '../../../src/ui/overlay/toasts.ts';
import {
  ada,
  createUser,
  grace,
  requestApi,
  seedPassword,
  signIn,
  useLocalSupabase,
} from '../../support/local-supabase.ts';
import { renderApp } from '../../support/render-app.tsx';

configure({ asyncUtilTimeout: 10_000 });

const local = useLocalSupabase();
const as = ({ email }: { readonly email: string }) => ({ email, password: seedPassword });

beforeEach(async () => {
  toasts.clear();
  await local().database.exec('truncate public.notifications, private.send_usage');
});

/** Ada invites Grace. */
async function invite(email = grace.email): Promise<string> {
  const token = await signIn(local(), ada.email);
  const response = await requestApi(local(), '/rest/v1/rpc/create_invitation', {
    method: 'POST',
    token,
    body: { invitee_email: email, entity_name: 'Roadmap' },
  });
  const [made] = (await response.json()) as { token: string }[];
  return made?.token ?? '';
}

const status = async (token: string) => {
  const rows = await local().database.query<{ status: string }>(
    'select status from public.invitations where token = $1',
    [token],
  );
  return rows[0]?.status;
};
const heading = (name: string | RegExp) => screen.findByRole('heading', { level: 1, name });

describe('an invitation', () => {
  test('changes nothing when it is opened, and is accepted by a button, of which its sender is told', async () => {
    const token = await invite();
    const { actor } = await renderApp(`/join/${token}`, { supabase: local(), user: as(grace) });
    expect(await heading(/Ada.* invites you to Roadmap/)).toBeTruthy();
    expect(await status(token)).toBe('pending');
    await actor.click(screen.getByRole('button', { name: 'Accept' }));
    expect(await heading('Accepted')).toBeTruthy();
    expect(await status(token)).toBe('accepted');
    const told = await local().database.query<{ content: string }>(
      'select content from public.notifications where recipient_id = $1',
      [ada.id],
    );
    expect(told[0]?.content).toContain('accepted');
  });

  test('is declined by the other button', async () => {
    const token = await invite();
    const { actor } = await renderApp(`/join/${token}`, { supabase: local(), user: as(grace) });
    await actor.click(await screen.findByRole('button', { name: 'Decline' }));
    expect(await heading('Declined')).toBeTruthy();
    expect(await status(token)).toBe('declined');
  });

  test('asks somebody who is signed out to sign in or up, and to come back', async () => {
    const token = await invite();
    await renderApp(`/join/${token}`, { supabase: local() });
    expect(await heading('You have an invitation')).toBeTruthy();
    const next = encodeURIComponent(`/join/${token}`);
    expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe(`/login?next=${next}`);
    expect(screen.getByRole('link', { name: 'Create an account' }).getAttribute('href')).toBe(
      `/signup?next=${next}`,
    );
  });

  test('asks for the second factor first, and comes back', async () => {
    const email = `careful-${crypto.randomUUID()}@example.com`;
    await createUser(local(), email);
    const before = await renderApp('/login', { supabase: local(), user: as({ email }) });
    const mfa = createMfa(before.clients.auth);
    const factor = await mfa.enroll({ factorType: 'totp', friendlyName: 'Phone' });
    const totp = new OTPAuth.TOTP({ secret: factor.totp?.secret ?? '' });
    await mfa.challengeAndVerify({ factorId: factor.id, code: totp.generate() });
    before.unmount();
    const token = await invite(email);
    const { actor, url } = await renderApp(`/join/${token}`, { supabase: local(), user: as({ email }) });
    expect(await heading('You have an invitation')).toBeTruthy();
    await actor.click(screen.getByRole('link', { name: 'Sign in' }));
    expect(await heading('One more step')).toBeTruthy();
    await actor.type(
      screen.getByLabelText('Code from the app'),
      `${totp.generate({ timestamp: Date.now() + 30_000 })}{Enter}`,
    );
    expect(await heading(/invites you to Roadmap/)).toBeTruthy();
    expect(url()).toBe(`/join/${token}`);
  });

  test('for another account offers to switch', async () => {
    const token = await invite('somebody@example.com');
    const { actor, url } = await renderApp(`/join/${token}`, { supabase: local(), user: as(grace) });
    expect(await heading('This invitation is for another account')).toBeTruthy();
    expect(screen.getByText(/It was sent to s….*You are signed in as grace@example.com/)).toBeTruthy();
    await actor.click(screen.getByRole('button', { name: 'Sign in with another account' }));
    await waitFor(() => expect(url()).toBe(`/login?next=${encodeURIComponent(`/join/${token}`)}`));
  });

  test('that has expired says so, also when that happens while it is open', async () => {
    const token = await invite();
    const { actor } = await renderApp(`/join/${token}`, { supabase: local(), user: as(grace) });
    await screen.findByRole('button', { name: 'Accept' });
    await local().database.query(
      "update public.invitations set expires_at = now() - interval '1 s' where token = $1",
      [token],
    );
    await actor.click(screen.getByRole('button', { name: 'Accept' }));
    expect(await heading('The invitation has expired')).toBeTruthy();
  });

  test('that was accepted before says so', async () => {
    const token = await invite();
    await local().database.query("update public.invitations set status = 'accepted' where token = $1", [
      token,
    ]);
    await renderApp(`/join/${token}`, { supabase: local(), user: as(grace) });
    expect(await heading('Accepted')).toBeTruthy();
  });

  test('is shown to its sender as theirs', async () => {
    const token = await invite();
    await renderApp(`/join/${token}`, { supabase: local(), user: as(ada) });
    expect(await heading('You sent this invitation')).toBeTruthy();
  });

  test('that does not exist leads to entering a code, which leads to the invitation', async () => {
    const token = await invite();
    const { actor } = await renderApp('/join/0123456789abcdef', { supabase: local(), user: as(grace) });
    expect(await heading('There is no such invitation')).toBeTruthy();
    await actor.click(screen.getByRole('link', { name: 'Enter a link or code' }));
    expect(await heading('Join by invitation')).toBeTruthy();
    await actor.type(screen.getByLabelText('Link or code'), 'nonsense');
    await actor.click(screen.getByRole('button', { name: 'Continue' }));
    await screen.findByText(/neither an invitation link nor a code/);
    await actor.clear(screen.getByLabelText('Link or code'));
    await actor.type(screen.getByLabelText('Link or code'), `https://inbox.example/join/${token}`);
    await actor.click(screen.getByRole('button', { name: 'Continue' }));
    expect(await heading(/invites you to Roadmap/)).toBeTruthy();
  });

  test('that cannot be loaded can be tried again', async () => {
    const token = await invite();
    let isDown = true;
    const { actor } = await renderApp(`/join/${token}`, {
      supabase: local(),
      user: as(grace),
      platform: {
        fetch: (input, init) =>
          isDown && String(input instanceof Request ? input.url : input).includes('/rest/')
            ? Promise.reject(new TypeError('Failed to fetch'))
            : local().fetch(input, init),
      },
    });
    expect(await heading('The invitation could not be loaded')).toBeTruthy();
    isDown = false;
    await actor.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await heading(/invites you to Roadmap/)).toBeTruthy();
  });

  test('tells its address to nobody', async () => {
    await renderApp('/join/0123456789abcdef', { supabase: local() });
    expect(await heading('You have an invitation')).toBeTruthy();
    const content = (name: string) => document.querySelector(`meta[name=${name}]`)?.getAttribute('content');
    expect([content('referrer'), content('robots')]).toEqual(['no-referrer', 'noindex']);
  });
});

describe('inviting from the inbox', () => {
  test('tells somebody who has an account, and gives the link', async () => {
    const { actor } = await renderApp('/home', { supabase: local(), user: as(ada) });
    await actor.click(await screen.findByRole('button', { name: 'Invite' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Invite somebody' }));
    await actor.type(await dialog.findByLabelText('E-mail address'), grace.email);
    await actor.type(dialog.getByLabelText(/What for/), 'Roadmap');
    await actor.click(dialog.getByRole('button', { name: 'Invite' }));
    await dialog.findByText('grace@example.com is invited.');
    const link = dialog.getByLabelText<HTMLInputElement>('Invitation link').value;
    const told = await local().database.query<{ content: string }>(
      'select content from public.notifications where recipient_id = $1',
      [grace.id],
    );
    expect(told[0]?.content).toContain(new URL(link).pathname);
  });

  test('selects the link for copying by hand where the clipboard is absent', async () => {
    const { actor } = await renderApp('/home', { supabase: local(), user: as(ada) });
    await actor.click(await screen.findByRole('button', { name: 'Invite' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Invite somebody' }));
    await actor.type(await dialog.findByLabelText('E-mail address'), grace.email);
    await actor.click(dialog.getByRole('button', { name: 'Invite' }));
    const link = await dialog.findByLabelText<HTMLInputElement>('Invitation link');
    vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue(undefined as never);
    await actor.click(dialog.getByRole('button', { name: 'Copy' }));
    await dialog.findByText(/^The link could not be copied/);
    expect(link.value.slice(link.selectionStart ?? 0, link.selectionEnd ?? 0)).toBe(link.value);
    expect(dialog.queryByRole('button', { name: 'Copied' })).toBeNull();
  });

  test('says at the field what is wrong with the address', async () => {
    const { actor } = await renderApp('/home', { supabase: local(), user: as(ada) });
    await actor.click(await screen.findByRole('button', { name: 'Invite' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Invite somebody' }));
    const field = await dialog.findByLabelText('E-mail address');
    await actor.type(field, 'nobody');
    await actor.click(dialog.getByRole('button', { name: 'Invite' }));
    await dialog.findByText(/Enter an e-mail address/);
    await actor.clear(field);
    await actor.type(field, ada.email);
    await actor.click(dialog.getByRole('button', { name: 'Invite' }));
    await dialog.findByText('You cannot invite yourself.');
    expect(document.activeElement).toBe(field);
  });
});
