import { CallUser } from '../platform/call-user.ts';
import { sentCount, sentLimit } from '../platform/number-options.ts';
import { requireRanges, StorageError } from './errors.ts';
import { BucketRequests, inParts, listedVersions, queryIn } from './bucket-requests.ts';
import { encodeBucket, isKey, isSignable, normalizeKey } from './object-key.ts';
import { downloadQuery, type Query, requireImage, type UrlOptions } from './object-url.ts';
import type {
  CopyOptions,
  DownloadOptions,
  ListedObject,
  ListOptions,
  ListV2Options,
  ListV2Page,
  ObjectInfo,
  Removal,
  SignedUploadUrl,
  SignedUrl,
  TransferOptions,
  UploadBody,
  UploadedObject,
  UploadOptions,
  VersionOptions,
} from './objects.ts';
import { readBlob } from './progress.ts';
import * as shapes from './response-shapes.ts';
import { type CallOptions, readJson, type Transport } from './transport.ts';
import { upsertHeader } from './upload-request.ts';

/** The objects of one bucket. Every method throws {@link StorageError}; paths have no leading slash. */
export interface Bucket {
  /** The bucket's id. */
  readonly name: string;
  /** Uploads an object. */
  upload(path: string, body: UploadBody, options?: UploadOptions): Promise<UploadedObject>;
  /** Stores an object, replacing the one at this path. */
  replace(path: string, body: UploadBody, options?: UploadOptions): Promise<UploadedObject>;
  /** Reads an object whole. */
  download(path: string, options?: DownloadOptions): Promise<Blob>;
  /** Reads an object as a stream of bytes; `timeoutMs` counts until the response begins, and the signal ends the stream, too. */
  downloadStream(
    path: string,
    options?: Omit<DownloadOptions, 'onProgress'>,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
  /** One page of a folder. */
  list(folder?: string, options?: ListOptions): Promise<readonly ListedObject[]>;
  /** All pages of a folder, one request each. */
  pages(folder?: string, options?: ListOptions): AsyncGenerator<readonly ListedObject[], void, undefined>;
  /** One page of the objects below a prefix, by cursor. */
  listV2(options?: ListV2Options): Promise<ListV2Page>;
  /** Reads the size, media type, times and metadata of an object. */
  info(path: string, options?: CallOptions & VersionOptions): Promise<ObjectInfo>;
  /** Whether the object exists and may be read. */
  exists(path: string, options?: CallOptions): Promise<boolean>;
  /**
   * Removes objects, or versions of them, a thousand per request, and returns those that existed; an invalid path counts as
   * one without an object.
   */
  remove(paths: readonly Removal[], options?: CallOptions): Promise<readonly ListedObject[]>;
  /** Moves an object, or restores one of its versions. */
  move(from: string, to: string, options?: TransferOptions): Promise<void>;
  /** Copies an object, or one of its versions. */
  copy(from: string, to: string, options?: CopyOptions): Promise<void>;
  /** A URL that reads the object without a token, for `expiresInSeconds`. */
  createSignedUrl(
    path: string,
    expiresInSeconds: number,
    options?: UrlOptions & CallOptions,
  ): Promise<string>;
  /** The same for many paths, a thousand per request; the result has the failed ones, including invalid paths. */
  createSignedUrls(
    paths: readonly string[],
    expiresInSeconds: number,
    options?: Pick<UrlOptions, 'download' | 'cacheNonce'> & CallOptions,
  ): Promise<readonly SignedUrl[]>;
  /** A URL with which a client without an account uploads one object, within two hours. */
  createSignedUploadUrl(
    path: string,
    options?: CallOptions & { readonly upsert?: boolean },
  ): Promise<SignedUploadUrl>;
  /** Uploads with the token of `createSignedUploadUrl`. */
  uploadToSignedUrl(
    path: string,
    token: string,
    body: UploadBody,
    options?: UploadOptions,
  ): Promise<UploadedObject>;
  /** The URL of an object of a public bucket. No request is sent; the object may not exist. */
  getPublicUrl(path: string, options?: UrlOptions): string;
  /** Removes an object from the CDN. Needs the secret key, and a CDN at the project. */
  purgeCache(path: string, options?: PurgeOptions): Promise<void>;
}

/** Options of `purgeCache` and `purgeBucketCache`. */
export interface PurgeOptions extends CallOptions {
  /** Purges rendered images only and keeps the original. Default false. */
  readonly transformationsOnly?: boolean;
}

export function purgeQuery({ transformationsOnly }: PurgeOptions): Query {
  return { transformations: transformationsOnly ? 'true' : undefined };
}

/** The bucket `name`; no request is sent. */
export function createBucket(transport: Transport, name: string): Bucket {
  const bucket = new BucketRequests(transport, name);
  return {
    name,
    ...contentMethods(bucket),
    ...listMethods(bucket),
    ...changeMethods(bucket),
    ...urlMethods(bucket),
  };
}

const contentMethods = (
  bucket: BucketRequests,
): Pick<Bucket, 'upload' | 'replace' | 'download' | 'downloadStream' | 'uploadToSignedUrl'> => ({
  upload: (path, body, options) => bucket.put('POST', '/object', path, body, options),
  replace: (path, body, options) => bucket.put('PUT', '/object', path, body, options),
  download: (path, options) =>
    bucket.get(path, options, (response) => readBlob(response, options?.onProgress)),
  downloadStream: (path, options) =>
    bucket.get(path, options, async (response) => response.body ?? new Blob([]).stream(), true),
  uploadToSignedUrl: (path, token, body, options) =>
    bucket.put('PUT', '/object/upload/sign', path, body, options, { token }),
});

/** Maximum number of entries that the service lists at once (supabase/storage 4fa61fba, `storage.search`). */
const LISTED_LIMIT = 1500;

const listMethods = (
  bucket: BucketRequests,
): Pick<Bucket, 'list' | 'pages' | 'listV2' | 'info' | 'exists'> => ({
  list: (folder, options) => bucket.list(folder, options),

  async *pages(folder = '', options = {}) {
    const { user = new CallUser() } = options;
    requireRanges(options, { limit: sentCount, offset: sentLimit });
    // A page that the service cut short would look like the last one.
    const limit = Math.min(options.limit ?? 100, LISTED_LIMIT);
    for (let offset = options.offset ?? 0; ; offset += limit) {
      const page = await bucket.list(folder, { ...options, user, limit, offset });
      if (page.length) yield page;
      if (page.length < limit) return;
    }
  },

  async listV2(options = {}) {
    const { limit = 100, prefix, cursor, withDelimiter, sortBy } = options;
    requireRanges(options, { limit: sentCount });
    return bucket.post<ListV2Page>(
      `/object/list-v2/${encodeBucket(bucket.name)}`,
      { limit, prefix, cursor, with_delimiter: withDelimiter, sortBy, ...listedVersions(options) },
      options,
      shapes.listedPage,
    );
  },

  info: (path, options) => bucket.info(path, options),

  async exists(path, options) {
    // A HEAD has no body to distinguish a missing object from a proxy's page or an expired token.
    try {
      await bucket.info(path, options);
      return true;
    } catch (problem) {
      if (problem instanceof StorageError && problem.code === 'not-found') return false;
      throw problem;
    }
  },
});

const changeMethods = (bucket: BucketRequests): Pick<Bucket, 'remove' | 'move' | 'copy' | 'purgeCache'> => ({
  async remove(paths, { user = new CallUser(), ...options } = {}) {
    const prefixes = paths.filter((path) => isKey(pathOf(path))).map(normalizeRemoval);
    const removed: ListedObject[] = [];
    // The service itself refuses an empty list.
    const parts = paths.length === 0 ? [[]] : inParts(prefixes);
    const path = `/object/${encodeBucket(bucket.name)}`;
    for (const part of parts) {
      const request = { method: 'DELETE', path, json: { prefixes: part } };
      const listed = readJson<readonly ListedObject[]>(shapes.listed);
      removed.push(...(await bucket.send(request, { ...options, user }, listed)));
    }
    return removed;
  },

  move: (from, to, options) => bucket.transfer('/object/move', from, to, options, shapes.confirmation),
  copy: (from, to, options) =>
    bucket.transfer(
      '/object/copy',
      from,
      to,
      options,
      shapes.copied,
      copiedMetadata(options?.replaceMetadata),
    ),

  async purgeCache(path, options = {}) {
    const url = bucket.url('/cdn', path, purgeQuery(options));
    await bucket.send({ method: 'DELETE', path: url }, options, readJson(shapes.confirmation));
  },
});

const urlMethods = (
  bucket: BucketRequests,
): Pick<Bucket, 'createSignedUrl' | 'createSignedUrls' | 'createSignedUploadUrl' | 'getPublicUrl'> => ({
  async createSignedUrl(path, expiresInSeconds, options = {}) {
    requireRanges({ expiresInSeconds }, { expiresInSeconds: sentCount });
    requireImage(options.image);
    const key = normalizeKey(path);
    return isSignable(bucket.name + key)
      ? bucket.sign(key, expiresInSeconds, options)
      : bucket.signInBatch(key, expiresInSeconds, options);
  },

  createSignedUrls: (paths, expiresInSeconds, options) => bucket.signAll(paths, expiresInSeconds, options),

  async createSignedUploadUrl(path, options = {}) {
    const route = '/object/upload/sign';
    const request = {
      method: 'POST',
      path: bucket.url(route, path),
      json: {},
      ownHeaders: upsertHeader(options),
    };
    const { url } = await bucket.send(request, options, readJson<{ url: string }>(shapes.signedUploadUrl));
    const query = queryIn(url);
    return {
      path,
      url: bucket.base + bucket.url(route, path) + query,
      token: new URLSearchParams(query).get('token') ?? '',
    };
  },

  getPublicUrl(path, options = {}) {
    const { image, versionId, cacheNonce } = options;
    requireImage(image);
    const route = image ? '/render/image/public' : '/object/public';
    const query = { ...image, ...downloadQuery(options), versionId, cacheNonce };
    return bucket.base + bucket.url(route, path, query);
  },
});

function copiedMetadata(replaced: CopyOptions['replaceMetadata']): object | undefined {
  if (!replaced) return undefined;
  const { cacheControl, contentEncoding, contentType: mimetype } = replaced;
  return { copyMetadata: false, metadata: { cacheControl, contentEncoding, mimetype } };
}

const pathOf = (removal: Removal): string => (typeof removal === 'string' ? removal : removal.path);

function normalizeRemoval(removal: Removal): Removal {
  return typeof removal === 'string'
    ? normalizeKey(removal)
    : { path: normalizeKey(removal.path), versionId: removal.versionId };
}
