import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { Upload } from 'tus-js-client';
import { createFunctionsClient, type FunctionsClient } from '../../../src/functions-client/index.ts';
import { createPlatform } from '../../../src/platform/index.ts';
import {
  createStorageClient,
  type StorageClient,
  type StorageClientOptions,
  uploadResumable,
} from '../../../src/storage-client/index.ts';
import { useLocalSupabase } from '../../support/local-supabase.ts';
import { compatLibrary } from './auth-tools.ts';
import { transport } from './transport.ts';
import { testRows, type MigratingRow } from './page.ts';

const supabase = useLocalSupabase({
  port: 0,
  functions: { greet: async (request) => Response.json({ hello: ((await request.json()) as Named).name }) },
});
interface Named {
  readonly name: string;
}

type Vendor = SupabaseClient;
interface Here {
  readonly connection: StorageClientOptions;
  readonly storage: StorageClient;
  readonly functions: FunctionsClient;
}
type Row = MigratingRow<Vendor, Here>;

let bucket = '';
let count = 0;
const nextBucket = async () => {
  count += 1;
  bucket = `migrating-${count}`;
  await connect().storage.createBucket(bucket, { public: true });
};

function connectVendor(library = createClient): Vendor {
  const { url, serviceRoleKey, fetch } = supabase();
  return library(url, serviceRoleKey, {
    global: { fetch },
    realtime: { transport },
    auth: { persistSession: false, autoRefreshToken: false },
  });
}
function connect(): Here {
  const { url, serviceRoleKey: apiKey, fetch } = supabase();
  const connection = { url, apiKey, platform: createPlatform({ fetch }) };
  return {
    connection,
    storage: createStorageClient(connection),
    functions: createFunctionsClient(connection),
  };
}

const body = () => new Blob(['hello'], { type: 'text/css' });
const fetched = async (url: string) => (await supabase().fetch(url)).text();
/** A text without the name of the bucket, which differs from test to test. */
const shapeOf = (text: string | undefined) => text?.replace(bucket, 'b');
const rows: readonly Row[] = [
  {
    cell: "`storage.from('b').upload(path, body, { contentType, cacheControl: '3600', upsert })`",
    vendor: async ({ storage }) => {
      const options = { contentType: 'text/css', cacheControl: '60', upsert: true };
      await storage.from(bucket).upload('a/b.css', body(), options);
      const { data } = await storage.from(bucket).info('a/b.css');
      return [data?.contentType, data?.cacheControl, data?.size];
    },
    here: async ({ storage }) => {
      const options = { contentType: 'text/css', cacheControlSeconds: 60, upsert: true };
      await storage.from(bucket).upload('a/b.css', body(), options);
      const info = await storage.from(bucket).info('a/b.css');
      return [info.content_type, info.cache_control, info.size];
    },
  },
  {
    cell: '`update`, `download`, `list`, `listV2`, `remove`, `move`, `copy`, `info`, `exists`, `purgeCache`',
    vendor: async ({ storage }) => {
      const files = storage.from(bucket);
      await files.upload('a.txt', body());
      await files.update('a.txt', new Blob(['changed']));
      const text = await (await files.download('a.txt')).data?.text();
      await files.copy('a.txt', 'copy.txt');
      await files.move('copy.txt', 'moved.txt');
      const listed = (await files.list()).data?.map(({ name }) => name);
      const listedV2 = (await files.listV2()).data?.objects.map(({ name }) => name);
      const exists = (await files.exists('moved.txt')).data;
      await files.remove(['moved.txt']);
      const purged = (await files.purgeCache('a.txt')).error;
      return [text, listed, listedV2, exists, (await files.exists('moved.txt')).data, purged];
    },
    here: async ({ storage }) => {
      const files = storage.from(bucket);
      await files.upload('a.txt', body());
      await files.replace('a.txt', new Blob(['changed']));
      const text = await (await files.download('a.txt')).text();
      await files.copy('a.txt', 'copy.txt');
      await files.move('copy.txt', 'moved.txt');
      const listed = (await files.list()).map(({ name }) => name);
      const listedV2 = (await files.listV2()).objects.map(({ name }) => name);
      const exists = await files.exists('moved.txt');
      await files.remove(['moved.txt']);
      const purged = (await files.purgeCache('a.txt')) ?? null;
      return [text, listed, listedV2, exists, await files.exists('moved.txt'), purged];
    },
  },
  {
    cell: '`download(path).asStream()`',
    vendor: async ({ storage }) => {
      await storage.from(bucket).upload('a.txt', body());
      return new Response((await storage.from(bucket).download('a.txt').asStream()).data).text();
    },
    here: async ({ storage }) => {
      await storage.from(bucket).upload('a.txt', body());
      return new Response(await storage.from(bucket).downloadStream('a.txt')).text();
    },
  },
  {
    cell: '`purgeBucketCache(id, { transformations: true })`',
    vendor: async ({ storage }) => (await storage.purgeBucketCache(bucket, { transformations: true })).error,
    here: async ({ storage }) =>
      (await storage.purgeBucketCache(bucket, { transformationsOnly: true })) ?? null,
  },
  {
    cell: '`getBucketLifecycle`, `updateBucketLifecycle`, `deleteBucketLifecycle`',
    vendor: async ({ storage }) => {
      const rule = { id: 'old', filter: {}, noncurrentVersionExpiration: { noncurrentDays: 7 } };
      await storage.updateBucketLifecycle(bucket, { rules: [{ ...rule, status: 'Enabled' }] });
      const days = (await storage.getBucketLifecycle(bucket)).data?.rules.map(
        ({ id, noncurrentVersionExpiration: { noncurrentDays } }) => [id, noncurrentDays],
      );
      await storage.deleteBucketLifecycle(bucket);
      return [days, shapeOf((await storage.getBucketLifecycle(bucket)).error?.message)];
    },
    here: async ({ storage }) => {
      await storage.updateBucketLifecycle(bucket, [{ id: 'old', noncurrentDays: 7 }]);
      const rules = await storage.getBucketLifecycle(bucket);
      await storage.deleteBucketLifecycle(bucket);
      const missing = await storage.getBucketLifecycle(bucket).catch((problem: Error) => problem.message);
      return [rules.map(({ id, noncurrentDays }) => [id, noncurrentDays]), missing];
    },
  },
  {
    cell: '`createBucket(id, { versioningStatus })`, `remove([{ path, versionId }])`, `copy(…, { sourceVersionId, copyMetadata, metadata })`',
    vendor: async ({ storage }) => {
      const id = `${bucket}-versions`;
      await storage.createBucket(id, { public: true, versioningStatus: 'ENABLED' });
      const files = storage.from(id);
      await files.upload('a.txt', 'one');
      const versionId = (await files.info('a.txt')).data?.version ?? '';
      await files.upload('a.txt', 'two', { upsert: true });
      const metadata = { mimetype: 'text/css' };
      await files.copy('a.txt', 'b.css', { sourceVersionId: versionId, copyMetadata: false, metadata });
      const earlier = await (await files.download('a.txt', { versionId })).data?.text();
      await files.remove([{ path: 'a.txt', versionId }]);
      const kept = (await files.list('', { noncurrentVersions: 'include' })).data?.map(({ name }) => name);
      return [earlier, await (await files.download('b.css')).data?.text(), kept];
    },
    here: async ({ storage }) => {
      const id = `${bucket}-versions`;
      await storage.createBucket(id, { public: true, versioning: 'ENABLED' });
      const files = storage.from(id);
      await files.upload('a.txt', 'one');
      const { version: versionId } = await files.info('a.txt');
      await files.upload('a.txt', 'two', { upsert: true });
      const replaceMetadata = { contentType: 'text/css' };
      await files.copy('a.txt', 'b.css', { sourceVersionId: versionId, replaceMetadata });
      const earlier = await (await files.download('a.txt', { versionId })).text();
      await files.remove([{ path: 'a.txt', versionId }]);
      const kept = (await files.list('', { noncurrentVersions: 'include' })).map(({ name }) => name);
      return [earlier, await (await files.download('b.css')).text(), kept];
    },
  },
  {
    cell: 'resumable uploads by `tus-js-client`',
    vendor: async () => {
      const { url, serviceRoleKey } = supabase();
      await new Promise<void>((resolve, reject) => {
        new Upload(Buffer.from('in parts'), {
          endpoint: `${url}/storage/v1/upload/resumable`,
          headers: { authorization: `Bearer ${serviceRoleKey}` },
          metadata: { bucketName: bucket, objectName: 'large.txt', contentType: 'text/plain' },
          onError: reject,
          onSuccess: () => resolve(),
        }).start();
      });
      return fetched(`${url}/storage/v1/object/public/${bucket}/large.txt`);
    },
    here: async ({ connection, storage }) => {
      await uploadResumable(connection, bucket, 'large.txt', new Blob(['in parts']));
      return fetched(storage.from(bucket).getPublicUrl('large.txt'));
    },
  },
  {
    cell: '`createSignedUrls`, `createSignedUploadUrl`, `uploadToSignedUrl`',
    vendor: async ({ storage }) => {
      const files = storage.from(bucket);
      const { data } = await files.createSignedUploadUrl('a.txt');
      await files.uploadToSignedUrl('a.txt', data?.token ?? '', body());
      const { data: signed } = await files.createSignedUrls(['a.txt'], 60);
      return Promise.all((signed ?? []).map(({ signedUrl }) => fetched(signedUrl ?? '')));
    },
    here: async ({ storage }) => {
      const files = storage.from(bucket);
      const { token } = await files.createSignedUploadUrl('a.txt');
      await files.uploadToSignedUrl('a.txt', token, body());
      const signed = await files.createSignedUrls(['a.txt'], 60);
      return Promise.all(signed.map((each) => fetched(each.url ?? '')));
    },
  },
  {
    cell: '`createBucket`, `getBucket`, `listBuckets`, `updateBucket`, `emptyBucket`, `deleteBucket`',
    vendor: async ({ storage }) => {
      const id = `${bucket}-more`;
      await storage.createBucket(id, { public: false });
      await storage.updateBucket(id, { public: true });
      const isPublic = (await storage.getBucket(id)).data?.public;
      const isListed = (await storage.listBuckets()).data?.some((each) => each.id === id);
      await storage.from(id).upload('a.txt', body());
      await storage.emptyBucket(id);
      return [isPublic, isListed, (await storage.deleteBucket(id)).error];
    },
    here: async ({ storage }) => {
      const id = `${bucket}-more`;
      await storage.createBucket(id, { public: false });
      await storage.updateBucket(id, { public: true });
      const isPublic = (await storage.getBucket(id)).public;
      const isListed = (await storage.listBuckets()).some((each) => each.id === id);
      await storage.from(id).upload('a.txt', body());
      await storage.emptyBucket(id);
      await storage.deleteBucket(id);
      return [isPublic, isListed, null];
    },
  },
  {
    cell: '`toBase64(…)`',
    vendor: async ({ storage }) => {
      await storage.from(bucket).upload('a.txt', body(), { metadata: { by: 'Zoë' } });
      return (await storage.from(bucket).info('a.txt')).data?.metadata;
    },
    here: async ({ storage }) => {
      await storage.from(bucket).upload('a.txt', body(), { metadata: { by: 'Zoë' } });
      return (await storage.from(bucket).info('a.txt')).metadata;
    },
  },
  {
    cell: '`createSignedUrl(path, 60)` → `{ data: { signedUrl } }`',
    vendor: async ({ storage }) => {
      await storage.from(bucket).upload('a.txt', body());
      return fetched((await storage.from(bucket).createSignedUrl('a.txt', 60)).data?.signedUrl ?? '');
    },
    here: async ({ storage }) => {
      await storage.from(bucket).upload('a.txt', body());
      return fetched(await storage.from(bucket).createSignedUrl('a.txt', 60));
    },
  },
  {
    cell: '`getPublicUrl(path)` → `{ data: { publicUrl } }`',
    vendor: async ({ storage }) => shapeOf(storage.from(bucket).getPublicUrl('a b.txt').data.publicUrl),
    here: async ({ storage }) => shapeOf(storage.from(bucket).getPublicUrl('a b.txt')),
  },
  {
    cell: "`functions.invoke('f', { body })` → `{ data, error }`",
    vendor: async ({ functions }) =>
      (await functions.invoke('greet', { body: { name: 'Ada' } })).data as unknown,
    here: ({ functions }) => functions.invoke('greet', { body: { name: 'Ada' } }),
  },
];

testRows('Storage and functions', rows, {
  openVendor: async () => {
    await nextBucket();
    return connectVendor();
  },
  openCompat: async () => {
    await nextBucket();
    return connectVendor(compatLibrary);
  },
  openHere: async () => {
    await nextBucket();
    return connect();
  },
});
