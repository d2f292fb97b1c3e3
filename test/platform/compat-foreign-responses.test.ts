import { describe, expect, test } from 'vitest';
import { createClient, type SupabaseClient } from '../../src/compat/index.ts';
import {
  type Accepted,
  createForeignPlatform,
  type ForeignKind,
  foreignKinds,
  methodPathsOf,
  methodsOf,
  project,
} from '../support/wire/foreign-responses.ts';

type Compat = SupabaseClient;
type Calls = Readonly<
  Record<string, readonly [call: (client: Compat) => PromiseLike<unknown>, accepted?: Accepted]>
>;

async function open(kind: ForeignKind, apiKey = project.apiKey): Promise<Compat> {
  const { fetch } = createForeignPlatform(kind);
  const auth = { persistSession: false, autoRefreshToken: false, flowType: 'pkce' as const };
  const client = createClient(project.url, apiKey, { auth, global: { fetch } });
  await client.auth.signInWithPassword({ email: 'ada@example.com', password: 'long enough' });
  return client;
}

const codesOf = (problem: unknown): readonly unknown[] => {
  if (!(typeof problem === 'object' && problem !== null)) return [];
  const { code, cause, originalError } = problem as Readonly<Record<string, unknown>>;
  return [code, ...codesOf(cause ?? originalError)];
};

function itRefuses(name: string, calls: Calls): void {
  const rows = Object.entries(calls).flatMap(([method, [call, accepted = []]]) =>
    foreignKinds.map((kind) => ({ method, kind, call, isAccepted: accepted.includes(kind) })),
  );
  test.each(rows)(
    `${name}.$method recognizes a foreign $kind`,
    async ({ method, kind, call, isAccepted }) => {
      const client = await open(kind, method.startsWith('admin.') ? 'sb_secret_x' : undefined);
      const { error } = (await Promise.resolve(call(client)).catch((thrown: unknown) => ({
        error: thrown,
      }))) as {
        readonly error?: unknown;
      };
      const isRefused = codesOf(error).includes('not-the-service');
      expect({ hasError: Boolean(error), isRefused }).toEqual({
        hasError: !isAccepted,
        isRefused: !isAccepted,
      });
    },
  );
}

const key = { a: 1 };
const object: Accepted = ['json'];
const noContent: Accepted = ['none'];

describe('the queries of ./compat', () => {
  itRefuses('from', {
    select: [(client) => client.from('t').select()],
    single: [(client) => client.from('t').select().single(), object],
    maybeSingle: [(client) => client.from('t').select().maybeSingle()],
    'select by HEAD': [(client) => client.from('t').select('*', { count: 'exact', head: true })],
    'select by HEAD without a count': [(client) => client.from('t').select('*', { head: true })],
    csv: [(client) => client.from('t').select().csv()],
    insert: [(client) => client.from('t').insert(key)],
    'insert and select': [(client) => client.from('t').insert(key).select()],
    upsert: [(client) => client.from('t').upsert(key)],
    update: [(client) => client.from('t').update(key).eq('a', 1), noContent],
    delete: [(client) => client.from('t').delete().eq('a', 1), noContent],
    // A function returns any JSON, or nothing.
    rpc: [(client) => client.rpc('f'), ['json', 'none']],
    'rpc by HEAD': [(client) => client.rpc('f', {}, { head: true })],
    'rpc by POST for its count': [
      (client) => client.rpc('f', { a: [1] }, { head: true, count: 'exact' }),
      ['json', 'none'],
    ],
    getOpenApiSpec: [(client) => client.getOpenApiSpec()],
  });
});

describe('the storage of ./compat', () => {
  const storage: Calls = {
    listBuckets: [({ storage: { listBuckets } }) => listBuckets()],
    getBucket: [({ storage: { getBucket } }) => getBucket('b')],
    createBucket: [({ storage: { createBucket } }) => createBucket('b', { public: false })],
    updateBucket: [({ storage: { updateBucket } }) => updateBucket('b', { public: false })],
    emptyBucket: [({ storage: { emptyBucket } }) => emptyBucket('b')],
    deleteBucket: [({ storage: { deleteBucket } }) => deleteBucket('b')],
    getBucketLifecycle: [({ storage: { getBucketLifecycle } }) => getBucketLifecycle('b')],
    updateBucketLifecycle: [
      ({ storage: { updateBucketLifecycle } }) => updateBucketLifecycle('b', { rules: [] }),
    ],
    deleteBucketLifecycle: [({ storage: { deleteBucketLifecycle } }) => deleteBucketLifecycle('b')],
    purgeBucketCache: [({ storage: { purgeBucketCache } }) => purgeBucketCache('b')],
  };
  itRefuses('storage', storage);

  const files = (client: Compat) => client.storage.from('b');
  const bytes: Accepted = ['empty', 'json'];
  const objects: Calls = {
    upload: [(client) => files(client).upload('a', 'x')],
    update: [(client) => files(client).update('a', 'x')],
    uploadToSignedUrl: [(client) => files(client).uploadToSignedUrl('a', 't', 'x')],
    // An object may be empty, and may be JSON.
    download: [(client) => files(client).download('a'), bytes],
    list: [(client) => files(client).list()],
    listV2: [(client) => files(client).listV2()],
    remove: [(client) => files(client).remove(['a'])],
    move: [(client) => files(client).move('a', 'b')],
    copy: [(client) => files(client).copy('a', 'b')],
    info: [(client) => files(client).info('a')],
    exists: [(client) => files(client).exists('a')],
    createSignedUrl: [(client) => files(client).createSignedUrl('a', 60)],
    createSignedUrls: [(client) => files(client).createSignedUrls(['a'], 60)],
    createSignedUploadUrl: [(client) => files(client).createSignedUploadUrl('a')],
    purgeCache: [(client) => files(client).purgeCache('a')],
  };
  itRefuses('files', objects);

  test('every method has a row', async () => {
    const client = await open('page');
    const known = (calls: Calls, ...others: readonly string[]) => [...Object.keys(calls), ...others].sort();
    expect([...methodsOf(client.storage)].sort()).toEqual(known(storage, 'from', 'throwOnError'));
    expect([...methodsOf(files(client))].sort()).toEqual(known(objects, 'getPublicUrl', 'throwOnError'));
  });
});

describe('the auth of ./compat', () => {
  const email = 'ada@example.com';
  const id = '00000000-0000-4000-8000-000000000001';
  const credential = {} as never;
  const calls: Calls = {
    signUp: [({ auth }) => auth.signUp({ email, password: 'p' })],
    signInAnonymously: [({ auth }) => auth.signInAnonymously()],
    signInWithOtp: [({ auth }) => auth.signInWithOtp({ email }), object],
    verifyOtp: [({ auth }) => auth.verifyOtp({ email, token: '123456', type: 'email' })],
    signInWithIdToken: [({ auth }) => auth.signInWithIdToken({ provider: 'google', token: 't' })],
    signInWithSSO: [({ auth }) => auth.signInWithSSO({ domain: 'd' })],
    signInWithWeb3: [
      ({ auth }) => auth.signInWithWeb3({ chain: 'solana', message: 'm', signature: new Uint8Array(64) }),
    ],
    exchangeCodeForSession: [
      async ({ auth }) => {
        await auth.signInWithOAuth({ provider: 'github', options: { skipBrowserRedirect: true } });
        return auth.exchangeCodeForSession('c');
      },
    ],
    refreshSession: [({ auth }) => auth.refreshSession({ refresh_token: 'r' })],
    setSession: [({ auth }) => auth.setSession({ access_token: 'a.e30.c', refresh_token: 'r' })],
    getClaims: [({ auth }) => auth.getClaims()],
    resetPasswordForEmail: [({ auth }) => auth.resetPasswordForEmail(email), object],
    resend: [({ auth }) => auth.resend({ type: 'signup', email }), object],
    reauthenticate: [({ auth }) => auth.reauthenticate(), object],
    getUser: [({ auth }) => auth.getUser()],
    updateUser: [({ auth }) => auth.updateUser({ data: {} })],
    signOut: [({ auth }) => auth.signOut(), noContent],
    getUserIdentities: [({ auth }) => auth.getUserIdentities()],
    linkIdentity: [({ auth }) => auth.linkIdentity({ provider: 'github' })],
    unlinkIdentity: [({ auth }) => auth.unlinkIdentity({ identity_id: id })],
    'mfa.enroll': [({ auth }) => auth.mfa.enroll({ factorType: 'totp' })],
    'mfa.challenge': [({ auth }) => auth.mfa.challenge({ factorId: id })],
    'mfa.verify': [({ auth }) => auth.mfa.verify({ factorId: id, challengeId: id, code: '1' })],
    'mfa.webauthn.enroll': [({ auth }) => auth.mfa.webauthn.enroll({ friendlyName: 'Key' })],
    'mfa.webauthn.verify': [
      ({ auth }) =>
        auth.mfa.webauthn.verify({
          factorId: id,
          challengeId: id,
          webauthn: { type: 'request', credential_response: credential },
        }),
    ],
    'mfa.challengeAndVerify': [({ auth }) => auth.mfa.challengeAndVerify({ factorId: id, code: '1' })],
    'mfa.unenroll': [({ auth }) => auth.mfa.unenroll({ factorId: id }), object],
    'mfa.listFactors': [({ auth }) => auth.mfa.listFactors()],
    'passkey.startRegistration': [({ auth }) => auth.passkey.startRegistration()],
    'passkey.verifyRegistration': [
      ({ auth }) => auth.passkey.verifyRegistration({ challengeId: id, credential }),
    ],
    'passkey.startAuthentication': [({ auth }) => auth.passkey.startAuthentication()],
    'passkey.verifyAuthentication': [
      ({ auth }) => auth.passkey.verifyAuthentication({ challengeId: id, credential }),
    ],
    'passkey.list': [({ auth }) => auth.passkey.list()],
    'passkey.update': [({ auth }) => auth.passkey.update({ passkeyId: id, friendlyName: 'n' })],
    'passkey.delete': [({ auth }) => auth.passkey.delete({ passkeyId: id }), noContent],
    'oauth.getAuthorizationDetails': [({ auth }) => auth.oauth.getAuthorizationDetails(id)],
    'oauth.approveAuthorization': [({ auth }) => auth.oauth.approveAuthorization(id)],
    'oauth.denyAuthorization': [({ auth }) => auth.oauth.denyAuthorization(id)],
    'oauth.listGrants': [({ auth }) => auth.oauth.listGrants()],
    'oauth.revokeGrant': [({ auth }) => auth.oauth.revokeGrant({ clientId: id }), noContent],
    'admin.createUser': [({ auth }) => auth.admin.createUser({ email })],
    'admin.getUserById': [({ auth }) => auth.admin.getUserById(id)],
    'admin.updateUserById': [({ auth }) => auth.admin.updateUserById(id, {})],
    'admin.deleteUser': [({ auth }) => auth.admin.deleteUser(id), object],
    'admin.listUsers': [({ auth }) => auth.admin.listUsers()],
    'admin.inviteUserByEmail': [({ auth }) => auth.admin.inviteUserByEmail(email)],
    'admin.generateLink': [({ auth }) => auth.admin.generateLink({ type: 'magiclink', email })],
    'admin.signOut': [({ auth }) => auth.admin.signOut('t'), noContent],
    'admin.mfa.listFactors': [({ auth }) => auth.admin.mfa.listFactors({ userId: id })],
    'admin.mfa.deleteFactor': [({ auth }) => auth.admin.mfa.deleteFactor({ userId: id, id })],
    'admin.passkey.listPasskeys': [({ auth }) => auth.admin.passkey.listPasskeys({ userId: id })],
    'admin.passkey.deletePasskey': [
      ({ auth }) => auth.admin.passkey.deletePasskey({ userId: id, passkeyId: id }),
      noContent,
    ],
    // GoTrue leaves an empty list out.
    'admin.oauth.listClients': [({ auth }) => auth.admin.oauth.listClients(), object],
    'admin.oauth.createClient': [
      ({ auth }) => auth.admin.oauth.createClient({ client_name: 'n', redirect_uris: ['https://a.test'] }),
    ],
    'admin.oauth.getClient': [({ auth }) => auth.admin.oauth.getClient(id)],
    'admin.oauth.updateClient': [({ auth }) => auth.admin.oauth.updateClient(id, {})],
    'admin.oauth.deleteClient': [({ auth }) => auth.admin.oauth.deleteClient(id), noContent],
    'admin.oauth.regenerateClientSecret': [({ auth }) => auth.admin.oauth.regenerateClientSecret(id)],
    'admin.customProviders.listProviders': [({ auth }) => auth.admin.customProviders.listProviders()],
    'admin.customProviders.createProvider': [
      ({ auth }) => auth.admin.customProviders.createProvider({ identifier: 'custom:a' } as never),
    ],
    'admin.customProviders.getProvider': [({ auth }) => auth.admin.customProviders.getProvider('custom:a')],
    'admin.customProviders.updateProvider': [
      ({ auth }) => auth.admin.customProviders.updateProvider('custom:a', {}),
    ],
    'admin.customProviders.deleteProvider': [
      ({ auth }) => auth.admin.customProviders.deleteProvider('custom:a'),
      noContent,
    ],
    'mfa.recoveryCodes.getStatus': [({ auth }) => auth.mfa.recoveryCodes.getStatus()],
    'mfa.recoveryCodes.generate': [({ auth }) => auth.mfa.recoveryCodes.generate()],
    'mfa.recoveryCodes.verify': [({ auth }) => auth.mfa.recoveryCodes.verify({ code: 'c' })],
    'mfa.recoveryCodes.regenerate': [({ auth }) => auth.mfa.recoveryCodes.regenerate()],
    'mfa.recoveryCodes.unenroll': [({ auth }) => auth.mfa.recoveryCodes.unenroll()],
  };
  itRefuses('auth', calls);

  test('every method has a row, or sends nothing, or calls only others', async () => {
    const { auth } = await open('page');
    const others = [
      'initialize',
      'isThrowOnErrorEnabled',
      'startAutoRefresh',
      'stopAutoRefresh',
      'dispose',
      'getSession',
      'onAuthStateChange',
      'signInWithPassword',
      'signInWithOAuth',
      'signInWithPasskey',
      'registerPasskey',
      'mfa.getAuthenticatorAssuranceLevel',
      'mfa.webauthn.challenge',
      'mfa.webauthn.register',
      'mfa.webauthn.authenticate',
    ];
    expect([...methodPathsOf(auth)].sort()).toEqual([...Object.keys(calls), ...others].sort());
  });
});

describe('the functions and channels of ./compat', () => {
  const functions: Calls = { invoke: [(client) => client.functions.invoke('f'), foreignKinds] };
  itRefuses('functions', functions);
  itRefuses('channel', { httpSend: [(client) => client.channel('c').httpSend('e', {})] });

  test('every method of the client and of functions has a row, or sends nothing', async () => {
    const client = await open('page');
    expect([...methodsOf(client.functions)].sort()).toEqual([...Object.keys(functions), 'setAuth'].sort());
    const others = ['schema', 'channel', 'getChannels', 'removeChannel', 'removeAllChannels'];
    expect([...methodsOf(client)].sort()).toEqual(['from', 'rpc', 'getOpenApiSpec', ...others].sort());
  });
});
