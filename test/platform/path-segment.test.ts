import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAdminClient } from '../../src/auth-client/admin/admin.ts';
import { createIdentities } from '../../src/auth-client/features/identities.ts';
import { createMfa } from '../../src/auth-client/features/mfa.ts';
import { createOAuthServer } from '../../src/auth-client/features/oauth-server.ts';
import { createPasskeys } from '../../src/auth-client/features/passkeys.ts';
import { createClient } from '../../src/compat/index.ts';
import { createFunctionsClient } from '../../src/functions-client/index.ts';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import { encodeSegment } from '../../src/platform/path-segment.ts';
import { sendBroadcast } from '../../src/realtime-client/broadcast/http-broadcast.ts';
import { createRealtimeClient } from '../../src/realtime-client/index.ts';
import { createRestClient } from '../../src/rest-client/index.ts';
import { uploadResumable } from '../../src/storage-client/resumable.ts';
import { createStorageClient } from '../../src/storage-client/index.ts';
import { createHarness } from '../auth-client/support/harness.ts';
import { propertyRuns } from '../support/property-runs.ts';

const refuse = (reason: string): never => {
  throw new TypeError(reason);
};
const accepts = (text: string) => {
  try {
    encodeSegment(text, refuse);
    return true;
  } catch (problem) {
    expect(problem).toBeInstanceOf(TypeError);
    return false;
  }
};

/** Texts that would change the path for a URL parser, or after a proxy has decoded them. */
const hostile = [
  '',
  '.',
  '..',
  '/',
  '\\',
  '%2e',
  '%2E%2e',
  '.%2e',
  '%252e%252e',
  '.\t.',
  '\n..',
  '%09..',
  '..\r',
  '../users',
  'a/..',
  'a/../b',
  '..\\users',
  'a%2f..',
  'a%5C.%5Cb',
  '\ud800',
];

describe('encodeSegment', () => {
  it.each(hostile)('refuses %j', (text) => {
    expect(accepts(text)).toBe(false);
  });

  it.each(['...', '.well-known', 'a.b', '..a', '100%', 'a b', 'a/b', 'ü', '%zz', '💡', 'custom:x'])(
    'encodes %j as one segment, which decodes to the text',
    (text) => {
      const { pathname } = new URL(`http://a/x/${encodeSegment(text, refuse)}/y`);
      expect(pathname.split('/').map(decodeURIComponent)).toEqual(['', 'x', text, 'y']);
    },
  );

  it('refuses every text that a URL parser resolves to another path, however often a proxy has decoded it', () => {
    const part = fc.constantFrom(
      '.',
      '..',
      '/',
      '\\',
      '%',
      '2e',
      '2F',
      '5c',
      '25',
      '09',
      '\t',
      '\n',
      'a',
      '%2e',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const text = parts.join('');
        if (!accepts(text)) return;
        let path = `/x/${encodeSegment(text, refuse)}/y`;
        for (let round = 0; round < 4; round += 1) {
          expect(new URL(`http://a${path}`).pathname).toMatch(/^\/x\/.+\/y$/s);
          path = path.replaceAll(/%([\da-f]{2})/gi, (_match, hex: string) =>
            String.fromCharCode(Number.parseInt(hex, 16)),
          );
        }
      }),
      { numRuns: propertyRuns(600, 3000) },
    );
  });
});

const url = 'https://project.test';

/** Every way in which a text of the caller becomes a part of a path. */
function callsWith(text: string, platform: ReturnType<typeof createRecorder>['platform']) {
  const options = { url, apiKey: 'sb_secret_x', platform };
  const admin = createAdminClient({ url, secretKey: 'sb_secret_x', platform });
  const storage = createStorageClient(options);
  const bucket = storage.from(text);
  const compat = createClient(url, 'sb_secret_x', { global: { fetch: platform.fetch } });
  const id = 'a0000000-0000-4000-8000-000000000001';
  const message = { event: 'e', payload: {} };
  const rest = createRestClient(options);
  const calls: Readonly<Record<string, () => unknown>> = {
    'admin.getUser': () => admin.getUser({ userId: text }),
    'admin.updateUser': () => admin.updateUser({ userId: text, password: 'x' }),
    'admin.deleteUser': () => admin.deleteUser({ userId: text }),
    'admin.listFactors': () => admin.listFactors({ userId: text }),
    'admin.deleteFactor': () => admin.deleteFactor({ userId: id, factorId: text }),
    'admin.listPasskeys': () => admin.listPasskeys({ userId: text }),
    'admin.deletePasskey': () => admin.deletePasskey({ userId: id, passkeyId: text }),
    'admin.getOAuthClient': () => admin.getOAuthClient({ clientId: text }),
    'admin.updateOAuthClient': () => admin.updateOAuthClient({ clientId: text }),
    'admin.deleteOAuthClient': () => admin.deleteOAuthClient({ clientId: text }),
    'admin.regenerateOAuthClientSecret': () => admin.regenerateOAuthClientSecret({ clientId: text }),
    'admin.getProvider': () => admin.getProvider({ identifier: text }),
    'admin.updateProvider': () => admin.updateProvider({ identifier: text }),
    'admin.deleteProvider': () => admin.deleteProvider({ identifier: text }),
    'rest.from': () => rest.from(text).select().execute(),
    'rest.rpc': () => rest.rpc(text, {}).execute(),
    'functions.invoke': () => createFunctionsClient(options).invoke(text),
    'functions.invoke, a path': () => createFunctionsClient(options).invoke(`f/${text}/x`),
    'realtime, the topic': () =>
      sendBroadcast(createRealtimeClient(options), { ...message, topic: text, private: true }),
    'realtime, the event': () =>
      sendBroadcast(createRealtimeClient(options), { ...message, topic: 't', event: text, private: true }),
    'storage.getBucket': () => storage.getBucket(text),
    'storage.updateBucket': () => storage.updateBucket(text, {}),
    'storage.emptyBucket': () => storage.emptyBucket(text),
    'storage.deleteBucket': () => storage.deleteBucket(text),
    'storage.getBucketLifecycle': () => storage.getBucketLifecycle(text),
    'storage.updateBucketLifecycle': () => storage.updateBucketLifecycle(text, []),
    'storage.deleteBucketLifecycle': () => storage.deleteBucketLifecycle(text),
    'storage.purgeBucketCache': () => storage.purgeBucketCache(text),
    'bucket.upload': () => bucket.upload('a', 'x'),
    'bucket.replace': () => bucket.replace('bucket/x', '{"public":true}'),
    'bucket.download': () => bucket.download('a'),
    'bucket.downloadStream': () => bucket.downloadStream('a'),
    'bucket.list': () => bucket.list(),
    'bucket.listV2': () => bucket.listV2(),
    'bucket.info': () => bucket.info('a'),
    'bucket.exists': () => bucket.exists('a'),
    'bucket.remove': () => bucket.remove(['a']),
    'bucket.createSignedUrl': () => bucket.createSignedUrl('a', 1),
    'bucket.createSignedUrls': () => bucket.createSignedUrls(['a'], 1),
    'bucket.createSignedUploadUrl': () => bucket.createSignedUploadUrl('a'),
    'bucket.uploadToSignedUrl': () => bucket.uploadToSignedUrl('a', 't', 'x'),
    'bucket.getPublicUrl': () => bucket.getPublicUrl('a'),
    'bucket.purgeCache': () => bucket.purgeCache('a'),
    'object.upload': () => storage.from('b').upload(`f/${text}/x`, 'x'),
    'object.replace': () => storage.from('b').replace(`f/${text}/x`, 'x'),
    'object.download': () => storage.from('b').download(`f/${text}/x`),
    'object.move': () => storage.from('b').move('a', `f/${text}/x`),
    'object.getPublicUrl': () => storage.from('b').getPublicUrl(`f/${text}/x`),
    uploadResumable: () => uploadResumable(options, 'b', `f/${text}/x`, new Blob(['x'])),
    'compat, a table': () => compat.from(text).select().throwOnError(),
    'compat, a function': () => compat.rpc(text).throwOnError(),
    'compat, a bucket': () => compat.storage.from(text).throwOnError().update('bucket/x', 'x'),
    'compat, a deletion of a bucket': () => compat.storage.throwOnError().deleteBucket(text),
    'compat, an edge function': async () => {
      const { error } = await compat.functions.invoke(text);
      throw error;
    },
    'compat, a user': async () => {
      const { error } = await compat.auth.admin.deleteUser(text);
      throw error;
    },
    'compat, a factor': async () => {
      const { error } = await compat.auth.admin.mfa.deleteFactor({ userId: id, id: text });
      throw error;
    },
  };
  return calls;
}

function createRecorder() {
  const sent: string[] = [];
  const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    sent.push(`${request.method} ${new URL(request.url).pathname}`);
    return Response.json({});
  };
  return { platform: createPlatform({ fetch }), sent };
}

describe('a name that would address another resource', () => {
  it.each(Object.keys(callsWith('x', createRecorder().platform)))(
    'is refused before %s sends',
    async (name) => {
      for (const text of ['', '.', '..', '%2e%2E', '.\t.', '../users', '\ud800']) {
        const { platform, sent } = createRecorder();
        const outcome = (async () => callsWith(text, platform)[name]?.())();
        await expect(outcome).rejects.toBeInstanceOf(Error);
        expect(sent).toEqual([]);
      }
    },
  );

  it.each([...hostile, 'f1', 'me'])(
    '%j is refused as an id of the signed-in user’s resources',
    async (text) => {
      const { signedIn, server } = createHarness();
      const { client } = await signedIn();
      const before = server.lines.length;
      const oauth = createOAuthServer(client);
      const calls = [
        createMfa(client).challenge({ factorId: text }),
        createMfa(client).verify({ factorId: text, challengeId: 'c', code: '1' }),
        createMfa(client).unenroll({ factorId: text }),
        createIdentities(client).unlinkIdentity({ identity_id: text }),
        createPasskeys(client).renamePasskey({ passkeyId: text, friendlyName: 'x' }),
        createPasskeys(client).removePasskey({ passkeyId: text }),
        oauth.revokeGrant({ clientId: text }),
      ];
      if (hostile.includes(text)) calls.push(oauth.approveAuthorization({ authorizationId: text }) as never);
      for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'invalid-argument' });
      expect(server.lines).toHaveLength(before);
    },
  );
});
