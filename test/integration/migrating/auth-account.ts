import { createServerClient } from '@supabase/ssr';
import { createAdminClient } from '../../../src/auth-client/admin/admin.ts';
import { createIdToken } from '../../../src/auth-client/features/id-token.ts';
import { createIdentities } from '../../../src/auth-client/features/identities.ts';
import { createMfa } from '../../../src/auth-client/features/mfa.ts';
import { createPasskeys } from '../../../src/auth-client/features/passkeys.ts';
import { type AuthClient, AuthError } from '../../../src/auth-client/index.ts';
import { createPlatform } from '../../../src/platform/index.ts';
import { createServerClients } from '../../../src/clients/server.ts';
import {
  type SoftwareAuthenticator,
  createSoftwareAuthenticator,
} from '../../support/software-authenticator.ts';
import { createSoftwareWebAuthn } from '../../support/software-web-authn.ts';
import { transport } from './transport.ts';
import {
  redirectTo,
  codeOf,
  codeHere,
  totpOf,
  named,
  type AuthRow,
  type AuthTools,
  type VendorWorld,
} from './auth-tools.ts';

/** Rows about the account, its factors and identities, and calls that only the vendor has. */
export function accountRows({ supabase, connectVendor }: AuthTools): readonly AuthRow[] {
  const openAdmin = () => {
    const { url, fetch, serviceRoleKey } = supabase();
    return createAdminClient({ url, secretKey: serviceRoleKey, platform: createPlatform({ fetch }) });
  };
  return [
    {
      cell: '`updateUser({ password }, { emailRedirectTo })`',
      vendor: async ({ auth, signIn, email }) => {
        await signIn();
        const password = 'another horse battery';
        await auth.updateUser({ password }, { emailRedirectTo: redirectTo });
        return (await auth.signInWithPassword({ email, password })).data.user?.email === email;
      },
      here: async ({ auth, signIn, email }) => {
        await signIn();
        const password = 'another horse battery';
        await auth.updateUser({ password, redirectTo });
        return (await auth.signInWithPassword({ email, password })).user.email === email;
      },
    },
    {
      cell: '`reauthenticate()`, `resend({ type, email })`',
      vendor: async ({ auth, signIn, email, code }) => {
        await signIn();
        await auth.reauthenticate();
        return [(await code()) !== '', await codeOf(auth.resend({ type: 'signup', email }))];
      },
      here: async ({ auth, signIn, email, code }) => {
        await signIn();
        await auth.reauthenticate();
        return [(await code()) !== '', await codeHere(auth.resend({ type: 'signup', email }))];
      },
    },
    {
      cell: '`mfa.enroll({ factorType })`, `challenge`, `verify`, `challengeAndVerify`, `unenroll`, `listFactors`',
      vendor: async ({ auth, signIn }) => {
        await signIn();
        const { data: factor } = await auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone' });
        const factorId = factor?.id ?? '';
        const code = totpOf(factor?.totp.secret ?? '');
        const { data: challenge } = await auth.mfa.challenge({ factorId });
        await auth.mfa.verify({ factorId, challengeId: challenge?.id ?? '', code });
        const verified = (await auth.mfa.listFactors()).data?.totp.map(({ friendly_name: name }) => name);
        await auth.mfa.unenroll({ factorId });
        return [verified, (await auth.mfa.listFactors()).data?.totp];
      },
      here: async ({ auth, signIn }) => {
        await signIn();
        const mfa = createMfa(auth);
        const { id: factorId, totp } = await mfa.enroll({ factorType: 'totp', friendlyName: 'Phone' });
        const code = totpOf(totp?.secret ?? '');
        const { id: challengeId } = await mfa.challenge({ factorId });
        await mfa.verify({ factorId, challengeId, code });
        const verified = (await mfa.listFactors()).totp.map(({ friendly_name: name }) => name);
        await mfa.unenroll({ factorId });
        return [verified, (await mfa.listFactors()).totp];
      },
    },
    {
      cell: '`linkIdentity({ provider, token })`',
      vendor: async ({ auth, signIn }) => {
        await signIn();
        return codeOf(auth.linkIdentity({ provider: 'google', token: 'a.b.c' }));
      },
      here: async ({ auth, signIn }) => {
        await signIn();
        return codeHere(createIdToken(auth).linkIdentityWithIdToken({ provider: 'google', token: 'a.b.c' }));
      },
    },
    {
      cell: '`mfa.getAuthenticatorAssuranceLevel(jwt)`',
      vendor: async ({ auth, signIn }) => {
        const { access_token: jwt } = await signIn();
        const { data } = await auth.mfa.getAuthenticatorAssuranceLevel(jwt);
        return [data?.currentLevel, data?.nextLevel];
      },
      here: async ({ auth, signIn }) => {
        const { accessToken } = await signIn();
        const level = await createMfa(auth).getAuthenticatorAssuranceLevel({ accessToken });
        return [level.currentLevel, level.nextLevel];
      },
    },
    {
      cell: '`getUserIdentities()`, `linkIdentity()`, `unlinkIdentity()`',
      vendor: async ({ auth, signIn }) => {
        await signIn();
        const identities = (await auth.getUserIdentities()).data?.identities ?? [];
        const { data } = await auth.linkIdentity({
          provider: 'github',
          options: { redirectTo, skipBrowserRedirect: true },
        });
        const [first] = identities;
        return [
          identities.map(({ provider }) => provider),
          new URL(data.url ?? '').pathname,
          first && (await codeOf(auth.unlinkIdentity(first))),
        ];
      },
      here: async ({ auth, signIn }) => {
        await signIn();
        const { getUserIdentities, linkIdentity, unlinkIdentity } = createIdentities(auth);
        const identities = await getUserIdentities();
        const { url } = await linkIdentity({ provider: 'github', redirectTo });
        const [first] = identities;
        return [
          identities.map(({ provider }) => provider),
          new URL(url).pathname,
          first && (await codeHere(unlinkIdentity(first))),
        ];
      },
    },
    {
      cell: '`admin.createUser`, `deleteUser`, `getUserById`, `listUsers`, `updateUserById`, `inviteUserByEmail`, `generateLink`, `admin.mfa.listFactors`, `deleteFactor`',
      vendor: async ({ email }) => {
        const { admin } = connectVendor(new Map(), supabase().serviceRoleKey).auth;
        const { data } = await admin.createUser({ email: `admin-${email}`, email_confirm: true });
        const id = data.user?.id ?? '';
        await admin.updateUserById(id, { user_metadata: { name: 'Mig' } });
        const found = (await admin.getUserById(id)).data.user?.user_metadata['name'];
        const isListed = (await admin.listUsers({ perPage: 1_000 })).data.users.some(
          (user) => user.id === id,
        );
        const { data: factors } = await admin.mfa.listFactors({ userId: id });
        const link = await admin.generateLink({ type: 'magiclink', email: `admin-${email}` });
        const invited = await admin.inviteUserByEmail(`invited-${email}`);
        const absent = await codeOf(admin.mfa.deleteFactor({ userId: id, id: crypto.randomUUID() }));
        const { error } = await admin.deleteUser(id);
        return [
          found,
          isListed,
          factors?.factors,
          Boolean(link.data.properties),
          invited.error,
          absent,
          error,
        ];
      },
      here: async ({ email }) => {
        const admin = openAdmin();
        const { id: userId } = await admin.createUser({ email: `admin-${email}`, isEmailConfirmed: true });
        await admin.updateUser({ userId, userMetadata: { name: 'Mig' } });
        const found = (await admin.getUser({ userId })).user_metadata?.['name'];
        const { users } = await admin.listUsers({ perPage: 1_000 });
        const link = await admin.generateLink({ type: 'magiclink', email: `admin-${email}` });
        await admin.inviteUser({ email: `invited-${email}` });
        const absent = await codeHere(admin.deleteFactor({ userId, factorId: crypto.randomUUID() }));
        const factors = await admin.listFactors({ userId });
        await admin.deleteUser({ userId });
        return [found, users.some(({ id }) => id === userId), factors, Boolean(link), null, absent, null];
      },
    },
    {
      cell: '`signInWithPasskey()`, `registerPasskey()`',
      // The vendor's methods read the page's globals: its two steps replace them.
      vendor: async ({ auth, signIn }) => {
        await signIn();
        const authenticator = createSoftwareAuthenticator(redirectTo);
        const name = await addVendorPasskey(auth, authenticator);
        await auth.signOut();
        const { data } = await auth.passkey.startAuthentication();
        if (!data) throw new Error('The vendor starts no authentication');
        const credential = authenticator.get(data.options);
        const verified = await auth.passkey.verifyAuthentication({
          challengeId: data.challenge_id,
          credential,
        });
        return [name, verified.data?.user?.user_metadata['name']];
      },
      here: async ({ auth, signIn }) => {
        await signIn();
        const passkeys = openPasskeys(auth);
        const { friendlyName } = await passkeys.registerPasskey();
        await auth.signOut();
        const { user } = await passkeys.signInWithPasskey();
        return [friendlyName, user.user_metadata?.['name']];
      },
    },
    {
      cell: '`passkey.list`, `update`, `delete`',
      vendor: async ({ auth, signIn }) => {
        await signIn();
        await addVendorPasskey(auth, createSoftwareAuthenticator(redirectTo));
        const [item] = (await auth.passkey.list()).data ?? [];
        const passkeyId = item?.id ?? '';
        const { data } = await auth.passkey.update({ passkeyId, friendlyName: 'Laptop' });
        await auth.passkey.delete({ passkeyId });
        return [item?.friendly_name, data?.friendly_name, (await auth.passkey.list()).data?.length];
      },
      here: async ({ auth, signIn }) => {
        await signIn();
        const passkeys = openPasskeys(auth);
        await passkeys.registerPasskey();
        const [item] = await passkeys.listPasskeys();
        const passkeyId = item?.id ?? '';
        const { friendlyName } = await passkeys.renamePasskey({ passkeyId, friendlyName: 'Laptop' });
        await passkeys.removePasskey({ passkeyId });
        return [item?.friendlyName, friendlyName, (await passkeys.listPasskeys()).length];
      },
    },
    {
      cell: '`passkey.startRegistration`, `verifyRegistration`, `startAuthentication`, `verifyAuthentication`',
      vendor: async ({ auth }) => named(['startRegistration', 'verifyAuthentication'], auth.passkey),
      here: async ({ auth }) => named(['startRegistration', 'verifyAuthentication'], createPasskeys(auth)),
    },
    {
      cell: '`admin.passkey.listPasskeys`, `deletePasskey`',
      vendor: async ({ auth, signIn }) => {
        await signIn();
        await addVendorPasskey(auth, createSoftwareAuthenticator(redirectTo));
        const userId = (await auth.getUser()).data.user?.id ?? '';
        const { passkey } = connectVendor(new Map(), supabase().serviceRoleKey).auth.admin;
        const [item] = (await passkey.listPasskeys({ userId })).data ?? [];
        await passkey.deletePasskey({ userId, passkeyId: item?.id ?? '' });
        return [item?.friendly_name, (await passkey.listPasskeys({ userId })).data?.length];
      },
      here: async ({ auth, signIn }) => {
        const { user } = await signIn();
        await openPasskeys(auth).registerPasskey();
        const admin = openAdmin();
        const [item] = await admin.listPasskeys({ userId: user.id });
        await admin.deletePasskey({ userId: user.id, passkeyId: item?.id ?? '' });
        return [item?.friendlyName, (await admin.listPasskeys({ userId: user.id })).length];
      },
    },
    {
      cell: '`isThrowOnErrorEnabled()`',
      vendor: async ({ auth, email }) => {
        const call = auth.signInWithPassword({ email, password: 'wrong' });
        return [
          auth.isThrowOnErrorEnabled(),
          await call.then(
            () => 'returned',
            () => 'thrown',
          ),
        ];
      },
      here: async ({ auth, email }) => {
        const call = auth.signInWithPassword({ email, password: 'wrong' });
        return [
          true,
          await call.then(
            () => 'returned',
            () => 'thrown',
          ),
        ];
      },
      differs: [undefined, 'returned'],
      compat: [false, 'returned'],
    },
    {
      cell: '`error.code`, `error.status`',
      vendor: async ({ auth, email }) => {
        const { error } = await auth.signInWithPassword({ email, password: 'wrong' });
        return [error?.code, error?.status];
      },
      here: ({ auth, email }) =>
        auth
          .signInWithPassword({ email, password: 'wrong' })
          .catch((error: unknown) => error instanceof AuthError && [error.code, error.status]),
    },
    {
      cell: '`session.access_token`, `session.expires_at` (s)',
      vendor: async ({ auth, signIn }) => {
        await signIn();
        const { data } = await auth.getSession();
        return describeSession(data.session?.access_token, (data.session?.expires_at ?? 0) * 1000);
      },
      here: async ({ signIn }) => {
        const session = await signIn();
        return 'refreshToken' in session || describeSession(session.accessToken, session.expiresAtMs);
      },
    },
    {
      cell: '`createServerClient(url, key, { cookies: { getAll, setAll } })` of `@supabase/ssr`',
      vendor: async ({ email, password }) => {
        const { url, anonKey, fetch } = supabase();
        const cookies = createCookies();
        const open = () =>
          createServerClient(url, anonKey, { cookies, global: { fetch }, realtime: { transport } });
        await open().auth.signInWithPassword({ email, password });
        return (await open().auth.getUser()).data.user?.email === email;
      },
      here: async ({ email, password, options: { url, apiKey, platform } }) => {
        const cookies = createCookies();
        const open = () => createServerClients({ url, apiKey, platform, cookies });
        await open().auth.signInWithPassword({ email, password });
        return (await open().auth.getUser()).email === email;
      },
    },
  ];
}

/** A browser's cookies, as a server sees them. */
function createCookies() {
  const cookies = new Map<string, string>();
  return {
    getAll: () => Array.from(cookies, ([name, value]) => ({ name, value })),
    setAll: (all: readonly { readonly name: string; readonly value: string }[]) =>
      all.forEach(({ name, value }) => (value ? cookies.set(name, value) : cookies.delete(name))),
  };
}

function describeSession(token: string | undefined, expiresAtMs: number) {
  const secondsLeft = (expiresAtMs - Date.now()) / 1000;
  return [token?.split('.').length, secondsLeft > 3_500 && secondsLeft <= 3_600];
}

/** Registers a passkey by the vendor's two steps. Returns its name. */
async function addVendorPasskey(
  { passkey }: VendorWorld['auth'],
  authenticator: SoftwareAuthenticator,
): Promise<string | undefined> {
  const { data } = await passkey.startRegistration();
  if (!data) throw new Error('The vendor starts no registration');
  const credential = authenticator.create(data.options);
  const registered = await passkey.verifyRegistration({ challengeId: data.challenge_id, credential });
  return registered.data?.friendly_name;
}

const openPasskeys = (auth: AuthClient) =>
  createPasskeys(auth, { webAuthn: createSoftwareWebAuthn(createSoftwareAuthenticator(redirectTo)) });
