import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/compat/index.ts';
import { createPlatform } from '../../src/platform/index.ts';
import {
  type Bucket,
  createStorageClient,
  type StorageClientOptions,
  uploadResumable,
} from '../../src/storage-client/index.ts';
import { ada, signIn, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase({ port: 0 });
let connection: StorageClientOptions;
let files: Bucket;
let count = 0;

beforeAll(() => {
  connection = { url: supabase().url, apiKey: supabase().serviceRoleKey, platform: createPlatform() };
});

beforeEach(async () => {
  count += 1;
  const storage = createStorageClient(connection);
  await storage.createBucket(`b${count}`, { public: true, versioning: 'ENABLED' });
  files = storage.from(`b${count}`);
});

const textOf = async (path: string, versionId?: string) =>
  (await files.download(path, versionId === undefined ? {} : { versionId })).text();

async function uploadTwice(): Promise<string> {
  await files.upload('a.txt', 'one');
  const { version } = await files.info('a.txt');
  await files.upload('a.txt', 'two', { upsert: true });
  return version;
}

describe('names with characters that separate the parts of a URL', () => {
  it.each([
    'icon@2x.png',
    'me@example.com/2026-01-29T10:48:15.595Z.txt',
    'R&D;a=b,$c+d.pdf',
    "what? it's (1)!*.txt",
  ])('are linked by every method: %s', async (name) => {
    await files.upload(name, name);
    const compat = createClient(supabase().url, supabase().serviceRoleKey).storage.from(files.name);
    const upload = await files.createSignedUploadUrl(name, { upsert: true });
    const urls = [
      files.getPublicUrl(name),
      await files.createSignedUrl(name, 60),
      (await files.createSignedUrls([name], 60))[0]?.url ?? '',
      (await compat.createSignedUrl(name, 60)).data?.signedUrl ?? '',
      (await compat.createSignedUrls([name], 60)).data?.[0]?.signedUrl ?? '',
    ];
    for (const url of urls) {
      expect(url).toMatch(/^[\w\-.~:/?%=&]+$/);
      await expect((await fetch(url)).text()).resolves.toBe(name);
    }
    expect((await fetch(upload.url, { method: 'PUT', body: 'new' })).status).toBe(200);
    expect(await textOf(name)).toBe('new');
  });
});

describe('versions of objects', () => {
  it('are read, described, linked and listed', async () => {
    const versionId = await uploadTwice();
    expect([await textOf('a.txt'), await textOf('a.txt', versionId)]).toEqual(['two', 'one']);
    expect((await files.info('a.txt', { versionId })).version).toBe(versionId);
    const links = [
      files.getPublicUrl('a.txt', { versionId, cacheNonce: 'x' }),
      await files.createSignedUrl('a.txt', 60, { versionId, cacheNonce: 'x' }),
    ];
    for (const link of links) {
      expect(new URL(link).searchParams.get('cacheNonce')).toBe('x');
      await expect((await fetch(link)).text()).resolves.toBe('one');
    }
    const listed = await files.list('', { noncurrentVersions: 'only' });
    expect(listed.map(({ version }) => version)).toEqual([versionId]);
    const { objects } = await files.listV2({ noncurrentVersions: 'include' });
    expect(objects.map(({ archived_at }) => archived_at === null)).toEqual([true, false]);
  });
});

it('lists the object of one key alone', async () => {
  for (const path of ['a', 'a/b', 'ab']) await files.upload(path, 'x');
  expect((await files.list('a/b', { exactMatch: true })).map(({ name }) => name)).toEqual(['b']);
  const { objects } = await files.listV2({ prefix: 'a', exactMatch: true });
  expect(objects.map(({ name }) => name)).toEqual(['a']);
});

it('lists all keys by cursors, and purges the cache', async () => {
  for (const path of ['a', 'b/c', 'b/d']) await files.upload(path, 'x');
  const first = await files.listV2({ limit: 1, withDelimiter: true });
  expect([first.hasNext, first.objects.map(({ name }) => name)]).toEqual([true, ['a']]);
  const { folders, hasNext } = await files.listV2({ cursor: first.nextCursor ?? '', withDelimiter: true });
  expect([hasNext, folders.map(({ name }) => name)]).toEqual([false, ['b/']]);
  await expect(files.purgeCache('a')).resolves.toBeUndefined();
  const user = { ...connection, getAccessToken: () => signIn(supabase(), ada.email) };
  await expect(createStorageClient(user).from(files.name).purgeCache('a')).rejects.toMatchObject({
    code: 'denied',
  });
});

describe('a resumable upload', () => {
  const bytes = new Uint8Array(7 * 1024 * 1024).fill(7);
  const blob = new Blob([bytes], { type: 'video/mp4' });

  it('continues after the connection was lost, and replaces an object', async () => {
    await files.upload('large.mp4', 'small');
    const { faults } = supabase();
    faults.add({ method: 'PATCH', path: '/storage/v1/upload', lose: 'request', after: 1 });
    let url = '';
    const onStart = (started: string) => {
      url = started;
    };
    const platform = { ...connection.platform, clock: { ...connection.platform.clock, setTimer: runSoon } };
    const upload = { upsert: true, onStart };
    await expect(
      uploadResumable({ ...connection, platform }, files.name, 'large.mp4', blob, upload),
    ).rejects.toMatchObject({ code: 'network' });
    await faults.clear();
    const seen: number[] = [];
    await uploadResumable(connection, files.name, 'large.mp4', blob, {
      upsert: true,
      resumeFrom: url,
      onProgress: (doneBytes) => seen.push(doneBytes),
    });
    expect(seen).toEqual([6 * 1024 * 1024, bytes.length]);
    const stored = new Uint8Array(await (await files.download('large.mp4')).arrayBuffer());
    expect(Buffer.compare(stored, bytes)).toBe(0);
    expect(await files.info('large.mp4')).toMatchObject({ content_type: 'video/mp4', size: bytes.length });
  });

  it('needs no account with a signed token', async () => {
    const { token: signedToken } = await files.createSignedUploadUrl('signed.txt');
    const { url, anonKey: apiKey } = supabase();
    const anonymous = { url, apiKey, platform: createPlatform() };
    await uploadResumable(anonymous, files.name, 'signed.txt', new Blob(['signed']), { signedToken });
    expect(await textOf('signed.txt')).toBe('signed');
    await expect(uploadResumable(anonymous, files.name, 'other.txt', new Blob(['x']))).rejects.toMatchObject({
      code: 'denied',
      status: 403,
      message: 'new row violates row-level security policy',
    });
  });
});

/** Retries without waiting: deadlines, which are longer, stay unchanged. */
function runSoon(callback: () => void, delayMs: number) {
  const timer = setTimeout(callback, delayMs > 30_000 ? delayMs : 0);
  return { cancel: () => clearTimeout(timer) };
}
