import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { FetchFunction } from '../../../src/platform/platform.ts';
import { requestApi, seedPassword, signIn } from '../../support/local-supabase.ts';
import { renderApp } from '../../support/render-app.tsx';
import { createBreakableFetch, to } from '../../support/wire/breakable-fetch.ts';
import { refusal } from '../../support/wire/replies.ts';
import { passkeysSection, createPasskeyPages } from './passkey-pages.ts';

const { supabase, email, skewClock, installAuthenticator, open, openSignedOut, addPasskey } =
  createPasskeyPages();

const isList = ({ method, url }: Request) => method === 'GET' && url.endsWith('/passkeys/');

test('the section of passkeys asks for the password before it adds one, if the sign-in is old', async () => {
  installAuthenticator();
  skewClock(-3_600_000);
  const { actor, clients } = await open('/account');
  const passkeys = await passkeysSection();
  skewClock(0);
  await clients.auth.refreshSession();
  await actor.click(await passkeys.findByRole('button', { name: 'Add a passkey' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Confirm that it’s you' }));
  expect(passkeys.queryByRole('listitem')).toBeNull();
  await actor.click(dialog.getByLabelText('Password'));
  await actor.paste(seedPassword);
  await actor.keyboard('{Enter}');
  await passkeys.findByText(/^Added “/);
});

test('the section of passkeys says why a passkey was not added', async () => {
  const authenticator = installAuthenticator();
  const { actor } = await open('/account');
  const passkeys = await passkeysSection();
  const add = await passkeys.findByRole('button', { name: 'Add a passkey' });
  authenticator.dismissNext();
  await actor.click(add);
  await passkeys.findByText(/^No passkey was used: the prompt was canceled/);
  await actor.click(add);
  await passkeys.findByText(/^Added “/);
  await actor.click(add);
  await passkeys.findByText('This device already has a passkey for your account.');
  expect(passkeys.getAllByRole('listitem')).toHaveLength(1);
});

test('the section of passkeys says why a passkey was not added where the list could not be loaded', async () => {
  const authenticator = installAuthenticator();
  const { fetch, ...backend } = createBreakableFetch(supabase);
  backend.break(isList);
  const { actor } = await open('/account', { fetch });
  const passkeys = await passkeysSection();
  await passkeys.findByText('Couldn’t load your passkeys.');
  authenticator.dismissNext();
  await actor.click(passkeys.getByRole('button', { name: 'Add a passkey' }));
  await passkeys.findByText(/^No passkey was used: the prompt was canceled/);
  expect(passkeys.queryByText('Couldn’t load your passkeys.')).toBeNull();
});

test('the section of passkeys keeps a passkey that was added while the list loaded', async () => {
  installAuthenticator();
  await addPasskey();
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const fetch: FetchFunction = async (input, init) => {
    const request = new Request(input, init);
    const response = await supabase().fetch(request);
    if (isList(request)) await released;
    return response;
  };
  // Another device, without the passkey.
  installAuthenticator();
  const { actor } = await open('/account', { fetch });
  const passkeys = await passkeysSection();
  await actor.click(await passkeys.findByRole('button', { name: 'Add a passkey' }));
  await passkeys.findByText(/^Added “/);
  expect(passkeys.getAllByRole('listitem')).toHaveLength(1);
  release();
  await waitFor(() => expect(passkeys.getAllByRole('listitem')).toHaveLength(2));
});

test('the section of passkeys removes from the list what another device has removed', async () => {
  installAuthenticator();
  const { id } = await addPasskey();
  const { actor } = await open('/account');
  const passkeys = await passkeysSection();
  const rename = await passkeys.findByRole('button', { name: 'Rename: Passkey' });
  const token = await signIn(supabase(), email());
  await requestApi(supabase(), `/auth/v1/passkeys/${id}`, { method: 'DELETE', token });
  await actor.click(rename);
  await actor.type(await screen.findByLabelText('Name', { selector: 'dialog input' }), ' 2{Enter}');
  await passkeys.findByText('This passkey was removed in the meantime.');
  expect(passkeys.queryByRole('listitem')).toBeNull();
});

test('the section of passkeys keeps the passkey and says so when the removal fails', async () => {
  installAuthenticator();
  const { id } = await addPasskey();
  const { fetch, ...backend } = createBreakableFetch(supabase);
  backend.break(to(`/passkeys/${id}`), () => refusal(403, 'insufficient_aal'));
  const { actor } = await open('/account', { fetch });
  const passkeys = await passkeysSection();
  await actor.click(await passkeys.findByRole('button', { name: 'Remove: Passkey' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Remove “Passkey”?' }));
  await actor.click(dialog.getByRole('button', { name: 'Remove' }));
  await dialog.findByText(/^Confirm with your second factor first/);
  await actor.click(dialog.getByRole('button', { name: 'Cancel' }));
  expect(passkeys.getByRole('listitem')).toBeTruthy();
});

test('the section of passkeys lists passkeys in a browser that cannot add one', async () => {
  installAuthenticator();
  await addPasskey();
  Reflect.deleteProperty(globalThis, 'PublicKeyCredential');
  await open('/account');
  const passkeys = await passkeysSection();
  await passkeys.findByRole('button', { name: 'Remove: Passkey' });
  expect(passkeys.getByText(/^This browser doesn’t support passkeys/)).toBeTruthy();
  expect(passkeys.queryByRole('button', { name: 'Add a passkey' })).toBeNull();
});

test('signing in with a passkey says that a removed passkey was not accepted', async () => {
  const authenticator = installAuthenticator();
  const { id } = await addPasskey();
  const token = await signIn(supabase(), email());
  await requestApi(supabase(), `/auth/v1/passkeys/${id}`, { method: 'DELETE', token });
  const { actor } = await openSignedOut('/login');
  await actor.click(await screen.findByLabelText('Email'));
  await waitFor(() => expect(authenticator.waiting).toBe(1));
  authenticator.chooseInAutofill();
  await screen.findByText(/^This passkey wasn’t accepted\./);
});

test('signing in with a passkey is not offered where the project has no passkeys, nor where the browser has none', async () => {
  const { fetch, ...backend } = createBreakableFetch(supabase);
  const settings = { external: { github: true }, disable_signup: false, passkeys_enabled: false };
  backend.break(to('/settings'), () => Response.json(settings));
  installAuthenticator();
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
