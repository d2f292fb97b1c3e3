import { runInNewContext } from 'node:vm';
import { describe, expect, test, vi } from 'vitest';
import {
  createStorageClient,
  StorageError,
  type UploadBody,
  uploadResumable,
} from '../../src/storage-client/index.ts';
import { createRecordingTab, projectUrl } from '../rest-client/support/recording-client.ts';
import { json } from '../support/wire/replies.ts';
import type { Reply } from '../support/wire/scripted-wire.ts';

function createClient(
  replies?: readonly Reply[],
  getAccessToken: () => Promise<string | null> = async () => 'token',
) {
  const { tab, requests, world } = createRecordingTab(replies);
  const options = { url: projectUrl, apiKey: 'sb_publishable_x', platform: tab, getAccessToken };
  return { storage: createStorageClient(options), options, requests, world };
}

const lineOf = ({ method, url }: Request) => `${method} ${url.slice(`${projectUrl}/storage/v1`.length)}`;
const refused = (statusCode: string, error: string, message: string, status = 400) =>
  json({ statusCode, error, message }, { status });

describe('objects', () => {
  test('are uploaded with their type, an hour in caches, and the token', async () => {
    const { storage, requests } = createClient([json({ Id: 'o1', Key: 'pictures/a b/é.png' })]);
    const sent = await storage.from('pictures').upload('a b/c.png', new Blob(['x'], { type: 'image/png' }), {
      upsert: true,
      metadata: { by: 'Ädä' },
    });
    expect(sent).toEqual({ id: 'o1', path: 'a b/c.png', fullPath: 'pictures/a b/é.png' });
    const request = requests[0] as Request;
    expect(lineOf(request)).toBe('POST /object/pictures/a%20b/c.png');
    const { headers } = request;
    expect([headers.get('content-type'), headers.get('cache-control'), headers.get('x-upsert')]).toEqual([
      'image/png',
      'max-age=3600',
      'true',
    ]);
    expect(headers.get('authorization')).toBe('Bearer token');
    expect(Buffer.from(headers.get('x-metadata') ?? '', 'base64').toString()).toBe('{"by":"Ädä"}');
    expect(await request.text()).toBe('x');
  });

  test('are uploaded from a form, with fields instead of headers', async () => {
    const { storage, requests } = createClient([json({ Id: 'o1', Key: 'b/k' })]);
    const form = new FormData();
    form.append('', new Blob(['z'], { type: 'image/png' }), 'z.png');
    await storage.from('b').upload('k', form, {
      contentType: 'image/webp',
      cacheControlSeconds: 60,
      metadata: { a: 1 },
      upsert: true,
    });
    const request = requests[0] as Request;
    expect(request.headers.get('content-type')).toMatch(/^multipart\/form-data; boundary=/);
    expect(request.headers.get('x-upsert')).toBe('true');
    const sent = [...(await request.formData())];
    expect(sent.map(([name, value]) => [name, typeof value === 'string' ? value : value.name])).toEqual([
      ['cacheControl', '60'],
      ['contentType', 'image/webp'],
      ['metadata', '{"a":1}'],
      ['', 'z.png'],
    ]);
    expect([...form]).toHaveLength(1);
  });

  test('are replaced by PUT', async () => {
    const { storage, requests } = createClient([json({ Id: '1', Key: 'b/k' })]);
    await storage.from('b').replace('k', 'text', { contentType: 'text/plain', cacheControlSeconds: 5 });
    expect(lineOf(requests[0] as Request)).toBe('PUT /object/b/k');
    expect(requests[0]?.headers.get('cache-control')).toBe('max-age=5');
  });

  test('are downloaded with progress', async () => {
    const { storage, requests } = createClient([
      new Response('12345', { headers: { 'Content-Length': '5' } }),
    ]);
    const seen: unknown[] = [];
    const blob = await storage.from('b').download('k', { onProgress: (...progress) => seen.push(progress) });
    expect(await blob.text()).toBe('12345');
    expect(seen.at(-1)).toEqual([5, 5]);
    expect(lineOf(requests[0] as Request)).toBe('GET /object/b/k');
  });

  test('are uploaded from the form of React Native, which has a file by its URI and cannot be iterated', async () => {
    class NativeForm {
      readonly #entries: (readonly [string, unknown])[] = [];
      append = (name: string, value: unknown) => void this.#entries.push([name, value]);
      getParts = () =>
        this.#entries.map(([fieldName, value]) =>
          typeof value === 'string' ? { string: value, fieldName } : { ...(value as object), fieldName },
        );
    }
    vi.stubGlobal('FormData', NativeForm);
    const sent: unknown[] = [];
    const { options } = createClient();
    const platform = {
      ...options.platform,
      fetch: async (_url: unknown, { body }: RequestInit = {}) => {
        sent.push(...(body as unknown as NativeForm).getParts());
        return json({ Id: 'o1', Key: 'b/k' });
      },
    };
    const form = new FormData();
    const file = { uri: 'file:///photo.jpg', name: 'photo.jpg', type: 'image/jpeg' };
    form.append('cacheControl', '60');
    form.append('', file as never);
    await createStorageClient({ ...options, platform })
      .from('b')
      .upload('k', form, { metadata: { a: 1 } });
    vi.unstubAllGlobals();
    expect(sent).toEqual([
      { fieldName: 'metadata', string: '{"a":1}' },
      { fieldName: 'cacheControl', string: '60' },
      { fieldName: '', ...file },
    ]);
  });

  test('are downloaded as smaller images', async () => {
    const { storage, requests } = createClient([new Response('x')]);
    await storage.from('b').download('k', { image: { width: 10, resize: 'contain' } });
    expect(lineOf(requests[0] as Request)).toBe(
      'GET /render/image/authenticated/b/k?width=10&resize=contain',
    );
  });

  test('are listed a hundred at a time, by name', async () => {
    const { storage, requests } = createClient();
    await storage.from('b').list('folder');
    expect(lineOf(requests[0] as Request)).toBe('POST /object/list/b');
    expect(await requests[0]?.json()).toEqual({
      prefix: 'folder',
      limit: 100,
      offset: 0,
      sortBy: { column: 'name', order: 'asc' },
    });
  });

  test('are listed page by page until a page is short', async () => {
    const page = (length: number) => json(Array.from({ length }, (_, index) => ({ name: String(index) })));
    const { storage, requests } = createClient([page(2), page(2), page(1)]);
    const sizes: number[] = [];
    for await (const names of storage.from('b').pages('', { limit: 2 })) sizes.push(names.length);
    expect(sizes).toEqual([2, 2, 1]);
    expect(await requests[2]?.json()).toMatchObject({ offset: 4 });
  });

  test('are listed completely where a page would be longer than the service sends', async () => {
    const names = Array.from({ length: 1700 }, (_, index) => ({ name: String(index) }));
    const { storage } = createClient([
      ({ body }) => {
        const offset = Number(body?.['offset']);
        return json(names.slice(offset, offset + Math.min(Number(body?.['limit']), 1500)));
      },
    ]);
    const listed: unknown[] = [];
    for await (const page of storage.from('b').pages('', { limit: 2000 })) listed.push(...page);
    expect(listed).toEqual(names);
  });

  test('are described by their metadata', async () => {
    const { storage, requests } = createClient([json({ name: 'k', size: 3 })]);
    expect(await storage.from('b').info('x/k')).toEqual({ name: 'k', size: 3 });
    expect(lineOf(requests[0] as Request)).toBe('GET /object/info/b/x/k');
  });

  test('exist or not; other failures are errors', async () => {
    const exists = (...replies: Reply[]) => createClient(replies).storage.from('b').exists('k');
    expect(await exists(json({ name: 'k' }))).toBe(true);
    expect(await exists(refused('404', 'not_found', 'Object not found'))).toBe(false);
    await expect(exists(refused('400', 'Other', 'x'))).rejects.toMatchObject({ code: 'invalid-request' });
    await expect(exists(new Response(null, { status: 403 }))).rejects.toMatchObject({ code: 'denied' });
  });

  test('are removed, moved and copied', async () => {
    const { storage, requests } = createClient([
      json([{ name: 'a' }]),
      json({ message: 'Successfully moved' }),
      json({ Key: 'other/d' }),
    ]);
    const bucket = storage.from('b');
    expect(await bucket.remove(['a', 'x/y'])).toEqual([{ name: 'a' }]);
    await bucket.move('a', 'c');
    await bucket.copy('a', 'd', { destinationBucket: 'other' });
    expect(requests.map(lineOf)).toEqual(['DELETE /object/b', 'POST /object/move', 'POST /object/copy']);
    expect(await Promise.all(requests.map((request) => request.json()))).toEqual([
      { prefixes: ['a', 'x/y'] },
      { bucketId: 'b', sourceKey: 'a', destinationKey: 'c' },
      { bucketId: 'b', sourceKey: 'a', destinationKey: 'd', destinationBucket: 'other' },
    ]);
  });

  test.each(['', '/', 'a//b', '..', 'a/../b', './a', 'a\\b', 'a\nb', 'ä', 'a#b', 'a%b'])(
    'the object path %j is refused before anything is sent',
    async (path) => {
      const { storage, requests } = createClient();
      await expect(storage.from('b').upload(path, 'x')).rejects.toMatchObject({ code: 'invalid-key' });
      expect(requests).toHaveLength(0);
    },
  );
});

/** A file that was changed since it was chosen. */
function changedFile(): File {
  const file = new File(['x'], 'x.txt');
  const part = new Blob(['x']);
  part.arrayBuffer = () => Promise.reject(new DOMException('Changed', 'NotReadableError'));
  part.slice = () => part;
  file.slice = () => part;
  return file;
}

test.each(['file', 'form'])('a %s that can no longer be read is not a network failure', async (what) => {
  const { storage } = createClient([new TypeError('Failed to fetch')]);
  const form = new FormData();
  vi.spyOn(form, 'values').mockImplementation(() => [changedFile()][Symbol.iterator]());
  await expect(storage.from('b').upload('k', what === 'form' ? form : changedFile())).rejects.toMatchObject({
    code: 'invalid-request',
    message: 'The file can no longer be read',
  });
});

test.each(['x', new Blob(['x']), new FormData()])(
  'the upload of %o without a response is a network failure',
  async (body) => {
    const { storage } = createClient([new TypeError('Failed to fetch')]);
    await expect(storage.from('b').upload('k', body)).rejects.toMatchObject({ code: 'network' });
  },
);

describe('the content of an object', () => {
  const bodies: readonly UploadBody[] = [
    '',
    'x',
    new Blob([]),
    new File(['x'], 'x.txt'),
    new FormData(),
    new URLSearchParams('a=b'),
    new ArrayBuffer(1),
    new Uint8Array(1),
    Buffer.from('x'),
    ...(runInNewContext('[new ArrayBuffer(1), new Uint8Array(1)]') as UploadBody[]),
  ];

  test.each(bodies)('is accepted as %o', async (body) => {
    const { storage, requests } = createClient([json({ Key: 'b/k' })]);
    await storage.from('b').upload('k', body);
    expect(requests).toHaveLength(1);
  });

  test.each([undefined, null, 0, true, {}, [], { name: 'a.txt', size: 1 }, new Map(), () => 'x'])(
    'is not %o, which fetch would send as a text or as nothing',
    async (body) => {
      const { storage, requests } = createClient();
      for (const send of ['upload', 'replace'] as const)
        await expect(storage.from('b')[send]('k', body as unknown as UploadBody)).rejects.toMatchObject({
          code: 'invalid-request',
        });
      expect(requests).toHaveLength(0);
    },
  );
});

describe('a path with slashes at its ends', () => {
  test('names the same object in a URL and in a body', async () => {
    const { storage, requests } = createClient([
      json({ Id: 'o1', Key: 'b/a/b' }),
      json([]),
      json({ message: 'Successfully moved' }),
    ]);
    const bucket = storage.from('b');
    expect((await bucket.upload('/a/b/', new Blob(['x']))).path).toBe('a/b');
    await bucket.remove(['/a/b/']);
    await bucket.move('/a/b', 'c/');
    expect(lineOf(requests[0] as Request)).toBe('POST /object/b/a/b');
    expect(await requests[1]?.json()).toEqual({ prefixes: ['a/b'] });
    expect(await requests[2]?.json()).toMatchObject({ sourceKey: 'a/b', destinationKey: 'c' });
  });
});

describe('URLs', () => {
  test('are signed for one object', async () => {
    const { storage, requests } = createClient([json({ signedURL: '/object/sign/b/k?token=t' })]);
    const url = await storage.from('b').createSignedUrl('k', 60, { download: 'My & file.pdf' });
    expect(url).toBe(`${projectUrl}/storage/v1/object/sign/b/k?token=t&download=My%20%26%20file.pdf`);
    expect(await requests[0]?.json()).toEqual({ expiresIn: 60 });
  });

  test.each([
    ['icon@2x.png', 'icon@2x.png', 'icon%402x.png'],
    ['10:48:15.txt', '10:48:15.txt', '10%3A48%3A15.txt'],
    ['R&D, a+b;c=$1.pdf', 'R&D,%20a+b;c=$1.pdf', 'R%26D%2C%20a%2Bb%3Bc%3D%241.pdf'],
    ["it's (1)!*.txt", "it's%20(1)!*.txt", 'it%27s%20%281%29%21%2A.txt'],
  ])(
    'are signed for %s as the service reads it, and need no further escapes',
    async (name, sent, returned) => {
      const { storage, requests } = createClient([json({ signedURL: `/object/sign/a@b/${name}?token=t` })]);
      const url = await storage.from('a@b').createSignedUrl(name, 60);
      expect(requests.map(lineOf)).toEqual([`POST /object/sign/a@b/${sent}`]);
      expect(url).toBe(`${projectUrl}/storage/v1/object/sign/a%40b/${returned}?token=t`);
      expect(new URL(url).href).toBe(url);
    },
  );

  test('of a name with a question mark are signed in a batch, since the service signs it in no other way', async () => {
    const signed = { path: 'a?b.png', signedURL: '/object/sign/b/a?b.png?token=t', error: null };
    const { storage, requests } = createClient([json([signed]), json([{ ...signed, signedURL: null }])]);
    const url = await storage.from('b').createSignedUrl('a?b.png', 60, { download: true });
    expect(url).toBe(`${projectUrl}/storage/v1/object/sign/b/a%3Fb.png?token=t&download=`);
    expect(requests.map(lineOf)).toEqual(['POST /object/sign/b']);
    await expect(storage.from('b').createSignedUrl('a?b.png', 60)).rejects.toMatchObject({
      code: 'not-found',
    });
    const rendered = storage.from('b').createSignedUrl('a?b.png', 60, { image: { width: 8 } });
    await expect(rendered).rejects.toMatchObject({ code: 'invalid-key' });
    expect(requests).toHaveLength(2);
  });

  test.each(['victim/folder', 'b#', 'b/..', '..'])(
    'a bucket %j signs nothing in another bucket',
    async (bucket) => {
      const { storage, requests } = createClient([
        json({ signedURL: '/object/sign/victim/folder/a?token=t' }),
      ]);
      await expect(storage.from(bucket).createSignedUrl('a', 60)).rejects.toMatchObject({
        code: 'invalid-key',
      });
      expect(requests).toEqual([]);
    },
  );

  test('are signed in batches of a thousand, with the failed paths', async () => {
    const error = 'Either the object does not exist or you do not have access to it';
    const response = json([
      { path: 'k0', signedURL: '/object/sign/b/k0?token=t', error: null },
      { path: 'k1', signedURL: null, error },
    ]);
    const { storage, requests } = createClient([response, json([])]);
    const paths = Array.from({ length: 1001 }, (_, index) => `k${index}`);
    const urls = await storage.from('b').createSignedUrls(['ü', ...paths], 60);
    expect(await Promise.all(requests.map((request) => request.json()))).toEqual([
      { expiresIn: 60, paths: paths.slice(0, 1000) },
      { expiresIn: 60, paths: ['k1000'] },
    ]);
    expect(urls.slice(0, 3)).toEqual([
      { path: 'ü', url: null, error: 'Not a path of an object: "ü"' },
      { path: 'k0', url: `${projectUrl}/storage/v1/object/sign/b/k0?token=t`, error: null },
      { path: 'k1', url: null, error },
    ]);
    expect(urls).toHaveLength(1002);
  });

  test('of removed objects are sent in parts of a thousand, without the paths that no object can have', async () => {
    const { storage, requests } = createClient([json([{ name: 'k0' }]), json([{ name: 'k1000' }])]);
    const paths = Array.from({ length: 1001 }, (_, index) => `k${index}`);
    expect(await storage.from('b').remove(['a#b', ...paths])).toEqual([{ name: 'k0' }, { name: 'k1000' }]);
    expect(await Promise.all(requests.map((request) => request.json()))).toEqual([
      { prefixes: paths.slice(0, 1000) },
      { prefixes: ['k1000'] },
    ]);
  });

  test('let a client without an account upload', async () => {
    const { storage, requests } = createClient([
      json({ url: '/object/upload/sign/b/k?token=t' }),
      json({ Key: 'b/k' }),
    ]);
    const { token, url } = await storage.from('b').createSignedUploadUrl('k');
    expect([token, url]).toEqual(['t', `${projectUrl}/storage/v1/object/upload/sign/b/k?token=t`]);
    await storage.from('b').uploadToSignedUrl('k', token, 'x');
    expect(requests.map(lineOf)).toEqual([
      'POST /object/upload/sign/b/k',
      'PUT /object/upload/sign/b/k?token=t',
    ]);
  });

  test('URLs of public objects need no request', () => {
    const { storage, requests } = createClient();
    const bucket = storage.from('b');
    expect(bucket.getPublicUrl('a b/c.png')).toBe(`${projectUrl}/storage/v1/object/public/b/a%20b/c.png`);
    expect(bucket.getPublicUrl('c.png', { image: { width: 8 }, download: true })).toBe(
      `${projectUrl}/storage/v1/render/image/public/b/c.png?width=8&download=`,
    );
    const unset = { height: 3, width: undefined } as { height: number };
    expect(bucket.getPublicUrl('c.png', { image: unset })).toMatch(/c\.png\?height=3$/);
    expect(requests).toHaveLength(0);
  });
});

describe('options of a call', () => {
  test('set its deadline and headers, in addition to those of the client', async () => {
    const { tab, requests, world } = createRecordingTab([
      json({ name: 'k' }),
      () => new Promise(() => undefined),
    ]);
    const storage = createStorageClient({
      url: projectUrl,
      apiKey: 'k',
      platform: tab,
      headers: { 'x-team': 'a', 'x-trace': 'client' },
    });
    await storage.from('b').info('k', { headers: { 'x-trace': 'call' } });
    expect([requests[0]?.headers.get('x-team'), requests[0]?.headers.get('x-trace')]).toEqual(['a', 'call']);
    const late = storage
      .from('b')
      .info('k', { timeoutMs: 250 })
      .catch((problem: unknown) => problem);
    await world.clock.advance(250);
    expect(await late).toMatchObject({ code: 'timeout', status: null });
  });

  test('a refusal carries Retry-After in seconds', async () => {
    const limited = () => json({}, { status: 429, headers: { 'retry-after': '7' } });
    const { storage } = createClient([limited()]);
    await expect(storage.from('b').upload('k', 'x')).rejects.toMatchObject({
      code: 'rate-limited',
      status: 429,
      retryAfterSeconds: 7,
    });
  });
});

describe('a read with a transient failure', () => {
  const busy = () => json({}, { status: 503, headers: { 'retry-after': '2' } });

  test('is retried after the seconds of Retry-After, on the injected clock', async () => {
    const { storage, requests, world } = createClient([busy(), new Response('x')]);
    const download = storage.from('b').download('k');
    await world.clock.advance(1_999);
    expect(requests).toHaveLength(1);
    await world.clock.advance(1);
    expect(await (await download).text()).toBe('x');
  });

  test('is retried twice at most, and a write is not', async () => {
    const { storage, requests, world } = createClient([busy()]);
    const read = storage.listBuckets().catch((problem: unknown) => problem);
    await world.clock.advance(10_000);
    expect(await read).toMatchObject({ code: 'server', status: 503 });
    expect(requests).toHaveLength(3);
    await expect(storage.emptyBucket('b')).rejects.toMatchObject({ status: 503 });
    expect(requests).toHaveLength(4);
  });

  test('ends with the caller’s signal between two attempts', async () => {
    const { storage, requests, world } = createClient([busy()]);
    const controller = new AbortController();
    const read = storage.listBuckets({ signal: controller.signal }).catch((problem: unknown) => problem);
    await world.clock.advance(10);
    controller.abort('left');
    expect(await read).toMatchObject({ code: 'aborted', cause: 'left' });
    expect(requests).toHaveLength(1);
  });

  test('is not retried once its body has begun to arrive', async () => {
    const broken = () =>
      new Response(
        new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) }),
      );
    const { storage, requests, world } = createClient([broken]);
    const read = storage
      .from('b')
      .download('k')
      .catch((problem: unknown) => problem);
    await world.clock.advance(10_000);
    expect(await read).toMatchObject({ code: 'network' });
    expect(requests).toHaveLength(1);
  });
});

describe('further calls', () => {
  test('list by cursor', async () => {
    const { storage, requests } = createClient([json({ hasNext: false, folders: [], objects: [] })]);
    const page = await storage.from('b').listV2({ prefix: 'a/', cursor: 'c1', withDelimiter: true });
    expect(page.hasNext).toBe(false);
    expect(lineOf(requests[0] as Request)).toBe('POST /object/list-v2/b');
    expect(await requests[0]?.json()).toEqual({
      limit: 100,
      prefix: 'a/',
      cursor: 'c1',
      with_delimiter: true,
    });
  });

  test('read an object as a stream', async () => {
    const { storage } = createClient([new Response('12345')]);
    const stream = await storage.from('b').downloadStream('k');
    expect(await new Response(stream).text()).toBe('12345');
  });

  test('purge the CDN', async () => {
    const { storage, requests } = createClient([json({ message: 'success' })]);
    await storage.from('b').purgeCache('a b.png', { transformationsOnly: true });
    await storage.purgeBucketCache('b');
    expect(requests.map(lineOf)).toEqual(['DELETE /cdn/b/a%20b.png?transformations=true', 'DELETE /cdn/b']);
  });
});

describe('buckets', () => {
  test('keep rules for earlier versions, which are read, replaced and removed', async () => {
    const rule = { noncurrentDays: 30, newerNoncurrentVersions: 2 };
    const wire = {
      rules: [{ id: 'r1', status: 'Disabled', filter: {}, noncurrentVersionExpiration: rule }],
    };
    const { storage, requests } = createClient([
      json(wire),
      json(wire),
      json({ message: 'Successfully deleted' }),
    ]);
    const known = [{ id: 'r1', isEnabled: false, ...rule }];
    expect(await storage.getBucketLifecycle('b')).toEqual(known);
    expect(await storage.updateBucketLifecycle('b', [{ noncurrentDays: 7 }])).toEqual(known);
    await storage.deleteBucketLifecycle('b');
    expect(requests.map(lineOf)).toEqual([
      'GET /bucket/b/lifecycle',
      'PUT /bucket/b/lifecycle',
      'DELETE /bucket/b/lifecycle',
    ]);
    expect(await requests[1]?.json()).toEqual({
      rules: [{ status: 'Enabled', filter: {}, noncurrentVersionExpiration: { noncurrentDays: 7 } }],
    });
  });

  test('are listed, read, created, changed, emptied and deleted', async () => {
    const { storage, requests } = createClient([
      json([]),
      json({ id: 'b', name: 'b' }),
      json({ name: 'b' }),
      json({ message: 'Successfully updated' }),
    ]);
    expect(await storage.listBuckets()).toEqual([]);
    expect(await storage.getBucket('b')).toEqual({ id: 'b', name: 'b' });
    await storage.createBucket('b', { fileSizeLimitBytes: 10, allowedMimeTypes: ['image/*'] });
    await storage.updateBucket('b', { public: true });
    await storage.emptyBucket('b');
    await storage.deleteBucket('b');
    expect(requests.map(lineOf)).toEqual([
      'GET /bucket',
      'GET /bucket/b',
      'POST /bucket',
      'PUT /bucket/b',
      'POST /bucket/b/empty',
      'DELETE /bucket/b',
    ]);
    expect(await requests[2]?.json()).toEqual({
      id: 'b',
      name: 'b',
      public: false,
      file_size_limit: 10,
      allowed_mime_types: ['image/*'],
    });
  });
});

describe('an error', () => {
  const failing = (...replies: Reply[]) => createClient(replies).storage.from('b').info('k');

  test('has the status of its body, because HTTP says 400', async () => {
    const error = await failing(refused('404', 'not_found', 'Object not found')).catch(
      (problem: unknown) => problem,
    );
    expect(error).toBeInstanceOf(StorageError);
    expect(error).toMatchObject({
      code: 'not-found',
      status: 404,
      serverCode: 'not_found',
      message: 'Object not found',
    });
  });

  test.each([
    [refused('409', 'Duplicate', 'x'), 'duplicate'],
    [refused('413', 'Payload too large', 'x'), 'too-large'],
    [refused('400', 'InvalidKey', 'x'), 'invalid-key'],
    [refused('415', 'invalid_mime_type', 'x'), 'invalid-type'],
    [refused('403', 'Unauthorized', 'x'), 'denied'],
    [refused('400', 'Other', 'x'), 'invalid-request'],
    [refused('400', 'constructor', 'x'), 'invalid-request'],
    [refused('500', 'Internal', 'x', 500), 'server'],
    [new Response('<html>', { status: 500 }), 'not-the-service'],
  ])('has a code of the closed set', async (reply, code) => {
    await expect(failing(reply)).rejects.toMatchObject({ code });
  });

  test('an error with an HTML body comes from a gateway', async () => {
    const { storage } = createClient([new Response('<html>')]);
    await expect(storage.from('b').info('k')).rejects.toMatchObject({ code: 'not-the-service', status: 200 });
  });

  test('an error of the network or the caller is one of this client too', async () => {
    const { storage } = createClient([new TypeError('fetch failed')]);
    await expect(storage.from('b').upload('k', 'x')).rejects.toMatchObject({
      name: 'StorageError',
      code: 'network',
    });
    const aborted = storage.from('b').upload('k', 'x', { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ name: 'StorageError', code: 'aborted' });
  });

  test('an error of a timeout or abort is thrown while a token is awaited', async () => {
    const { storage, requests, world } = createClient([json([])], () => new Promise(() => undefined));
    const controller = new AbortController();
    const aborted = storage.from('b').list('', { signal: controller.signal });
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ name: 'StorageError', code: 'aborted' });
    const late = storage
      .from('b')
      .list()
      .catch((problem: unknown) => problem);
    await world.clock.advance(60_000);
    expect(await late).toMatchObject({ name: 'StorageError', code: 'timeout' });
    expect([requests.length, world.clock.pendingTimers]).toEqual([0, 0]);
  });

  test('an error of an expired token leads to one refresh', async () => {
    const { tab, requests } = createRecordingTab([
      refused('403', 'Unauthorized', 'jwt expired'),
      json({ name: 'k' }),
    ]);
    const requested: unknown[] = [];
    const storage = createStorageClient({
      url: projectUrl,
      apiKey: 'k',
      platform: tab,
      getAccessToken: async (options) => {
        requested.push(options?.rejectedToken);
        return options?.rejectedToken ? 'new' : 'old';
      },
    });
    expect(await storage.from('b').info('k')).toEqual({ name: 'k' });
    expect(requested).toEqual([undefined, 'old']);
    expect(requests[1]?.headers.get('authorization')).toBe('Bearer new');
  });
});

describe('a resumable upload', () => {
  const size = 7 * 1024 * 1024;
  const blob = new Blob([new Uint8Array(size)], { type: 'video/mp4' });
  const part = (offset: number) =>
    new Response(null, { status: 204, headers: { 'Upload-Offset': String(offset) } });

  test('is sent in parts of 6 MiB and reports its progress', async () => {
    const location = `${projectUrl}/storage/v1/upload/resumable/u1`;
    const created = new Response(null, { status: 201, headers: { Location: location } });
    const { options, requests } = createClient([created, part(6 * 1024 * 1024), part(size)]);
    const seen: unknown[] = [];
    await uploadResumable(options, 'b', 'k.mp4', blob, {
      onStart: (url) => seen.push(url),
      onProgress: (...progress) => seen.push(progress),
    });
    expect(seen).toEqual([location, [0, size], [6 * 1024 * 1024, size], [size, size]]);
    expect(requests.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'PATCH']);
    const encode = (text: string) => Buffer.from(text).toString('base64');
    expect(requests[0]?.headers.get('upload-metadata')).toBe(
      `bucketName ${encode('b')},objectName ${encode('k.mp4')},contentType ${encode('video/mp4')},cacheControl ${encode('3600')}`,
    );
    expect(requests[2]?.headers.get('upload-offset')).toBe(String(6 * 1024 * 1024));
    expect((await requests[2]?.arrayBuffer())?.byteLength).toBe(1024 * 1024);
  });

  test('sends the unencoded names, and the type, lifetime and metadata that the call gives', async () => {
    const location = `${projectUrl}/storage/v1/upload/resumable/u1`;
    const created = new Response(null, { status: 201, headers: { Location: location } });
    const { options, requests } = createClient([created, part(1)]);
    await uploadResumable(options, 'shared files', 'day 1/notes+plans.txt', new Blob(['x']), {
      contentType: 'text/plain',
      cacheControlSeconds: 60,
      metadata: { note: 'für Ada' },
    });
    const entries = requests[0]?.headers.get('upload-metadata')?.split(',') ?? [];
    const decode = ([name = '', value = '']: readonly string[]) => [
      name,
      Buffer.from(value, 'base64').toString(),
    ];
    expect(Object.fromEntries(entries.map((entry) => decode(entry.split(' '))))).toEqual({
      bucketName: 'shared files',
      objectName: 'day 1/notes+plans.txt',
      contentType: 'text/plain',
      cacheControl: '60',
      metadata: '{"note":"für Ada"}',
    });
  });

  test('continues after an interruption', async () => {
    const { options, requests } = createClient([part(6 * 1024 * 1024), part(size)]);
    await uploadResumable(options, 'b', 'k.mp4', blob, {
      resumeFrom: `${projectUrl}/storage/v1/upload/resumable/u1`,
    });
    expect(requests.map(lineOf)).toEqual(['HEAD /upload/resumable/u1', 'PATCH /upload/resumable/u1']);
  });

  test('renews a token that the service refuses without a body as it reads the offset', async () => {
    const { options, requests } = createClient([new Response(null, { status: 400 }), part(1024), part(size)]);
    const getAccessToken = async (request?: { readonly rejectedToken?: string }) =>
      request?.rejectedToken === 'old' ? 'new' : 'old';
    await uploadResumable({ ...options, getAccessToken }, 'b', 'k.mp4', blob, {
      resumeFrom: `${projectUrl}/storage/v1/upload/resumable/u1`,
    });
    expect(requests.map(({ method }) => method)).toEqual(['HEAD', 'HEAD', 'PATCH']);
    expect(requests[1]?.headers.get('authorization')).toBe('Bearer new');
  });

  test('fails when the server returns no offset or no location', async () => {
    const created = (headers: Record<string, string>) => new Response(null, { status: 201, headers });
    const stuck = createClient([created({ Location: '/storage/v1/upload/resumable/u1' }), part(0)]);
    await expect(uploadResumable(stuck.options, 'b', 'k', blob)).rejects.toMatchObject({ code: 'server' });
    expect(stuck.requests).toHaveLength(2);
    const lost = createClient([created({}), part(size)]);
    await expect(uploadResumable(lost.options, 'b', 'k', blob)).rejects.toMatchObject({
      code: 'not-the-service',
    });
    expect(lost.requests).toHaveLength(1);
  });

  test('never sends its token to another host', async () => {
    const { options, requests } = createClient();
    const upload = uploadResumable(options, 'b', 'k', blob, { resumeFrom: 'https://evil.test/upload' });
    await expect(upload).rejects.toMatchObject({ code: 'invalid-request' });
    expect(requests).toHaveLength(0);
  });

  test("retries a part from the server's offset after a network failure", async () => {
    const { options, requests, world } = createClient([
      part(0),
      new TypeError('fetch failed'),
      part(1024),
      part(6 * 1024 * 1024 + 1024),
      part(size),
    ]);
    const upload = uploadResumable(options, 'b', 'k.mp4', blob, {
      resumeFrom: `${projectUrl}/storage/v1/upload/resumable/u1`,
    });
    await world.clock.advance(1_000);
    await upload;
    expect(requests.map(({ method }) => method)).toEqual(['HEAD', 'PATCH', 'HEAD', 'PATCH', 'PATCH']);
    expect(requests[3]?.headers.get('upload-offset')).toBe('1024');
  });

  const created = (location: string) => new Response(null, { status: 201, headers: { Location: location } });
  const location = `${projectUrl}/storage/v1/upload/resumable/u1`;
  const transient = [500, 502, 503, 504, 520, 524, 429, 423];
  const failing = (status: number) => new Response('refused', { status });

  test.each([...transient, 409])(
    "continues from the server's offset after a part that fails with %i",
    async (status) => {
      const { options, requests, world } = createClient([
        created(location),
        failing(status),
        part(1024),
        part(size),
      ]);
      const upload = uploadResumable(options, 'b', 'k.mp4', blob);
      await world.clock.advance(1_000);
      await upload;
      expect(requests.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'HEAD', 'PATCH']);
      expect(requests[3]?.headers.get('upload-offset')).toBe('1024');
    },
  );

  test.each(transient)('retries the POST and the HEAD after %i', async (status) => {
    const { options, requests, world } = createClient([
      failing(status),
      created(location),
      new TypeError('fetch failed'),
      failing(status),
      part(1024),
      part(size),
    ]);
    const upload = uploadResumable(options, 'b', 'k.mp4', blob);
    await world.clock.advance(1_000);
    await world.clock.advance(5_000);
    await upload;
    expect(requests.map(({ method }) => method)).toEqual(['POST', 'POST', 'PATCH', 'HEAD', 'HEAD', 'PATCH']);
  });

  test('stops after six more attempts', async () => {
    const { options, requests, world } = createClient([failing(503)]);
    const upload = uploadResumable(options, 'b', 'k.mp4', blob).catch((problem: unknown) => problem);
    for (let attempt = 0; attempt < 7; attempt += 1) await world.clock.advance(24_000);
    expect(await upload).toMatchObject({ status: 503 });
    expect(requests).toHaveLength(7);
  });

  test('does not retry the POST of an object that exists', async () => {
    const { options, requests } = createClient([failing(409)]);
    await expect(uploadResumable(options, 'b', 'k.mp4', blob)).rejects.toMatchObject({ status: 409 });
    expect(requests).toHaveLength(1);
  });

  test('stops at once where its file can no longer be read, which browsers report as a network failure', async () => {
    const { options, requests } = createClient([created(location), new TypeError('Failed to fetch')]);
    await expect(uploadResumable(options, 'b', 'k.mp4', changedFile())).rejects.toMatchObject({
      code: 'invalid-request',
      cause: { name: 'NotReadableError' },
    });
    expect(requests.map(({ method }) => method)).toEqual(['POST', 'PATCH']);
  });

  test('an abort between two attempts rejects as aborted', async () => {
    const { options, world } = createClient([failing(503)]);
    const leaving = new AbortController();
    const reason = new Error('left the page');
    const upload = uploadResumable(options, 'b', 'k.mp4', blob, { signal: leaving.signal });
    const outcome = upload.catch((problem: unknown) => problem);
    await world.clock.advance(100);
    leaving.abort(reason);
    expect(await outcome).toMatchObject({ name: 'StorageError', code: 'aborted', cause: reason });
  });

  test.each([
    'https://project.test/storage/v1/upload/resumable/u1',
    'http://project.test/upload/resumable/u1',
    'http://storage:5000/upload/resumable/u1',
    'https://evil.test/storage/v1/upload/resumable/u1',
    '//evil.test/upload/resumable/u1',
    '/upload/resumable/u1',
  ])("follows the path of the location %s on the project's URL", async (named) => {
    const { options, requests } = createClient([created(named), part(size)]);
    const started: string[] = [];
    await uploadResumable(options, 'b', 'k.mp4', blob, { onStart: (url) => started.push(url) });
    expect([requests[1]?.url, ...started]).toEqual([location, location]);
  });

  test.each(['', '/elsewhere/u1', '/upload/resumable/', 'https://', '/upload/resumable/../../rest/v1/t'])(
    'rejects the location %j',
    async (named) => {
      const { options, requests } = createClient([created(named)]);
      await expect(uploadResumable(options, 'b', 'k.mp4', blob)).rejects.toMatchObject({
        code: 'not-the-service',
      });
      expect(requests).toHaveLength(1);
    },
  );

  describe('whose last part the service does not confirm', () => {
    const ofUpload = (version: string) =>
      `${projectUrl}/storage/v1/upload/resumable/${Buffer.from(`b/k.mp4/${version}`).toString('base64url')}`;
    const refused = () =>
      new Response('database error', { status: 500, headers: { 'Tus-Resumable': '1.0.0' } });
    const lost = () => new TypeError('fetch failed');
    const gone = () => new Response(null, { status: 410, headers: { 'Tus-Resumable': '1.0.0' } });
    const noObject = () =>
      json({ statusCode: '404', error: 'not_found', message: 'Object not found' }, { status: 400 });
    const firstPart = () => part(6 * 1024 * 1024);
    const send = async (responses: readonly (Response | Error)[], resumeFrom?: string) => {
      const { options, requests, world } = createClient(responses);
      const started: string[] = [];
      const outcome = uploadResumable(options, 'b', 'k.mp4', blob, {
        onStart: (url) => started.push(url),
        ...(resumeFrom && { resumeFrom }),
      }).then(
        () => 'done',
        (problem: unknown) => problem,
      );
      for (let wait = 0; wait < 4; wait += 1) await world.clock.advance(1_000);
      return { outcome: await outcome, lines: requests.map(({ method }) => method).join(' '), started };
    };

    test.each([
      ['has its bytes still', part(size)],
      ['has removed it', gone()],
    ])(
      'is uploaded again where the service could not store the object, and %s',
      async (_state, afterwards) => {
        const { outcome, lines, started } = await send([
          created(ofUpload('v1')),
          firstPart(),
          refused(),
          afterwards,
          noObject(),
          created(ofUpload('v2')),
          firstPart(),
          part(size),
        ]);
        expect(outcome).toBe('done');
        expect(lines).toBe('POST PATCH PATCH HEAD GET POST PATCH PATCH');
        expect(started).toEqual([ofUpload('v1'), ofUpload('v2')]);
      },
    );

    test('is complete where the object has its version', async () => {
      const info = json({ name: 'k.mp4', version: 'v1' });
      const { outcome, lines } = await send([created(ofUpload('v1')), firstPart(), lost(), part(size), info]);
      expect([outcome, lines]).toEqual(['done', 'POST PATCH PATCH HEAD GET']);
    });

    test('is complete where the caller may not read the object, and another upload is refused', async () => {
      const { outcome, lines } = await send([
        created(ofUpload('v1')),
        firstPart(),
        lost(),
        part(size),
        noObject(),
        failing(409),
      ]);
      expect([outcome, lines]).toEqual(['done', 'POST PATCH PATCH HEAD GET POST']);
    });

    test('is uploaded again where the object has the version of another upload', async () => {
      const info = json({ name: 'k.mp4', version: 'v0' });
      const { outcome, lines } = await send(
        [part(size), info, created(ofUpload('v2')), firstPart(), part(size)],
        ofUpload('v1'),
      );
      expect([outcome, lines]).toEqual(['done', 'HEAD GET POST PATCH PATCH']);
    });

    test('fails with the refusal of the part after three uploads', async () => {
      const upload = () => [created(ofUpload('v')), firstPart(), refused(), gone(), noObject()];
      const { outcome, lines } = await send([...upload(), ...upload(), ...upload()]);
      expect(outcome).toMatchObject({ code: 'server', status: 500, message: 'database error' });
      expect(lines).toBe(Array.from({ length: 3 }, () => 'POST PATCH PATCH HEAD GET').join(' '));
    });

    test('fails as not found where the service removed it before its last part', async () => {
      const { outcome, lines } = await send([created(ofUpload('v1')), lost(), gone()]);
      expect(outcome).toMatchObject({ code: 'not-found', status: 410 });
      expect(lines).toBe('POST PATCH HEAD');
    });
  });

  const encoded = (text: string) => Buffer.from(text).toString('base64');
  test.each([
    ['another size', { 'Upload-Length': String(size + 1) }],
    ['another path', { 'Upload-Metadata': `bucketName ${encoded('b')},objectName ${encoded('k.mp3')}` }],
    ['another bucket', { 'Upload-Metadata': `objectName ${encoded('k.mp4')},bucketName ${encoded('c')}` }],
  ])('is not resumed from an upload of %s', async (_difference, headers) => {
    const head = new Response(null, { headers: { 'Upload-Offset': '0', ...headers } });
    const { options, requests } = createClient([head]);
    await expect(
      uploadResumable(options, 'b', 'k.mp4', blob, { resumeFrom: location }),
    ).rejects.toMatchObject({ code: 'invalid-request' });
    expect(requests).toHaveLength(1);
  });

  test('a part that gets a page as its response is not complete', async () => {
    const page = new Response('<p>Wi-Fi', { headers: { 'Content-Type': 'text/html' } });
    const { options } = createClient([created(location), page]);
    await expect(uploadResumable(options, 'b', 'k.mp4', blob)).rejects.toMatchObject({
      code: 'not-the-service',
      status: 200,
    });
  });

  describe('with an XMLHttpRequest', () => {
    class ScriptedXhr {
      static readonly sent: ScriptedXhr[] = [];
      readonly upload: { onprogress: ((event: { loaded: number }) => void) | null } = { onprogress: null };
      readonly headers: Record<string, string> = {};
      onload: (() => void) | null = null;
      onerror: (() => void) | null = null;
      status = 204;
      responseText = '';
      isAborted = false;
      offset = 0;
      open() {}
      setRequestHeader(name: string, value: string) {
        this.headers[name] = value;
      }
      send() {
        ScriptedXhr.sent.push(this);
      }
      abort() {
        this.isAborted = true;
      }
      getAllResponseHeaders() {
        return `upload-offset: ${this.offset}\r\n`;
      }
      finish(offset: number) {
        this.offset = offset;
        this.onload?.();
      }
    }

    const begin = async (stallTimeoutMs?: number) => {
      ScriptedXhr.sent.length = 0;
      const { options, world } = createClient([part(0)]);
      const seen: number[] = [];
      const platform = {
        ...options.platform,
        createXhr: () => new ScriptedXhr() as unknown as XMLHttpRequest,
      };
      const outcome = uploadResumable({ ...options, platform }, 'b', 'k.mp4', blob.slice(0, 1000), {
        resumeFrom: `${projectUrl}/storage/v1/upload/resumable/u1`,
        onProgress: (doneBytes) => seen.push(doneBytes),
        ...(stallTimeoutMs !== undefined && { stallTimeoutMs }),
      }).then(
        () => 'done',
        (problem: unknown) => problem,
      );
      await expect.poll(() => ScriptedXhr.sent).toHaveLength(1);
      return { outcome, world, seen, xhr: ScriptedXhr.sent[0] as ScriptedXhr };
    };

    test('continues while bytes are sent, at any speed', async () => {
      const { outcome, world, seen, xhr } = await begin();
      for (let loaded = 100; loaded < 1000; loaded += 100) {
        await world.clock.advance(50_000);
        xhr.upload.onprogress?.({ loaded });
      }
      xhr.finish(1000);
      expect(await outcome).toBe('done');
      expect(seen).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]);
      expect(xhr.headers['authorization']).toBe('Bearer token');
    });

    test.each([
      ['', [10]],
      [' from its start', []],
    ])('aborts a part that stalls%s', async (_when, progress) => {
      const { world, xhr } = await begin(1_000);
      progress.forEach((loaded) => xhr.upload.onprogress?.({ loaded }));
      await world.clock.advance(999);
      expect(xhr.isAborted).toBe(false);
      await world.clock.advance(1);
      expect(xhr.isAborted).toBe(true);
    });
  });
});
