import { createStorageClient, StorageError, uploadResumable } from 'supabase-protocol-clients/storage-client';
import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import { refusalOf } from '../../clients/client-audit.ts';
import {
  assertStored,
  type ClientBucket,
  clientBucketAudits,
  codeOf,
  countOf,
  disconnect,
  signInPage,
} from './storage-client-audit.ts';

const resumable = clientBucketAudits('resumable-uploads');

const statuses = [500, 502, 503, 504, 520, 524, 429, 423, 409];
const bytes = new TextEncoder().encode('bytes of the object');
const blob = new Blob([bytes], { type: 'text/plain' });
const send = ({ connection, bucket }: ClientBucket, path: string, options = {}) =>
  uploadResumable(connection, bucket.name, path, blob, options);

/** Each status fails one request per method, in an upload that succeeds in the end. */
async function assertRepeated(
  own: ClientBucket,
  methods: readonly string[],
  wanted: readonly number[],
): Promise<void> {
  for (const status of wanted) {
    const failing = [...methods];
    own.intercept(({ method, forward }) => {
      if (method !== failing[0]) return forward();
      failing.shift();
      return new Response('refused', { status });
    });
    const path = `${status}.txt`;
    assert.equal(
      await codeOf(send(own, path)),
      'accepted',
      `the outcome after ${status} for ${methods.join(' and ')}`,
    );
    await assertStored(own, path, bytes);
  }
  const count = own.waitsMs.filter((delayMs) => delayMs > 0).length;
  assert.equal(count, wanted.length * methods.length, 'the number of waits');
}

const faults: readonly Audit[] = [
  resumable(
    'CLIENT-STORE-502',
    'a part is retried after each transient status, from the offset of the service',
    async (own) => {
      await assertRepeated(own, ['PATCH'], statuses);
      const methods = own.requests.slice(0, 4).map((request) => request.split(' ')[0]);
      assert.deepEqual(methods, ['POST', 'PATCH', 'HEAD', 'PATCH'], 'the methods of the first upload');
    },
  ),
  resumable(
    'CLIENT-STORE-503',
    'the creation is retried after each transient status but a conflict',
    async (own) => {
      await assertRepeated(
        own,
        ['POST'],
        statuses.filter((status) => status !== 409),
      );
      await own.bucket.upload('taken.txt', 'x');
      own.intercept(({ forward }) => forward());
      const before = own.requests.length;
      assert.equal(await codeOf(send(own, 'taken.txt')), 'duplicate', 'the code where an object exists');
      assert.equal(own.requests.length - before, 1, 'the number of requests of a conflict');
    },
  ),
  resumable('CLIENT-STORE-504', 'the request for the offset is retried after each transient status', (own) =>
    assertRepeated(own, ['PATCH', 'HEAD'], statuses),
  ),
  resumable('CLIENT-STORE-505', 'a part whose response is lost is not sent again', async (own) => {
    own.intercept(async ({ method, forward }) => {
      const response = await forward();
      if (method === 'PATCH') return disconnect();
      return response;
    });
    await send(own, 'a.txt');
    assert.equal(countOf(own, /^PATCH /), 1, 'the number of parts');
    await assertStored(own, 'a.txt', bytes);
  }),
  resumable('CLIENT-STORE-506', 'a permanent error is not retried', async (own) => {
    await own.storage.updateBucket(own.bucket.name, { fileSizeLimitBytes: 4 });
    const before = own.requests.length;
    assert.equal(await codeOf(send(own, 'a.txt')), 'too-large', 'the code');
    assert.equal(own.requests.length - before, 1, 'the number of requests');
  }),
  resumable(
    'CLIENT-STORE-507',
    'a page with status 200 counts as neither a part nor an offset nor a creation',
    async (own) => {
      for (const failing of ['POST', 'HEAD', 'PATCH']) {
        let isBroken = failing === 'HEAD';
        own.intercept(({ method, forward }) => {
          if (method === failing) return signInPage();
          if (method !== 'PATCH' || !isBroken) return forward();
          isBroken = false;
          return disconnect();
        });
        assert.equal(
          await codeOf(send(own, `${failing}.txt`)),
          'not-the-service',
          `the code of a page for ${failing}`,
        );
      }
    },
  ),
];

/** Aborts an upload of `a.txt` after its creation, and returns its URL. */
async function interruptUpload(own: ClientBucket): Promise<string> {
  const abort = new AbortController();
  let upload = '';
  const onStart = (url: string) => {
    upload = url;
    abort.abort();
  };
  const code = await codeOf(send(own, 'a.txt', { onStart, signal: abort.signal }));
  assert.equal(code, 'aborted', 'the code of an abort');
  return upload;
}

/** What the service sends after it could not store the object of the last part, and before it removes the upload. */
const unstored: Readonly<Record<string, () => Response>> = {
  PATCH: () => new Response('database error', { status: 500, headers: { 'Tus-Resumable': '1.0.0' } }),
  HEAD: () =>
    new Response(null, {
      headers: {
        'Tus-Resumable': '1.0.0',
        'Upload-Offset': String(bytes.length),
        'Upload-Length': String(bytes.length),
      },
    }),
};

const completions: readonly Audit[] = [
  resumable(
    'CLIENT-STORE-512',
    'an upload whose object the service could not store is not reported as stored',
    async (own) => {
      const failing = ['PATCH', 'HEAD'];
      own.intercept(({ method, forward }) => {
        const respond = method === failing[0] ? unstored[method] : undefined;
        if (!respond) return forward();
        failing.shift();
        return respond();
      });
      const code = await codeOf(send(own, 'a.txt'));
      own.intercept(({ forward }) => forward());
      assert.equal(failing.length, 0, 'the number of requests that were to fail');
      if (code === 'accepted') await assertStored(own, 'a.txt', bytes);
    },
    { since: '1.0.0' },
  ),
  resumable(
    'CLIENT-STORE-513',
    'an upload of another size or path is not continued',
    async (own) => {
      const upload = await interruptUpload(own);
      const smaller = uploadResumable(own.connection, own.bucket.name, 'a.txt', blob.slice(1), {
        resumeFrom: upload,
      });
      assert.notEqual(await codeOf(smaller), 'accepted', 'the outcome with a smaller file');
      assert.notEqual(
        await codeOf(send(own, 'b.txt', { resumeFrom: upload })),
        'accepted',
        'the outcome with another path',
      );
      assert.deepEqual(await own.bucket.list(), [], 'the objects of the bucket');
    },
    { since: '1.0.0' },
  ),
];

const locations: readonly Audit[] = [
  resumable(
    'CLIENT-STORE-508',
    'a location with another scheme, host or prefix is mapped to the project',
    async (own) => {
      for (const origin of [
        'http://storage:5000',
        'https://internal.example/storage/v1',
        '/storage/v1',
        '',
      ]) {
        own.intercept(async ({ method, forward }) => {
          const response = await forward();
          if (method !== 'POST') return response;
          const [path] = /\/upload\/resumable\/.+$/.exec(response.headers.get('location') ?? '') ?? [];
          return new Response(null, {
            status: 201,
            headers: { location: `${origin}${path}`, 'tus-resumable': '1.0.0' },
          });
        });
        const name = `${origin.replaceAll(/\W/g, '')}.txt`;
        await send(own, name);
        own.intercept(({ forward }) => forward());
        await assertStored(own, name, bytes);
      }
      const foreign = own.requests.filter(
        (request) => !request.includes(` ${own.connection.url}/storage/v1/`),
      );
      assert.deepEqual(foreign, [], 'the requests beyond the project');
    },
  ),
  resumable('CLIENT-STORE-509', 'a location that is not an upload is not followed', async (own) => {
    for (const location of ['https://elsewhere.example/steal', '/rest/v1/notifications', '']) {
      own.intercept(
        () => new Response(null, { status: 201, headers: { location, 'tus-resumable': '1.0.0' } }),
      );
      assert.equal(await codeOf(send(own, 'a.txt')), 'not-the-service', `the code for ${location}`);
    }
    assert.equal(countOf(own, /^(?:HEAD|PATCH) /), 0, 'the number of requests to the location');
  }),
];

export const clientResumableAudits: readonly Audit[] = [
  resumable(
    'CLIENT-STORE-501',
    'an upload of two parts arrives byte for byte, with its options and its progress',
    async (own) => {
      const { connection, bucket } = own;
      const large = Uint8Array.from(
        { length: 6 * 1024 * 1024 + 1_000 },
        (_, index) => (index * 31 + (index >> 13)) & 255,
      );
      const progress: number[] = [];
      await uploadResumable(connection, bucket.name, 'me@2x/large.bin', new Blob([large]), {
        contentType: 'application/x-audit',
        cacheControlSeconds: 60,
        metadata: { of: 'upload' },
        onProgress: (doneBytes) => progress.push(doneBytes),
      });
      assert.equal(countOf(own, /^PATCH /), 2, 'the number of parts');
      assert.equal(progress.at(-1), large.length, 'the last progress');
      await assertStored(own, 'me@2x/large.bin', large);
      const { content_type, cache_control, metadata } = await bucket.info('me@2x/large.bin');
      assert.deepEqual(
        [content_type, cache_control, metadata],
        ['application/x-audit', 'max-age=60', { of: 'upload' }],
        'the type, the caching and the metadata',
      );
    },
  ),
  ...faults,
  ...completions,
  ...locations,
  resumable(
    'CLIENT-STORE-510',
    'an interrupted upload continues from its URL, with requests to its project only',
    async (own) => {
      const upload = await interruptUpload(own);
      const before = own.requests.length;
      for (const foreign of [
        'https://elsewhere.example/storage/v1/upload/resumable/x',
        `${own.connection.url}/storage/v1/upload/resumable/../../bucket`,
      ]) {
        const { code } = await refusalOf(StorageError, send(own, 'a.txt', { resumeFrom: foreign }));
        assert.equal(code, 'invalid-request', `the code of ${foreign}`);
      }
      assert.equal(own.requests.length, before, 'the number of requests');
      await send(own, 'a.txt', { resumeFrom: upload });
      assert.equal(countOf(own, /^POST \S+\/upload\//), 1, 'the number of creations');
      await assertStored(own, 'a.txt', bytes);
    },
  ),
  resumable(
    'CLIENT-STORE-511',
    'the token of a link permits a resumable upload without an account',
    async (own) => {
      const { bucket, connection, context } = own;
      const { token } = await bucket.createSignedUploadUrl('a.txt');
      const stranger = { ...connection, apiKey: context.server.target.anonKey };
      await uploadResumable(stranger, bucket.name, 'a.txt', blob, { signedToken: token });
      await assertStored(own, 'a.txt', bytes);
      const denied = await codeOf(uploadResumable(stranger, bucket.name, 'b.txt', blob));
      assert.ok(
        denied === 'denied' || denied === 'not-found',
        'an upload without the token is denied',
        String(denied),
      );
      assert.equal(
        await codeOf(createStorageClient(stranger).from(bucket.name).upload('b.txt', 'x')),
        'denied',
        'the code of a plain upload',
      );
    },
  ),
];
