import { CallUser } from '../platform/call-user.ts';
import { sentCount, sentLimit } from '../platform/number-options.ts';
import type { Schema } from '../platform/schema.ts';
import { requireRanges, StorageError } from './errors.ts';
import { foreignResponse } from '../platform/foreign-response.ts';
import { encodeBucket, encodeForSigning, encodeKey, isKey, normalizeKey } from './object-key.ts';
import { downloadQuery, type Query, requireImage, withQuery, type UrlOptions } from './object-url.ts';
import type {
  DownloadOptions,
  ListedObject,
  ListOptions,
  ObjectInfo,
  SignedUrl,
  TransferOptions,
  UploadBody,
  UploadedObject,
  UploadOptions,
  VersionListOptions,
  VersionOptions,
} from './objects.ts';
import * as shapes from './response-shapes.ts';
import { type CallOptions, readJson, type Transport } from './transport.ts';
import {
  createUploadForm,
  rejectUpload,
  requireBody,
  requireUpload,
  uploadHeaders,
  upsertHeader,
} from './upload-request.ts';

/** Maximum number of paths per request. */
const PATHS_LIMIT = 1000;

const NOT_SIGNED = 'The service did not sign the path';

/** The requests of one bucket that several methods send. */
export class BucketRequests {
  readonly base: string;
  readonly send: Transport['send'];
  readonly name: string;

  constructor({ base, send }: Transport, name: string) {
    this.base = base;
    this.send = send;
    this.name = name;
  }

  url(route: string, path: string, query: Query = {}): string {
    return withQuery(`${route}/${encodeBucket(this.name)}/${encodeKey(path)}`, query);
  }

  post<T>(path: string, json: unknown, options: CallOptions | undefined, shape: Schema<unknown>): Promise<T> {
    return this.send({ method: 'POST', path, json }, options, readJson<T>(shape));
  }

  async put(
    method: 'POST' | 'PUT',
    route: string,
    path: string,
    body: UploadBody,
    options: UploadOptions = {},
    query?: Query,
  ): Promise<UploadedObject> {
    requireUpload(options);
    requireBody(body);
    const isForm = body instanceof FormData;
    const sent = await this.send(
      {
        method,
        path: this.url(route, path, query),
        body: isForm ? createUploadForm(body, options) : (body as BodyInit),
        ownHeaders: isForm ? upsertHeader(options) : uploadHeaders(options),
      },
      options,
      readJson<{ Id?: string; Key: string }>(shapes.uploaded),
    ).catch((problem: unknown) => rejectUpload(problem, body));
    return { id: sent.Id ?? '', path: normalizeKey(path), fullPath: sent.Key };
  }

  async get<T>(
    path: string,
    options: DownloadOptions = {},
    read: (response: Response) => Promise<T>,
    isStreamed = false,
  ): Promise<T> {
    const { image, versionId, cacheNonce } = options;
    requireImage(image);
    const route = image ? '/render/image/authenticated' : '/object';
    const url = this.url(route, path, { ...image, versionId, cacheNonce });
    return this.send({ method: 'GET', path: url, isStreamed }, options, async (response) => {
      if (isForeignObject(response))
        throw new StorageError(...foreignResponse('storage', response, await response.text()));
      return read(response);
    });
  }

  async transfer(
    route: string,
    from: string,
    to: string,
    options: TransferOptions = {},
    shape: Schema<unknown>,
    metadata?: object,
  ): Promise<void> {
    const { destinationBucket, sourceVersionId } = options;
    const [sourceKey, destinationKey] = [normalizeKey(from), normalizeKey(to)];
    const json = { bucketId: this.name, sourceKey, destinationKey, destinationBucket, sourceVersionId };
    await this.post(route, { ...json, ...metadata }, options, shape);
  }

  async info(path: string, options: CallOptions & VersionOptions = {}): Promise<ObjectInfo> {
    const { versionId } = options;
    const url = this.url('/object/info', path, { versionId });
    return this.send({ method: 'GET', path: url }, options, readJson(shapes.objectInfo));
  }

  async list(folder = '', options: ListOptions = {}): Promise<readonly ListedObject[]> {
    const { limit = 100, offset = 0, sortBy = { column: 'name' }, search } = options;
    requireRanges(options, { limit: sentCount, offset: sentLimit });
    const order = { order: 'asc', ...sortBy };
    const json = { prefix: folder, limit, offset, sortBy: order, search, ...listedVersions(options) };
    return this.post(`/object/list/${encodeBucket(this.name)}`, json, options, shapes.listed);
  }

  /** The service returns a decoded path, which is not a URL: only its route and its token are used. */
  signedUrl(signed: string, key: string, options: UrlOptions): string {
    const route = signed.startsWith('/render/image/') ? '/render/image/sign' : '/object/sign';
    const url = `${this.base}${route}/${encodeBucket(this.name)}/${encodeKey(key)}${queryIn(signed)}`;
    return withQuery(url, signedQuery(options));
  }

  async sign(key: string, expiresInSeconds: number, options: UrlOptions & CallOptions): Promise<string> {
    const { versionId, image } = options;
    const { signedURL } = await this.post<{ signedURL: string }>(
      `/object/sign/${encodeForSigning(this.name, key)}`,
      { expiresIn: expiresInSeconds, versionId, transform: image },
      options,
      shapes.signedUrl,
    );
    return this.signedUrl(signedURL, key, options);
  }

  async signInBatch(
    key: string,
    expiresInSeconds: number,
    options: UrlOptions & CallOptions,
  ): Promise<string> {
    if (options.image || options.versionId !== undefined)
      throw new StorageError(
        'invalid-key',
        `The service renders and versions no object with "?" in its name: ${key}`,
      );
    const [signed] = await this.signAll([key], expiresInSeconds, options);
    if (signed?.url) return signed.url;
    throw new StorageError('not-found', signed?.error ?? NOT_SIGNED, { status: 404 });
  }

  async signAll(
    paths: readonly string[],
    expiresInSeconds: number,
    { user = new CallUser(), ...options }: UrlOptions & CallOptions = {},
  ): Promise<readonly SignedUrl[]> {
    requireRanges({ expiresInSeconds }, { expiresInSeconds: sentCount });
    const signed = new Map<string, SignedUrl>();
    for (const part of inParts(paths.filter(isKey).map(normalizeKey))) {
      const urls = await this.post<{ path: string; signedURL: string | null; error: string | null }[]>(
        `/object/sign/${encodeBucket(this.name)}`,
        { expiresIn: expiresInSeconds, paths: part },
        { ...options, user },
        shapes.signedUrls,
      );
      for (const { path, signedURL, error } of urls)
        signed.set(path, { path, error, url: signedURL && this.signedUrl(signedURL, path, options) });
    }
    return paths.map((path) =>
      isKey(path)
        ? (signed.get(normalizeKey(path)) ?? { path, url: null, error: NOT_SIGNED })
        : { path, url: null, error: `Not a path of an object: ${JSON.stringify(path)}` },
    );
  }
}

/** The service serves bytes with 200 or 206, and HTML as `text/plain` (`normalizeContentType` of its renderer). */
function isForeignObject({ status, headers }: Response): boolean {
  return (status !== 200 && status !== 206) || /^text\/html\b/i.test(headers.get('content-type') ?? '');
}

/** The query of a signed URL besides its token, which names the version. */
function signedQuery(options: UrlOptions): Query {
  return { ...downloadQuery(options), cacheNonce: options.cacheNonce };
}

export function listedVersions({ noncurrentVersions, deleteMarkers, exactMatch }: VersionListOptions) {
  return { noncurrentVersions, deleteMarkers, exactMatch };
}

/** The query of a signed path, whose name may contain `?`, and whose token does not. */
export const queryIn = (signed: string): string => signed.slice(signed.lastIndexOf('?'));

export function inParts<T>(items: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / PATHS_LIMIT) }, (_, index) =>
    items.slice(index * PATHS_LIMIT, (index + 1) * PATHS_LIMIT),
  );
}
