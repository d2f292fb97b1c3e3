import { AuthClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { createLocalSupabase, type LocalSupabase } from '../../src/server/server.ts';
import {
  createSoftwareAuthenticator,
  type SoftwareAuthenticator,
} from '../../../test/support/software-authenticator.ts';
import { siteUrl } from './auth-world.ts';

let server: LocalSupabase;
beforeAll(async () => {
  server = await createLocalSupabase({
    config: false,
    seed: false,
    siteUrl,
    auth: { bcryptCost: 4, mailerAutoconfirm: true },
  });
});
afterAll(async () => server.close());

type Client = InstanceType<typeof AuthClient>;
let count = 0;

function connect(key: string = server.anonKey): Client {
  return new AuthClient({
    url: `${server.url}/auth/v1`,
    headers: { apikey: key, Authorization: `Bearer ${key}` },
    storageKey: `passkeys-${(count += 1)}`,
    persistSession: false,
    autoRefreshToken: false,
    detectSessionInUrl: false,
    fetch: server.fetch,
    experimental: { passkey: true },
  });
}

async function signUp(): Promise<{ client: Client; userId: string }> {
  const client = connect();
  const { data } = await client.signUp({ email: `vendor-${count}@example.com`, password: 'correct horse' });
  return { client, userId: data.user?.id ?? '' };
}

function dataOf<T>({ data, error }: { data: T; error: unknown }): NonNullable<T> {
  expect(error).toBeNull();
  if (data === null || data === undefined) throw new Error('The response has no data');
  return data;
}

async function register(client: Client, authenticator: SoftwareAuthenticator) {
  const { challenge_id: challengeId, options } = dataOf(await client.passkey.startRegistration());
  const credential = authenticator.create(options);
  return dataOf(await client.passkey.verifyRegistration({ challengeId, credential }));
}

it('the vendor’s client registers a passkey, signs in with it, renames and deletes it', async () => {
  const { client, userId } = await signUp();
  const authenticator = createSoftwareAuthenticator(siteUrl);
  const passkey = await register(client, authenticator);
  expect(passkey).toMatchObject({ friendly_name: 'Passkey' });

  const other = connect();
  const { challenge_id: challengeId, options } = dataOf(await other.passkey.startAuthentication());
  const credential = authenticator.get(options);
  const signedIn = dataOf(await other.passkey.verifyAuthentication({ challengeId, credential }));
  expect(signedIn.user?.id).toBe(userId);
  expect(dataOf(await other.mfa.getAuthenticatorAssuranceLevel())).toMatchObject({ currentLevel: 'aal2' });

  dataOf(await other.passkey.update({ passkeyId: passkey.id, friendlyName: 'Laptop' }));
  expect(dataOf(await other.passkey.list())).toMatchObject([{ friendly_name: 'Laptop' }]);
  expect((await other.passkey.delete({ passkeyId: passkey.id })).error).toBeNull();
  expect(dataOf(await other.passkey.list())).toEqual([]);
});

it('the vendor’s administration lists and deletes passkeys', async () => {
  const { client, userId } = await signUp();
  const { id } = await register(client, createSoftwareAuthenticator(siteUrl));
  const { admin } = connect(server.serviceRoleKey);
  expect(dataOf(await admin.passkey.listPasskeys({ userId }))).toMatchObject([{ id }]);
  expect((await admin.passkey.deletePasskey({ userId, passkeyId: id })).error).toBeNull();
  expect(dataOf(await admin.passkey.listPasskeys({ userId }))).toEqual([]);
});
