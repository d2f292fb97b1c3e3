import { describe, expect, test } from 'vitest';
import { createAdminClient } from '../../src/auth-client/admin/admin.ts';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import {
  ada,
  createUser,
  requestApi,
  seedPassword,
  signIn,
  useLocalSupabase,
} from '../support/local-supabase.ts';
import { enrollSecondFactor } from '../support/second-factor.ts';

const supabase = useLocalSupabase();

function open(secretKey = supabase().secretKey) {
  const { url, fetch } = supabase();
  return createAdminClient({ url, secretKey, platform: createPlatform({ fetch }) });
}

const newAddress = () => `${crypto.randomUUID()}@example.com`;

describe('an administrator', () => {
  test.each(['secretKey', 'serviceRoleKey'] as const)(
    'creates, changes and deletes a user with the %s',
    async (kind) => {
      const admin = open(supabase()[kind]);
      const email = newAddress();
      const { id: userId } = await admin.createUser({
        email,
        password: seedPassword,
        isEmailConfirmed: true,
        appMetadata: { plan: 'team' },
      });
      expect(await signIn(supabase(), email)).toBeTruthy();
      const changed = await admin.updateUser({ userId, userMetadata: { name: 'Linus' } });
      expect([changed.user_metadata, changed.app_metadata?.['plan']]).toEqual([
        expect.objectContaining({ name: 'Linus' }),
        'team',
      ]);
      await admin.deleteUser({ userId });
      await expect(admin.getUser({ userId })).rejects.toMatchObject({ code: 'user_not_found' });
    },
  );

  test('bans a user for a time, and lifts the ban', async () => {
    const admin = open();
    await admin.updateUser({ userId: ada.id, banForMs: 1_500 });
    await expect(signIn(supabase(), ada.email)).rejects.toThrow('user_banned');
    await admin.updateUser({ userId: ada.id, banForMs: null });
    expect(await signIn(supabase(), ada.email)).toBeTruthy();
  });

  test('reads all users, page by page', async () => {
    const admin = open();
    for (let count = 0; count < 5; count += 1) await admin.createUser({ email: newAddress() });
    const { users, total, nextPage } = await admin.listUsers({ perPage: 2 });
    expect([users.length, nextPage]).toEqual([2, 2]);
    const ids: string[] = [];
    for await (const some of admin.users({ perPage: 2 })) ids.push(...some.map(({ id }) => id));
    expect([ids.length, new Set(ids).size]).toEqual([total, total]);
    expect(ids).toContain(ada.id);
  });

  test('keeps the row of a deleted user without what identifies the person', async () => {
    const admin = open();
    const email = newAddress();
    const { id: userId } = await admin.createUser({ email });
    await admin.deleteUser({ userId, keepsRow: true });
    const kept = await admin.getUser({ userId });
    expect([kept.id, kept.email === email]).toEqual([userId, false]);
  });

  test('makes the link and the code of a mail, which is not sent', async () => {
    const admin = open();
    const email = newAddress();
    await admin.createUser({ email, isEmailConfirmed: true });
    const link = await admin.generateLink({
      type: 'recovery',
      email,
      redirectTo: 'http://localhost:5173/reset',
    });
    expect(new URL(link.actionLink).searchParams.get('token')).toBe(link.tokenHash);
    const body = { type: link.verificationType, token_hash: link.tokenHash };
    const verified = await requestApi(supabase(), '/auth/v1/verify', { method: 'POST', body });
    expect([verified.status, link.user.email]).toEqual([200, email]);
  });

  test('changes an address without a mail by the links to both addresses', async () => {
    const admin = open();
    const [email, newEmail] = [newAddress(), newAddress()];
    await admin.createUser({ email, isEmailConfirmed: true });
    const { user } = await admin.generateLink({ type: 'email_change_new', email, newEmail });
    expect(user.new_email).toBe(newEmail);
  });

  test('invites a person by mail', async () => {
    const email = newAddress();
    const { id } = await open().inviteUser({ email, data: { name: 'Margaret' } });
    expect((await open().getUser({ userId: id })).user_metadata).toMatchObject({ name: 'Margaret' });
  });

  test('removes a second factor, and finds no passkeys', async () => {
    const admin = open();
    const { id: userId, token } = await createUser(supabase(), newAddress());
    const { factorId } = await enrollSecondFactor(supabase(), token);
    expect((await admin.listFactors({ userId })).map(({ id, status }) => [id, status])).toEqual([
      [factorId, 'verified'],
    ]);
    await admin.deleteFactor({ userId, factorId });
    expect(await admin.listFactors({ userId })).toEqual([]);
    expect(await admin.listPasskeys({ userId })).toEqual([]);
    await expect(admin.deletePasskey({ userId, passkeyId: factorId })).rejects.toMatchObject({ status: 404 });
  });

  test('ends the sessions of a user by an access token', async () => {
    const token = await signIn(supabase(), ada.email);
    await open().signOut({ accessToken: token });
    expect((await requestApi(supabase(), '/auth/v1/user', { token })).status).toBe(403);
  });
});

describe('the admin client refuses', () => {
  test.each([
    ['an empty user id', () => open().getUser({ userId: '' })],
    ['a page before the first', () => open().listUsers({ page: 0 })],
    ['a page that no server serves', () => open().listUsers({ perPage: 5_000 })],
    ['a ban that is no time', () => open().updateUser({ userId: ada.id, banForMs: Number.NaN })],
  ])('%s, before anything is sent', async (_name, call) => {
    await expect(call()).rejects.toMatchObject({ code: 'invalid-argument' });
  });

  test('a publishable key, of both forms', () => {
    const { anonKey, publishableKey } = supabase();
    for (const key of [anonKey, publishableKey])
      expect(() => open(key)).toThrow(expect.objectContaining({ code: 'invalid-options' }));
  });

  test('a page, whose visitors could read the key', () => {
    Object.assign(globalThis, { document: {} });
    try {
      expect(() => open()).toThrow(expect.objectContaining({ code: 'unsupported-runtime' }));
    } finally {
      Reflect.deleteProperty(globalThis, 'document');
    }
  });
});
