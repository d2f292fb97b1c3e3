import { createAdminClient } from '../../../src/auth-client/admin/admin.ts';
import { createClaims } from '../../../src/auth-client/features/claims.ts';
import { createIdentities } from '../../../src/auth-client/features/identities.ts';
import { createIdToken } from '../../../src/auth-client/features/id-token.ts';
import { createMfa } from '../../../src/auth-client/features/mfa.ts';
import { createOAuthServer } from '../../../src/auth-client/features/oauth-server.ts';
import { createPasskeys } from '../../../src/auth-client/features/passkeys.ts';
import { createRecoveryCodes } from '../../../src/auth-client/features/recovery-codes.ts';
import { createSso } from '../../../src/auth-client/features/sso.ts';
import { createWeb3 } from '../../../src/auth-client/features/web3.ts';
import { type AuthClient, createAuthClient, createMemoryStore } from '../../../src/auth-client/index.ts';
import { createFunctionsClient } from '../../../src/functions-client/index.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { sendBroadcast, sendBroadcasts } from '../../../src/realtime-client/broadcast/http-broadcast.ts';
import { createRealtimeClient } from '../../../src/realtime-client/index.ts';
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
} from '../../../src/rest-client/index.ts';
import { createStorageClient, uploadResumable } from '../../../src/storage-client/index.ts';
import {
  type Accepted,
  createForeignPlatform,
  foreignKinds,
  methodsOf,
  project,
} from './foreign-responses.ts';

/** Options that every call takes. */
export interface EveryCallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** A call of a client, with the foreign responses that its service may send itself. */
export interface ServiceCallRow {
  readonly method: string;
  readonly accepted: Accepted;
  /** Opens the client and calls the method. */
  readonly call: (platform: Platform, options?: EveryCallOptions) => Promise<unknown>;
}

/** The calls of a client that send requests. */
export interface ServiceCalls {
  readonly name: string;
  /** All methods of the client; null for functions, which belong to no client. */
  readonly methods: readonly string[] | null;
  readonly rows: readonly ServiceCallRow[];
  /** Methods without a row: those that send nothing or are made of others. */
  readonly others: readonly string[];
}

type Calls<Client> = Readonly<
  Record<
    string,
    readonly [call: (client: Client, options: EveryCallOptions) => Promise<unknown>, accepted?: Accepted]
  >
>;

function callsOf<Client>(
  name: string,
  open: (platform: Platform) => Client | Promise<Client>,
  calls: Calls<Client>,
  { unused, others = [] }: { readonly unused?: object; readonly others?: readonly string[] } = {},
): ServiceCalls {
  const rows = Object.entries(calls).map(([method, [call, accepted = []]]) => ({
    method,
    accepted,
    call: async (platform: Platform, options: EveryCallOptions = {}) => call(await open(platform), options),
  }));
  return { name, methods: unused ? methodsOf(unused) : null, rows, others };
}

const collect = async (items: AsyncIterable<unknown>) => {
  for await (const item of items) void item;
};

const key = { a: 1 };
const id = '00000000-0000-4000-8000-000000000001';
const email = 'ada@example.com';
const object: Accepted = ['json'];
const noContent: Accepted = ['none'];

function restCalls(): readonly ServiceCalls[] {
  const open = (platform: Platform) => createRestClient({ ...project, platform });
  const rows = (rest: ReturnType<typeof open>) => rest.from('t');
  const calls: Calls<ReturnType<typeof open>> = {
    select: [(rest, options) => rows(rest).select().execute(options)],
    single: [(rest, options) => rows(rest).select().limit(1).single().execute(options), object],
    maybeSingle: [(rest, options) => rows(rest).select().maybeSingle().execute(options)],
    withCount: [(rest, options) => rows(rest).select().withCount().execute(options)],
    count: [(rest, options) => rows(rest).count().execute(options)],
    insert: [(rest, options) => rows(rest).insert(key).execute(options)],
    'insert and select': [(rest, options) => rows(rest).insert(key).select().execute(options)],
    'insert and location': [(rest, options) => rows(rest).insert(key).as(location()).execute(options)],
    upsert: [(rest, options) => rows(rest).upsert(key).execute(options)],
    replace: [
      (rest, options) =>
        rows(rest)
          .upsert(key)
          .with(replacing(eq('a', 1)))
          .execute(options),
      noContent,
    ],
    update: [(rest, options) => rows(rest).update(key).eq('a', 1).execute(options), noContent],
    'update and select': [(rest, options) => rows(rest).update(key).eq('a', 1).select().execute(options)],
    delete: [(rest, options) => rows(rest).delete().eq('a', 1).execute(options), noContent],
    csv: [(rest, options) => rows(rest).select().as(csv()).execute(options)],
    geojson: [(rest, options) => rows(rest).select().as(geojson()).execute(options)],
    explain: [(rest, options) => rows(rest).select().as(explain()).execute(options)],
    explainText: [(rest, options) => rows(rest).select().as(explainText()).execute(options)],
    // A function returns any JSON, or nothing.
    rpc: [(rest, options) => rest.rpc('f').execute(options), ['json', 'none']],
    rowCount: [(rest, options) => rest.rpc('f').as(rowCount()).execute(options)],
    getOpenApiSpec: [(rest, options) => rest.getOpenApiSpec().execute(options)],
  };
  return [callsOf('rest', open, calls)];
}

function authCalls(): readonly ServiceCalls[] {
  const open = async (platform: Platform): Promise<AuthClient> => {
    const auth = createAuthClient({ ...project, platform, store: createMemoryStore(), autoRefresh: false });
    await auth.signInWithPassword({ email, password: 'long enough' });
    return auth;
  };
  const unused = createAuthClient({
    ...project,
    platform: createForeignPlatform('page'),
    store: createMemoryStore(),
  });
  const calls: Calls<AuthClient> = {
    signUp: [(auth, options) => auth.signUp({ email, password: 'p' }, options)],
    signInAnonymously: [(auth, options) => auth.signInAnonymously({}, options)],
    signInWithOtp: [(auth, options) => auth.signInWithOtp({ email }, options), object],
    verifyOtp: [(auth, options) => auth.verifyOtp({ email, token: '123456', type: 'email' }, options)],
    resend: [(auth, options) => auth.resend({ type: 'signup', email }, options), object],
    resetPasswordForEmail: [(auth, options) => auth.resetPasswordForEmail({ email }, options), object],
    setSession: [(auth, options) => auth.setSession({ accessToken: 'a.e30.c', refreshToken: 'r' }, options)],
    getUser: [(auth, options) => auth.getUser(options)],
    updateUser: [(auth, options) => auth.updateUser({ data: {} }, options)],
    reauthenticate: [(auth, options) => auth.reauthenticate(options), object],
    getSettings: [(auth, options) => auth.getSettings(options)],
    exchangeCodeForSession: [
      async (auth, options) => {
        await auth.signInWithOAuth({ provider: 'github' });
        await auth.exchangeCodeForSession({ code: 'c' }, options);
      },
    ],
    refreshSession: [(auth, options) => auth.refreshSession({ ...options, refreshToken: 'r' })],
    signOut: [
      async (auth, options) => {
        const result = await auth.signOut({}, options);
        if (!result.revoked) throw result.cause;
      },
      noContent,
    ],
  };
  const others = [
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
  ];
  return [callsOf('auth', open, calls, { unused, others }), ...authFeatureCalls(open, unused)];
}

function authFeatureCalls(
  open: (platform: Platform) => Promise<AuthClient>,
  unused: AuthClient,
): readonly ServiceCalls[] {
  const ofFeature = <Feature extends object>(
    name: string,
    create: (auth: AuthClient) => Feature,
    calls: Calls<Feature>,
    others: readonly string[] = [],
  ) =>
    callsOf(name, async (platform) => create(await open(platform)), calls, {
      unused: create(unused),
      others,
    });
  const credential = {} as never;
  return [
    ofFeature(
      'mfa',
      createMfa,
      {
        enroll: [(client, options) => client.enroll({ factorType: 'totp' }, options)],
        challenge: [(client, options) => client.challenge({ factorId: id }, options)],
        verify: [(client, options) => client.verify({ factorId: id, challengeId: id, code: '1' }, options)],
        unenroll: [(client, options) => client.unenroll({ factorId: id }, options), object],
        listFactors: [(client, options) => client.listFactors(options)],
        challengeAndVerify: [
          (client, options) => client.challengeAndVerify({ factorId: id, code: '1' }, options),
        ],
      },
      ['getAuthenticatorAssuranceLevel'],
    ),
    ofFeature('identities', createIdentities, {
      getUserIdentities: [(client, options) => client.getUserIdentities(options)],
      linkIdentity: [(client, options) => client.linkIdentity({ provider: 'github' }, options)],
      unlinkIdentity: [(client, options) => client.unlinkIdentity({ identity_id: id }, options)],
    }),
    ofFeature('oauthServer', createOAuthServer, {
      getAuthorization: [(client, options) => client.getAuthorization({ authorizationId: id }, options)],
      approveAuthorization: [
        (client, options) => client.approveAuthorization({ authorizationId: id }, options),
      ],
      denyAuthorization: [(client, options) => client.denyAuthorization({ authorizationId: id }, options)],
      listGrants: [(client, options) => client.listGrants(options)],
      revokeGrant: [(client, options) => client.revokeGrant({ clientId: id }, options), noContent],
    }),
    ofFeature(
      'passkeys',
      createPasskeys,
      {
        startRegistration: [(client, options) => client.startRegistration(options)],
        verifyRegistration: [
          (client, options) => client.verifyRegistration({ challengeId: id, credential }, options),
        ],
        startAuthentication: [(client, options) => client.startAuthentication({}, options)],
        verifyAuthentication: [
          (client, options) => client.verifyAuthentication({ challengeId: id, credential }, options),
        ],
        listPasskeys: [(client, options) => client.listPasskeys(options)],
        renamePasskey: [
          (client, options) => client.renamePasskey({ passkeyId: id, friendlyName: 'n' }, options),
        ],
        removePasskey: [(client, options) => client.removePasskey({ passkeyId: id }, options), noContent],
      },
      ['isSupported', 'isAutofillSupported', 'registerPasskey', 'signInWithPasskey'],
    ),
    ofFeature('recoveryCodes', createRecoveryCodes, {
      getStatus: [(client, options) => client.getStatus(options)],
      generate: [(client, options) => client.generate({}, options)],
      verify: [(client, options) => client.verify({ code: 'c' }, options)],
      regenerate: [(client, options) => client.regenerate(options)],
      unenroll: [(client, options) => client.unenroll(options), object],
    }),
    ofFeature('sso', createSso, {
      signInWithSso: [(client, options) => client.signInWithSso({ domain: 'd' }, options)],
    }),
    ofFeature('web3', createWeb3, {
      signInWithWeb3: [
        (client, options) =>
          client.signInWithWeb3({ chain: 'solana', message: 'm', signature: 's' }, options),
      ],
    }),
    ofFeature('idToken', createIdToken, {
      signInWithIdToken: [
        (client, options) => client.signInWithIdToken({ provider: 'google', token: 't' }, options),
      ],
      linkIdentityWithIdToken: [
        (client, options) => client.linkIdentityWithIdToken({ provider: 'google', token: 't' }, options),
      ],
    }),
    ofFeature('claims', createClaims, {
      getClaims: [(client, options) => client.getClaims({}, options)],
    }),
  ];
}

function adminCalls(): readonly ServiceCalls[] {
  const open = (platform: Platform) =>
    createAdminClient({ url: project.url, secretKey: 'sb_secret_x', platform });
  const userId = id;
  const clientId = id;
  const identifier = 'custom:a';
  const client = { name: 'n', redirectUris: ['https://a.test'] };
  const calls: Calls<ReturnType<typeof open>> = {
    createUser: [(admin, options) => admin.createUser({ email }, options)],
    getUser: [(admin, options) => admin.getUser({ userId }, options)],
    listUsers: [(admin, options) => admin.listUsers({}, options)],
    users: [(admin, options) => collect(admin.users({}, options))],
    updateUser: [(admin, options) => admin.updateUser({ userId }, options)],
    deleteUser: [(admin, options) => admin.deleteUser({ userId }, options), object],
    inviteUser: [(admin, options) => admin.inviteUser({ email }, options)],
    generateLink: [(admin, options) => admin.generateLink({ type: 'magiclink', email }, options)],
    // GoTrue leaves an empty list out.
    listOAuthClients: [(admin, options) => admin.listOAuthClients(options), object],
    createOAuthClient: [(admin, options) => admin.createOAuthClient(client, options)],
    getOAuthClient: [(admin, options) => admin.getOAuthClient({ clientId }, options)],
    updateOAuthClient: [(admin, options) => admin.updateOAuthClient({ clientId }, options)],
    deleteOAuthClient: [(admin, options) => admin.deleteOAuthClient({ clientId }, options), noContent],
    regenerateOAuthClientSecret: [
      (admin, options) => admin.regenerateOAuthClientSecret({ clientId }, options),
    ],
    listProviders: [(admin, options) => admin.listProviders({}, options)],
    createProvider: [(admin, options) => admin.createProvider({ identifier } as never, options)],
    getProvider: [(admin, options) => admin.getProvider({ identifier }, options)],
    updateProvider: [(admin, options) => admin.updateProvider({ identifier }, options)],
    deleteProvider: [(admin, options) => admin.deleteProvider({ identifier }, options), noContent],
    signOut: [(admin, options) => admin.signOut({ accessToken: 't' }, options), noContent],
    listFactors: [(admin, options) => admin.listFactors({ userId }, options)],
    deleteFactor: [(admin, options) => admin.deleteFactor({ userId, factorId: id }, options)],
    listPasskeys: [(admin, options) => admin.listPasskeys({ userId }, options)],
    deletePasskey: [(admin, options) => admin.deletePasskey({ userId, passkeyId: id }, options), noContent],
  };
  return [callsOf('admin', open, calls, { unused: open(createForeignPlatform('page')) })];
}

function storageCalls(): readonly ServiceCalls[] {
  const open = (platform: Platform) => createStorageClient({ ...project, platform });
  const buckets: Calls<ReturnType<typeof open>> = {
    listBuckets: [(storage, options) => storage.listBuckets(options)],
    getBucket: [(storage, options) => storage.getBucket('b', options)],
    createBucket: [(storage, options) => storage.createBucket('b', {}, options)],
    updateBucket: [(storage, options) => storage.updateBucket('b', {}, options)],
    emptyBucket: [(storage, options) => storage.emptyBucket('b', options)],
    deleteBucket: [(storage, options) => storage.deleteBucket('b', options)],
    getBucketLifecycle: [(storage, options) => storage.getBucketLifecycle('b', options)],
    updateBucketLifecycle: [(storage, options) => storage.updateBucketLifecycle('b', [], options)],
    deleteBucketLifecycle: [(storage, options) => storage.deleteBucketLifecycle('b', options)],
    purgeBucketCache: [(storage, options) => storage.purgeBucketCache('b', options)],
  };
  const openBucket = (platform: Platform) => open(platform).from('b');
  const bytes: Accepted = ['empty', 'json'];
  const objects: Calls<ReturnType<typeof openBucket>> = {
    upload: [(bucket, options) => bucket.upload('a', 'x', options)],
    replace: [(bucket, options) => bucket.replace('a', 'x', options)],
    // An object may be empty, and may be JSON.
    download: [(bucket, options) => bucket.download('a', options), bytes],
    downloadStream: [(bucket, options) => bucket.downloadStream('a', options), bytes],
    list: [(bucket, options) => bucket.list('', options)],
    pages: [(bucket, options) => collect(bucket.pages('', options))],
    listV2: [(bucket, options) => bucket.listV2(options)],
    info: [(bucket, options) => bucket.info('a', options)],
    exists: [(bucket, options) => bucket.exists('a', options)],
    remove: [(bucket, options) => bucket.remove(['a'], options)],
    move: [(bucket, options) => bucket.move('a', 'b', options)],
    copy: [(bucket, options) => bucket.copy('a', 'b', options)],
    createSignedUrl: [(bucket, options) => bucket.createSignedUrl('a', 60, options)],
    createSignedUrls: [(bucket, options) => bucket.createSignedUrls(['a'], 60, options)],
    createSignedUploadUrl: [(bucket, options) => bucket.createSignedUploadUrl('a', options)],
    uploadToSignedUrl: [(bucket, options) => bucket.uploadToSignedUrl('a', 't', 'x', options)],
    purgeCache: [(bucket, options) => bucket.purgeCache('a', options)],
  };
  const blob = new Blob(['bytes']);
  const resumeFrom = `${project.url}/storage/v1/upload/resumable/u`;
  return [
    callsOf('storage', open, buckets, { unused: open(createForeignPlatform('page')), others: ['from'] }),
    callsOf('bucket', openBucket, objects, {
      unused: openBucket(createForeignPlatform('page')),
      others: ['getPublicUrl'],
    }),
    callsOf('resumable', (platform) => ({ ...project, platform }), {
      create: [(client, options) => uploadResumable(client, 'b', 'a', blob, options)],
      resume: [(client, options) => uploadResumable(client, 'b', 'a', blob, { ...options, resumeFrom })],
    }),
  ];
}

function functionsAndRealtimeCalls(): readonly ServiceCalls[] {
  const topic = { topic: 't', event: 'e', payload: {} };
  return [
    callsOf('functions', (platform) => createFunctionsClient({ ...project, platform }), {
      // A function returns anything.
      invoke: [(functions, options) => functions.invoke('f', options), foreignKinds],
      events: [(functions, options) => collect(functions.events('f', options))],
    }),
    callsOf('realtime', (platform) => createRealtimeClient({ ...project, platform }), {
      sendBroadcast: [(realtime, options) => sendBroadcast(realtime, topic, options)],
      sendBroadcasts: [(realtime, options) => sendBroadcasts(realtime, [topic], options)],
    }),
  ];
}

/** One row per method of every client, by the name of the client. */
export const serviceCalls: Readonly<Record<string, readonly ServiceCalls[]>> = {
  'the REST client': restCalls(),
  'the auth client': authCalls(),
  'the admin client': adminCalls(),
  'the storage client': storageCalls(),
  'the functions and realtime clients': functionsAndRealtimeCalls(),
};
