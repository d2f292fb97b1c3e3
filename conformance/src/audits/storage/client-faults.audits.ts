import { createStorageClient, StorageError, uploadResumable } from 'supabase-protocol-clients/storage-client';
import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import { refusalOf } from '../../clients/client-audit.ts';
import { textAt } from '../../target/wire.ts';
import { clientBucketAudits, codeOf, countOf, signInPage } from './storage-client-audit.ts';

const fault = clientBucketAudits('clients');

/** A token of another user that must never be sent. */
const strangersToken = `e30.${Buffer.from('{"sub":"another user"}').toString('base64url')}.x`;

/** Responses that a healthy service does not send. */
export const clientFaultAudits: readonly Audit[] = [
  fault(
    'CLIENT-STORE-401',
    'no call succeeds with a page of status 200',
    async ({ bucket, storage, connection, intercept }) => {
      intercept(signInPage);
      const calls = {
        upload: bucket.upload('a', 'x'),
        replace: bucket.replace('a', 'x'),
        download: bucket.download('a'),
        list: bucket.list(),
        listV2: bucket.listV2(),
        info: bucket.info('a'),
        exists: bucket.exists('a'),
        remove: bucket.remove(['a']),
        move: bucket.move('a', 'b'),
        copy: bucket.copy('a', 'b'),
        createSignedUrl: bucket.createSignedUrl('a', 60),
        createSignedUrls: bucket.createSignedUrls(['a'], 60),
        createSignedUploadUrl: bucket.createSignedUploadUrl('a'),
        uploadToSignedUrl: bucket.uploadToSignedUrl('a', 't', 'x'),
        uploadResumable: uploadResumable(connection, bucket.name, 'a', new Blob(['x'])),
        listBuckets: storage.listBuckets(),
        createBucket: storage.createBucket('a'),
        deleteBucket: storage.deleteBucket('a'),
      };
      // Await all rejections together, because an unhandled one would end the process.
      const codes = await Promise.all(
        Object.entries(calls).map(async ([name, call]) => ({ name, code: await codeOf(call) })),
      );
      for (const { name, code } of codes) assert.equal(code, 'not-the-service', `the code of ${name}`);
    },
  ),
  fault(
    'CLIENT-STORE-402',
    'a read is retried after a transient status, with backoff, and a write is not',
    async (own) => {
      const { bucket, intercept, waitsMs } = own;
      await bucket.upload('a.txt', 'x');
      let failures = 2;
      intercept(({ forward }) => ((failures -= 1) >= 0 ? new Response(null, { status: 503 }) : forward()));
      assert.equal(await (await bucket.download('a.txt')).text(), 'x', 'the text');
      assert.equal(waitsMs.filter((delayMs) => delayMs > 0).length, 2, 'the number of waits');
      failures = 1;
      assert.equal(await codeOf(bucket.upload('b.txt', 'x')), 'server', 'the code of a write');
      assert.equal(countOf(own, /^POST \S+\/b\.txt$/), 1, 'the number of writes');
    },
  ),
  fault(
    'CLIENT-STORE-403',
    'an expired token is refreshed once, and the call is retried',
    async ({ bucket, connection, intercept, context }) => {
      const { accessToken, email, password } = await context.server.newUser();
      const renewed = textAt(await context.server.signIn(email, password), 'access_token');
      const rejected: unknown[] = [];
      const client = createStorageClient({
        ...connection,
        getAccessToken: (options) => {
          const isRejected = options?.rejectedToken === accessToken;
          rejected.push(isRejected);
          return Promise.resolve(isRejected ? renewed : accessToken);
        },
      });
      let isFirst = true;
      intercept(({ forward }) => {
        if (!isFirst) return forward();
        isFirst = false;
        const refusal = {
          statusCode: '403',
          error: 'Unauthorized',
          message: '"exp" claim timestamp check failed',
        };
        return Response.json(refusal, { status: 400 });
      });
      assert.deepEqual(await client.from(bucket.name).list(), [], 'the list');
      assert.deepEqual(rejected, [false, true], 'each call for a token names the rejected one');
    },
  ),
  fault('CLIENT-STORE-404', 'the second part of a call is not sent as another user', async (own) => {
    const tokens = [(await own.context.server.newUser()).accessToken];
    const getAccessToken = () => Promise.resolve(tokens.shift() ?? strangersToken);
    const client = createStorageClient({ ...own.connection, getAccessToken }).from(own.bucket.name);
    const names = Array.from({ length: 1_001 }, (_, index) => `n${index}`);
    assert.equal(await codeOf(client.remove(names)), 'user-changed', 'the code');
    assert.equal(countOf(own, /^DELETE /), 1, 'the number of requests');
  }),
  fault('CLIENT-STORE-405', 'a redirect is not followed', async ({ bucket, intercept }) => {
    intercept(() => new Response(null, { status: 302, headers: { location: 'https://elsewhere.example/' } }));
    assert.equal(await codeOf(bucket.download('a.txt')), 'redirected', 'the code');
  }),
  fault(
    'CLIENT-STORE-406',
    'the error of a rate limit contains when the next request may succeed',
    async ({ bucket, intercept }) => {
      intercept(() => new Response('slow down', { status: 429, headers: { 'retry-after': '7' } }));
      const { code, retryAfterSeconds } = await refusalOf(StorageError, bucket.upload('a.txt', 'x'));
      assert.deepEqual([code, retryAfterSeconds], ['rate-limited', 7], 'the code and the seconds');
    },
  ),
  fault(
    'CLIENT-STORE-407',
    'a bucket or path that a URL would resolve away is refused before a request is sent',
    async ({ storage, requests }) => {
      const codes = await Promise.all(
        [
          storage.getBucket('..'),
          storage.deleteBucket('.'),
          storage.from('..').download('bucket/a'),
          storage.from('b').move('a/../b', 'c'),
          storage.from('b').copy('a', '../c'),
          storage.from('b').createSignedUploadUrl('a/./b'),
          storage.from('..').createSignedUrl('a', 60),
        ].map(codeOf),
      );
      assert.deepEqual([...new Set(codes)], ['invalid-key'], 'the codes');
      assert.deepEqual(requests, [], 'the sent requests');
    },
  ),
];
