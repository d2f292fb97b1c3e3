import { type Bucket, createBucket, type RequestOptions } from './bucket.ts';
import { createTransport, readJson, type StorageClientOptions } from './transport.ts';

/** A bucket as the service describes it. */
export interface BucketInfo {
  readonly id: string;
  readonly name: string;
  readonly public: boolean;
  readonly file_size_limit?: number | null;
  readonly allowed_mime_types?: readonly string[] | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What can be set of a bucket. */
export interface BucketSettings {
  /** Whether anybody can read its objects. */
  readonly public?: boolean;
  readonly fileSizeLimitBytes?: number | null;
  readonly allowedMimeTypes?: readonly string[] | null;
}

/** Buckets and their objects. Every method throws `StorageError`. */
export type StorageClient = ReturnType<typeof createStorageClient>;

/**
 * Creates a client of the storage service. Creating it sends nothing.
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
export function createStorageClient(options: StorageClientOptions) {
  const transport = createTransport(options);
  const call = <T>(method: string, path: string, json: unknown, { signal }: RequestOptions = {}) =>
    transport.send({ method, path, json, signal }, readJson<T>);
  const at = (id: string) => `/bucket/${encodeURIComponent(id)}`;
  return {
    /** The objects of a bucket. */
    from: (bucket: string): Bucket => createBucket(transport, bucket),
    listBuckets: (request?: RequestOptions) => call<BucketInfo[]>('GET', '/bucket', undefined, request),
    getBucket: (id: string, request?: RequestOptions) => call<BucketInfo>('GET', at(id), undefined, request),
    async createBucket(id: string, settings: BucketSettings = {}, request?: RequestOptions): Promise<void> {
      await call(
        'POST',
        '/bucket',
        { id, name: id, ...encodeSettings({ public: false, ...settings }) },
        request,
      );
    },
    async updateBucket(id: string, settings: BucketSettings, request?: RequestOptions): Promise<void> {
      await call('PUT', at(id), { id, name: id, ...encodeSettings(settings) }, request);
    },
    /** Removes all objects of the bucket. */
    async emptyBucket(id: string, request?: RequestOptions): Promise<void> {
      await call('POST', `${at(id)}/empty`, {}, request);
    },
    /** Deletes a bucket, which must be empty. */
    async deleteBucket(id: string, request?: RequestOptions): Promise<void> {
      await call('DELETE', at(id), {}, request);
    },
  };
}

function encodeSettings({ public: isPublic, fileSizeLimitBytes, allowedMimeTypes }: BucketSettings) {
  return { public: isPublic, file_size_limit: fileSizeLimitBytes, allowed_mime_types: allowedMimeTypes };
}
