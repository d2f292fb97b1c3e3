import 'fake-indexeddb/auto';
import { screen, waitFor, within } from '@testing-library/react';
import * as OTPAuth from 'otpauth';
import { beforeEach, expect, test, vi } from 'vitest';
import { createMfa } from '../../../../src/auth-client/features/mfa.ts';
import { toasts } from '../../../../src/inbox/ui/state/toasts.ts';
import {
  ada,
  createUser,
  grace,
  requestApi,
  seedPassword,
  signIn,
  useLocalSupabase,
} from '../../../support/local-supabase.ts';
import { renderApp } from '../../../support/render-app.tsx';
import { createBreakableFetch, to } from '../../../support/wire/breakable-fetch.ts';

const local = useLocalSupabase();
const as = ({ email }: { readonly email: string }) => ({ email, password: seedPassword });

beforeEach(async () => {
  toasts.clear();
  await local().database.exec(
    'truncate public.notifications, private.send_usage; delete from public.invitations',
  );
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

test('an invitation changes nothing when opened; a button accepts it and notifies its sender', async () => {
  const token = await invite();
  const { actor } = await renderApp(`/join/${token}`, { supabase: local(), user: as(grace) });
  expect(await heading(/Ada.* invites you to Roadmap/)).toBeTruthy();
  expect(await status(token)).toBe('pending');
  await actor.click(screen.getByRole('button', { name: 'Accept' }));
  expect(await heading('Invitation accepted')).toBeTruthy();
  expect(await status(token)).toBe('accepted');
  const shown = await local().database.query<{ content: string }>(
    'select content from public.notifications where recipient_id = $1',
    [ada.id],
  );
  expect(shown[0]?.content).toContain('accepted');
});

test('an invitation is declined by a button', async () => {
  const token = await invite();
  const { actor } = await renderApp(`/join/${token}`, { supabase: local(), user: as(grace) });
  await actor.click(await screen.findByRole('button', { name: 'Decline' }));
  expect(await heading('Invitation declined')).toBeTruthy();
  expect(await status(token)).toBe('declined');
});

test('an invitation shows its inviter and entity when signed out, asks to sign in or up, and returns', async () => {
  const token = await invite();
  await renderApp(`/join/${token}`, { supabase: local() });
  expect(await heading('Ada Lovelace invites you to Roadmap')).toBeTruthy();
  expect(document.body.textContent, 'the address of the invitee is private').not.toContain('@example.com');
  const next = encodeURIComponent(`/join/${token}`);
  expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe(`/login?next=${next}`);
  expect(screen.getByRole('link', { name: 'Create account' }).getAttribute('href')).toBe(
    `/signup?next=${next}`,
  );
});

test('an invitation that is no longer open reveals nothing when signed out, also to other sites', async () => {
  const token = await invite();
  await local().database.query(`update invitations set expires_at = now() where token = $1`, [token]);
  const { unmount } = await renderApp(`/join/${token}`, { supabase: local() });
  expect(await heading('Sign in to see this invitation')).toBeTruthy();
  expect(document.body.textContent).not.toMatch(/Ada|Roadmap/);
  unmount();
  await renderApp('/join/0123456789abcdef', { supabase: local() });
  expect(await heading('We can’t find this invitation')).toBeTruthy();
  const content = (name: string) => document.querySelector(`meta[name=${name}]`)?.getAttribute('content');
  expect([content('referrer'), content('robots')]).toEqual(['no-referrer', 'noindex']);
});

test('an invitation asks for the second factor, then returns', async () => {
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
  expect(await heading('Ada Lovelace invites you to Roadmap')).toBeTruthy();
  await actor.click(screen.getByRole('link', { name: 'Sign in' }));
  expect(await heading('Enter your two‑step code')).toBeTruthy();
  await actor.type(
    screen.getByLabelText('Code from the app'),
    `${totp.generate({ timestamp: Date.now() + 30_000 })}{Enter}`,
  );
  expect(await heading(/invites you to Roadmap/)).toBeTruthy();
  expect(url()).toBe(`/join/${token}`);
});

test('an invitation for another account offers to switch', async () => {
  const token = await invite('someone@example.com');
  const { actor, url } = await renderApp(`/join/${token}`, { supabase: local(), user: as(grace) });
  expect(await heading('This invitation is for another account')).toBeTruthy();
  expect(screen.getByText(/It’s for s….*You’re signed in as grace@example.com/)).toBeTruthy();
  await actor.click(screen.getByRole('button', { name: 'Sign in with another account' }));
  await waitFor(() => expect(url()).toBe(`/login?next=${encodeURIComponent(`/join/${token}`)}`));
});

test('an invitation that expires shows a message, also while it is open', async () => {
  const token = await invite();
  const { actor } = await renderApp(`/join/${token}`, { supabase: local(), user: as(grace) });
  await screen.findByRole('button', { name: 'Accept' });
  await local().database.query(
    "update public.invitations set expires_at = now() - interval '1 s' where token = $1",
    [token],
  );
  await actor.click(screen.getByRole('button', { name: 'Accept' }));
  expect(await heading('This invitation has expired')).toBeTruthy();
});

test('an invitation is shown to its sender as theirs, who can withdraw it', async () => {
  const token = await invite();
  const { actor, unmount } = await renderApp(`/join/${token}`, { supabase: local(), user: as(ada) });
  expect(await heading('You sent this invitation')).toBeTruthy();
  await actor.click(screen.getByRole('button', { name: 'Withdraw invitation' }));
  expect(await heading('You withdrew this invitation')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Withdraw invitation' })).toBeNull();
  unmount();
  await renderApp(`/join/${token}`, { supabase: local(), user: as(grace) });
  expect(await heading('This invitation was withdrawn')).toBeTruthy();
});

test('an invitation that does not exist leads to entering a code, which leads to the invitation', async () => {
  const token = await invite();
  const { actor } = await renderApp('/join/0123456789abcdef', { supabase: local(), user: as(grace) });
  expect(await heading('We can’t find this invitation')).toBeTruthy();
  await actor.click(screen.getByRole('link', { name: 'Enter a link or code' }));
  expect(await heading('Join with a link or code')).toBeTruthy();
  await actor.type(screen.getByLabelText('Link or code'), 'nonsense');
  await actor.click(screen.getByRole('button', { name: 'Continue' }));
  await screen.findByText(/not an invitation link or code/);
  await actor.clear(screen.getByLabelText('Link or code'));
  await actor.type(screen.getByLabelText('Link or code'), `https://inbox.example/join/${token}`);
  await actor.click(screen.getByRole('button', { name: 'Continue' }));
  expect(await heading(/invites you to Roadmap/)).toBeTruthy();
});

test('the list of invitations is read again after a failure', async () => {
  await invite();
  const backend = createBreakableFetch(local);
  backend.break(to('/rpc/list_invitations'));
  const platform = { fetch: backend.fetch };
  const { actor } = await renderApp('/join', { supabase: local(), user: as(grace), platform });
  const retry = await screen.findByRole('button', { name: 'Try again' });
  backend.mend();
  await actor.click(retry);
  expect(await screen.findAllByRole('link', { name: /Roadmap/ })).not.toHaveLength(0);
});

test('a sender can be blocked in the list of invitations, which then omits the invitations of that sender', async () => {
  await invite();
  await local().database.exec('delete from public.notifications');
  const { actor } = await renderApp('/join', { supabase: local(), user: as(grace) });
  await actor.click(await screen.findByRole('button', { name: /^Block Ada/ }));
  expect(await screen.findByText(/is blocked\. You can unblock them in your preferences\./)).toBeTruthy();
  expect(screen.getByText('No open invitations. New ones will show up here.')).toBeTruthy();
  expect(await local().database.query('select sender_id from public.blocked_senders')).toEqual([
    { sender_id: ada.id },
  ]);
  await local().database.exec('delete from public.blocked_senders');
});

test('an invitation that cannot be loaded can be loaded again', async () => {
  const token = await invite();
  const backend = createBreakableFetch(local);
  backend.break(to('/rest/'));
  const { actor } = await renderApp(`/join/${token}`, {
    supabase: local(),
    user: as(grace),
    platform: { fetch: backend.fetch },
  });
  expect(await heading('Couldn’t load the invitation')).toBeTruthy();
  backend.mend();
  await actor.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await heading(/invites you to Roadmap/)).toBeTruthy();
});

test('inviting from the inbox shows an invalid address on its field, notifies an existing user, and shows the link', async () => {
  const { actor } = await renderApp('/home', { supabase: local(), user: as(ada) });
  await actor.click(await screen.findByRole('button', { name: 'Invite' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Invite someone' }));
  const field = await dialog.findByLabelText('Email address');
  await waitFor(() => expect(document.activeElement).toBe(field));
  await actor.keyboard('mary');
  await actor.click(dialog.getByRole('button', { name: 'Create link' }));
  await dialog.findByText(/Enter an email address/);
  await actor.clear(field);
  await actor.type(field, ada.email);
  await actor.click(dialog.getByRole('button', { name: 'Create link' }));
  await dialog.findByText('You can’t invite yourself.');
  await waitFor(() => expect(document.activeElement).toBe(field));
  await actor.clear(field);
  await actor.type(field, grace.email);
  await actor.type(dialog.getByLabelText(/What for/), 'Roadmap');
  await actor.click(dialog.getByRole('button', { name: 'Create link' }));
  await screen.findByRole('dialog', { name: 'Send this link to grace@example.com' });
  await dialog.findByText(/^The invitation is ready\. Send the link yourself/);
  const link = dialog.getByLabelText<HTMLInputElement>('Invitation link').value;
  const shown = await local().database.query<{ content: string }>(
    'select content from public.notifications where recipient_id = $1',
    [grace.id],
  );
  expect(shown[0]?.content).toContain(new URL(link).pathname);
});

test('inviting from the inbox renews the open invitation of the same address, and selects its link where the clipboard is absent', async () => {
  const token = await invite();
  const { actor, unmount } = await renderApp('/home', { supabase: local(), user: as(ada) });
  await actor.click(await screen.findByRole('button', { name: 'Invite' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Invite someone' }));
  await actor.type(await dialog.findByLabelText('Email address'), grace.email);
  await actor.type(dialog.getByLabelText(/What for/), 'Roadmap');
  await actor.click(dialog.getByRole('button', { name: 'Create link' }));
  await dialog.findByText(/^The invitation was renewed\. The link stays the same\./);
  const link = dialog.getByLabelText<HTMLInputElement>('Invitation link');
  expect(link.value).toContain(`/join/${token}`);
  vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue(undefined as never);
  await actor.click(dialog.getByRole('button', { name: 'Copy' }));
  await dialog.findByText(/^Couldn’t copy the link/);
  expect(link.value.slice(link.selectionStart ?? 0, link.selectionEnd ?? 0)).toBe(link.value);
  expect(dialog.queryByRole('button', { name: 'Copied' })).toBeNull();
  unmount();
  await renderApp('/join', { supabase: local(), user: as(grace) });
  expect(await screen.findAllByRole('link', { name: /Roadmap/ })).toHaveLength(1);
});
