import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { decodeJwtClaims } from '../../../src/auth-client/index.ts';
import type { FetchFunction } from '../../../src/platform/platform.ts';
import { describedBy } from '../../support/described-by.ts';
import { requestApi, signIn } from '../../support/local-supabase.ts';
import { enrollSecondFactor } from '../../support/second-factor.ts';
import { createBreakableFetch, to } from '../../support/wire/breakable-fetch.ts';
import { refusal } from '../../support/wire/replies.ts';
import { passkeysSection, createPasskeyPages } from './passkey-pages.ts';

const { supabase, email, skewClock, installAuthenticator, open, openSignedOut, addPasskey } =
  createPasskeyPages();

/** A platform's `fetch` that counts the requests for a challenge. @param reply replaces the server's. */
function countChallenges(reply?: () => Response) {
  let count = 0;
  const { fetch, ...backend } = createBreakableFetch(supabase);
  const isRequest = to('/passkeys/authentication/options');
  if (reply) backend.break(isRequest, reply);
  const counting: FetchFunction = (input, init) => {
    const request = new Request(input, init);
    if (isRequest(request)) count += 1;
    return fetch(request);
  };
  return { fetch: counting, count: () => count };
}

test('the section of passkeys adds, renames and removes a passkey', async () => {
  installAuthenticator();
  const { actor } = await open('/account');
  const passkeys = await passkeysSection();
  await passkeys.findByText('None yet.');
  await actor.click(passkeys.getByRole('button', { name: 'Add a passkey' }));
  await passkeys.findByText('Added “Passkey”. You can sign in with it from now on.');
  const item = passkeys.getByRole('listitem');
  expect(item.textContent).toMatch(/^PasskeyAdded .+, not used yet/);

  await actor.click(within(item).getByRole('button', { name: 'Rename: Passkey' }));
  const name = await screen.findByLabelText('Name', { selector: 'dialog input' });
  await waitFor(() => expect(document.activeElement).toBe(name));
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
  await passkeys.findByText('Removed “Work laptop”.');
  expect(passkeys.queryByRole('listitem')).toBeNull();
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Passkeys'));
  const token = await signIn(supabase(), email());
  expect(await (await requestApi(supabase(), '/auth/v1/passkeys', { token })).json()).toEqual([]);
});

test('the section of passkeys is missing where the project has no passkeys', async () => {
  const { fetch, ...backend } = createBreakableFetch(supabase);
  backend.break(to('/passkeys/'), () => refusal(404, 'passkey_disabled'));
  await open('/account', { fetch });
  await screen.findByRole('heading', { name: 'Account' });
  await screen.findByRole('region', { name: 'Devices' });
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Passkeys' })).toBeNull());
});

test('signing in with a passkey by the button leads to the requested page, without a second factor', async () => {
  installAuthenticator();
  await addPasskey();
  await enrollSecondFactor(supabase(), await signIn(supabase(), email()));
  const { actor, url } = await openSignedOut('/login?next=%2Faccount');
  await actor.click(await screen.findByRole('button', { name: 'Sign in with a passkey' }));
  await waitFor(() => expect(url()).toBe('/account'));
  expect((await (await passkeysSection()).findByRole('listitem')).textContent).toMatch(/last used/);
});

test('signing in with a passkey from autofill leads to the inbox', async () => {
  const authenticator = installAuthenticator();
  await addPasskey();
  const { actor, url, unmount } = await openSignedOut('/login');
  const email = await screen.findByLabelText('Email');
  expect(email.getAttribute('autocomplete')).toBe('username webauthn');
  await screen.findByRole('button', { name: 'Sign in with a passkey' });
  expect(authenticator.waiting, 'no passkey is known and no field in use').toBe(0);
  await actor.click(email);
  await waitFor(() => expect(authenticator.waiting).toBe(1));
  authenticator.chooseInAutofill();
  await waitFor(() => expect(url()).toBe('/home'));
  expect(authenticator.waiting).toBe(0);

  unmount();
  await openSignedOut('/login');
  await waitFor(() => expect(authenticator.waiting, 'offered at once where one was used').toBe(1));
});

test('signing in with a passkey offers autofill once at a time, not beside a prompt nor while the form is sent, all with one challenge', async () => {
  const authenticator = installAuthenticator();
  const challenges = countChallenges();
  const { actor } = await openSignedOut('/login', challenges);
  const button = await screen.findByRole('button', { name: 'Sign in with a passkey' });
  expect(challenges.count(), 'of a visit that uses no field').toBe(0);
  await actor.click(screen.getByLabelText('Email'));
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

  await actor.click(screen.getByRole('button', { name: 'Email me a code instead' }));
  // The form before stays until the code of this one is loaded.
  await screen.findByRole('heading', { name: 'Sign in by email' });
  await actor.click(await screen.findByLabelText('Email'));
  await waitFor(() => expect(authenticator.waiting).toBe(1));
  expect(challenges.count()).toBe(1);
});

test('signing in with a passkey says what to do when the network has used up its challenges, and leaves autofill alone', async () => {
  const authenticator = installAuthenticator();
  const challenges = countChallenges(() => refusal(429, 'over_request_rate_limit'));
  const { actor } = await openSignedOut('/login', challenges);
  const button = await screen.findByRole('button', { name: 'Sign in with a passkey' });
  const [email, password] = [screen.getByLabelText('Email'), screen.getByLabelText('Password')];
  await actor.click(email);
  await waitFor(() => expect(challenges.count()).toBe(1));
  await actor.click(password);
  await actor.click(email);
  expect(screen.queryByText(/^Too many passkey sign-ins/)).toBeNull();
  await actor.click(button);
  await screen.findByText(
    'Too many passkey sign-ins from your network. Wait five minutes, or sign in with your password or an emailed code.',
  );
  await actor.click(email);
  expect([challenges.count(), authenticator.waiting]).toEqual([2, 0]);
});

test('a proof of identity accepts a passkey of the account, and refuses that of another account', async () => {
  installAuthenticator();
  skewClock(-25 * 3_600_000);
  await addPasskey();
  const { actor, clients } = await open('/account');
  skewClock(0);
  await act(() => clients.auth.refreshSession());
  const passkeys = await passkeysSection();
  await actor.click(await passkeys.findByRole('button', { name: 'Remove: Passkey' }));
  const question = within(await screen.findByRole('dialog', { name: 'Remove “Passkey”?' }));
  await actor.click(question.getByRole('button', { name: 'Remove' }));
  const proof = within(await screen.findByRole('dialog', { name: 'Confirm that it’s you' }));
  const button = await proof.findByRole('button', { name: 'Use a passkey' });
  const sessionId = () =>
    decodeJwtClaims(clients.auth.getSnapshot().session?.accessToken ?? '')?.['session_id'];
  const before = sessionId();
  const userHandle = new TextEncoder().encode(crypto.randomUUID()).buffer;
  vi.spyOn(navigator.credentials, 'get').mockResolvedValueOnce({ response: { userHandle } } as never);
  await actor.click(button);
  await proof.findByText('That passkey belongs to another account. Choose one of this account.');
  expect(sessionId()).toBe(before);
  await actor.click(button);
  await passkeys.findByText('Removed “Passkey”.');
  expect(sessionId()).not.toBe(before);
});
