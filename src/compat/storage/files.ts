import { CallUser } from '../../platform/call-user.ts';
import type { Bucket } from '../../storage-client/bucket.ts';
import type {
  ImageOptions,
  ListOptions,
  ListV2Options,
  Removal,
  StorageClientOptions,
  UploadBody,
  VersionListOptions,
} from '../../storage-client/index.ts';
import { createSettle, type Outcome, type Settle } from '../outcome.ts';
import type { Untyped } from '../untyped.ts';
import { StorageApiError, type StorageError, toStorageError } from './storage-error.ts';

/** Options of an upload. */
export interface FileOptions {
  /** Seconds for which caches may keep the object. Default `3600`. */
  cacheControl?: string | undefined;
  /** Media type. Default: the body's own. */
  contentType?: string | undefined;
  /** The encoding that the body has already, such as `gzip`. */
  contentEncoding?: string | undefined;
  /** Replaces an object of that path. Default false. */
  upsert?: boolean | undefined;
  /** The caller's own data about the object. */
  metadata?: Record<string, Untyped> | undefined;
  /** Headers of the request. */
  headers?: Record<string, string> | undefined;
}
/** How the service renders an image. */
export type TransformOptions = ImageOptions;
/** Which objects of a folder are listed. */
export type SearchOptions = Pick<ListOptions, 'limit' | 'offset' | 'search' | keyof VersionListOptions> & {
  /** Default: by `name`, ascending. */
  sortBy?: { column?: string; order?: string };
};
/** An object, or a folder, which has a name only. */
export interface FileObject {
  /** The last segment of the path. */
  name: string;
  /** A UUID; null for a folder. */
  id: string | null;
  created_at: string | null;
  updated_at: string | null;
  last_accessed_at: string | null;
  /** Size, media type and the like. */
  metadata: Record<string, Untyped> | null;
  /** The version's id. */
  version?: string | null;
  /** When a later version replaced it, ISO 8601. */
  archived_at?: string | null;
  /** Whether it is the delete marker of a removed object. */
  is_delete_marker?: boolean | null;
  /** Whether it was written while the bucket kept versions. */
  is_versioned?: boolean | null;
}

export interface CallParameters {
  signal?: AbortSignal;
}
export interface UrlParameters {
  /** Makes browsers save the object. */
  download?: boolean | string;
  /** The image as the service renders it. */
  transform?: TransformOptions;
  /** Makes caches fetch the object again. */
  cacheNonce?: string;
  versionId?: string;
}
export interface DestinationOptions {
  destinationBucket?: string;
  sourceVersionId?: string;
}
export interface CopyOptions extends DestinationOptions {
  copyMetadata?: boolean;
  metadata?: { cacheControl?: string; contentEncoding?: string; mimetype?: string };
}

const toUrlOptions = ({ download, transform, cacheNonce, versionId }: UrlParameters = {}) => ({
  ...(cacheNonce !== undefined && { cacheNonce }),
  ...(versionId !== undefined && { versionId }),
  ...(download !== undefined && { download }),
  // An empty one requests the object unchanged.
  ...(transform && Object.keys(transform).length > 0 && { image: transform }),
});

/** Seconds, or seconds with further directives, which the vendor sends after `max-age=` too. */
const toMaxAge = (cacheControl: string) =>
  Number.isNaN(Number(cacheControl)) ? (cacheControl as `${number}, ${string}`) : Number(cacheControl);

const toUploadOptions = ({
  cacheControl,
  contentType,
  contentEncoding,
  upsert,
  metadata,
  headers,
}: FileOptions = {}) => ({
  ...(cacheControl !== undefined && { cacheControlSeconds: toMaxAge(cacheControl) }),
  ...(contentType !== undefined && { contentType }),
  ...(contentEncoding !== undefined && { contentEncoding }),
  ...(upsert !== undefined && { upsert }),
  ...(metadata && { metadata }),
  ...(headers && { headers }),
});

/** The body of an upload, including streams, such as that of a file in Node. */
export type FileBody = UploadBody | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

type GetAccessToken = StorageClientOptions['getAccessToken'];

/** The vendor's client joins repeated slashes of the path of an upload. */
const joinSlashes = (path: string) => path.replaceAll(/\/+/g, '/');

/** A native upload is retried and takes no stream: the bytes are read first, for the user who is signed in at the start. */
async function readBody(
  body: FileBody,
  getAccessToken: GetAccessToken,
): Promise<{ readonly body: UploadBody; readonly user: CallUser }> {
  const user = new CallUser();
  const isStream =
    body instanceof ReadableStream || (typeof body === 'object' && Symbol.asyncIterator in body);
  if (!isStream) return { body, user };
  user.admit((await getAccessToken?.({ user })) ?? null);
  return { body: await new Response(body as ReadableStream).blob(), user };
}

/** The objects of a bucket in the vendor's form. */
export type StorageFiles = ReturnType<typeof createFiles>;

/** A download, which begins when it is awaited. */
export interface Download extends PromiseLike<Outcome<Blob, StorageError>> {
  /** Reads the object as a stream. */
  asStream(): Promise<Outcome<ReadableStream<Uint8Array<ArrayBuffer>>, StorageError>>;
}

/** Creates the vendor's methods over a native bucket. */
export function createFiles(
  bucket: Bucket,
  {
    throwsOnError = false,
    getAccessToken,
  }: { readonly throwsOnError?: boolean; readonly getAccessToken?: GetAccessToken } = {},
) {
  const settle = createSettle({ toError: toStorageError, shouldThrow: () => throwsOnError });
  return {
    ...createUploads(bucket, settle, getAccessToken),
    ...createLists(bucket, settle),
    ...createUrls(bucket, settle),
    download(path: string, url: UrlParameters = {}, parameters: CallParameters = {}): Download {
      const options = { ...toUrlOptions(url), ...parameters };
      return {
        asStream: () => settle(() => bucket.downloadStream(path, options)),
        // Vendor programs await the download itself.
        // oxlint-disable-next-line unicorn/no-thenable
        then: (onFulfilled, onRejected) =>
          settle(() => bucket.download(path, options)).then(onFulfilled, onRejected),
      };
    },
    remove: (paths: readonly Removal[]) => settle(async () => (await bucket.remove(paths)) as FileObject[]),
    move: (from: string, to: string, options?: DestinationOptions) =>
      settle(() => bucket.move(from, to, options).then(() => ({ message: 'Successfully moved' }))),
    copy: (from: string, to: string, { copyMetadata, metadata = {}, ...options }: CopyOptions = {}) =>
      settle(async () => {
        const { mimetype, ...replaced } = metadata;
        const replaceMetadata = { ...replaced, ...(mimetype !== undefined && { contentType: mimetype }) };
        await bucket.copy(from, to, { ...options, ...(copyMetadata === false && { replaceMetadata }) });
        return { path: `${options.destinationBucket ?? bucket.name}/${to}` };
      }),
    info: (path: string, options?: { versionId?: string }) =>
      settle(async () => toCamelCase(await bucket.info(path, options)) as CamelizedInfo),
    exists: async (path: string) => {
      const { data, error } = await settle(() => bucket.exists(path), false);
      if (throwsOnError && !data) throw new StorageApiError('Object not found', 404, '404');
      return { data, error };
    },
    purgeCache: (
      path: string,
      { transformations }: { transformations?: true } = {},
      { signal }: CallParameters = {},
    ) =>
      settle(async () => {
        await bucket.purgeCache(path, { transformationsOnly: transformations ?? false, signal });
        return { message: 'success' };
      }),
  };
}

function createUploads(bucket: Bucket, settle: Settle<StorageError>, getAccessToken: GetAccessToken) {
  return {
    upload: (path: string, body: FileBody, options?: FileOptions) =>
      settle(async () => {
        const { body: bytes, user } = await readBody(body, getAccessToken);
        return bucket.upload(joinSlashes(path), bytes, { ...toUploadOptions(options), user });
      }),
    update: (path: string, body: FileBody, options?: FileOptions) =>
      settle(async () => {
        const { body: bytes, user } = await readBody(body, getAccessToken);
        return bucket.replace(joinSlashes(path), bytes, { ...toUploadOptions(options), user });
      }),
    uploadToSignedUrl: (path: string, token: string, body: FileBody, options?: FileOptions) =>
      settle(async () => {
        const { body: bytes, user } = await readBody(body, getAccessToken);
        const { path: uploaded, fullPath } = await bucket.uploadToSignedUrl(joinSlashes(path), token, bytes, {
          ...toUploadOptions(options),
          user,
        });
        return { path: uploaded, fullPath };
      }),
  };
}

function createLists(bucket: Bucket, settle: Settle<StorageError>) {
  return {
    list: (folder?: string, { sortBy, ...options }: SearchOptions = {}, parameters: CallParameters = {}) =>
      settle(async () => {
        const order = {
          column: sortBy?.column ?? 'name',
          order: sortBy?.order === 'desc' ? ('desc' as const) : ('asc' as const),
        };
        return (await bucket.list(folder, { ...options, ...parameters, sortBy: order })) as FileObject[];
      }),
    listV2: (
      {
        with_delimiter,
        ...options
      }: Omit<ListV2Options, 'withDelimiter'> & { with_delimiter?: boolean } = {},
      parameters: CallParameters = {},
    ) =>
      settle(() =>
        bucket.listV2({
          ...options,
          ...parameters,
          ...(with_delimiter !== undefined && { withDelimiter: with_delimiter }),
        }),
      ),
  };
}

function createUrls(bucket: Bucket, settle: Settle<StorageError>) {
  return {
    createSignedUrl: (path: string, expiresIn: number, options?: UrlParameters) =>
      settle(async () => ({
        signedUrl: await bucket.createSignedUrl(path, expiresIn, toUrlOptions(options)),
      })),
    createSignedUrls: (
      paths: readonly string[],
      expiresIn: number,
      options?: Pick<UrlParameters, 'download' | 'cacheNonce'>,
    ) =>
      settle(async () => {
        const signed = await bucket.createSignedUrls(paths, expiresIn, toUrlOptions(options));
        return signed.map(({ path, url, error }) => ({ path, error, signedUrl: url ?? '' }));
      }),
    createSignedUploadUrl: (path: string, options?: { upsert: boolean }) =>
      settle(async () => {
        const { url, ...signed } = await bucket.createSignedUploadUrl(path, options);
        return { ...signed, signedUrl: url };
      }),
    getPublicUrl: (path: string, options?: UrlParameters) => ({
      data: { publicUrl: bucket.getPublicUrl(path, toUrlOptions(options)) },
    }),
  };
}

export interface CamelizedInfo {
  id: string;
  name: string;
  version: string;
  size?: number;
  contentType?: string;
  cacheControl?: string;
  etag?: string;
  metadata?: Record<string, Untyped>;
  createdAt?: string;
  lastModified?: string;
}

/** Renames members to camelCase recursively: the vendor also renames those of the caller's own data. */
function toCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCamelCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name.replaceAll(/[-_]+(.)/g, (_match, letter: string) => letter.toUpperCase()),
      toCamelCase(member),
    ]),
  );
}
