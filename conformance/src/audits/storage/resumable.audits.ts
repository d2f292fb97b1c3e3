import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import { assertStatus, assertStatusIn, at, createWire, textAt } from '../../target/wire.ts';
import type { ServerBucket } from '../../audit/bucket.ts';
import { bucketAudits, maxBytesOf, textOf } from './storage-audit.ts';

const resumable = bucketAudits('resumable-uploads');

const VERSION = { 'Tus-Resumable': '1.0.0' };
const PART = 'application/offset+octet-stream';
const encode = (pairs: Readonly<Record<string, string>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join();

const create = (
  { name, service }: ServerBucket,
  path: string,
  length: number,
  headers: Readonly<Record<string, string>> = {},
) =>
  service.send('POST', '/upload/resumable', {
    headers: {
      ...VERSION,
      'Upload-Length': String(length),
      'Upload-Metadata': encode({ bucketName: name, objectName: path, contentType: 'text/plain' }),
      ...headers,
    },
  });

/** The path of an upload, relative to the target: a service behind a gateway may return another host. */
function locationOf(location: string | null): string {
  const [, path = ''] = /(\/upload\/resumable\/.*)$/.exec(location ?? '') ?? [];
  assert.ok(path !== '', 'the upload has a location');
  return path;
}

async function begin(bucket: ServerBucket, path: string, length: number): Promise<string> {
  const created = await create(bucket, path, length);
  assertStatus(created, 201);
  return locationOf(created.headers.get('location'));
}

const append = (
  { service }: ServerBucket,
  upload: string,
  offset: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
) =>
  service.send('PATCH', upload, {
    body,
    headers: { ...VERSION, 'Upload-Offset': String(offset), 'Content-Type': PART, ...headers },
  });
const offsetOf = async ({ service }: ServerBucket, upload: string) =>
  (await service.send('HEAD', upload, { headers: VERSION })).headers.get('upload-offset');

export const storageResumableAudits: readonly Audit[] = [
  resumable('STORE-701', 'an upload in two parts becomes the object', async (bucket) => {
    const upload = await begin(bucket, 'a b.txt', 6);
    const first = await append(bucket, upload, 0, 'abc');
    assert.deepEqual([first.status, first.headers.get('upload-offset')], [204, '3'], 'the first part');
    const last = await append(bucket, upload, 3, 'def');
    assert.deepEqual([last.status, last.headers.get('upload-offset')], [204, '6'], 'the last part');
    const got = await bucket.service.send('GET', `/object/${bucket.name}/a%20b.txt`);
    assert.equal(got.text, 'abcdef', 'the text');
  }),
  resumable('STORE-702', 'HEAD returns the offset', async (bucket) => {
    const upload = await begin(bucket, 'a.txt', 6);
    assert.equal(await offsetOf(bucket, upload), '0', 'the offset before');
    await append(bucket, upload, 0, 'abc');
    const head = await bucket.service.send('HEAD', upload, { headers: VERSION });
    assert.deepEqual(
      [
        head.headers.get('upload-offset'),
        head.headers.get('upload-length'),
        head.headers.get('cache-control'),
      ],
      ['3', '6', 'no-store'],
      'the headers',
    );
  }),
  resumable('STORE-703', 'a part at another offset is 409 and changes nothing', async (bucket) => {
    const upload = await begin(bucket, 'a.txt', 6);
    assertStatus(await append(bucket, upload, 3, 'abc'), 409);
    assert.equal(await offsetOf(bucket, upload), '0', 'the offset');
  }),
  resumable('STORE-704', 'bytes beyond the length are 413', async (bucket) => {
    const upload = await begin(bucket, 'a.txt', 3);
    assertStatus(await append(bucket, upload, 0, 'abcd'), 413);
  }),
  resumable('STORE-705', 'a request without the version is 412', async (bucket) => {
    const upload = await begin(bucket, 'a.txt', 3);
    assertStatus(await bucket.service.send('HEAD', upload), 412);
  }),
  resumable('STORE-706', 'an invalid name or a missing bucket is refused at the creation', async (bucket) => {
    assertStatus(await create(bucket, 'a#b', 3), 400);
    assertStatus(await create({ ...bucket, name: `${bucket.name}-none` }, 'a.txt', 3), 404);
  }),
  resumable('STORE-707', 'a length over the limit of the bucket is 413', async (bucket) => {
    await bucket.service.send('PUT', `/bucket/${bucket.name}`, { body: { file_size_limit: 3 } });
    assertStatus(await create(bucket, 'a.txt', 4), 413);
  }),
  resumable('STORE-708', 'an existing object is replaced only with x-upsert', async (bucket) => {
    await bucket.upload('a.txt', 'old');
    assertStatus(await create(bucket, 'a.txt', 3), 409);
    assertStatus(await create(bucket, 'a.txt', 3, { 'x-upsert': 'true' }), 201);
  }),
  resumable('STORE-709', 'an upload that its client terminated is 404', async (bucket) => {
    const upload = await begin(bucket, 'a.txt', 3);
    assertStatus(await bucket.service.send('DELETE', upload, { headers: VERSION }), 204);
    assertStatus(await append(bucket, upload, 0, 'abc'), 404);
    assertStatus(await bucket.service.send('HEAD', upload, { headers: VERSION }), 404);
  }),
  resumable('STORE-710', 'errors are plain text, with the real status', async (bucket) => {
    const refused = await create(bucket, 'a.txt', 3, { 'Upload-Length': 'x' });
    assert.deepEqual([refused.status, refused.text.trim()], [400, 'Invalid upload-length'], 'the refusal');
    assert.equal(refused.headers.get('tus-resumable'), '1.0.0', 'the header tus-resumable');
  }),
  resumable(
    'STORE-711',
    'the creation takes the first part, and completes an upload without bytes',
    async (bucket) => {
      const metadata = encode({ bucketName: bucket.name, objectName: 'a.txt' });
      const created = await bucket.service.send('POST', '/upload/resumable', {
        body: 'abc',
        headers: { ...VERSION, 'Upload-Length': '6', 'Upload-Metadata': metadata, 'Content-Type': PART },
      });
      assert.deepEqual([created.status, created.headers.get('upload-offset')], [201, '3'], 'the creation');
      await append(bucket, locationOf(created.headers.get('location')), 3, 'def');
      assert.equal(await textOf(bucket, 'a.txt'), 'abcdef', 'the text');
      assertStatus(await create(bucket, 'empty.txt', 0), 201);
      assertStatus(await bucket.service.send('HEAD', `/object/${bucket.name}/empty.txt`), 200);
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-712',
    'a part may declare the length that the creation deferred',
    async (bucket) => {
      const created = await bucket.service.send('POST', '/upload/resumable', {
        headers: {
          ...VERSION,
          'Upload-Defer-Length': '1',
          'Upload-Metadata': encode({ bucketName: bucket.name, objectName: 'a.txt' }),
        },
      });
      assertStatus(created, 201);
      const upload = locationOf(created.headers.get('location'));
      assertStatus(await append(bucket, upload, 0, 'abc'), 204);
      const head = await bucket.service.send('HEAD', upload, { headers: VERSION });
      assert.deepEqual(
        ['upload-offset', 'upload-length', 'upload-defer-length'].map((name) => head.headers.get(name)),
        ['3', null, '1'],
        'the headers before the length is declared',
      );
      assertStatus(await append(bucket, upload, 3, 'de', { 'Upload-Length': '5' }), 204);
      assert.equal(await textOf(bucket, 'a.txt'), 'abcde', 'the text');
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-713',
    'the object has the type, the cache control and the metadata of its upload',
    async (bucket) => {
      const pairs = { contentType: 'text/css', cacheControl: '9', metadata: '{"k":1}' };
      const metadata = encode({ bucketName: bucket.name, objectName: 'a.css', ...pairs });
      const created = await create(bucket, '', 1, { 'Upload-Metadata': metadata });
      await append(bucket, locationOf(created.headers.get('location')), 0, 'a');
      const info = await bucket.service.send('GET', `/object/info/${bucket.name}/a.css`);
      assert.deepEqual(
        ['content_type', 'cache_control', 'metadata', 'size'].map((member) => at(info.json, member)),
        ['text/css', 'max-age=9', { k: 1 }, 1],
        'the description',
      );
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-714',
    'a part of another type, or without its offset, changes nothing',
    async (bucket) => {
      const upload = await begin(bucket, 'a.txt', 6);
      const typed = await append(bucket, upload, 0, 'abc', { 'Content-Type': 'text/plain' });
      assertStatusIn(typed, [400, 403, 415]);
      const headers = { ...VERSION, 'Content-Type': PART };
      assertStatusIn(await bucket.service.send('PATCH', upload, { body: 'abc', headers }), [400, 403]);
      assert.equal(await offsetOf(bucket, upload), '0', 'the offset');
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-715',
    'Tus-Complete marks the response to the last part alone',
    async (bucket) => {
      const upload = await begin(bucket, 'a.txt', 6);
      const replies = [await append(bucket, upload, 0, 'abc'), await append(bucket, upload, 3, 'def')];
      assert.deepEqual(
        replies.map(({ headers }) => headers.get('tus-complete')),
        [null, '1'],
        'the headers tus-complete',
      );
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-716',
    'OPTIONS names the version and the extensions',
    async ({ service }) => {
      const { headers } = await service.send('OPTIONS', '/upload/resumable', { headers: VERSION });
      assert.equal(headers.get('tus-version'), '1.0.0', 'the header tus-version');
      const extensions = headers.get('tus-extension')?.split(',') ?? [];
      for (const name of ['creation', 'creation-with-upload', 'creation-defer-length', 'termination'])
        assert.ok(extensions.includes(name), `the extension ${name} is named`, extensions.join());
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-717',
    'below /sign, the token of an upload link stores its object, and no other',
    async (bucket, context) => {
      const signed = await bucket.service.send('POST', `/object/upload/sign/${bucket.name}/a.txt`);
      const service = createWire(bucket.service.baseUrl, context.target.anonKey, context.target.fetch);
      const signature = { 'x-signature': textAt(signed, 'token') };
      const start = (objectName: string, headers: Readonly<Record<string, string>>) =>
        service.send('POST', '/upload/resumable/sign', {
          headers: {
            ...VERSION,
            'Upload-Length': '3',
            'Upload-Metadata': encode({ bucketName: bucket.name, objectName }),
            ...headers,
          },
        });
      assertStatus(await start('a.txt', {}), 400);
      assertStatus(await start('b.txt', signature), 400);
      const created = await start('a.txt', signature);
      assertStatus(created, 201);
      const upload = locationOf(created.headers.get('location'));
      assertStatus(await append({ ...bucket, service }, upload, 0, 'abc', signature), 204);
      assert.equal(await textOf(bucket, 'a.txt'), 'abc', 'the text');
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-718',
    'each part of a replacement needs x-upsert, and the last one replaces the object',
    async (bucket) => {
      const upsert = { 'x-upsert': 'true' };
      await bucket.upload('a.txt', 'old');
      const created = await create(bucket, 'a.txt', 3, upsert);
      const upload = locationOf(created.headers.get('location'));
      assertStatus(await append(bucket, upload, 0, 'new'), 409);
      assert.equal(await textOf(bucket, 'a.txt'), 'old', 'the text before the part');
      assertStatus(await append(bucket, upload, 0, 'new', upsert), 204);
      assert.equal(await textOf(bucket, 'a.txt'), 'new', 'the text after the part');
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-719',
    'a complete upload is not terminated',
    async (bucket) => {
      const upsert = { 'x-upsert': 'true' };
      const upload = await begin(bucket, 'a.txt', 3);
      await append(bucket, upload, 0, 'abc');
      assertStatus(await bucket.service.send('DELETE', upload, { headers: { ...VERSION, ...upsert } }), 400);
      assert.equal(await textOf(bucket, 'a.txt'), 'abc', 'the text');
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-720',
    'a media type that the bucket does not allow is refused at the creation',
    async (bucket) => {
      const body = { allowed_mime_types: ['image/*'] };
      await bucket.service.send('PUT', `/bucket/${bucket.name}`, { body });
      assertStatus(await create(bucket, 'a.txt', 3), 415);
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-721',
    'a length over the limit of the service is 413, and its limit is accepted',
    async (bucket) => {
      const maxBytes = await maxBytesOf(bucket.service);
      assertStatus(await create(bucket, 'a.txt', maxBytes + 1), 413);
      const created = await create(bucket, 'a.txt', maxBytes);
      assertStatus(created, 201);
      const upload = locationOf(created.headers.get('location'));
      assertStatus(await bucket.service.send('DELETE', upload, { headers: VERSION }), 204);
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-722',
    'a deferred length over the limit of the bucket is 413',
    async (bucket) => {
      await bucket.service.send('PUT', `/bucket/${bucket.name}`, { body: { file_size_limit: 3 } });
      const defer = async (objectName: string) => {
        const created = await bucket.service.send('POST', '/upload/resumable', {
          headers: {
            ...VERSION,
            'Upload-Defer-Length': '1',
            'Upload-Metadata': encode({ bucketName: bucket.name, objectName }),
          },
        });
        return locationOf(created.headers.get('location'));
      };
      const large = await append(bucket, await defer('a.txt'), 0, 'abcd', { 'Upload-Length': '4' });
      assertStatus(large, 413);
      const small = await append(bucket, await defer('b.txt'), 0, 'abc', { 'Upload-Length': '3' });
      assertStatus(small, 204);
      assert.equal(await textOf(bucket, 'b.txt'), 'abc', 'the text');
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-723',
    'HEAD returns the metadata of the upload',
    async (bucket) => {
      const upload = await begin(bucket, 'f/a b.txt', 6);
      const { headers } = await bucket.service.send('HEAD', upload, { headers: VERSION });
      const pairs = (headers.get('upload-metadata') ?? '').split(',');
      const expected = { bucketName: bucket.name, objectName: 'f/a b.txt', contentType: 'text/plain' };
      for (const [name, value] of Object.entries(expected))
        assert.ok(pairs.includes(encode({ [name]: value })), `upload-metadata has ${name}`, pairs.join());
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-724',
    'each response names the version',
    async (bucket) => {
      const created = await create(bucket, 'a.txt', 6);
      const upload = locationOf(created.headers.get('location'));
      const responses = [
        created,
        await append(bucket, upload, 0, 'abc'),
        await append(bucket, upload, 0, 'abc'),
        await bucket.service.send('HEAD', upload, { headers: VERSION }),
        await bucket.service.send('DELETE', upload, { headers: VERSION }),
      ];
      assert.deepEqual(
        responses.map(({ status, headers }) => [status, headers.get('tus-resumable')]),
        [201, 204, 409, 200, 204].map((status) => [status, '1.0.0']),
        'the statuses and the headers tus-resumable',
      );
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-725',
    'an object exists once its last part is there, and not before',
    async (bucket) => {
      const path = `/object/${bucket.name}/a.txt`;
      const upload = await begin(bucket, 'a.txt', 6);
      await append(bucket, upload, 0, 'abc');
      assertStatus(await bucket.service.send('GET', path), 400);
      const list = await bucket.service.send('POST', `/object/list/${bucket.name}`, { body: { prefix: '' } });
      assert.deepEqual(list.json, [], 'the list before the last part');
      await append(bucket, upload, 3, 'def');
      assertStatus(await bucket.service.send('GET', path), 200);
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-726',
    'a creation needs metadata, and either a length or its deferral',
    async ({ name, service }) => {
      const metadata = { 'Upload-Metadata': encode({ bucketName: name, objectName: 'a.txt' }) };
      const start = (headers: Readonly<Record<string, string>>) =>
        service.send('POST', '/upload/resumable', { headers: { ...VERSION, ...headers } });
      assertStatus(await start({ 'Upload-Length': '3' }), 400);
      assertStatus(await start(metadata), 400);
      assertStatus(await start({ ...metadata, 'Upload-Length': '3', 'Upload-Defer-Length': '1' }), 400);
      assertStatus(await start({ ...metadata, 'Upload-Length': '-1' }), 400);
      assertStatus(await start({ ...metadata, 'Upload-Length': '3' }), 201);
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-727',
    'an unknown upload is 404, and another version is refused',
    async (bucket) => {
      const id = Buffer.from(`${bucket.name}/a.txt/00000000-0000-4000-8000-000000000000`).toString(
        'base64url',
      );
      assertStatus(await append(bucket, `/upload/resumable/${id}`, 0, 'abc'), 404);
      assertStatus(await bucket.service.send('HEAD', `/upload/resumable/${id}`, { headers: VERSION }), 404);
      const upload = await begin(bucket, 'a.txt', 3);
      const older = { 'Tus-Resumable': '0.2.2' };
      assertStatusIn(await append(bucket, upload, 0, 'abc', older), [400, 412]);
      assert.equal(await offsetOf(bucket, upload), '0', 'the offset');
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-728',
    'metadata with a repeated name, or a value that is not base64, is refused',
    async (bucket) => {
      const sound = encode({ bucketName: bucket.name, objectName: 'a.txt' });
      for (const wrong of [`${sound},objectName Yg==`, `${sound},contentType ?`])
        assertStatus(await create(bucket, 'a.txt', 3, { 'Upload-Metadata': wrong }), 400);
    },
    { since: '1.0.0' },
  ),
];
