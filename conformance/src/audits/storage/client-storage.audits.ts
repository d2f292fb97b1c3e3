import { assert } from '../../target/assertion.ts';
import { type Bucket, StorageError, createStorageClient } from 'supabase-protocol-clients/storage-client';
import type { Audit } from '../../audit/audit.ts';
import { clientAuditsOf, refusalOf, type ClientContext } from '../../clients/client-audit.ts';
import type { Tab } from '../../clients/tab.ts';
import { withBucket } from '../../audit/bucket.ts';

const audit = clientAuditsOf('storage-client');
const source = 'protocol/rest.md#storage';
const needs = ['service-key'] as const;

/** A new bucket and our client with the service key, because no policy permits users. */
async function withOwnBucket(
  { server, open }: ClientContext,
  task: (bucket: Bucket, tab: Tab) => Promise<void>,
): Promise<void> {
  await withBucket(server, false, async ({ name }) => {
    const tab = await open();
    const { url, platform } = tab;
    const apiKey = server.target.serviceKey ?? '';
    await task(createStorageClient({ url, platform, apiKey }).from(name), tab);
  });
}

export const clientStorageAudits: readonly Audit[] = [
  audit(
    'CLIENT-STORE-101',
    'an uploaded file is downloaded byte for byte, with its type and an hour of caching',
    { source, needs },
    (context) =>
      withOwnBucket(context, async (bucket, { wire }) => {
        const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);
        const { path } = await bucket.upload('a/portrait.png', new Blob([bytes], { type: 'image/png' }));
        assert.equal(path, 'a/portrait.png', 'the path');
        assert.equal(
          wire.requests[0]?.headers.get('cache-control'),
          'max-age=3600',
          'the header cache-control of the first request',
        );
        const got = await bucket.download(path);
        assert.equal(got.type, 'image/png', 'the type of the download');
        assert.deepEqual(Buffer.from(await got.arrayBuffer()), Buffer.from(bytes), 'the bytes');
      }),
  ),
  audit(
    'CLIENT-STORE-102',
    'a path with special characters of URLs names the same object in every call',
    { source, needs },
    (context) =>
      withOwnBucket(context, async (bucket) => {
        const path = `a b/q?x=1&y;z:@,+(1)'!$.txt`;
        await bucket.upload(path, 'Hello');
        assert.equal(await (await bucket.download(path)).text(), 'Hello', 'the text');
        assert.deepEqual(
          (await bucket.list('a b')).map(({ name }) => `a b/${name}`),
          [path],
          'the list',
        );
        assert.equal(await bucket.exists(path), true, 'the existence of the object');
        assert.equal((await bucket.remove([path])).length, 1, 'the number of removed objects');
        assert.equal(await bucket.exists(path), false, 'the existence of the object');
      }),
  ),
  audit(
    'CLIENT-STORE-103',
    'a path that the service refuses, or that a URL would resolve to another, is refused before a request is sent',
    { source, needs },
    (context) =>
      withOwnBucket(context, async (bucket, { wire }) => {
        for (const path of ['', '../a', 'a/../b', 'a//b', 'größer', 'a#b', 'a%2Fb', 'a\\b']) {
          assert.equal(
            (await refusalOf(StorageError, bucket.upload(path, ''))).code,
            'invalid-key',
            `the code of the refusal of ${path}`,
          );
        }
        assert.deepEqual(wire.requests, [], 'the sent requests');
      }),
  ),
  audit(
    'CLIENT-STORE-104',
    'refusals have typed reasons: not-found, duplicate',
    { source: 'protocol/rest.md#storage-errors', needs },
    (context) =>
      withOwnBucket(context, async (bucket) => {
        assert.equal(
          (await refusalOf(StorageError, bucket.download('none.txt'))).code,
          'not-found',
          'the code of the refusal',
        );
        await bucket.upload('one.txt', 'first');
        const again = await refusalOf(StorageError, bucket.upload('one.txt', 'second'));
        assert.deepEqual(
          [again.code, again.status],
          ['duplicate', 409],
          'the code and status of the second upload',
        );
        await bucket.upload('one.txt', 'third', { upsert: true });
        assert.equal(await (await bucket.download('one.txt')).text(), 'third', 'the text');
      }),
  ),
  audit(
    'CLIENT-STORE-105',
    'pages contain the whole folder, each object once',
    { source: 'protocol/product.md#constants', needs },
    (context) =>
      withOwnBucket(context, async (bucket, { wire }) => {
        const names = ['a', 'b', 'c', 'd', 'e'];
        for (const name of names) await bucket.upload(`folder/${name}`, name);
        const found: string[] = [];
        for await (const page of bucket.pages('folder', { limit: 2 }))
          found.push(...page.map(({ name }) => name));
        assert.deepEqual(found, names, 'the result');
        await bucket.list('folder');
        assert.match(wire.requests.at(-1)?.body ?? '', /"limit":100\b/, 'the body of the last request');
      }),
  ),
  audit(
    'CLIENT-STORE-106',
    'a signed URL can be read without a token and contains no key; without one the object is denied',
    { source, needs },
    (context) =>
      withOwnBucket(context, async (bucket, { url: project, platform, apiKey }) => {
        await bucket.upload('shared.txt', 'for all');
        const url = await bucket.createSignedUrl('shared.txt', 60);
        assert.ok(
          !url.includes(context.server.target.serviceKey ?? '-'),
          'the signed URL does not contain the service key',
        );
        assert.equal(await (await context.server.target.fetch(url, {})).text(), 'for all', 'the text');
        const stranger = createStorageClient({ url: project, platform, apiKey }).from(bucket.name);
        const { code } = await refusalOf(StorageError, stranger.download('shared.txt'));
        assert.ok(code === 'not-found' || code === 'denied', 'the code is not-found or denied', code);
      }),
  ),
  audit(
    'CLIENT-STORE-107',
    "requests carry the user's token, and calls without a permitting policy are denied",
    { source, needs },
    (context) =>
      withOwnBucket(context, async ({ name }) => {
        const { auth, url, platform, apiKey, wire } = await context.signIn();
        const { getAccessToken } = auth;
        const bucket = createStorageClient({ url, platform, apiKey, getAccessToken }).from(name);
        const { code } = await refusalOf(StorageError, bucket.upload('mine.txt', 'no'));
        assert.equal(code, 'denied', 'the code');
        const bearer = wire.requests.at(-1)?.headers.get('authorization');
        assert.equal(bearer, `Bearer ${await getAccessToken()}`, 'the bearer token');
      }),
  ),
];
