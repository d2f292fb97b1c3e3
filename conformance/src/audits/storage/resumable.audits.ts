import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import {
  assertStatus,
  assertStatusIn,
  at,
  createWire,
  textAt,
  type WireResponse,
} from '../../target/wire.ts';
import type { ServerBucket } from '../../audit/bucket.ts';
import { assertRefused, base64, bucketAudits, infoOf, maxBytesOf, textOf } from './storage-audit.ts';

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

const LENGTH_REQUIRED = 'Upload-Length or Upload-Defer-Length header required\n';
const NOT_FOUND = 'The file for this url was not found\n';
const NO_CONCATENATION =
  'Concatenation extension is not (yet) supported. Disable parallel uploads in the tus client.\n';

type Headers = Readonly<Record<string, string>>;

/** The headers of a creation that replace sound ones, and the refusal. */
const REFUSED_HEADERS: readonly (readonly [headers: Headers, status: number, text: string])[] = [
  [{ 'Tus-Resumable': '' }, 412, 'Tus-Resumable Required\n'],
  [{ 'Tus-Resumable': '0.2.2' }, 400, 'Invalid tus-resumable\n'],
  [{ 'Upload-Length': '-1' }, 400, 'Invalid upload-length\n'],
  [{ 'Upload-Length': '1.5' }, 400, 'Invalid upload-length\n'],
  [{ 'Upload-Length': '1e3' }, 400, 'Invalid upload-length\n'],
  [{ 'Upload-Length': '9'.repeat(25) }, 400, 'Invalid upload-length\n'],
  [{ 'Upload-Length': '' }, 400, 'Invalid upload-length\n'],
  [{ 'Upload-Offset': 'x' }, 400, 'Invalid upload-offset\n'],
  [{ 'Upload-Offset': '-1' }, 400, 'Invalid upload-offset\n'],
  [{ 'Upload-Defer-Length': '2' }, 400, 'Invalid upload-defer-length\n'],
  [{ 'Upload-Defer-Length': '1' }, 400, LENGTH_REQUIRED],
  [{ 'Upload-Metadata': '' }, 400, 'Invalid upload-metadata\n'],
  [{ 'Upload-Metadata': 'a YQ== b' }, 400, 'Invalid upload-metadata\n'],
  [{ 'Upload-Metadata': 'a YQ==,a Yg==' }, 400, 'Invalid upload-metadata\n'],
  [{ 'Upload-Metadata': 'a YQ==, b Yg==' }, 400, 'Invalid upload-metadata\n'],
  [{ 'Upload-Metadata': 'a ?' }, 400, 'Invalid upload-metadata\n'],
  [{ 'Upload-Concat': 'partial' }, 501, NO_CONCATENATION],
  [{ 'Upload-Concat': 'final;/a /b' }, 501, NO_CONCATENATION],
  [{ 'Upload-Concat': 'x' }, 400, 'Invalid upload-concat\n'],
];

/** Asserts a refusal: its real status, and its text. */
function assertText(response: WireResponse, status: number, text: string): void {
  assert.deepEqual([response.status, response.text], [status, text], 'the status and the text');
}

export const storageResumableAudits: readonly Audit[] = [
  resumable(
    'STORE-738',
    'an object that was uploaded in parts by the link of a user belongs to the user',
    async (bucket, context) => {
      const { name, service } = bucket;
      const { accessToken, id } = await context.newUser();
      const claims = context.signAgain(accessToken, { role: 'service_role' });
      const signed = await service.send('POST', `/object/upload/sign/${name}/a.txt`, { token: claims });
      const headers = { 'x-signature': textAt(signed, 'token') };
      const created = await service.send('POST', '/upload/resumable/sign', {
        headers: {
          ...VERSION,
          ...headers,
          'Upload-Length': '3',
          'Upload-Metadata': encode({ bucketName: name, objectName: 'a.txt' }),
        },
      });
      const upload = locationOf(created.headers.get('location'));
      assertStatus(await append(bucket, upload, 0, 'abc', headers), 204);
      const removed = await service.send('DELETE', `/object/${name}`, { body: { prefixes: ['a.txt'] } });
      assert.deepEqual(
        [at(removed.json, 0, 'owner'), at(removed.json, 0, 'owner_id')],
        [id, id],
        'owner and owner_id of the object',
      );
      const type = at(removed.json, 0, 'metadata', 'mimetype');
      assert.equal(type, 'application/octet-stream', 'the type of an upload without contentType');
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-741',
    'an upload without metadata keeps those of the object that it replaces',
    async (bucket) => {
      await bucket.upload('a.txt', 'abc', { 'x-metadata': base64({ k: 1 }) });
      assertStatus(await create(bucket, 'a.txt', 0, { 'x-upsert': 'true' }), 201);
      const info = await infoOf(bucket, 'a.txt');
      assert.deepEqual([at(info, 'size'), at(info, 'metadata')], [0, { k: 1 }], 'the size and the metadata');
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-740',
    'each request of an upload needs a valid token and a body of a valid type',
    async (bucket) => {
      const { service } = bucket;
      const upload = await begin(bucket, 'a.txt', 3);
      const requests: readonly (readonly [method: string, path: string, headers: Headers])[] = [
        ['POST', '/upload/resumable', { 'Upload-Length': '3' }],
        ['PATCH', upload, { 'Upload-Offset': '0', 'Content-Type': PART }],
        ['DELETE', upload, {}],
      ];
      const token = 'a.b.c';
      for (const [method, path, own] of requests) {
        const headers = { ...VERSION, ...own };
        const body = 'Content-Type' in own ? 'abc' : undefined;
        assertRefused(
          await service.send(method, path, { headers, token, ...(body !== undefined && { body }) }),
          403,
          'AccessDenied',
          'JWS Protected Header is invalid',
          { error: 'Unauthorized' },
        );
        const nonsense = { ...headers, 'Content-Type': 'nonsense' };
        assertRefused(
          await service.send(method, path, { headers: nonsense, body: 'abc' }),
          415,
          'InvalidMimeType',
          'Invalid Content-Type header',
          { error: 'invalid_mime_type' },
        );
      }
      assertStatus(await service.send('HEAD', upload, { headers: VERSION, token }), 400);
      assert.equal(await offsetOf(bucket, upload), '0', 'the header upload-offset');
      await service.send('DELETE', upload, { headers: VERSION });
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-739',
    'HEAD of an upload ignores its content type, and responds with plain text',
    async (bucket) => {
      const upload = await begin(bucket, 'a.txt', 3);
      const head = await bucket.service.send('HEAD', upload, {
        headers: { ...VERSION, 'Content-Type': 'nonsense' },
      });
      assertStatus(head, 200);
      assert.match(head.headers.get('content-type') ?? '', /^text\/plain\b/, 'the header content-type');
      await bucket.service.send('DELETE', upload, { headers: VERSION });
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-729',
    'the refusal of a creation names the header',
    async (bucket) => {
      for (const [headers, status, text] of REFUSED_HEADERS)
        assertText(await create(bucket, 'a.txt', 3, headers), status, text);
      const start = (headers: Headers) =>
        bucket.service.send('POST', '/upload/resumable', { headers: { ...VERSION, ...headers } });
      assertText(await start({}), 400, LENGTH_REQUIRED);
      assertText(await start({ 'Upload-Length': '3' }), 400, 'Metadata header is required');
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-730',
    'the refusal of a creation names what is wrong with its object',
    async (bucket) => {
      const { name, service } = bucket;
      await bucket.upload('taken.txt', 'a');
      const limits = { file_size_limit: 3, allowed_mime_types: ['text/plain'] };
      await service.send('PUT', `/bucket/${name}`, { body: limits });
      const start = (pairs: Headers, length = 3) =>
        create(bucket, '', length, { 'Upload-Metadata': encode({ bucketName: name, ...pairs }) });
      assertText(await start({ bucketName: '' }), 400, 'Bucket name invalid');
      const unnamed = await create(bucket, '', 3, { 'Upload-Metadata': encode({ objectName: 'a' }) });
      assertText(unnamed, 400, 'Bucket name invalid');
      assertText(await start({ bucketName: 'a#b', objectName: 'a' }), 400, 'Bucket name invalid');
      assertText(await start({}), 400, 'Invalid key: ');
      assertText(await start({ objectName: 'a#b' }), 400, 'Invalid key: a#b');
      assertText(await start({ bucketName: `${name}-none`, objectName: 'a' }), 404, 'Bucket not found');
      assertText(await start({ objectName: 'a' }, 4), 413, 'Maximum size exceeded\n');
      assertText(
        await start({ objectName: 'a', contentType: 'text/css' }),
        415,
        'mime type text/css is not supported',
      );
      assertText(await start({ objectName: 'taken.txt' }), 409, 'The resource already exists');
      assertText(
        await start({ objectName: 'a', metadata: '[1]' }),
        400,
        'invalid input syntax for type json',
      );
      assertStatus(await start({ objectName: 'a', metadata: '{' }), 201);
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-731',
    'the refusal of a part says what is wrong, and changes nothing',
    async (bucket, { target: { fetch, serviceKey } }) => {
      const upload = await begin(bucket, 'a.txt', 6);
      assertText(await append(bucket, upload, 3, 'abc'), 409, 'Upload-Offset conflict\n');
      assertText(await append(bucket, upload, 0, 'abcdefg'), 413, "upload's size exceeded\n");
      const typed = await append(bucket, upload, 0, 'abc', { 'Content-Type': 'text/plain' });
      assertText(typed, 400, 'Invalid content-type\n');
      const headers = { ...VERSION, 'Content-Type': PART };
      const part = await bucket.service.send('PATCH', upload, { body: 'abc', headers });
      assertText(part, 403, 'Upload-Offset header required\n');
      const again = await append(bucket, upload, 0, 'abc', { 'Upload-Length': '6' });
      assertText(again, 400, LENGTH_REQUIRED);
      const key = serviceKey ?? '';
      const untyped = await fetch(bucket.service.baseUrl + upload, {
        method: 'PATCH',
        body: new Uint8Array([1]),
        headers: {
          ...VERSION,
          'Upload-Offset': '0',
          apikey: key,
          ...(!key.startsWith('sb_') && { Authorization: `Bearer ${key}` }),
        },
      });
      assert.deepEqual(
        [untyped.status, await untyped.text()],
        [403, 'Content-Type header required\n'],
        'the status and the text of a part without a type',
      );
      assert.equal(await offsetOf(bucket, upload), '0', 'the offset');
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-732',
    'a deferred length is not less than the offset, and is declared once',
    async (bucket) => {
      const deferred = await bucket.service.send('POST', '/upload/resumable', {
        headers: {
          ...VERSION,
          'Upload-Defer-Length': '1',
          'Upload-Metadata': encode({ bucketName: bucket.name, objectName: 'b.txt' }),
        },
      });
      const upload = locationOf(deferred.headers.get('location'));
      assertStatus(await append(bucket, upload, 0, 'abc'), 204);
      assertText(await append(bucket, upload, 3, '', { 'Upload-Length': '2' }), 400, LENGTH_REQUIRED);
      assertStatus(await append(bucket, upload, 3, 'd', { 'Upload-Length': '6' }), 204);
      assertText(await append(bucket, upload, 4, 'e', { 'Upload-Length': '6' }), 400, LENGTH_REQUIRED);
      const head = await bucket.service.send('HEAD', upload, { headers: VERSION });
      assert.deepEqual(
        ['upload-offset', 'upload-length', 'upload-defer-length'].map((name) => head.headers.get(name)),
        ['4', '6', null],
        'the headers upload-offset, upload-length and upload-defer-length',
      );
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-733',
    'an upload that is unknown, has no id or an invalid one is refused by each method',
    async ({ name, service }) => {
      const send = (method: string, id: string) =>
        service.send(method, `/upload/resumable/${id}`, {
          ...(method !== 'HEAD' && { body: method === 'DELETE' ? undefined : 'x' }),
          headers: {
            ...VERSION,
            ...(method === 'PATCH' && { 'Upload-Offset': '0', 'Content-Type': PART }),
            ...(method === 'PUT' && { 'Content-Type': PART }),
          },
        });
      const encodeId = (id: string) => Buffer.from(id).toString('base64url');
      const unknown = encodeId(`${name}/a.txt/00000000-0000-4000-8000-000000000000`);
      for (const method of ['PATCH', 'DELETE']) {
        assertText(await send(method, unknown), 404, NOT_FOUND);
        assertText(await send(method, 'x'), 400, 'Invalid upload id');
        assertText(await send(method, encodeId(name)), 400, 'Invalid upload id');
        assertText(await send(method, encodeId(`${name}/a`)), 400, 'Invalid key: ');
        assertText(await send(method, encodeId(`${name}/a/`)), 400, 'Version not provided');
      }
      assertStatus(await send('HEAD', 'x'), 400);
      assertText(await send('PUT', unknown), 404, 'Not found\n');
      const read = await service.send('GET', `/upload/resumable/${unknown}`, { headers: VERSION });
      const message = `Route GET:/upload/resumable/${unknown} not found`;
      assert.deepEqual(
        [read.status, read.json],
        [404, { message, error: 'Not Found', statusCode: 404 }],
        'the status and the body of a read',
      );
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-734',
    'HEAD returns each pair of the metadata, and the cache control as the object will have it',
    async (bucket) => {
      const metadataOf = async (cacheControl: Headers) => {
        const metadata = `${encode({ bucketName: bucket.name, objectName: 'a' })},contentType`;
        const rest = Object.keys(cacheControl).length > 0 ? `,${encode(cacheControl)}` : '';
        const created = await create(bucket, '', 3, { 'Upload-Metadata': metadata + rest });
        const upload = locationOf(created.headers.get('location'));
        const { headers } = await bucket.service.send('HEAD', upload, { headers: VERSION });
        await bucket.service.send('DELETE', upload, { headers: VERSION });
        return headers.get('upload-metadata')?.split(',').toSorted();
      };
      for (const [given, cacheControl] of [
        [{}, 'no-cache'],
        [{ cacheControl: '9' }, 'max-age=9'],
        [{ cacheControl: '-1' }, 'max-age=-1'],
        [{ cacheControl: 'x' }, 'no-cache'],
      ] as const) {
        const pairs = encode({ bucketName: bucket.name, cacheControl, objectName: 'a' }).split(',');
        assert.deepEqual(await metadataOf(given), [...pairs, 'contentType'].toSorted(), 'the pairs');
      }
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-735',
    'an upload names its offset after each part, and its end, if at all, until it is complete',
    async (bucket) => {
      const metadata = encode({ bucketName: bucket.name, objectName: 'a.txt' });
      const created = await bucket.service.send('POST', '/upload/resumable', {
        body: 'a',
        headers: { ...VERSION, 'Upload-Length': '3', 'Upload-Metadata': metadata, 'Content-Type': PART },
      });
      const upload = locationOf(created.headers.get('location'));
      const responses = [created, await append(bucket, upload, 1, 'b'), await append(bucket, upload, 2, 'c')];
      const names = ['upload-offset', 'tus-complete'];
      assert.deepEqual(
        responses.map(({ text, headers }) => [text, ...names.map((name) => headers.get(name))]),
        [
          ['', '1', null],
          ['', '2', null],
          ['', '3', '1'],
        ],
        'the texts and the headers upload-offset and tus-complete',
      );
      const ends = responses.map(({ headers }) => headers.get('upload-expires'));
      // A store of files names none.
      for (const end of ends.slice(0, 2))
        assert.ok(
          end === null || Date.parse(end) > Date.now(),
          'Upload-Expires, if sent, is later than now',
          String(end),
        );
      assert.equal(ends[2], null, 'the header upload-expires of the last part');
      const empty = await create(bucket, 'empty.txt', 0);
      assert.deepEqual(
        ['upload-offset', 'tus-complete', 'upload-expires'].map((name) => empty.headers.get(name)),
        [null, '1', null],
        'the headers of the creation of an upload without bytes',
      );
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-736',
    'a complete upload is terminated neither by its creator nor with x-upsert',
    async (bucket) => {
      const upload = await begin(bucket, 'a.txt', 3);
      await append(bucket, upload, 0, 'abc');
      const terminate = (headers: Headers) =>
        bucket.service.send('DELETE', upload, { headers: { ...VERSION, ...headers } });
      assertText(await terminate({}), 409, 'The resource already exists');
      assertText(
        await terminate({ 'x-upsert': 'true' }),
        400,
        'Cannot terminate an already completed upload',
      );
    },
    { since: '1.0.0' },
  ),
  resumable(
    'STORE-737',
    'below /sign, the refusals of a link say what is wrong',
    async (bucket, context) => {
      const { name, service } = bucket;
      const signed = await service.send('POST', `/object/upload/sign/${name}/a.txt`);
      const wire = createWire(service.baseUrl, context.target.anonKey, context.target.fetch);
      const start = (objectName: string, headers: Headers) =>
        wire.send('POST', '/upload/resumable/sign', {
          headers: {
            ...VERSION,
            'Upload-Length': '3',
            'Upload-Metadata': encode({ bucketName: name, objectName }),
            ...headers,
          },
        });
      const signature = { 'x-signature': textAt(signed, 'token') };
      assertText(await start('a.txt', {}), 400, 'Missing x-signature header');
      assertText(await start('b.txt', signature), 400, 'Invalid signature');
      assertText(await start('a.txt', { 'x-signature': 'a.b.c' }), 400, 'JWS Protected Header is invalid');
      const created = await start('a.txt', signature);
      const upload = locationOf(created.headers.get('location'));
      assert.match(upload, /^\/upload\/resumable\/sign\/[\w-]+$/, 'the path of the upload');
      const unsigned = await append({ ...bucket, service: wire }, upload, 0, 'abc');
      assertText(unsigned, 400, 'Missing x-signature header');
      const head = await wire.send('HEAD', upload, { headers: { ...VERSION, ...signature } });
      assert.equal(head.headers.get('upload-offset'), '0', 'the header upload-offset');
      assertStatus(await wire.send('HEAD', upload, { headers: VERSION }), 400);
      await wire.send('DELETE', upload, { headers: { ...VERSION, ...signature } });
    },
    { since: '1.0.0' },
  ),
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
