import { type Bucket, createBucket, purgeQuery, type PurgeOptions } from './bucket.ts';
import { sentCount, sentLimit } from '../platform/number-options.ts';
import { requireRanges } from './errors.ts';
import { encodeBucket } from './object-key.ts';
import { withQuery } from './object-url.ts';
import * as shapes from './response-shapes.ts';
import { type CallOptions, createTransport, readJson, type StorageClientOptions } from './transport.ts';

/** A bucket as the service describes it. */
export interface BucketInfo {
  /** The bucket's id, which is its name. */
  readonly id: string;
  /** The same as `id`. */
  readonly name: string;
  /** Whether its objects can be read without a token. */
  readonly public: boolean;
  /** Largest object in bytes; null or absent: the project's limit. */
  readonly file_size_limit?: number | null;
  /** Media types that it takes, such as `image/*`; null or absent: all. */
  readonly allowed_mime_types?: readonly string[] | null;
  /** Whether it keeps earlier versions of its objects; absent where the service has no versions. */
  readonly versioning_status?: 'DISABLED' | 'ENABLED' | 'SUSPENDED';
  readonly created_at: string;
  readonly updated_at: string;
}

/** The settings of a bucket. */
export interface BucketSettings {
  /** Whether its objects can be read without a token. Default of a new bucket: false. */
  readonly public?: boolean;
  /** Largest object in bytes; null: the project's limit. */
  readonly fileSizeLimitBytes?: number | null;
  /** Media types that it takes, such as `image/*`; null: all. */
  readonly allowedMimeTypes?: readonly string[] | null;
  /**
   * Keeps earlier versions of objects (`ENABLED`). Once enabled, versioning can only be suspended, and a new bucket cannot
   * begin suspended. Default: `DISABLED`, or unchanged.
   */
  readonly versioning?: 'DISABLED' | 'ENABLED' | 'SUSPENDED';
}

/** When a bucket with versions expires earlier versions of its objects; the current ones stay. */
export interface LifecycleRule {
  /** Unique in the bucket. Default: the service generates one. */
  readonly id?: string | undefined;
  /** Whether the rule is applied. Default true. */
  readonly isEnabled?: boolean | undefined;
  /** Age in days at which an earlier version expires. */
  readonly noncurrentDays: number;
  /** How many of the newest earlier versions stay regardless of their age, 1 to 100. Default: none. */
  readonly newerNoncurrentVersions?: number | undefined;
}

/** Buckets and their objects. Every method throws `StorageError`. */
export interface StorageClient {
  /** The objects of a bucket. No request is sent. */
  from(bucket: string): Bucket;
  /** The buckets that the caller may see. */
  listBuckets(options?: ListBucketsOptions): Promise<readonly BucketInfo[]>;
  /** One bucket. */
  getBucket(id: string, options?: CallOptions): Promise<BucketInfo>;
  /** Creates a bucket. */
  createBucket(id: string, settings?: BucketSettings, options?: CallOptions): Promise<void>;
  /** Changes the given settings. */
  updateBucket(id: string, settings: BucketSettings, options?: CallOptions): Promise<void>;
  /** Removes all objects of a bucket. */
  emptyBucket(id: string, options?: CallOptions): Promise<void>;
  /** Deletes a bucket, which must be empty. */
  deleteBucket(id: string, options?: CallOptions): Promise<void>;
  /** The rules of a bucket. @throws {StorageError} `NoSuchLifecycleConfiguration`, `FeatureNotEnabled` */
  getBucketLifecycle(id: string, options?: CallOptions): Promise<readonly LifecycleRule[]>;
  /** Replaces all rules of a bucket, and returns them. @throws {StorageError} `FeatureNotEnabled` */
  updateBucketLifecycle(
    id: string,
    rules: readonly LifecycleRule[],
    options?: CallOptions,
  ): Promise<readonly LifecycleRule[]>;
  /** Removes all rules of a bucket, if it has any. */
  deleteBucketLifecycle(id: string, options?: CallOptions): Promise<void>;
  /** Removes all objects of a bucket from the CDN. Needs the secret key, and a CDN at the project. */
  purgeBucketCache(id: string, options?: PurgeOptions): Promise<void>;
}

/** Which buckets `listBuckets` returns, and in which order. */
export interface ListBucketsOptions extends CallOptions {
  /** Maximum number of buckets to return. Default: all. */
  readonly limit?: number | undefined;
  /** How many buckets to skip. Default 0. */
  readonly offset?: number | undefined;
  /** A part of their names. Default: any. */
  readonly search?: string | undefined;
  /** The order. Default: the server's, by id. */
  readonly sortBy?:
    | {
        readonly column: 'id' | 'name' | 'created_at' | 'updated_at';
        readonly order?: 'asc' | 'desc' | undefined;
      }
    | undefined;
}

/**
 * Creates a client of the storage service. Creating it sends nothing.
 *
 * @throws {StorageError} `invalid-options`
 * @example
 * ```ts
 * import { createStorageClient } from 'supabase-protocol-clients/storage-client';
 *
 * const avatars = createStorageClient(connection).from('avatars');
 * await avatars.upload('ada/portrait.png', new Blob(['…'], { type: 'image/png' }), { upsert: true });
 * const portrait = await avatars.createSignedUrl('ada/portrait.png', 3600);
 * for await (const page of avatars.pages('ada')) console.log(page.map(({ name }) => name));
 * ```
 */
export function createStorageClient(options: StorageClientOptions): StorageClient {
  const transport = createTransport(options);
  const { send } = transport;
  const confirm = readJson(shapes.confirmation);
  const at = (id: string) => `/bucket/${encodeBucket(id)}`;
  return {
    from: (bucket) => createBucket(transport, bucket),
    async listBuckets({ limit, offset, search, sortBy, ...request } = {}) {
      requireRanges({ limit, offset }, { limit: sentCount, offset: sentLimit });
      const query = {
        ...(limit !== undefined && { limit: String(limit) }),
        ...(offset !== undefined && { offset: String(offset) }),
        ...(search && { search }),
        ...(sortBy && { sortColumn: sortBy.column, sortOrder: sortBy.order ?? 'asc' }),
      };
      return send({ method: 'GET', path: withQuery('/bucket', query) }, request, readJson(shapes.buckets));
    },
    getBucket: async (id, request) => send({ method: 'GET', path: at(id) }, request, readJson(shapes.bucket)),
    async createBucket(id, settings = {}, request = {}) {
      const json = { id, name: id, ...encodeSettings({ public: false, ...settings }) };
      await send({ method: 'POST', path: '/bucket', json }, request, readJson(shapes.createdBucket));
    },
    async updateBucket(id, settings, request) {
      await send(
        { method: 'PUT', path: at(id), json: { id, name: id, ...encodeSettings(settings) } },
        request,
        confirm,
      );
    },
    async emptyBucket(id, request) {
      await send({ method: 'POST', path: `${at(id)}/empty`, json: {} }, request, confirm);
    },
    async deleteBucket(id, request) {
      await send({ method: 'DELETE', path: at(id), json: {} }, request, confirm);
    },
    getBucketLifecycle: async (id, request) =>
      decodeRules(
        await send({ method: 'GET', path: `${at(id)}/lifecycle` }, request, readJson(shapes.rules)),
      ),
    updateBucketLifecycle: async (id, rules, request) =>
      decodeRules(
        await send(
          { method: 'PUT', path: `${at(id)}/lifecycle`, json: encodeRules(rules) },
          request,
          readJson(shapes.rules),
        ),
      ),
    async deleteBucketLifecycle(id, request) {
      await send({ method: 'DELETE', path: `${at(id)}/lifecycle`, json: {} }, request, confirm);
    },
    async purgeBucketCache(id, request = {}) {
      await send(
        { method: 'DELETE', path: withQuery(`/cdn/${encodeBucket(id)}`, purgeQuery(request)) },
        request,
        confirm,
      );
    },
  };
}

function encodeSettings(settings: BucketSettings) {
  const { fileSizeLimitBytes } = settings;
  // `./compat` also accepts strings such as `10MB`.
  if (typeof fileSizeLimitBytes === 'number')
    requireRanges({ fileSizeLimitBytes }, { fileSizeLimitBytes: sentLimit });
  return {
    public: settings.public,
    file_size_limit: fileSizeLimitBytes,
    allowed_mime_types: settings.allowedMimeTypes,
    versioning_status: settings.versioning,
  };
}

interface WireLifecycle {
  readonly rules: readonly {
    readonly id?: string | undefined;
    readonly status: 'Enabled' | 'Disabled';
    /** The service requires this filter, and accepts no other yet. */
    readonly filter: Readonly<Record<string, never>>;
    readonly noncurrentVersionExpiration: Pick<LifecycleRule, 'noncurrentDays' | 'newerNoncurrentVersions'>;
  }[];
}

const encodeRules = (rules: readonly LifecycleRule[]): WireLifecycle => ({
  rules: rules.map(({ id, isEnabled = true, ...noncurrentVersionExpiration }) => {
    requireRanges(noncurrentVersionExpiration, {
      noncurrentDays: sentCount,
      newerNoncurrentVersions: { min: 1, max: 100, isWhole: true },
    });
    return { id, status: isEnabled ? 'Enabled' : 'Disabled', filter: {}, noncurrentVersionExpiration };
  }),
});

const decodeRules = ({ rules }: WireLifecycle): readonly LifecycleRule[] =>
  rules.map(({ id, status, noncurrentVersionExpiration }) => ({
    id,
    isEnabled: status === 'Enabled',
    ...noncurrentVersionExpiration,
  }));
