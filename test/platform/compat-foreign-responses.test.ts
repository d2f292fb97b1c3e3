import { describe, expect, test } from 'vitest';
import { createClient, type SupabaseClient } from '../../src/compat/index.ts';
import {
  type Accepted,
  createForeignPlatform,
  type ForeignKind,
  foreignKinds,
  methodsOf,
  project,
} from '../support/wire/foreign-responses.ts';

type Compat = SupabaseClient;
type Calls = Readonly<
  Record<string, readonly [call: (client: Compat) => PromiseLike<unknown>, accepted?: Accepted]>
>;

async function open(kind: ForeignKind, apiKey = project.apiKey): Promise<Compat> {
  const { fetch } = createForeignPlatform(kind);
  const auth = { persistSession: false, autoRefreshToken: false };
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
  test.each(rows)(`${name}.$method judges a foreign $kind`, async ({ method, kind, call, isAccepted }) => {
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
  });
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

describe('the other services of ./compat', () => {
  const email = 'ada@example.com';
  const id = '00000000-0000-4000-8000-000000000001';
  itRefuses('auth', {
    signUp: [({ auth }) => auth.signUp({ email, password: 'p' })],
    signInAnonymously: [({ auth }) => auth.signInAnonymously()],
    signInWithOtp: [({ auth }) => auth.signInWithOtp({ email }), object],
    verifyOtp: [({ auth }) => auth.verifyOtp({ email, token: '123456', type: 'email' })],
    signInWithIdToken: [({ auth }) => auth.signInWithIdToken({ provider: 'google', token: 't' })],
    signInWithSSO: [({ auth }) => auth.signInWithSSO({ domain: 'd' })],
    resetPasswordForEmail: [({ auth }) => auth.resetPasswordForEmail(email), object],
    resend: [({ auth }) => auth.resend({ type: 'signup', email }), object],
    reauthenticate: [({ auth }) => auth.reauthenticate(), object],
    getUser: [({ auth }) => auth.getUser()],
    updateUser: [({ auth }) => auth.updateUser({ data: {} })],
    signOut: [({ auth }) => auth.signOut(), noContent],
    getUserIdentities: [({ auth }) => auth.getUserIdentities()],
    linkIdentity: [({ auth }) => auth.linkIdentity({ provider: 'github' })],
    'admin.createUser': [({ auth }) => auth.admin.createUser({ email })],
    'admin.getUserById': [({ auth }) => auth.admin.getUserById(id)],
    'admin.updateUserById': [({ auth }) => auth.admin.updateUserById(id, {})],
    'admin.deleteUser': [({ auth }) => auth.admin.deleteUser(id), object],
    'admin.listUsers': [({ auth }) => auth.admin.listUsers()],
    'admin.inviteUserByEmail': [({ auth }) => auth.admin.inviteUserByEmail(email)],
    'admin.generateLink': [({ auth }) => auth.admin.generateLink({ type: 'magiclink', email })],
    'admin.signOut': [({ auth }) => auth.admin.signOut('t'), noContent],
  });
  itRefuses('functions', { invoke: [({ functions }) => functions.invoke('f'), foreignKinds] });
  itRefuses('channel', { httpSend: [(client) => client.channel('c').httpSend('e', {})] });
});
