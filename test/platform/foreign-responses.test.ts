import { describe, expect, test } from 'vitest';
import { createAdminClient } from '../../src/auth-client/admin/admin.ts';
import { createClaims } from '../../src/auth-client/features/claims.ts';
import { createIdentities } from '../../src/auth-client/features/identities.ts';
import { createIdToken } from '../../src/auth-client/features/id-token.ts';
import { createMfa } from '../../src/auth-client/features/mfa.ts';
import { createOAuthServer } from '../../src/auth-client/features/oauth-server.ts';
import { createPasskeys } from '../../src/auth-client/features/passkeys.ts';
import { createRecoveryCodes } from '../../src/auth-client/features/recovery-codes.ts';
import { createSso } from '../../src/auth-client/features/sso.ts';
import { createWeb3 } from '../../src/auth-client/features/web3.ts';
import { type AuthClient, createAuthClient, createMemoryStore } from '../../src/auth-client/index.ts';
import { createFunctionsClient } from '../../src/functions-client/index.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { sendBroadcast, sendBroadcasts } from '../../src/realtime-client/broadcast/http-broadcast.ts';
import { createRealtimeClient } from '../../src/realtime-client/index.ts';
import {
  createRestClient,
  csv,
  eq,
  explain,
  explainText,
  geojson,
  location,
  replacing,
  rowCount,
} from '../../src/rest-client/index.ts';
import { createStorageClient, uploadResumable } from '../../src/storage-client/index.ts';
import {
  type Accepted,
  createForeignPlatform,
  foreignKinds,
  methodsOf,
  project,
  words,
} from '../support/wire/foreign-responses.ts';

/** Calls by the name of the method, with the responses that the service may send itself. */
type Calls<Client> = Readonly<
  Record<string, readonly [call: (client: Client) => Promise<unknown>, accepted?: Accepted]>
>;

const refusals = {
  page: { code: 'not-the-service', status: 200, found: `(HTTP 200, text/html): Wi-Fi ${words}` },
  empty: { code: 'not-the-service', status: 200, found: '(HTTP 200, no body)' },
  json: { code: 'not-the-service', status: 200, found: '(HTTP 200, application/json)' },
  none: { code: 'not-the-service', status: 204, found: '(HTTP 204, no body)' },
};

const describeRefusal = (problem: unknown) => {
  const { code, status, message } = problem as { code: unknown; status: unknown; message: string };
  return { code, status, found: message.replace(/^Not a response of the \w+ service /, '') };
};

function itRefuses<Client>(
  name: string,
  open: (platform: Platform) => Client | Promise<Client>,
  calls: Calls<Client>,
): void {
  const rows = Object.entries(calls).flatMap(([method, [call, accepted = []]]) =>
    foreignKinds.map((kind) => ({ method, kind, call, isAccepted: accepted.includes(kind) })),
  );
  test.each(rows)(`${name}.$method recognizes a foreign $kind`, async ({ kind, call, isAccepted }) => {
    const outcome = await call(await open(createForeignPlatform(kind))).then(
      () => 'accepted',
      describeRefusal,
    );
    expect(outcome).toEqual(isAccepted ? 'accepted' : refusals[kind]);
  });
}

/** Every method has a row, or is one of those that send nothing or are made of others. */
function itIsComplete(name: string, client: object, calls: Calls<never>, others: readonly string[] = []) {
  test(`every method of ${name} has a row`, () => {
    expect([...methodsOf(client)].sort()).toEqual([...Object.keys(calls), ...others].sort());
  });
}

const collect = async (items: AsyncIterable<unknown>) => {
  for await (const item of items) void item;
};

const key = { a: 1 };
const id = '00000000-0000-4000-8000-000000000001';
const object: Accepted = ['json'];
const noContent: Accepted = ['none'];

describe('the REST client', () => {
  const open = (platform: Platform) => createRestClient({ ...project, platform });
  const rows = (rest: ReturnType<typeof open>) => rest.from('t');
  itRefuses('rest', open, {
    select: [(rest) => rows(rest).select().execute()],
    single: [(rest) => rows(rest).select().limit(1).single().execute(), object],
    maybeSingle: [(rest) => rows(rest).select().maybeSingle().execute()],
    withCount: [(rest) => rows(rest).select().withCount().execute()],
    count: [(rest) => rows(rest).count().execute()],
    insert: [(rest) => rows(rest).insert(key).execute()],
    'insert and select': [(rest) => rows(rest).insert(key).select().execute()],
    'insert and location': [(rest) => rows(rest).insert(key).as(location()).execute()],
    upsert: [(rest) => rows(rest).upsert(key).execute()],
    replace: [
      (rest) =>
        rows(rest)
          .upsert(key)
          .with(replacing(eq('a', 1)))
          .execute(),
      noContent,
    ],
    update: [(rest) => rows(rest).update(key).eq('a', 1).execute(), noContent],
    'update and select': [(rest) => rows(rest).update(key).eq('a', 1).select().execute()],
    delete: [(rest) => rows(rest).delete().eq('a', 1).execute(), noContent],
    csv: [(rest) => rows(rest).select().as(csv()).execute()],
    geojson: [(rest) => rows(rest).select().as(geojson()).execute()],
    explain: [(rest) => rows(rest).select().as(explain()).execute()],
    explainText: [(rest) => rows(rest).select().as(explainText()).execute()],
    // A function returns any JSON, or nothing.
    rpc: [(rest) => rest.rpc('f').execute(), ['json', 'none']],
    rowCount: [(rest) => rest.rpc('f').as(rowCount()).execute()],
    getOpenApiSpec: [(rest) => rest.getOpenApiSpec().execute()],
  });
});

describe('the auth client', () => {
  const open = async (platform: Platform): Promise<AuthClient> => {
    const auth = createAuthClient({ ...project, platform, store: createMemoryStore(), autoRefresh: false });
    await auth.signInWithPassword({ email: 'ada@example.com', password: 'long enough' });
    return auth;
  };
  const openUnused = () =>
    createAuthClient({ ...project, platform: createForeignPlatform('page'), store: createMemoryStore() });
  const email = 'ada@example.com';
  const calls: Calls<AuthClient> = {
    signUp: [(auth) => auth.signUp({ email, password: 'p' })],
    signInAnonymously: [(auth) => auth.signInAnonymously()],
    signInWithOtp: [(auth) => auth.signInWithOtp({ email }), object],
    verifyOtp: [(auth) => auth.verifyOtp({ email, token: '123456', type: 'email' })],
    resend: [(auth) => auth.resend({ type: 'signup', email }), object],
    resetPasswordForEmail: [(auth) => auth.resetPasswordForEmail({ email }), object],
    setSession: [(auth) => auth.setSession({ accessToken: 'a.e30.c', refreshToken: 'r' })],
    getUser: [(auth) => auth.getUser()],
    updateUser: [(auth) => auth.updateUser({ data: {} })],
    reauthenticate: [(auth) => auth.reauthenticate(), object],
    getSettings: [(auth) => auth.getSettings()],
    exchangeCodeForSession: [
      async (auth) => {
        await auth.signInWithOAuth({ provider: 'github' });
        await auth.exchangeCodeForSession({ code: 'c' });
      },
    ],
    refreshSession: [(auth) => auth.refreshSession({ refreshToken: 'r' })],
    signOut: [
      async (auth) => {
        const result = await auth.signOut();
        if (!result.revoked) throw result.cause;
      },
      noContent,
    ],
  };
  itRefuses('auth', open, calls);
  itIsComplete('auth', openUnused(), calls, [
    'signInWithPassword',
    'signInWithOAuth',
    'handleCallback',
    'start',
    'preload',
    'close',
    'getSnapshot',
    'subscribe',
    'onEvent',
    'onTokenChange',
    'getAccessToken',
    'getSession',
  ]);

  const openWith =
    <Feature>(create: (auth: AuthClient) => Feature) =>
    async (platform: Platform) =>
      create(await open(platform));
  const features = openUnused();

  const mfa: Calls<ReturnType<typeof createMfa>> = {
    enroll: [(client) => client.enroll({ factorType: 'totp' })],
    challenge: [(client) => client.challenge({ factorId: id })],
    verify: [(client) => client.verify({ factorId: id, challengeId: id, code: '1' })],
    unenroll: [(client) => client.unenroll({ factorId: id }), object],
    listFactors: [(client) => client.listFactors()],
    challengeAndVerify: [(client) => client.challengeAndVerify({ factorId: id, code: '1' })],
  };
  itRefuses('mfa', openWith(createMfa), mfa);
  itIsComplete('mfa', createMfa(features), mfa, ['getAuthenticatorAssuranceLevel']);

  const identities: Calls<ReturnType<typeof createIdentities>> = {
    getUserIdentities: [(client) => client.getUserIdentities()],
    linkIdentity: [(client) => client.linkIdentity({ provider: 'github' })],
    unlinkIdentity: [(client) => client.unlinkIdentity({ identity_id: id })],
  };
  itRefuses('identities', openWith(createIdentities), identities);
  itIsComplete('identities', createIdentities(features), identities);

  const oauth: Calls<ReturnType<typeof createOAuthServer>> = {
    getAuthorization: [(client) => client.getAuthorization({ authorizationId: id })],
    approveAuthorization: [(client) => client.approveAuthorization({ authorizationId: id })],
    denyAuthorization: [(client) => client.denyAuthorization({ authorizationId: id })],
    listGrants: [(client) => client.listGrants()],
    revokeGrant: [(client) => client.revokeGrant({ clientId: id }), noContent],
  };
  itRefuses('oauthServer', openWith(createOAuthServer), oauth);
  itIsComplete('oauthServer', createOAuthServer(features), oauth);

  const credential = {} as never;
  const passkeys: Calls<ReturnType<typeof createPasskeys>> = {
    startRegistration: [(client) => client.startRegistration()],
    verifyRegistration: [(client) => client.verifyRegistration({ challengeId: id, credential })],
    startAuthentication: [(client) => client.startAuthentication()],
    verifyAuthentication: [(client) => client.verifyAuthentication({ challengeId: id, credential })],
    listPasskeys: [(client) => client.listPasskeys()],
    renamePasskey: [(client) => client.renamePasskey({ passkeyId: id, friendlyName: 'n' })],
    removePasskey: [(client) => client.removePasskey({ passkeyId: id }), noContent],
  };
  itRefuses('passkeys', openWith(createPasskeys), passkeys);
  itIsComplete('passkeys', createPasskeys(features), passkeys, [
    'isSupported',
    'isAutofillSupported',
    'registerPasskey',
    'signInWithPasskey',
  ]);

  const recovery: Calls<ReturnType<typeof createRecoveryCodes>> = {
    getStatus: [(client) => client.getStatus()],
    generate: [(client) => client.generate()],
    verify: [(client) => client.verify({ code: 'c' })],
    regenerate: [(client) => client.regenerate()],
    unenroll: [(client) => client.unenroll(), object],
  };
  itRefuses('recoveryCodes', openWith(createRecoveryCodes), recovery);
  itIsComplete('recoveryCodes', createRecoveryCodes(features), recovery);

  const sso: Calls<ReturnType<typeof createSso>> = {
    signInWithSso: [(client) => client.signInWithSso({ domain: 'd' })],
  };
  itRefuses('sso', openWith(createSso), sso);
  itIsComplete('sso', createSso(features), sso);
  const web3: Calls<ReturnType<typeof createWeb3>> = {
    signInWithWeb3: [(client) => client.signInWithWeb3({ chain: 'solana', message: 'm', signature: 's' })],
  };
  itRefuses('web3', openWith(createWeb3), web3);
  itIsComplete('web3', createWeb3(features), web3);
  const idToken: Calls<ReturnType<typeof createIdToken>> = {
    signInWithIdToken: [(client) => client.signInWithIdToken({ provider: 'google', token: 't' })],
    linkIdentityWithIdToken: [(client) => client.linkIdentityWithIdToken({ provider: 'google', token: 't' })],
  };
  itRefuses('idToken', openWith(createIdToken), idToken);
  itIsComplete('idToken', createIdToken(features), idToken);
  const claims: Calls<ReturnType<typeof createClaims>> = { getClaims: [(client) => client.getClaims()] };
  itRefuses('claims', openWith(createClaims), claims);
  itIsComplete('claims', createClaims(features), claims);
});

describe('the admin client', () => {
  const open = (platform: Platform) =>
    createAdminClient({ url: project.url, secretKey: 'sb_secret_x', platform });
  const userId = id;
  const identifier = 'custom:a';
  const calls: Calls<ReturnType<typeof open>> = {
    createUser: [(admin) => admin.createUser({ email: 'ada@example.com' })],
    getUser: [(admin) => admin.getUser({ userId })],
    listUsers: [(admin) => admin.listUsers()],
    users: [(admin) => collect(admin.users())],
    updateUser: [(admin) => admin.updateUser({ userId })],
    deleteUser: [(admin) => admin.deleteUser({ userId }), object],
    inviteUser: [(admin) => admin.inviteUser({ email: 'ada@example.com' })],
    generateLink: [(admin) => admin.generateLink({ type: 'magiclink', email: 'ada@example.com' })],
    // GoTrue leaves an empty list out.
    listOAuthClients: [(admin) => admin.listOAuthClients(), object],
    createOAuthClient: [(admin) => admin.createOAuthClient({ name: 'n', redirectUris: ['https://a.test'] })],
    getOAuthClient: [(admin) => admin.getOAuthClient({ clientId: id })],
    updateOAuthClient: [(admin) => admin.updateOAuthClient({ clientId: id })],
    deleteOAuthClient: [(admin) => admin.deleteOAuthClient({ clientId: id }), noContent],
    regenerateOAuthClientSecret: [(admin) => admin.regenerateOAuthClientSecret({ clientId: id })],
    listProviders: [(admin) => admin.listProviders()],
    createProvider: [(admin) => admin.createProvider({ identifier } as never)],
    getProvider: [(admin) => admin.getProvider({ identifier })],
    updateProvider: [(admin) => admin.updateProvider({ identifier })],
    deleteProvider: [(admin) => admin.deleteProvider({ identifier }), noContent],
    signOut: [(admin) => admin.signOut({ accessToken: 't' }), noContent],
    listFactors: [(admin) => admin.listFactors({ userId })],
    deleteFactor: [(admin) => admin.deleteFactor({ userId, factorId: id })],
    listPasskeys: [(admin) => admin.listPasskeys({ userId })],
    deletePasskey: [(admin) => admin.deletePasskey({ userId, passkeyId: id }), noContent],
  };
  itRefuses('admin', open, calls);
  itIsComplete('admin', open(createForeignPlatform('page')), calls);
});

describe('the storage client', () => {
  const open = (platform: Platform) => createStorageClient({ ...project, platform });
  const buckets: Calls<ReturnType<typeof open>> = {
    listBuckets: [(storage) => storage.listBuckets()],
    getBucket: [(storage) => storage.getBucket('b')],
    createBucket: [(storage) => storage.createBucket('b')],
    updateBucket: [(storage) => storage.updateBucket('b', {})],
    emptyBucket: [(storage) => storage.emptyBucket('b')],
    deleteBucket: [(storage) => storage.deleteBucket('b')],
    getBucketLifecycle: [(storage) => storage.getBucketLifecycle('b')],
    updateBucketLifecycle: [(storage) => storage.updateBucketLifecycle('b', [])],
    deleteBucketLifecycle: [(storage) => storage.deleteBucketLifecycle('b')],
    purgeBucketCache: [(storage) => storage.purgeBucketCache('b')],
  };
  itRefuses('storage', open, buckets);
  itIsComplete('storage', open(createForeignPlatform('page')), buckets, ['from']);

  const openBucket = (platform: Platform) => open(platform).from('b');
  const bytes: Accepted = ['empty', 'json'];
  const objects: Calls<ReturnType<typeof openBucket>> = {
    upload: [(bucket) => bucket.upload('a', 'x')],
    replace: [(bucket) => bucket.replace('a', 'x')],
    // An object may be empty, and may be JSON.
    download: [(bucket) => bucket.download('a'), bytes],
    downloadStream: [(bucket) => bucket.downloadStream('a'), bytes],
    list: [(bucket) => bucket.list()],
    pages: [(bucket) => collect(bucket.pages())],
    listV2: [(bucket) => bucket.listV2()],
    info: [(bucket) => bucket.info('a')],
    exists: [(bucket) => bucket.exists('a')],
    remove: [(bucket) => bucket.remove(['a'])],
    move: [(bucket) => bucket.move('a', 'b')],
    copy: [(bucket) => bucket.copy('a', 'b')],
    createSignedUrl: [(bucket) => bucket.createSignedUrl('a', 60)],
    createSignedUrls: [(bucket) => bucket.createSignedUrls(['a'], 60)],
    createSignedUploadUrl: [(bucket) => bucket.createSignedUploadUrl('a')],
    uploadToSignedUrl: [(bucket) => bucket.uploadToSignedUrl('a', 't', 'x')],
    purgeCache: [(bucket) => bucket.purgeCache('a')],
  };
  itRefuses('bucket', openBucket, objects);
  itIsComplete('bucket', openBucket(createForeignPlatform('page')), objects, ['getPublicUrl']);

  const blob = new Blob(['bytes']);
  itRefuses('resumable', (platform) => ({ ...project, platform }), {
    create: [(options) => uploadResumable(options, 'b', 'a', blob)],
    resume: [
      (options) =>
        uploadResumable(options, 'b', 'a', blob, {
          resumeFrom: `${project.url}/storage/v1/upload/resumable/u`,
        }),
    ],
  });
});

describe('the functions and realtime clients', () => {
  const any: Accepted = foreignKinds;
  itRefuses('functions', (platform) => createFunctionsClient({ ...project, platform }), {
    // A function returns anything.
    invoke: [(functions) => functions.invoke('f'), any],
    events: [(functions) => collect(functions.events('f'))],
  });
  const topic = { topic: 't', event: 'e', payload: {} };
  itRefuses('realtime', (platform) => createRealtimeClient({ ...project, platform }), {
    sendBroadcast: [(realtime) => sendBroadcast(realtime, topic)],
    sendBroadcasts: [(realtime) => sendBroadcasts(realtime, [topic])],
  });
});
