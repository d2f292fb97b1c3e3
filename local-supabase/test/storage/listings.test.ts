import { createClient } from '@supabase/supabase-js';
import { beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ada, requestApi, signIn, useLocalSupabase } from '../../../test/support/local-supabase.ts';

const supabase = useLocalSupabase();

function storage() {
  const { url, serviceRoleKey, fetch } = supabase();
  return createClient(url, serviceRoleKey, {
    global: { fetch },
    realtime: { transport: WebSocket as never },
  }).storage;
}
const files = () => storage().from('files');

beforeAll(async () => {
  await storage().createBucket('files');
  for (const path of ['b.txt', 'a/2.txt', 'B.txt', 'a/1.txt', 'a/deep/3.txt', 'a.txt'])
    await files().upload(path, 'text');
});

describe('listV2', () => {
  it('lists every object below a prefix, by the bytes of its key', async () => {
    const { data } = await files().listV2();
    expect(data?.objects.map(({ name }) => name)).toEqual([
      'B.txt',
      'a.txt',
      'a/1.txt',
      'a/2.txt',
      'a/deep/3.txt',
      'b.txt',
    ]);
    expect(data).toMatchObject({ hasNext: false, folders: [] });
    expect(data).not.toHaveProperty('nextCursor');
    const below = await files().listV2({ prefix: 'a/', sortBy: { column: 'name', order: 'desc' } });
    expect(below.data?.objects.map(({ name }) => name)).toEqual(['a/deep/3.txt', 'a/2.txt', 'a/1.txt']);
  });

  it('groups keys by their next segment', async () => {
    const { data } = await files().listV2({ with_delimiter: true });
    expect(data?.folders).toMatchObject([{ key: 'a', name: 'a/', id: null }]);
    expect(data?.objects.map(({ name, key }) => [key, name])).toEqual([
      ['B.txt', 'B.txt'],
      ['a.txt', 'a.txt'],
      ['b.txt', 'b.txt'],
    ]);
    const below = await files().listV2({ with_delimiter: true, prefix: 'a/' });
    expect(below.data?.folders).toMatchObject([{ key: 'deep', name: 'a/deep/', id: null }]);
    expect(below.data?.objects.map(({ key }) => key)).toEqual(['1.txt', '2.txt']);
  });

  it.each([
    { column: 'name', order: 'asc' },
    { column: 'name', order: 'desc' },
    { column: 'created_at', order: 'asc' },
    { column: 'updated_at', order: 'desc' },
  ] as const)('returns each entry once in pages by $column $order', async (sortBy) => {
    for (const with_delimiter of [true, false]) {
      const whole = await files().listV2({ sortBy, with_delimiter });
      const names: string[] = [];
      let cursor: string | undefined;
      do {
        const { data, error } = await files().listV2({
          limit: 1,
          with_delimiter,
          ...(cursor ? { cursor } : { sortBy }),
        });
        if (error) throw error;
        names.push(...data.folders.map(({ name }) => name), ...data.objects.map(({ name }) => name));
        cursor = data.nextCursor;
      } while (cursor);
      const { folders = [], objects = [] } = whole.data ?? {};
      expect(names.toSorted()).toEqual([...folders, ...objects].map(({ name }) => name).toSorted());
      expect(names.filter((name) => !name.endsWith('/'))).toEqual(objects.map(({ name }) => name));
    }
  });

  it('sorts by time', async () => {
    const { data } = await files().listV2({ sortBy: { column: 'created_at', order: 'desc' } });
    expect(data?.objects.map(({ name }) => name)).toEqual([
      'a.txt',
      'a/deep/3.txt',
      'a/1.txt',
      'B.txt',
      'a/2.txt',
      'b.txt',
    ]);
  });

  it('omits objects that the caller may not read', async () => {
    const token = await signIn(supabase(), ada.email);
    const response = await requestApi(supabase(), '/storage/v1/object/list-v2/files', {
      method: 'POST',
      token,
      body: {},
    });
    await expect(response.json()).resolves.toEqual({ hasNext: false, folders: [], objects: [] });
  });

  it.each([{ limit: 0 }, { limit: 1.5 }, { cursor: 'nonsense' }, { noncurrentVersions: 'all' as never }])(
    'refuses %o',
    async (options) => {
      const { error } = await files().listV2(options);
      expect(error).toMatchObject({ statusCode: '400' });
    },
  );
});

describe('purgeCache', () => {
  it('succeeds for the service role, since no cache is in front of the service', async () => {
    expect(await files().purgeCache('a.txt')).toEqual({ data: { message: 'success' }, error: null });
    expect(await storage().purgeBucketCache('files', { transformations: true })).toEqual({
      data: { message: 'success' },
      error: null,
    });
  });
});

describe('a list of buckets', () => {
  it('is filtered, sorted and limited by the service', async () => {
    for (const name of ['photos', 'photos-old', 'videos']) await storage().createBucket(name);
    const names = async (...options: Parameters<ReturnType<typeof storage>['listBuckets']>) =>
      (await storage().listBuckets(...options)).data?.map(({ name }) => name);
    expect(await names({ search: 'Photo', sortColumn: 'name', sortOrder: 'desc' })).toEqual([
      'photos-old',
      'photos',
    ]);
    expect(await names({ limit: 2, offset: 1 })).toEqual(['photos', 'photos-old']);
    const { error } = await storage().listBuckets({ sortColumn: 'owner' as never });
    expect(error).toMatchObject({ status: 400 });
  });
});
