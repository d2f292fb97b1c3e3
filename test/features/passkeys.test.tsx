import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { createPasskeys } from '../../src/auth-client/features/passkeys.ts';
import { describedBy } from '../support/described-by.ts';
import { createUser, requestApi, seedPassword, signIn, useLocalSupabase } from '../support/local-supabase.ts';
import { installPageAuthenticator } from '../support/page-authenticator.ts';
import { renderApp } from '../support/render-app.tsx';
import { enrollSecondFactor } from '../support/second-factor.ts';
import { createBreakableFetch, to } from '../support/wire/breakable-fetch.ts';
import { refusal } from '../support/wire/replies.ts';

const siteUrl = 'http://localhost:5173';
let skewMs = 0;
const supabase = useLocalSupabase({
  siteUrl,
  now: () => Date.now() + skewMs,
  auth: { externalProviders: [] },
});
let email = '';

beforeEach(async () => {
  email = `passkey-${crypto.randomUUID()}@example.com`;
  await createUser(supabase(), email);
});

const open = (url: string, isSignedIn = true) =>
  renderApp(url, {
    supabase: supabase(),
    ...(isSignedIn && { user: { email, password: seedPassword } }),
  });
async function section() {
  await screen.findByRole('heading', { name: 'Account' });
  return within(await screen.findByRole('region', { name: 'Passkeys' }));
}

/** Registers a passkey of the page's authenticator for the user. */
async function addPasskey() {
  const before = await open('/_app');
  const passkey = await createPasskeys(before.clients.auth).registerPasskey();
  before.unmount();
  return passkey;
}

describe('the section of passkeys', () => {
  test('adds, renames and removes a passkey', async () => {
    installPageAuthenticator(siteUrl);
    const { actor } = await open('/account');
    const passkeys = await section();
    await passkeys.findByText('You have no passkeys yet.');
    await actor.click(passkeys.getByRole('button', { name: 'Add a passkey' }));
    await passkeys.findByText('“Passkey” is added. You can sign in with it from now on.');
    const item = passkeys.getByRole('listitem');
    expect(item.textContent).toMatch(/^PasskeyAdded .+, not used yet/);

    await actor.click(within(item).getByRole('button', { name: 'Rename: Passkey' }));
    const name = await screen.findByLabelText('Name', { selector: 'dialog input' });
    expect(document.activeElement).toBe(name);
    await actor.clear(name);
    await actor.type(name, '{Enter}');
    await waitFor(() => expect(describedBy(name)).toMatch(/Enter a name\./));
    await actor.paste('ü'.repeat(61));
    expect(describedBy(name), '122 bytes').toMatch(/Use a shorter name\./);
    await actor.clear(name);
    await actor.type(name, ' Work laptop {Enter}');
    await passkeys.findByText('The passkey is now called “Work laptop”.');

    await actor.click(passkeys.getByRole('button', { name: 'Remove: Work laptop' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Remove “Work laptop”?' }));
    await actor.click(dialog.getByRole('button', { name: 'Remove' }));
    await passkeys.findByText('“Work laptop” is removed.');
    expect(passkeys.queryByRole('listitem')).toBeNull();
    expect(document.activeElement?.textContent).toBe('Passkeys');
    const token = await signIn(supabase(), email);
    expect(await (await requestApi(supabase(), '/auth/v1/passkeys', { token })).json()).toEqual([]);
  });

  test('asks for the password before it adds one, if the sign-in is old', async () => {
    installPageAuthenticator(siteUrl);
    skewMs = -3_600_000;
    const { actor, clients } = await open('/account');
    const passkeys = await section();
    skewMs = 0;
    await clients.auth.refreshSession();
    await actor.click(await passkeys.findByRole('button', { name: 'Add a passkey' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Confirm that it’s you' }));
    expect(passkeys.queryByRole('listitem')).toBeNull();
    await actor.click(dialog.getByLabelText('Password'));
    await actor.paste(seedPassword);
    await actor.keyboard('{Enter}');
    await passkeys.findByText(/is added\./);
  });

  test('says why a passkey was not added', async () => {
    const authenticator = installPageAuthenticator(siteUrl);
    const { actor } = await open('/account');
    const passkeys = await section();
    const add = await passkeys.findByRole('button', { name: 'Add a passkey' });
    authenticator.dismissNext();
    await actor.click(add);
    await passkeys.findByText(/^No passkey was used: the prompt was canceled/);
    await actor.click(add);
    await passkeys.findByText(/is added\./);
    await actor.click(add);
    await passkeys.findByText('This device already has a passkey for your account.');
    expect(passkeys.getAllByRole('listitem')).toHaveLength(1);
  });

  test('removes from the list what another device has removed', async () => {
    installPageAuthenticator(siteUrl);
    const { id } = await addPasskey();
    const { actor } = await open('/account');
    const passkeys = await section();
    const rename = await passkeys.findByRole('button', { name: 'Rename: Passkey' });
    const token = await signIn(supabase(), email);
    await requestApi(supabase(), `/auth/v1/passkeys/${id}`, { method: 'DELETE', token });
    await actor.click(rename);
    await actor.type(await screen.findByLabelText('Name', { selector: 'dialog input' }), ' 2{Enter}');
    await passkeys.findByText('This passkey was removed in the meantime.');
    expect(passkeys.queryByRole('listitem')).toBeNull();
  });

  test('keeps the passkey and says so when the removal fails', async () => {
    installPageAuthenticator(siteUrl);
    const { id } = await addPasskey();
    const { fetch, ...backend } = createBreakableFetch(supabase);
    backend.break(to(`/passkeys/${id}`), () => refusal(403, 'insufficient_aal'));
    const user = { email, password: seedPassword };
    const { actor } = await renderApp('/account', { supabase: supabase(), user, platform: { fetch } });
    const passkeys = await section();
    await actor.click(await passkeys.findByRole('button', { name: 'Remove: Passkey' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Remove “Passkey”?' }));
    await actor.click(dialog.getByRole('button', { name: 'Remove' }));
    await dialog.findByText(/^Confirm with your second factor first/);
    await actor.click(dialog.getByRole('button', { name: 'Cancel' }));
    expect(passkeys.getByRole('listitem')).toBeTruthy();
  });

  test('lists passkeys in a browser that cannot add one', async () => {
    installPageAuthenticator(siteUrl);
    await addPasskey();
    Reflect.deleteProperty(globalThis, 'PublicKeyCredential');
    await open('/account');
    const passkeys = await section();
    await passkeys.findByRole('button', { name: 'Remove: Passkey' });
    expect(passkeys.getByText(/^This browser doesn’t support passkeys/)).toBeTruthy();
    expect(passkeys.queryByRole('button', { name: 'Add a passkey' })).toBeNull();
  });

  test('is missing where the project has no passkeys', async () => {
    const { fetch, ...backend } = createBreakableFetch(supabase);
    backend.break(to('/passkeys/'), () => refusal(404, 'passkey_disabled'));
    const user = { email, password: seedPassword };
    await renderApp('/account', { supabase: supabase(), user, platform: { fetch } });
    await screen.findByRole('heading', { name: 'Account' });
    await waitFor(() => expect(screen.queryByRole('link', { name: 'Passkeys' })).toBeNull());
    expect(screen.queryByRole('region', { name: 'Passkeys' })).toBeNull();
  });
});

describe('signing in with a passkey', () => {
  test('by the button leads to the inbox', async () => {
    installPageAuthenticator(siteUrl);
    await addPasskey();
    const { actor, url } = await open('/login?next=%2Faccount', false);
    await actor.click(await screen.findByRole('button', { name: 'Sign in with a passkey' }));
    await waitFor(() => expect(url()).toBe('/account'));
    expect((await (await section()).findByRole('listitem')).textContent).toMatch(/last used/);
  });

  test('from autofill leads to the inbox', async () => {
    const authenticator = installPageAuthenticator(siteUrl);
    await addPasskey();
    const { url } = await open('/login', false);
    expect((await screen.findByLabelText('Email')).getAttribute('autocomplete')).toBe('username webauthn');
    await waitFor(() => expect(authenticator.waiting).toBe(1));
    authenticator.chooseInAutofill();
    await waitFor(() => expect(url()).toBe('/home'));
    expect(authenticator.waiting).toBe(0);
  });

  test('offers autofill once at a time: not beside a prompt, nor while the form is sent', async () => {
    const authenticator = installPageAuthenticator(siteUrl);
    const { actor } = await open('/login', false);
    const button = await screen.findByRole('button', { name: 'Sign in with a passkey' });
    await waitFor(() => expect(authenticator.waiting).toBe(1));
    await actor.click(button);
    await screen.findByText(/^No passkey was used: the prompt was canceled/);
    await waitFor(() => expect(authenticator.waiting, 'offered again').toBe(1));

    await actor.type(screen.getByLabelText('Email'), 'not an address{Enter}');
    expect(screen.getByLabelText('Email').getAttribute('aria-invalid')).toBe('true');
    expect(authenticator.waiting, 'the form is sent').toBe(0);
    await actor.click(screen.getByLabelText('Password'));
    await actor.click(screen.getByLabelText('Email'));
    await waitFor(() => expect(authenticator.waiting).toBe(1));
  });

  test('says that a removed passkey was not accepted', async () => {
    const authenticator = installPageAuthenticator(siteUrl);
    const { id } = await addPasskey();
    const token = await signIn(supabase(), email);
    await requestApi(supabase(), `/auth/v1/passkeys/${id}`, { method: 'DELETE', token });
    await open('/login', false);
    await waitFor(() => expect(authenticator.waiting).toBe(1));
    authenticator.chooseInAutofill();
    await screen.findByText(/^This passkey wasn’t accepted\./);
  });

  test('leaves the second factor required', async () => {
    installPageAuthenticator(siteUrl);
    await addPasskey();
    await enrollSecondFactor(supabase(), await signIn(supabase(), email));
    const { actor } = await open('/login', false);
    await actor.click(await screen.findByRole('button', { name: 'Sign in with a passkey' }));
    expect(await screen.findByRole('heading', { name: 'One more step' })).toBeTruthy();
  });

  test('is not offered where the project has no passkeys, nor where the browser has none', async () => {
    const { fetch, ...backend } = createBreakableFetch(supabase);
    const settings = { external: { github: true }, disable_signup: false, passkeys_enabled: false };
    backend.break(to('/settings'), () => Response.json(settings));
    installPageAuthenticator(siteUrl);
    const withoutServer = await renderApp('/login', { supabase: supabase(), platform: { fetch } });
    await screen.findByRole('button', { name: 'Continue with GitHub' });
    expect(screen.queryByRole('button', { name: 'Sign in with a passkey' })).toBeNull();
    withoutServer.unmount();

    backend.break(to('/settings'), () => Response.json({ ...settings, passkeys_enabled: true }));
    Reflect.deleteProperty(globalThis, 'PublicKeyCredential');
    await renderApp('/login', { supabase: supabase(), platform: { fetch } });
    await screen.findByRole('button', { name: 'Continue with GitHub' });
    expect(screen.queryByRole('button', { name: 'Sign in with a passkey' })).toBeNull();
  });
});
