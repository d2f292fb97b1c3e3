import {
  createStorageClient,
  type LifecycleRule as NativeRule,
  type StorageClient,
  type StorageClientOptions,
} from '../../storage-client/index.ts';
import { createSettle } from '../outcome.ts';
import { type CallParameters, createFiles } from './files.ts';
import { toStorageError } from './storage-error.ts';

interface BucketOptions {
  public?: boolean;
  /** In bytes, or a text such as `20MB`. */
  fileSizeLimit?: number | string | null;
  allowedMimeTypes?: readonly string[] | null;
  /** `DISABLED` is the state of a new bucket. */
  versioningStatus?: 'DISABLED' | 'ENABLED' | 'SUSPENDED';
}

interface ListBucketOptions {
  limit?: number;
  offset?: number;
  sortColumn?: 'id' | 'name' | 'created_at' | 'updated_at';
  sortOrder?: 'asc' | 'desc';
  search?: string;
}

interface LifecycleRule {
  id?: string | undefined;
  status: 'Enabled' | 'Disabled';
  filter: Readonly<Record<string, never>>;
  noncurrentVersionExpiration: Pick<NativeRule, 'noncurrentDays' | 'newerNoncurrentVersions'>;
}

/** The storage client in the vendor's form. */
export type SupabaseStorage = ReturnType<typeof createStorage>;

export interface SupabaseStorageOptions {
  /** Sends to the project's separate storage host, which accepts larger uploads. Default false. */
  useNewHostname?: boolean;
}

/** Creates the vendor's methods over a native client. */
export function createStorage(
  options: StorageClientOptions,
  { useNewHostname }: SupabaseStorageOptions = {},
) {
  const url = useNewHostname ? toStorageHost(options.url) : options.url;
  const storage = createStorageClient({ ...options, url });
  return {
    ...createMethods(storage, options, false),
    throwOnError: () => createMethods(storage, options, true),
  };
}

/** `ref.supabase.co` becomes `ref.storage.supabase.co`; other hosts stay. */
const toStorageHost = (url: string) =>
  url.replace(/^(https:\/\/[^/.]+)\.(supabase\.(?:co|in|red))(?=$|[/:])/, '$1.storage.$2');

function createMethods(
  storage: StorageClient,
  { getAccessToken }: Pick<StorageClientOptions, 'getAccessToken'>,
  throwsOnError: boolean,
) {
  const settle = createSettle({ toError: toStorageError, shouldThrow: () => throwsOnError });
  const say = async (work: Promise<void>, message: string) => {
    await work;
    return { message };
  };
  return {
    from(id: string) {
      const bucket = storage.from(id);
      return {
        ...createFiles(bucket, { throwsOnError, getAccessToken }),
        /** The same methods, which throw instead of returning errors. */
        throwOnError: () => createFiles(bucket, { throwsOnError: true, getAccessToken }),
      };
    },
    listBuckets: ({ sortColumn, sortOrder: order, ...filter }: ListBucketOptions = {}) =>
      settle(() =>
        storage.listBuckets({
          ...filter,
          ...((sortColumn || order) && { sortBy: { column: sortColumn ?? 'id', order } }),
        }),
      ),
    getBucket: (id: string) => settle(() => storage.getBucket(id)),
    createBucket: (id: string, settings: BucketOptions = {}) =>
      settle(() => storage.createBucket(id, toSettings(settings)).then(() => ({ name: id }))),
    updateBucket: (id: string, settings: BucketOptions) =>
      settle(() => say(storage.updateBucket(id, toSettings(settings)), 'Successfully updated')),
    emptyBucket: (id: string) => settle(() => say(storage.emptyBucket(id), 'Successfully emptied')),
    deleteBucket: (id: string) => settle(() => say(storage.deleteBucket(id), 'Successfully deleted')),
    getBucketLifecycle: (id: string) => settle(async () => toRules(await storage.getBucketLifecycle(id))),
    updateBucketLifecycle: (id: string, { rules }: { rules: readonly LifecycleRule[] }) =>
      settle(async () => {
        const native = rules.map(({ id: ruleId, status, noncurrentVersionExpiration }) => ({
          id: ruleId,
          isEnabled: status === 'Enabled',
          ...noncurrentVersionExpiration,
        }));
        return toRules(await storage.updateBucketLifecycle(id, native));
      }),
    deleteBucketLifecycle: (id: string) =>
      settle(() => say(storage.deleteBucketLifecycle(id), 'Successfully deleted')),
    purgeBucketCache: (
      id: string,
      { transformations }: { transformations?: true } = {},
      { signal }: CallParameters = {},
    ) =>
      settle(() =>
        say(
          storage.purgeBucketCache(id, { transformationsOnly: transformations ?? false, signal }),
          'success',
        ),
      ),
  };
}

function toSettings({ public: isPublic, fileSizeLimit, allowedMimeTypes, versioningStatus }: BucketOptions) {
  return {
    ...(versioningStatus !== undefined && { versioning: versioningStatus }),
    ...(isPublic !== undefined && { public: isPublic }),
    ...(allowedMimeTypes !== undefined && { allowedMimeTypes }),
    // The service accepts texts, too, which the native type omits.
    ...(fileSizeLimit !== undefined && { fileSizeLimitBytes: fileSizeLimit as number | null }),
  };
}

const toRules = (rules: readonly NativeRule[]): { rules: LifecycleRule[] } => ({
  rules: rules.map(({ id, isEnabled, ...noncurrentVersionExpiration }) => ({
    id,
    status: isEnabled ? 'Enabled' : 'Disabled',
    filter: {},
    noncurrentVersionExpiration,
  })),
});
