import { act, screen, waitFor, within } from '@testing-library/react';
import * as OTPAuth from 'otpauth';
import { beforeEach, expect, test, vi } from 'vitest';
import { createRecoveryCodes } from '../../../../src/inbox/shared/recovery-codes/recovery-codes.ts';
import type { Platform } from '../../../../src/platform/platform.ts';
import { describedBy } from '../../../support/described-by.ts';
import {
  createUser,
  requestApi,
  seedPassword,
  signIn,
  useLocalSupabase,
} from '../../../support/local-supabase.ts';
import { renderApp, type RenderedApp } from '../../../support/render-app.tsx';
import { createBreakableFetch, to } from '../../../support/wire/breakable-fetch.ts';
import { refusal } from '../../../support/wire/replies.ts';

const supabase = useLocalSupabase({ auth: { externalProviders: [] } });
let email = '';

beforeEach(async () => {
  email = `account-${crypto.randomUUID()}@example.com`;
  await createUser(supabase(), email, 'Mary');
});

async function openAccount(url = '/account', platform: Partial<Platform> = {}): Promise<RenderedApp> {
  const user = { email, password: seedPassword };
  const app = await renderApp(url, { supabase: supabase(), user, platform });
  await screen.findByRole('heading', { name: 'Account' });
  return app;
}

const section = (name: string) => within(screen.getByRole('region', { name }));

async function mailedCode(to: string): Promise<string> {
  const { text } = await supabase().mailbox.waitFor({ to });
  return /\b\d{6}\b/.exec(text)?.[0] ?? '';
}

test('the account page saves the name', async () => {
  const { actor, clients } = await openAccount();
  const name = section('Profile').getByLabelText('Name');
  expect(name).toHaveProperty('value', 'Mary');
  await actor.clear(name);
  await actor.type(name, 'Mary Shelley{Enter}');
  await section('Profile').findByText('Saved.');
  expect(clients.auth.getSnapshot().user?.user_metadata).toMatchObject({ name: 'Mary Shelley' });
});

test('the account page shows a name changed elsewhere, but keeps typed text', async () => {
  const { actor, clients } = await openAccount();
  const name = section('Profile').getByLabelText('Name');
  const rename = async (to: string) => {
    const token = await signIn(supabase(), email);
    const body = { data: { name: to } };
    await requestApi(supabase(), '/auth/v1/user', { method: 'PUT', token, body });
    await act(() => clients.auth.refreshSession());
  };
  await rename('Mary Shelley');
  await waitFor(() => expect(name).toHaveProperty('value', 'Mary Shelley'));
  await actor.type(name, ' II');
  await rename('Mary Godwin');
  expect(clients.auth.getSnapshot().user?.user_metadata).toMatchObject({ name: 'Mary Godwin' });
  expect(name).toHaveProperty('value', 'Mary Shelley II');
});

test('the account page changes the address after both mailboxes have confirmed', async () => {
  const next = `next-${crypto.randomUUID()}@example.com`;
  const { actor } = await openAccount();
  await actor.type(section('Email').getByLabelText('New email address'), `${next}{Enter}`);
  await section('Email').findByText(/confirm in both mailboxes/);
  await actor.type(
    section('Email').getByLabelText(`Code sent to ${next}`),
    `${await mailedCode(next)}{Enter}`,
  );
  await section('Email').findByText(/^Step 1 of 2 done/);
  expect(section('Email').queryByLabelText(`Code sent to ${next}`), 'its code is spent').toBeNull();
  const other = section('Email').getByLabelText(`Code sent to ${email}`);
  await waitFor(() => expect(document.activeElement).toBe(other));
  await actor.type(
    section('Email').getByLabelText(`Code sent to ${email}`),
    `${await mailedCode(email)}{Enter}`,
  );
  await section('Email').findByText(`Your address is now ${next}.`);
  await waitFor(() => expect(document.activeElement).toBe(section('Email').getByRole('heading')));
  expect(await signIn(supabase(), next)).toBeTruthy();
});

test('the account page corrects a mistyped new address', async () => {
  const next = `next-${crypto.randomUUID()}@example.com`;
  const { actor } = await openAccount();
  const mail = section('Email');
  await actor.type(mail.getByLabelText('New email address'), `mistyped-${next}{Enter}`);
  await mail.findByText(/confirm in both mailboxes/);
  await waitFor(() => expect(document.activeElement).toBe(mail.getByRole('heading')));
  // The server sends at most one mail a minute.
  await supabase().database.query(
    "update auth.users set email_change_sent_at = email_change_sent_at - interval '2 min' where email = $1",
    [email],
  );
  await actor.click(mail.getByRole('button', { name: 'Use another address' }));
  await actor.click(mail.getByRole('button', { name: 'Cancel' }));
  expect(document.activeElement).toBe(mail.getByRole('heading'));
  await actor.click(mail.getByRole('button', { name: 'Use another address' }));
  const field = mail.getByLabelText('New email address');
  expect(field).toHaveProperty('value', `mistyped-${next}`);
  expect(document.activeElement).toBe(field);
  await actor.clear(field);
  await actor.type(field, `${next}{Enter}`);
  await mail.findByLabelText(`Code sent to ${next}`);
  expect(mail.queryByLabelText(`Code sent to mistyped-${next}`)).toBeNull();
  await waitFor(() => expect(document.activeElement).toBe(mail.getByRole('heading')));
});

test('the account page shows on the field that an address is taken', async () => {
  const { actor } = await openAccount();
  const field = section('Email').getByLabelText('New email address');
  await actor.type(field, 'grace@example.com{Enter}');
  await waitFor(() => expect(describedBy(field)).toBe('Another account already uses this address.'));
});

test('the account page changes the password', async () => {
  const { actor } = await openAccount();
  await actor.type(section('Password').getByLabelText('New password'), 'another-quiet-boat{Enter}');
  await section('Password').findByText(/^Your password was changed/);
  expect(await signIn(supabase(), email, 'another-quiet-boat')).toBeTruthy();
});

test('the account page confirms before signing out everywhere, and reports on /login that other devices could not be signed out', async () => {
  const { fetch, ...backend } = createBreakableFetch(supabase);
  backend.break(to('/logout'), () => refusal(500, 'unexpected_failure'));
  const { actor, url } = await openAccount('/account', { fetch });
  const ask = async () => {
    await actor.click(section('Devices').getByRole('button', { name: 'Sign out everywhere' }));
    return within(await screen.findByRole('dialog', { name: 'Sign out everywhere?' }));
  };
  await actor.click((await ask()).getByRole('button', { name: 'Cancel' }));
  expect(screen.queryByRole('dialog', { name: 'Sign out everywhere?' })).toBeNull();
  await actor.click((await ask()).getByRole('button', { name: 'Sign out everywhere' }));
  expect(await screen.findByText(/^Other devices may still be signed in/)).toBeTruthy();
  expect(url()).toBe('/login');
  await actor.click(screen.getByRole('link', { name: 'Create account' }));
  await screen.findByRole('heading', { name: 'Create account' });
  expect(screen.queryByText(/^Other devices may still/), 'told once').toBeNull();
});

test('the account page shows that the account was deleted, even if the response was lost', async () => {
  let isLost = false;
  const fetch: Platform['fetch'] = async (input, init) => {
    const response = await supabase().fetch(input, init);
    if (!new Request(input, init).url.includes('/rpc/delete_account')) return response;
    isLost = true;
    throw new TypeError('Failed to fetch');
  };
  const { actor, url } = await openAccount('/account', { fetch });
  await actor.click(section('Your data').getByRole('button', { name: 'Delete my account' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete your account?' }));
  await actor.click(dialog.getByRole('button', { name: 'Delete my account' }));
  expect(await screen.findByText('Your account and its data were deleted.')).toBeTruthy();
  expect({ isLost, url: url() }).toEqual({ isLost: true, url: '/login' });
});

test('the account page does not claim that nothing changed if a deletion got no response', async () => {
  const { fetch, ...backend } = createBreakableFetch(supabase);
  backend.break(to('/rpc/delete_account'));
  const { actor } = await openAccount('/account', { fetch });
  await actor.click(section('Your data').getByRole('button', { name: 'Delete my account' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete your account?' }));
  await actor.click(dialog.getByRole('button', { name: 'Delete my account' }));
  expect(await section('Your data').findByText(/^We couldn’t confirm that your account/)).toBeTruthy();
});

test('the account page does not offer to remove the only sign-in method', async () => {
  await openAccount();
  await section('Ways to sign in').findByText('Email and password');
  expect(section('Ways to sign in').queryByRole('button')).toBeNull();
});

test('two-step sign-in is switched on by a code of the app, creates new recovery codes, and is switched off again', async () => {
  const { actor, clients } = await openAccount();
  const mfa = section('Two-step sign-in');
  await actor.click(mfa.getByRole('button', { name: 'Add an authenticator app' }));
  const image = await mfa.findByRole('img', { name: /^QR code/ });
  expect(image.getAttribute('src')).toMatch(/^data:image\/svg\+xml/);
  await waitFor(() =>
    expect(document.activeElement?.textContent).toBe('Scan this with your authenticator app'),
  );
  const secret = mfa.getByText(/^[A-Z2-7 ]{16,}$/).textContent ?? '';
  const totp = new OTPAuth.TOTP({ secret: secret.replaceAll(' ', '') });
  await actor.type(mfa.getByLabelText('Code from the app'), `${totp.generate()}{Enter}`);
  await mfa.findByText('Two-step sign-in is on. You’ll need a code from “Phone”.');
  await mfa.findByText('On.');
  await waitFor(() => expect(document.activeElement).toBe(mfa.getByRole('heading', { level: 2 })));
  const sheet = within(await mfa.findByRole('group', { name: 'Recovery codes' }));
  const firstCodes = sheet.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(firstCodes).toHaveLength(10);
  const write = vi.spyOn(navigator.clipboard, 'writeText');
  await actor.click(sheet.getByRole('button', { name: 'Copy' }));
  await mfa.findByText('Codes copied.');
  expect(write).toHaveBeenCalledWith(firstCodes.join('\n'));
  const leave = () => dispatchEvent(new Event('beforeunload', { cancelable: true }));
  expect(leave(), 'the browser asks').toBe(false);
  await actor.click(sheet.getByRole('button', { name: 'I’ve saved my codes' }));
  expect(leave()).toBe(true);
  await mfa.findByText(/^10 codes left/);
  // The stored account may not know the codes yet, as after a reload.
  const { getStatus } = createRecoveryCodes(clients, []);
  expect(await getStatus(new AbortController().signal)).toMatchObject({ unused: 10 });
  await actor.click(mfa.getByRole('button', { name: 'Create new codes' }));
  const question = within(await screen.findByRole('dialog', { name: 'Create new recovery codes?' }));
  await actor.click(question.getByRole('button', { name: 'Create new codes' }));
  const newSheet = within(await mfa.findByRole('group', { name: 'Recovery codes' }));
  const newCodes = newSheet.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(new Set([...firstCodes, ...newCodes]).size).toBe(20);
  await actor.click(newSheet.getByRole('button', { name: 'I’ve saved my codes' }));
  await waitFor(() =>
    expect(document.activeElement).toBe(mfa.getByRole('heading', { name: 'Recovery codes' })),
  );

  await actor.click(mfa.getByRole('button', { name: 'Remove: Phone' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Remove “Phone”?' }));
  expect(dialog.getByText(/^It’s your last one/)).toBeTruthy();
  expect(dialog.getByText('Your recovery codes are removed with it.')).toBeTruthy();
  await actor.click(dialog.getByRole('button', { name: 'Remove' }));
  await mfa.findByText('Removed “Phone”.');
  await waitFor(() => expect(mfa.queryByText('On.')).toBeNull());
  await waitFor(() => expect(document.activeElement).toBe(mfa.getByRole('heading')));
});

test('two-step sign-in selects its key where the clipboard is refused, leaves nothing of a canceled setup, and starts over after an unfinished one', async () => {
  const first = await openAccount();
  const begin = async ({ actor }: RenderedApp) => {
    await actor.click(section('Two-step sign-in').getByRole('button', { name: 'Add an authenticator app' }));
    await section('Two-step sign-in').findByRole('img', { name: /^QR code/ });
  };
  await begin(first);
  const mfa = section('Two-step sign-in');
  const copy = mfa.getByRole('button', { name: 'Copy the key' });
  const write = vi.spyOn(navigator.clipboard, 'writeText');
  write.mockRejectedValueOnce(new DOMException('Refused', 'NotAllowedError'));
  await first.actor.click(copy);
  await mfa.findByText(/^Couldn’t copy the key/);
  expect(getSelection()?.toString()).toBe(mfa.getByText(/^[A-Z2-7 ]{16,}$/).textContent);
  await first.actor.click(copy);
  await mfa.findByText('Key copied.');
  await first.actor.click(mfa.getByRole('button', { name: 'Cancel' }));
  await section('Two-step sign-in').findByRole('button', { name: 'Add an authenticator app' });
  expect(document.activeElement?.textContent).toBe('Two-step sign-in');
  expect(section('Two-step sign-in').queryByRole('listitem')).toBeNull();
  await begin(first);
  first.unmount();

  const second = await openAccount();
  await section('Two-step sign-in').findByText('setup not finished');
  await begin(second);
});

test('two-step sign-in asks for a name after the scan, and refuses the name of another app', async () => {
  const { actor } = await openAccount();
  const mfa = section('Two-step sign-in');
  const add = async (name: string) => {
    await actor.click(mfa.getByRole('button', { name: 'Add an authenticator app' }));
    await mfa.findByRole('img', { name: /^QR code/ });
    const secret = mfa.getByText(/^[A-Z2-7 ]{16,}$/).textContent ?? '';
    const field = mfa.getByLabelText('Name of the device');
    await actor.clear(field);
    await actor.type(field, name);
    const code = new OTPAuth.TOTP({ secret: secret.replaceAll(' ', '') }).generate();
    await actor.type(mfa.getByLabelText('Code from the app'), `${code}{Enter}`);
    return field;
  };
  await add(' Work phone ');
  await mfa.findByText('Two-step sign-in is on. You’ll need a code from “Work phone”.');
  await mfa.findByRole('button', { name: 'Remove: Work phone' });
  await actor.click(mfa.getByRole('button', { name: 'I’ve saved my codes' }));

  const field = await add('Work phone');
  await waitFor(() => expect(describedBy(field)).toMatch(/Another authenticator has this name\./));
  await actor.clear(field);
  await actor.type(field, 'Tablet{Enter}');
  await mfa.findByRole('button', { name: 'Remove: Tablet' });
});

test('many devices are collapsed, and distinguished by address and sign-in', async () => {
  for (let count = 0; count < 4; count += 1) await signIn(supabase(), email);
  await supabase().database.query(
    `update auth.sessions set ip = '203.0.113.7' where user_id = (select id from auth.users where email = $1)`,
    [email],
  );
  const { actor } = await openAccount();
  const devices = section('Devices');
  await waitFor(() => expect(devices.getAllByRole('listitem')).toHaveLength(3));
  expect(devices.getAllByText(/Signed in .*\d{4}, from 203\.0\.113\.7/).length).toBeGreaterThan(0);
  await actor.click(devices.getByRole('button', { name: 'Show all 6 devices' }));
  expect(devices.getAllByRole('listitem')).toHaveLength(6);
});
