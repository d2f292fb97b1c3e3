import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { receiveInMemory } from '../../src/services/storage/object-store.ts';
import { createStorageService } from '../../src/services/storage/storage-service.ts';
import { ada, grace, useLocalSupabase } from '../../../test/support/local-supabase.ts';
import { useVendorStorage } from './vendor-storage.ts';

const supabase = useLocalSupabase({ port: 0 });
const { storageOf } = useVendorStorage(supabase);
let bucket = '';
let count = 0;

const files = (email?: string) => storageOf(email).from(bucket);

/** The text of an object or of one of its versions; null if it does not exist. */
const textOf = async (path: string, versionId?: string) =>
  (await files().download(path, versionId === undefined ? {} : { versionId })).data?.text() ?? null;
const versionOf = async (path: string) => (await files().info(path)).data?.version ?? '';

beforeEach(async () => {
  count += 1;
  bucket = `versions-${count}`;
  const { error } = await storageOf().createBucket(bucket, { public: true, versioningStatus: 'ENABLED' });
  if (error) throw error;
});

/** Uploads texts to one path, and returns the id of each version. */
async function uploadVersions(path: string, ...texts: string[]): Promise<string[]> {
  const versions: string[] = [];
  for (const text of texts) {
    const { error } = await files().upload(path, text, { upsert: true, contentType: 'text/plain' });
    expect(error).toBeNull();
    versions.push(await versionOf(path));
  }
  return versions;
}

describe('a bucket with versions', () => {
  it('keeps the objects that uploads replace', async () => {
    const [first = '', second = ''] = await uploadVersions('a.txt', 'one', 'two');
    expect([await textOf('a.txt'), await textOf('a.txt', first), await textOf('a.txt', second)]).toEqual([
      'two',
      'one',
      'two',
    ]);
    expect((await files().list()).data).toHaveLength(1);
    const all = await files().listV2({ noncurrentVersions: 'include' });
    expect(all.data?.objects.map(({ version, is_versioned }) => [version, is_versioned])).toEqual([
      [second, true],
      [first, true],
    ]);
    const earlier = await files().list('', { noncurrentVersions: 'only' });
    expect(earlier.data?.map(({ version }) => version)).toEqual([first]);
  });

  it('returns every version once in pages of one', async () => {
    const versions = await uploadVersions('a.txt', 'one', 'two', 'three');
    const seen: (string | undefined)[] = [];
    let cursor: string | undefined;
    do {
      const { data } = await files().listV2({
        limit: 1,
        noncurrentVersions: 'include',
        ...(cursor && { cursor }),
      });
      seen.push(...(data?.objects ?? []).map(({ version }) => version));
      cursor = data?.nextCursor;
    } while (cursor);
    expect(seen).toEqual(versions.toReversed());
  });

  it('serves a version by public and by signed links', async () => {
    const [first = ''] = await uploadVersions('a.txt', 'one', 'two');
    const { publicUrl } = files().getPublicUrl('a.txt', { versionId: first }).data;
    await expect((await fetch(publicUrl)).text()).resolves.toBe('one');
    const { data } = await files().createSignedUrl('a.txt', 60, { versionId: first });
    await expect((await fetch(data?.signedUrl ?? '')).text()).resolves.toBe('one');
  });

  it('hides a removed object behind a delete marker, which an upload replaces', async () => {
    const [first = ''] = await uploadVersions('a.txt', 'one');
    expect((await files().remove(['a.txt'])).data).toHaveLength(1);
    expect(await textOf('a.txt')).toBeNull();
    expect(await textOf('a.txt', first)).toBe('one');
    expect((await files().list()).data).toEqual([]);
    const markers = await files().listV2({ deleteMarkers: 'only' });
    expect(markers.data?.objects).toHaveLength(1);
    expect((await files().upload('a.txt', 'new')).error).toBeNull();
    expect(await textOf('a.txt')).toBe('new');
  });

  it('removes a version permanently, and restores the one before it', async () => {
    const [first = '', second = ''] = await uploadVersions('a.txt', 'one', 'two');
    await files().remove([{ path: 'a.txt', versionId: second }]);
    expect(await textOf('a.txt')).toBe('one');
    await files().remove(['a.txt']);
    const marker = (await files().listV2({ deleteMarkers: 'only' })).data?.objects[0]?.version ?? '';
    await files().remove([{ path: 'a.txt', versionId: marker }]);
    expect([await textOf('a.txt'), await textOf('a.txt', second)]).toEqual(['one', null]);
    await files().remove([{ path: 'a.txt', versionId: first }]);
    expect(
      (await files().listV2({ noncurrentVersions: 'include', deleteMarkers: 'include' })).data?.objects,
    ).toEqual([]);
  });

  it('copies and restores an earlier version', async () => {
    const [first = '', second = ''] = await uploadVersions('a.txt', 'one', 'two');
    expect((await files().copy('a.txt', 'copy.txt', { sourceVersionId: first })).error).toBeNull();
    expect(await textOf('copy.txt')).toBe('one');
    expect((await files().move('a.txt', 'a.txt', { sourceVersionId: first })).error).toBeNull();
    expect([await textOf('a.txt'), await textOf('a.txt', second)]).toEqual(['one', 'two']);
    expect((await files().move('a.txt', 'moved.txt', { sourceVersionId: second })).error).toBeNull();
    expect([await textOf('moved.txt'), await textOf('a.txt')]).toEqual(['two', 'one']);
    expect((await files().copy('a.txt', 'b.txt', { sourceVersionId: second })).error).toMatchObject({
      statusCode: '404',
    });
  });

  it('replaces objects without archiving them once versioning is suspended', async () => {
    const [first = ''] = await uploadVersions('a.txt', 'one');
    await storageOf().updateBucket(bucket, { public: true, versioningStatus: 'SUSPENDED' });
    await uploadVersions('a.txt', 'two', 'three');
    const { data } = await files().listV2({ noncurrentVersions: 'only' });
    expect(data?.objects.map(({ version }) => version)).toEqual([first]);
    const refused = await storageOf().updateBucket(bucket, {
      public: true,
      versioningStatus: 'DISABLED' as never,
    });
    expect(refused.error).toMatchObject({ statusCode: '400' });
  });

  it('archives and hides only objects that the caller may replace or remove', async () => {
    await supabase().database.exec(
      `create policy "Readers ${bucket}" on storage.objects for select to authenticated using (bucket_id = '${bucket}');
       create policy "Authors ${bucket}" on storage.objects for insert to authenticated with check (bucket_id = '${bucket}')`,
    );
    await uploadVersions('a.txt', 'one');
    expect((await files(grace.email).upload('a.txt', 'x', { upsert: true })).error).toMatchObject({
      statusCode: '403',
    });
    expect((await files(grace.email).remove(['a.txt'])).data).toEqual([]);
    expect(await textOf('a.txt')).toBe('one');
    await files().remove(['a.txt']);
    expect((await files(grace.email).upload('a.txt', 'hers')).error).toBeNull();
    expect(await textOf('a.txt')).toBe('hers');
  });

  it('expires earlier versions by the rules of the bucket', async () => {
    const missing = await storageOf().getBucketLifecycle(bucket);
    expect(missing.error).toMatchObject({ statusCode: '404' });
    const rule = {
      status: 'Enabled' as const,
      filter: {},
      noncurrentVersionExpiration: { noncurrentDays: 7 },
    };
    const stored = await storageOf().updateBucketLifecycle(bucket, {
      rules: [{ ...rule, noncurrentVersionExpiration: { noncurrentDays: 7, newerNoncurrentVersions: 1 } }],
    });
    expect(stored.data?.rules[0]?.id).toBeTypeOf('string');
    expect((await storageOf().getBucketLifecycle(bucket)).data).toEqual(stored.data);
    const refused = await storageOf().updateBucketLifecycle(bucket, { rules: [] });
    expect(refused.error).toMatchObject({ statusCode: '400' });
    const [first, second, third] = await uploadVersions('a.txt', 'one', 'two', 'three');
    const removed: string[] = [];
    const { database, keys } = supabase();
    let nowMs = Date.now();
    const objects = {
      receive: receiveInMemory,
      get: async () => undefined,
      put: async () => undefined,
      remove: async (version: string) => void removed.push(version),
    };
    const service = createStorageService({ database, keys, objects, now: () => nowMs });
    await service.sweep();
    expect(removed).toEqual([]);
    nowMs += 8 * 86_400_000;
    await service.sweep();
    expect(removed).toEqual([first]);
    const { data } = await files().listV2({ noncurrentVersions: 'include' });
    expect(data?.objects.map(({ version }) => version)).toEqual([third, second]);
    expect((await storageOf().deleteBucketLifecycle(bucket)).error).toBeNull();
    expect((await storageOf().getBucketLifecycle(bucket)).error).toMatchObject({ statusCode: '404' });
  });

  it('keeps a lifecycle that is stored again, also in its older form, and generates ids from the content', async () => {
    const expiration = { noncurrentDays: 7 };
    const rules = [{ status: 'Disabled', legacyPrefix: '', noncurrentVersionExpiration: expiration }];
    const put = async () =>
      (await storageOf().updateBucketLifecycle(bucket, { rules } as never)).data?.rules as unknown;
    const stored = [{ ...rules[0], id: expect.stringMatching(/^rule-[0-9a-f]{64}$/) as string }];
    const first = await put();
    expect(first).toEqual(stored);
    expect(await put()).toEqual(first);
    const rows = await supabase().database.query(
      `select lifecycle_configuration from storage.buckets where id = $1 and lifecycle_configuration_generation is not null`,
      [bucket],
    );
    expect(rows).toEqual([{ lifecycle_configuration: { rules: first } }]);
  });

  it('changes a lifecycle through the service alone, by a caller who may update the bucket', async () => {
    const { database } = supabase();
    const rules = [
      { status: 'Enabled' as const, filter: {}, noncurrentVersionExpiration: { noncurrentDays: 1 } },
    ];
    const put = () => storageOf(ada.email).updateBucketLifecycle(bucket, { rules });
    expect((await put()).error).toMatchObject({ statusCode: '404' });
    await database.exec(`create policy ada_sees on storage.buckets for select using (id = '${bucket}');
      create policy ada_updates on storage.buckets for update using (id = '${bucket}') with check (false)`);
    expect((await put()).error).toMatchObject({ statusCode: '403' });
    await database.exec('alter policy ada_updates on storage.buckets with check (true)');
    expect((await put()).error).toBeNull();
    const update = (configuration: string | null, generation: string) =>
      database.query(
        `update storage.buckets set lifecycle_configuration = $2, lifecycle_configuration_generation = ${generation}
         where id = $1`,
        [bucket, configuration],
      );
    await expect(update(null, 'null')).rejects.toMatchObject({ code: 'PST01' });
    await expect(update('{"rules": [{}]}', 'lifecycle_configuration_generation')).rejects.toMatchObject({
      code: '22023',
    });
    expect((await storageOf(ada.email).deleteBucketLifecycle(bucket)).error).toBeNull();
    await database.exec(
      'drop policy ada_sees on storage.buckets; drop policy ada_updates on storage.buckets',
    );
  });

  it('creates a bucket with a lifecycle for members of the role of the service alone', async () => {
    const { database } = supabase();
    const insert = (role: string) =>
      database.transaction(async (sql) => {
        await sql.query(`set local role ${role}`);
        return sql.query(
          `insert into storage.buckets (id, name, lifecycle_configuration, lifecycle_configuration_generation)
           values ($1, $1, '{"rules": [{}]}', gen_random_uuid()) returning id`,
          [`${bucket}-${role}`],
        );
      });
    await expect(insert('authenticated')).rejects.toMatchObject({
      message: /only members of the configured storage service role/,
    });
    await expect(insert('service_role')).resolves.toHaveLength(1);
  });

  it.each([
    [{ expiration: {} }, 'Rule 1 contains unsupported field expiration'],
    [{ legacyPrefix: '' }, 'Rule 1 must contain exactly one of Filter or Prefix'],
    [{ id: 'a'.repeat(256) }, 'Rule 1 ID must be 255 characters or fewer'],
    [{ status: 'On' }, 'Rule 1 Status must be Enabled or Disabled'],
    [{ filter: { prefix: 'a' } }, 'Rule 1 uses a lifecycle filter that is not supported in v1'],
    [{ noncurrentVersionExpiration: {} }, 'Rule 1 NoncurrentVersionExpiration must contain NoncurrentDays'],
    [
      { noncurrentVersionExpiration: { noncurrentDays: 0 } },
      "'NoncurrentDays' for NoncurrentVersionExpiration action must be a positive integer",
    ],
    [
      { noncurrentVersionExpiration: { noncurrentDays: 1, newerNoncurrentVersions: 101 } },
      "'NewerNoncurrentVersions' for NoncurrentVersionExpiration action must be an integer between 1 and 100",
    ],
  ])('refuses a lifecycle with %j', async (change, message) => {
    const rule = { status: 'Enabled', filter: {}, noncurrentVersionExpiration: { noncurrentDays: 1 } };
    const rules = [{ ...rule, ...change }] as never;
    const { error } = await storageOf().updateBucketLifecycle(bucket, { rules });
    expect(error).toMatchObject({ statusCode: '400', message });
  });

  it('is empty after emptyBucket, with every version', async () => {
    await uploadVersions('a.txt', 'one', 'two');
    expect((await storageOf().deleteBucket(bucket)).error).toMatchObject({ statusCode: '409' });
    await storageOf().emptyBucket(bucket);
    expect((await storageOf().deleteBucket(bucket)).error).toBeNull();
  });
});

describe('content encoding', () => {
  const packed = () => new Uint8Array(gzipSync('packed text'));

  it('is stored with an upload, and decoded by the downloading client', async () => {
    await files().upload('a.txt.gz', packed(), { contentEncoding: 'gzip', contentType: 'text/plain' });
    const { publicUrl } = files().getPublicUrl('a.txt.gz').data;
    const response = await fetch(publicUrl);
    expect(response.headers.get('content-encoding')).toBe('gzip');
    await expect(response.text()).resolves.toBe('packed text');
    await files().upload('form.gz', new Blob([packed()], { type: 'text/plain' }), {
      contentEncoding: 'gzip',
    });
    expect(await textOf('form.gz')).toBe('packed text');
  });

  it('is that of a copy request if the metadata is not copied', async () => {
    await files().upload('a.bin', packed(), { contentType: 'text/plain', metadata: { own: 1 } });
    const metadata = { contentEncoding: 'gzip', cacheControl: 'max-age=5' };
    await files().copy('a.bin', 'copy.txt', { copyMetadata: false, metadata });
    expect(await textOf('copy.txt')).toBe('packed text');
    expect((await files().info('copy.txt')).data).toMatchObject({
      cacheControl: 'max-age=5',
      contentType: 'text/plain',
      metadata: {},
    });
    await files().copy('a.bin', 'same.bin', {});
    expect((await files().info('same.bin')).data?.metadata).toEqual({ own: 1 });
  });
});
