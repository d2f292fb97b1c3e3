import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createClient, type SupabaseClientOptions } from '../../src/compat/index.ts';
import { json } from '../support/wire/replies.ts';

/** A bucket with the vendor's names, over a scripted network. */
function createBucket(reply: (request: Request) => Response | Promise<Response>) {
  const fetch: typeof globalThis.fetch = async (input, init) => reply(new Request(input, init));
  return createClient('https://project.test', 'anon-key', { global: { fetch } }).storage.from('photos');
}

test('an upload takes a stream, of a page and of Node', async () => {
  const bodies: string[] = [];
  const bucket = createBucket(async (request) => {
    bodies.push(await request.text());
    return json({ Id: '1', Key: 'photos/a.txt' });
  });
  const streams = [new Blob(['of a page']).stream(), Readable.from([Buffer.from('of Node')])];
  for (const stream of streams) {
    const { error } = await bucket.upload('a.txt', stream, { contentType: 'text/plain' });
    expect(error).toBeNull();
  }
  expect(bodies).toEqual(['of a page', 'of Node']);
});

test('an empty transform requests the original object', () => {
  const bucket = createBucket(() => json({}));
  const urlOf = (transform: object) => bucket.getPublicUrl('a.jpg', { transform }).data.publicUrl;
  expect(urlOf({})).toContain('/storage/v1/object/public/photos/a.jpg');
  expect(urlOf({ width: 10 })).toContain('/storage/v1/render/image/public/photos/a.jpg');
});

test('a network failure has the message of the error that fetch threw', async () => {
  const bucket = createBucket(() => {
    throw new TypeError('Network failure');
  });
  const { error } = await bucket.move('a.txt', 'b.txt');
  expect([error?.name, error?.message]).toEqual(['StorageUnknownError', 'Network failure']);
});

test('a storage client throws its errors after throwOnError, and its buckets do', async () => {
  const fetch: typeof globalThis.fetch = async () => json({ message: 'Denied' }, { status: 403 });
  const { storage } = createClient('https://project.test', 'anon-key', { global: { fetch } });
  expect((await storage.listBuckets()).error?.message).toBe('Denied');
  await expect(storage.throwOnError().listBuckets()).rejects.toThrow('Denied');
  await expect(storage.throwOnError().from('photos').list()).rejects.toThrow('Denied');
});

function record(options: SupabaseClientOptions = {}, reply: () => Response = () => json([])) {
  const sent: Request[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    sent.push(new Request(input, init));
    return reply();
  };
  return {
    sent,
    storage: createClient('https://ref.supabase.co', 'anon-key', { ...options, global: { fetch } }).storage,
  };
}

test('the service selects and orders the buckets of a list', async () => {
  const { storage, sent } = record();
  await storage.listBuckets({ limit: 2, offset: 4, search: 'pho', sortColumn: 'name', sortOrder: 'desc' });
  await storage.listBuckets({ sortColumn: 'created_at' });
  await storage.listBuckets();
  expect(sent.map(({ url }) => new URL(url).search)).toEqual([
    '?limit=2&offset=4&search=pho&sortColumn=name&sortOrder=desc',
    '?sortColumn=created_at&sortOrder=asc',
    '',
  ]);
});

test('a purge ends with its signal', async () => {
  const { storage, sent } = record();
  const ended = { signal: AbortSignal.abort() };
  expect((await storage.purgeBucketCache('photos', undefined, ended)).error?.name).toBe(
    'StorageUnknownError',
  );
  expect((await storage.from('photos').purgeCache('a.jpg', undefined, ended)).error).not.toBeNull();
  expect(sent).toEqual([]);
});

test('useNewHostname sends to the host of a project’s storage', async () => {
  const { storage, sent } = record({ storage: { useNewHostname: true } });
  await storage.listBuckets();
  await record().storage.listBuckets();
  expect(sent[0]?.url).toBe('https://ref.storage.supabase.co/storage/v1/bucket');
});

test('an error has the code of the service, and throws where an object is missing', async () => {
  const refusal = { statusCode: '404', code: 'NoSuchKey', error: 'not_found', message: 'Object not found' };
  const { storage } = record({}, () => json(refusal, { status: 400 }));
  const { error } = await storage.from('photos').download('a.jpg');
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name: 'StorageApiError', code: 'NoSuchKey' });
  expect(await storage.from('photos').exists('a.jpg')).toEqual({ data: false, error: null });
  await expect(storage.from('photos').throwOnError().exists('a.jpg')).rejects.toThrow('Object not found');
});

test.each([
  ['3600', 'max-age=3600'],
  ['31536000, immutable', 'max-age=31536000, immutable'],
])('the cache control %j is sent as %j', async (cacheControl, header) => {
  const sent: (string | null)[] = [];
  const bucket = createBucket((request) => {
    sent.push(request.headers.get('cache-control'));
    return json({ Id: '1', Key: 'photos/a.txt' });
  });
  await bucket.upload('a.txt', 'text', { cacheControl });
  expect(sent).toEqual([header]);
});

test('repeated slashes in the path of an upload are joined', async () => {
  const paths: string[] = [];
  const bucket = createBucket((request) => {
    paths.push(new URL(request.url).pathname);
    return json({ Id: '1', Key: 'photos/folder/a.png' });
  });
  const { data, error } = await bucket.upload('folder//a.png', 'x');
  expect([data?.path, error, paths]).toEqual([
    'folder/a.png',
    null,
    ['/storage/v1/object/photos/folder/a.png'],
  ]);
});
