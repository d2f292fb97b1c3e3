import { CallUser } from '../platform/call-user.ts';
import { sentCount, sentLimit } from '../platform/number-options.ts';
import type { Schema } from '../platform/schema.ts';
import { requireRanges, StorageError } from './errors.ts';
import { foreignResponse } from '../platform/foreign-response.ts';
import { encodeBucket, encodeForSigning, encodeKey, isKey, isSignable, normalizeKey } from './object-key.ts';
import { downloadQuery, type Query, requireImage, withQuery, type UrlOptions } from './object-url.ts';
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
  VersionListOptions,
  VersionOptions,
} from './objects.ts';
import { readBlob } from './progress.ts';
import * as shapes from './response-shapes.ts';
import { type CallOptions, readJson, type Transport } from './transport.ts';
import { createUploadForm, requireUpload, uploadHeaders, upsertHeader } from './upload-request.ts';

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

/** Maximum number of paths per request. */
const PATHS_LIMIT = 1000;

/** The bucket `name`; no request is sent. */
export function createBucket({ base, send }: Transport, name: string): Bucket {
  const objectUrl = (route: string, path: string, query: Query = {}) =>
    withQuery(`${route}/${encodeBucket(name)}/${encodeKey(path)}`, query);
  const post = <T>(path: string, json: unknown, options: CallOptions | undefined, shape: Schema<unknown>) =>
    send({ method: 'POST', path, json }, options, readJson<T>(shape));

  async function put(
    method: 'POST' | 'PUT',
    route: string,
    path: string,
    body: UploadBody,
    options: UploadOptions = {},
    query?: Query,
  ): Promise<UploadedObject> {
    requireUpload(options);
    const isForm = body instanceof FormData;
    const sent = await send(
      {
        method,
        path: objectUrl(route, path, query),
        body: isForm ? createUploadForm(body, options) : (body as BodyInit),
        ownHeaders: isForm ? upsertHeader(options) : uploadHeaders(options),
      },
      options,
      readJson<{ Id?: string; Key: string }>(shapes.uploaded),
    );
    return { id: sent.Id ?? '', path: normalizeKey(path), fullPath: sent.Key };
  }

  async function get<T>(
    path: string,
    options: DownloadOptions = {},
    read: (response: Response) => Promise<T>,
    isStreamed = false,
  ): Promise<T> {
    const { image, versionId, cacheNonce } = options;
    requireImage(image);
    const route = image ? '/render/image/authenticated' : '/object';
    const url = objectUrl(route, path, { ...image, versionId, cacheNonce });
    return send({ method: 'GET', path: url, isStreamed }, options, async (response) => {
      if (isForeignObject(response))
        throw new StorageError(...foreignResponse('storage', response, await response.text()));
      return read(response);
    });
  }

  async function transfer(
    route: string,
    from: string,
    to: string,
    options: TransferOptions = {},
    shape: Schema<unknown>,
    metadata?: object,
  ): Promise<void> {
    const { destinationBucket, sourceVersionId } = options;
    const [sourceKey, destinationKey] = [normalizeKey(from), normalizeKey(to)];
    const json = { bucketId: name, sourceKey, destinationKey, destinationBucket, sourceVersionId };
    await post(route, { ...json, ...metadata }, options, shape);
  }

  /** The service returns a decoded path, which is not a URL: only its route and its token are used. */
  function signedUrl(answered: string, key: string, options: UrlOptions): string {
    const route = answered.startsWith('/render/image/') ? '/render/image/sign' : '/object/sign';
    const url = `${base}${route}/${encodeBucket(name)}/${encodeKey(key)}${queryIn(answered)}`;
    return withQuery(url, signedQuery(options));
  }

  async function signInBatch(
    key: string,
    expiresInSeconds: number,
    options: UrlOptions & CallOptions,
  ): Promise<string> {
    if (options.image || options.versionId !== undefined)
      throw new StorageError(
        'invalid-key',
        `The service renders and versions no object with "?" in its name: ${key}`,
      );
    const [signed] = await client.createSignedUrls([key], expiresInSeconds, options);
    if (signed?.url) return signed.url;
    throw new StorageError('not-found', signed?.error ?? NOT_SIGNED, { status: 404 });
  }

  const client: Bucket = {
    name,
    upload: (path, body, options) => put('POST', '/object', path, body, options),
    replace: (path, body, options) => put('PUT', '/object', path, body, options),
    download: (path, options) => get(path, options, (response) => readBlob(response, options?.onProgress)),
    downloadStream: (path, options) =>
      get(path, options, async (response) => response.body ?? new Blob([]).stream(), true),

    async list(folder = '', options = {}) {
      const { limit = 100, offset = 0, sortBy = { column: 'name' }, search } = options;
      requireRanges(options, { limit: sentCount, offset: sentLimit });
      return post<ListedObject[]>(
        `/object/list/${encodeBucket(name)}`,
        {
          prefix: folder,
          limit,
          offset,
          sortBy: { order: 'asc', ...sortBy },
          search,
          ...listedVersions(options),
        },
        options,
        shapes.listed,
      );
    },

    async *pages(folder = '', options = {}) {
      const { limit = 100, user = new CallUser() } = options;
      requireRanges(options, { limit: sentCount, offset: sentLimit });
      for (let offset = options.offset ?? 0; ; offset += limit) {
        const page = await client.list(folder, { ...options, user, offset });
        if (page.length) yield page;
        if (page.length < limit) return;
      }
    },

    async listV2(options = {}) {
      const { limit = 100, prefix, cursor, withDelimiter, sortBy } = options;
      requireRanges(options, { limit: sentCount });
      return post<ListV2Page>(
        `/object/list-v2/${encodeBucket(name)}`,
        { limit, prefix, cursor, with_delimiter: withDelimiter, sortBy, ...listedVersions(options) },
        options,
        shapes.listedPage,
      );
    },

    async info(path, options = {}) {
      const { versionId } = options;
      const url = objectUrl('/object/info', path, { versionId });
      return send({ method: 'GET', path: url }, options, readJson(shapes.objectInfo));
    },

    async exists(path, options) {
      // A HEAD has no body to distinguish a missing object from a proxy's page or an expired token.
      try {
        await client.info(path, options);
        return true;
      } catch (problem) {
        if (problem instanceof StorageError && problem.code === 'not-found') return false;
        throw problem;
      }
    },

    async remove(paths, { user = new CallUser(), ...options } = {}) {
      const prefixes = paths.filter((path) => isKey(pathOf(path))).map(normalizeRemoval);
      const removed: ListedObject[] = [];
      // The service itself refuses an empty list.
      const parts = paths.length === 0 ? [[]] : inParts(prefixes);
      for (const part of parts) {
        const request = { method: 'DELETE', path: `/object/${encodeBucket(name)}`, json: { prefixes: part } };
        const listed = readJson<readonly ListedObject[]>(shapes.listed);
        removed.push(...(await send(request, { ...options, user }, listed)));
      }
      return removed;
    },

    move: (from, to, options) => transfer('/object/move', from, to, options, shapes.confirmation),
    copy: (from, to, options) =>
      transfer('/object/copy', from, to, options, shapes.copied, copiedMetadata(options?.replaceMetadata)),

    async createSignedUrl(path, expiresInSeconds, options = {}) {
      requireRanges({ expiresInSeconds }, { expiresInSeconds: sentCount });
      const { versionId, image } = options;
      requireImage(image);
      const key = normalizeKey(path);
      if (!isSignable(name + key)) return signInBatch(key, expiresInSeconds, options);
      const { signedURL } = await post<{ signedURL: string }>(
        `/object/sign/${encodeForSigning(name, key)}`,
        { expiresIn: expiresInSeconds, versionId, transform: image },
        options,
        shapes.signedUrl,
      );
      return signedUrl(signedURL, key, options);
    },

    async createSignedUrls(paths, expiresInSeconds, { user = new CallUser(), ...options } = {}) {
      requireRanges({ expiresInSeconds }, { expiresInSeconds: sentCount });
      const signed = new Map<string, SignedUrl>();
      for (const part of inParts(paths.filter(isKey).map(normalizeKey))) {
        const answered = await post<{ path: string; signedURL: string | null; error: string | null }[]>(
          `/object/sign/${encodeBucket(name)}`,
          { expiresIn: expiresInSeconds, paths: part },
          { ...options, user },
          shapes.signedUrls,
        );
        for (const { path, signedURL, error } of answered)
          signed.set(path, { path, error, url: signedURL && signedUrl(signedURL, path, options) });
      }
      return paths.map((path) =>
        isKey(path)
          ? (signed.get(normalizeKey(path)) ?? { path, url: null, error: NOT_SIGNED })
          : { path, url: null, error: `Not a path of an object: ${JSON.stringify(path)}` },
      );
    },

    async createSignedUploadUrl(path, options = {}) {
      const { url } = await send(
        {
          method: 'POST',
          path: objectUrl('/object/upload/sign', path),
          json: {},
          ownHeaders: upsertHeader(options),
        },
        options,
        readJson<{ url: string }>(shapes.signedUploadUrl),
      );
      const query = queryIn(url);
      return {
        path,
        url: `${base}/object/upload/sign/${encodeBucket(name)}/${encodeKey(path)}${query}`,
        token: new URLSearchParams(query).get('token') ?? '',
      };
    },

    uploadToSignedUrl: (path, token, body, options) =>
      put('PUT', '/object/upload/sign', path, body, options, { token }),

    getPublicUrl(path, options = {}) {
      const { image, versionId, cacheNonce } = options;
      requireImage(image);
      const route = image ? '/render/image/public' : '/object/public';
      const query = { ...image, ...downloadQuery(options), versionId, cacheNonce };
      return base + objectUrl(route, path, query);
    },

    async purgeCache(path, options = {}) {
      const url = objectUrl('/cdn', path, purgeQuery(options));
      await send({ method: 'DELETE', path: url }, options, readJson(shapes.confirmation));
    },
  };
  return client;
}

/** The service serves bytes with 200 or 206, and HTML as `text/plain` (`normalizeContentType` of its renderer). */
function isForeignObject({ status, headers }: Response): boolean {
  return (status !== 200 && status !== 206) || /^text\/html\b/i.test(headers.get('content-type') ?? '');
}

function copiedMetadata(replaced: CopyOptions['replaceMetadata']): object | undefined {
  if (!replaced) return undefined;
  const { cacheControl, contentEncoding, contentType: mimetype } = replaced;
  return { copyMetadata: false, metadata: { cacheControl, contentEncoding, mimetype } };
}

/** The query of a signed URL beside its token, which names the version. */
function signedQuery(options: UrlOptions): Query {
  return { ...downloadQuery(options), cacheNonce: options.cacheNonce };
}

function listedVersions({ noncurrentVersions, deleteMarkers, exactMatch }: VersionListOptions) {
  return { noncurrentVersions, deleteMarkers, exactMatch };
}

/** The query of a signed path, whose name may contain `?`, and whose token does not. */
const queryIn = (signed: string): string => signed.slice(signed.lastIndexOf('?'));

const NOT_SIGNED = 'The service did not sign the path';

function inParts<T>(items: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / PATHS_LIMIT) }, (_, index) =>
    items.slice(index * PATHS_LIMIT, (index + 1) * PATHS_LIMIT),
  );
}

const pathOf = (removal: Removal): string => (typeof removal === 'string' ? removal : removal.path);

function normalizeRemoval(removal: Removal): Removal {
  return typeof removal === 'string'
    ? normalizeKey(removal)
    : { path: normalizeKey(removal.path), versionId: removal.versionId };
}
