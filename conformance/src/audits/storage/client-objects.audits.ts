import { StorageError } from 'supabase-protocol-clients/storage-client';
import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import { refusalOf } from '../../clients/client-audit.ts';
import { withBucket } from '../../audit/bucket.ts';
import { assertStored, clientBucketAudits, codeOf, countOf } from './storage-client-audit.ts';

const upload = clientBucketAudits('uploads');
const read = clientBucketAudits('reads');
const list = clientBucketAudits('lists');
const transfer = clientBucketAudits('removal-and-transfers');

const uploads: readonly Audit[] = [
  upload(
    'CLIENT-STORE-301',
    'the type, the caching and the metadata of an upload are those of its object',
    async ({ bucket }) => {
      await bucket.upload('a.bin', 'x', {
        contentType: 'application/x-audit',
        cacheControlSeconds: '31536000, immutable',
        metadata: { title: 'Ä' },
      });
      const { size, content_type, cache_control, metadata } = await bucket.info('a.bin');
      assert.deepEqual(
        [size, content_type, cache_control, metadata],
        [1, 'application/x-audit', 'max-age=31536000, immutable', { title: 'Ä' }],
        'the size, the type, the caching and the metadata',
      );
    },
  ),
  upload(
    'CLIENT-STORE-302',
    'a form with a file is stored with its type and its caching',
    async ({ bucket }) => {
      const form = new FormData();
      form.append('', new Blob(['a,b'], { type: 'text/csv' }), 'local name.csv');
      await bucket.upload('form.csv', form, { cacheControlSeconds: 60, metadata: { of: 'form' } });
      const { content_type, cache_control, metadata } = await bucket.info('form.csv');
      assert.deepEqual(
        [content_type, cache_control, metadata],
        ['text/csv', 'max-age=60', { of: 'form' }],
        'the type, the caching and the metadata',
      );
      assert.equal(await (await bucket.download('form.csv')).text(), 'a,b', 'the text');
    },
  ),
  upload(
    'CLIENT-STORE-303',
    'only an upload with upsert, and replace, replace an object',
    async ({ bucket }) => {
      await bucket.upload('a.txt', 'first');
      assert.equal(
        await codeOf(bucket.upload('a.txt', 'second')),
        'duplicate',
        'the code of a second upload',
      );
      await bucket.upload('a.txt', 'third', { upsert: true });
      assert.equal(await (await bucket.download('a.txt')).text(), 'third', 'the text after upsert');
      await bucket.replace('a.txt', 'fourth');
      assert.equal(await (await bucket.download('a.txt')).text(), 'fourth', 'the text after replace');
    },
  ),
  upload(
    'CLIENT-STORE-304',
    'a file that its bucket does not allow is refused as too-large or invalid-type',
    async ({ bucket, storage }) => {
      await storage.updateBucket(bucket.name, { fileSizeLimitBytes: 4, allowedMimeTypes: ['image/*'] });
      const typed = (text: string, contentType: string) => bucket.upload('a', text, { contentType });
      assert.equal(await codeOf(typed('12345', 'image/png')), 'too-large', 'the code of five bytes');
      assert.equal(await codeOf(typed('1', 'text/plain')), 'invalid-type', 'the code of another type');
      assert.equal(
        await codeOf(typed('1234', 'image/png')),
        'accepted',
        'the end of four bytes of the right type',
      );
    },
  ),
];

const reads: readonly Audit[] = [
  read(
    'CLIENT-STORE-311',
    'an object is read as a stream, and its progress ends with its size',
    async (own) => {
      const bytes = Uint8Array.from({ length: 200_000 }, (_, index) => (index * 7) % 251);
      await own.bucket.upload('a.bin', bytes, { contentType: 'application/octet-stream' });
      const chunks: Uint8Array[] = [];
      for await (const chunk of await own.bucket.downloadStream('a.bin')) chunks.push(chunk);
      assert.ok(Buffer.concat(chunks).equals(Buffer.from(bytes)), 'the stream has the bytes that were sent');
      const progress: number[] = [];
      await own.bucket.download('a.bin', { onProgress: (doneBytes) => progress.push(doneBytes) });
      assert.equal(progress.at(-1), bytes.length, 'the last progress');
    },
  ),
  read('CLIENT-STORE-312', 'an empty object can be stored and read', async (own) => {
    await own.bucket.upload('empty.txt', '', { contentType: 'text/plain' });
    await assertStored(own, 'empty.txt', new Uint8Array());
    assert.equal((await own.bucket.info('empty.txt')).size, 0, 'the size');
    assert.equal(await own.bucket.exists('empty.txt'), true, 'the existence');
  }),
  read(
    'CLIENT-STORE-313',
    'a missing object is not-found, with the status and the code of the service',
    async ({ bucket, storage }) => {
      const { code, status, serverCode } = await refusalOf(StorageError, bucket.info('missing.txt'));
      assert.deepEqual(
        [code, status, serverCode],
        ['not-found', 404, 'NoSuchKey'],
        'the code, the status and the code of the service',
      );
      assert.equal(
        await codeOf(storage.getBucket(`${bucket.name}-none`)),
        'not-found',
        'the code of a missing bucket',
      );
    },
  ),
];

const lists: readonly Audit[] = [
  list('CLIENT-STORE-321', 'a list has the requested offset, limit and order', async ({ bucket }) => {
    for (const name of ['Beta', 'alpha', 'beam', 'other']) await bucket.upload(`f/${name}`, name);
    const found = await bucket.list('f', { search: 'be', sortBy: { column: 'name', order: 'desc' } });
    assert.deepEqual(
      found.map(({ name }) => name),
      ['Beta', 'beam'],
      'the names that begin with be',
    );
    const second = await bucket.list('f', { limit: 2, offset: 1 });
    assert.deepEqual(
      second.map(({ name }) => name),
      ['beam', 'Beta'],
      'the second and third name',
    );
  }),
  list(
    'CLIENT-STORE-322',
    'pages by cursor have each object once, and folders on request',
    async ({ bucket }) => {
      const names = ['a/1', 'a/2', 'b', 'c', 'd'];
      for (const name of names) await bucket.upload(name, name);
      const found: string[] = [];
      for (let cursor: string | undefined, page = 0; page < 5; page += 1) {
        const { objects, nextCursor, hasNext } = await bucket.listV2({ limit: 2, ...(cursor && { cursor }) });
        found.push(...objects.map(({ name }) => name));
        if (!hasNext) break;
        cursor = nextCursor;
      }
      assert.deepEqual(found, names, 'the names of all pages');
      const { folders, objects } = await bucket.listV2({ withDelimiter: true });
      assert.deepEqual(
        [folders.map(({ name }) => name), objects.map(({ name }) => name)],
        [['a/'], ['b', 'c', 'd']],
        'the folders and the objects',
      );
    },
  ),
  clientBucketAudits('buckets')(
    'CLIENT-STORE-323',
    'a bucket is created, found, changed, emptied and deleted',
    async ({ bucket, storage }) => {
      const id = `${bucket.name}-own`;
      await storage.createBucket(id, { public: true, allowedMimeTypes: ['text/*'], fileSizeLimitBytes: 100 });
      assert.equal(
        await codeOf(storage.createBucket(id)),
        'duplicate',
        'the code of a second bucket of the name',
      );
      assert.deepEqual(
        (await storage.listBuckets({ search: id })).map(({ name }) => name),
        [id],
        'the found buckets',
      );
      await storage.updateBucket(id, { public: false, fileSizeLimitBytes: null });
      const { public: isPublic, file_size_limit, allowed_mime_types } = await storage.getBucket(id);
      assert.deepEqual(
        [isPublic, file_size_limit ?? null, allowed_mime_types],
        [false, null, ['text/*']],
        'whether it is public, its limit and its types',
      );
      await storage.from(id).upload('a.txt', 'x', { contentType: 'text/plain' });
      assert.equal(await codeOf(storage.deleteBucket(id)), 'duplicate', 'the code of a bucket with objects');
      await storage.emptyBucket(id);
      await storage.deleteBucket(id);
      assert.equal(await codeOf(storage.getBucket(id)), 'not-found', 'the code afterwards');
    },
  ),
];

const transfers: readonly Audit[] = [
  transfer(
    'CLIENT-STORE-331',
    'more than a thousand paths are removed in parts, and a path without an object is ignored',
    async (own) => {
      await own.bucket.upload('n1000', 'x');
      await own.bucket.upload('a&b.txt', 'x');
      const names = Array.from({ length: 1_001 }, (_, index) => `n${index}`);
      const removed = await own.bucket.remove(['#', ...names, 'a&b.txt']);
      assert.equal(countOf(own, /^DELETE /), 2, 'the number of requests');
      assert.deepEqual(removed.map(({ name }) => name).sort(), ['a&b.txt', 'n1000'], 'the removed objects');
    },
  ),
  transfer(
    'CLIENT-STORE-332',
    'an object is copied within its bucket and to another one',
    ({ bucket, storage, context }) =>
      withBucket(context.server, false, async ({ name: other }) => {
        await bucket.upload('a.txt', 'x', { contentType: 'text/plain', metadata: { of: 'a' } });
        await bucket.copy('a.txt', 'b@2x.txt');
        await bucket.copy('a.txt', 'c.txt', {
          destinationBucket: other,
          replaceMetadata: { contentType: 'text/csv' },
        });
        const { content_type, metadata } = await bucket.info('b@2x.txt');
        assert.deepEqual(
          [content_type, metadata],
          ['text/plain', { of: 'a' }],
          'the type and the metadata of the copy',
        );
        assert.equal(
          (await storage.from(other).info('c.txt')).content_type,
          'text/csv',
          'the type of the copy with another one',
        );
        assert.equal(await bucket.exists('a.txt'), true, 'the existence of the source');
        assert.equal(
          await codeOf(bucket.copy('a.txt', 'b@2x.txt')),
          'duplicate',
          'the code of a copy onto an object',
        );
      }),
  ),
  transfer(
    'CLIENT-STORE-333',
    'an object is moved within its bucket and to another one',
    ({ bucket, storage, context }) =>
      withBucket(context.server, false, async ({ name: other }) => {
        await bucket.upload('a.txt', 'x');
        await bucket.move('a.txt', 'b c.txt');
        await bucket.move('b c.txt', 'd.txt', { destinationBucket: other });
        assert.deepEqual(await bucket.list(), [], 'the objects that are left');
        assert.equal(await (await storage.from(other).download('d.txt')).text(), 'x', 'the text');
        assert.equal(
          await codeOf(bucket.move('a.txt', 'e.txt')),
          'not-found',
          'the code of a missing source',
        );
      }),
  ),
];

export const clientObjectAudits: readonly Audit[] = [...uploads, ...reads, ...lists, ...transfers];
