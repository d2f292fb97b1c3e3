import { StorageError } from './errors.ts';
import { encodeKey, normalizeKey } from './object-key.ts';
import { readBlob, type ProgressListener } from './progress.ts';
import { readJson, type Transport } from './transport.ts';
import { imagePath, withQuery, type ImageOptions, type UrlOptions } from './object-url.ts';

export interface RequestOptions {
  readonly signal?: AbortSignal;
}

export interface UploadOptions extends RequestOptions {
  /** Default: the type of a Blob, else `application/octet-stream` as the server has it; of a form, its file's type. */
  readonly contentType?: string;
  /** How long caches may keep the object, in seconds. Default 3600. */
  readonly cacheControlSeconds?: number;
  /** Replaces an object of that path. Default false: `duplicate`. */
  readonly upsert?: boolean;
  /** The caller's own data about the object. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface DownloadOptions extends RequestOptions {
  /** Has the server resize an image. */
  readonly image?: ImageOptions;
  readonly onProgress?: ProgressListener;
}

export interface ListOptions extends RequestOptions {
  /** Objects per page. Default 100. */
  readonly limit?: number;
  /** Default 0. */
  readonly offset?: number;
  /** Default by name, ascending. */
  readonly sortBy?: { readonly column: string; readonly order?: 'asc' | 'desc' };
  /** Only names that hold this text. */
  readonly search?: string;
}

/** An object of a list; a folder has only a name. */
export interface ListedObject {
  readonly name: string;
  readonly id: string | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
  readonly last_accessed_at: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export interface ObjectInfo {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly size?: number;
  readonly content_type?: string;
  readonly cache_control?: string;
  readonly etag?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly created_at?: string;
  readonly last_modified?: string;
}

export interface UploadedObject {
  readonly id: string;
  readonly path: string;
  /** With the bucket. */
  readonly fullPath: string;
}

export interface SignedUrl {
  readonly path: string;
  /** Null where the object could not be found. */
  readonly url: string | null;
  readonly error: string | null;
}

export type UploadBody = Blob | BufferSource | string | FormData | URLSearchParams;

/** The objects of one bucket. Every method throws {@link StorageError}; paths have no leading slash. */
export type Bucket = ReturnType<typeof createBucket>;

/** The service signs at most so many paths at once. */
const SIGN_LIMIT = 1000;

export function createBucket({ base, send }: Transport, name: string) {
  const bucket = encodeURIComponent(name);
  const at = (path: string) => `${bucket}/${encodeKey(path)}`;
  const post = <T>(path: string, body: unknown, { signal }: RequestOptions = {}) =>
    send({ method: 'POST', path, json: body, signal }, readJson<T>);

  async function put(
    method: 'POST' | 'PUT',
    url: string,
    path: string,
    body: UploadBody,
    options: UploadOptions,
  ) {
    const sent = await send(
      {
        method,
        path: url,
        ...(body instanceof FormData
          ? { body: uploadForm(body, options), headers: upsertHeader(options) }
          : { body: body as BodyInit, headers: uploadHeaders(options) }),
        signal: options.signal,
      },
      readJson<{ Id?: string; Key?: string }>,
    );
    return {
      id: sent.Id ?? '',
      path: normalizeKey(path),
      fullPath: sent.Key ?? `${name}/${path}`,
    } satisfies UploadedObject;
  }

  return {
    name,
    upload: async (path: string, body: UploadBody, options: UploadOptions = {}) =>
      put('POST', `/object/${at(path)}`, path, body, options),

    /** Replaces an object that exists. */
    replace: async (path: string, body: UploadBody, options: UploadOptions = {}) =>
      put('PUT', `/object/${at(path)}`, path, body, options),

    async download(path: string, { image, onProgress, signal }: DownloadOptions = {}): Promise<Blob> {
      const url = image
        ? withQuery(`/render/image/authenticated/${at(path)}`, imagePath(image))
        : `/object/${at(path)}`;
      return send({ method: 'GET', path: url, signal }, (response) => readBlob(response, onProgress));
    },

    /** One page of a folder. */
    list: async (
      folder = '',
      { limit = 100, offset = 0, sortBy = { column: 'name' }, search, signal }: ListOptions = {},
    ) =>
      post<ListedObject[]>(
        `/object/list/${bucket}`,
        {
          prefix: folder,
          limit,
          offset,
          sortBy: { order: 'asc', ...sortBy },
          ...(search !== undefined && { search }),
        },
        signal && { signal },
      ),

    /** All pages of a folder. */
    async *pages(folder = '', options: ListOptions = {}): AsyncGenerator<ListedObject[], void, undefined> {
      const { limit = 100 } = options;
      for (let offset = options.offset ?? 0; ; offset += limit) {
        const page = await this.list(folder, { ...options, offset });
        if (page.length) yield page;
        if (page.length < limit) return;
      }
    },

    info: async (path: string, { signal }: RequestOptions = {}) =>
      send({ method: 'GET', path: `/object/info/${at(path)}`, signal }, readJson<ObjectInfo>),

    /** Whether the object is there; asks twice where the first answer is ambiguous. */
    async exists(path: string, { signal }: RequestOptions = {}): Promise<boolean> {
      try {
        return await send({ method: 'HEAD', path: `/object/${at(path)}`, signal }, async () => true);
      } catch (problem) {
        const status = problem instanceof StorageError ? problem.status : 0;
        if (status === 404) return false;
        if (status !== 400) throw problem;
      }
      // HTTP says 400 where the service means 404 or an expired token, and a HEAD has no body that tells which.
      try {
        await this.info(path, signal && { signal });
        return true;
      } catch (problem) {
        if (problem instanceof StorageError && problem.kind === 'not-found') return false;
        throw problem;
      }
    },

    /** Removes objects, and returns those that were there. */
    remove: async (paths: readonly string[], { signal }: RequestOptions = {}) =>
      send(
        { method: 'DELETE', path: `/object/${bucket}`, json: { prefixes: paths.map(normalizeKey) }, signal },
        readJson<ListedObject[]>,
      ),

    async move(
      from: string,
      to: string,
      { destinationBucket, ...options }: RequestOptions & { readonly destinationBucket?: string } = {},
    ): Promise<void> {
      await post('/object/move', transfer(from, to, destinationBucket), options);
    },

    async copy(
      from: string,
      to: string,
      { destinationBucket, ...options }: RequestOptions & { readonly destinationBucket?: string } = {},
    ): Promise<void> {
      await post('/object/copy', transfer(from, to, destinationBucket), options);
    },

    /** A URL by which anybody can read the object for so many seconds. */
    async createSignedUrl(
      path: string,
      expiresInSeconds: number,
      { image, ...options }: UrlOptions & RequestOptions = {},
    ): Promise<string> {
      const { signedURL } = await post<{ signedURL: string }>(
        `/object/sign/${at(path)}`,
        { expiresIn: expiresInSeconds, ...(image && { transform: image }) },
        options,
      );
      return withQuery(base + signedURL, downloadQuery(options));
    },

    async createSignedUrls(
      paths: readonly string[],
      expiresInSeconds: number,
      options: Pick<UrlOptions, 'download'> & RequestOptions = {},
    ): Promise<SignedUrl[]> {
      const urls: SignedUrl[] = [];
      for (let start = 0; start < paths.length; start += SIGN_LIMIT) {
        const signed = await post<{ path: string; signedURL: string | null; error: string | null }[]>(
          `/object/sign/${bucket}`,
          { expiresIn: expiresInSeconds, paths: paths.slice(start, start + SIGN_LIMIT).map(normalizeKey) },
          options,
        );
        for (const { path, signedURL, error } of signed) {
          urls.push({ path, error, url: signedURL && withQuery(base + signedURL, downloadQuery(options)) });
        }
      }
      return urls;
    },

    /** A token by which somebody else can upload one object. */
    async createSignedUploadUrl(
      path: string,
      { upsert, ...options }: RequestOptions & { readonly upsert?: boolean } = {},
    ) {
      const { url } = await send(
        {
          method: 'POST',
          path: `/object/upload/sign/${at(path)}`,
          json: {},
          headers: upsertHeader({ upsert }),
          signal: options.signal,
        },
        readJson<{ url: string }>,
      );
      return { path, url: base + url, token: /[?&]token=([^&]+)/.exec(url)?.[1] ?? '' };
    },

    uploadToSignedUrl: async (path: string, token: string, body: UploadBody, options: UploadOptions = {}) =>
      put('PUT', withQuery(`/object/upload/sign/${at(path)}`, { token }), path, body, options),

    /** Where anybody can read an object of a public bucket. Asks nobody whether it is there. */
    getPublicUrl(path: string, options: UrlOptions = {}): string {
      const { image } = options;
      const route = image ? '/render/image/public' : '/object/public';
      return withQuery(`${base}${route}/${at(path)}`, { ...imagePath(image), ...downloadQuery(options) });
    },
  };

  function transfer(from: string, to: string, destinationBucket?: string) {
    return {
      bucketId: name,
      sourceKey: normalizeKey(from),
      destinationKey: normalizeKey(to),
      ...(destinationBucket !== undefined && { destinationBucket }),
    };
  }
}

function downloadQuery({ download }: Pick<UrlOptions, 'download'>): Record<string, string> {
  return download === undefined || download === false ? {} : { download: download === true ? '' : download };
}

function uploadHeaders({
  contentType,
  cacheControlSeconds = 3600,
  upsert,
  metadata,
}: UploadOptions): Record<string, string> {
  return {
    'cache-control': `max-age=${cacheControlSeconds}`,
    ...(contentType !== undefined && { 'content-type': contentType }),
    ...upsertHeader({ upsert }),
    ...(metadata && { 'x-metadata': encodeBase64(JSON.stringify(metadata)) }),
  };
}

const upsertHeader = ({ upsert }: { readonly upsert?: boolean | undefined }): Record<string, string> =>
  upsert ? { 'x-upsert': 'true' } : {};

/** Of a form the service reads fields instead of headers, those before the file. What the form says itself stays. */
function uploadForm(
  body: FormData,
  { contentType, cacheControlSeconds = 3600, metadata }: UploadOptions,
): FormData {
  const form = new FormData();
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined && !body.has(name)) form.append(name, value);
  };
  add('cacheControl', String(cacheControlSeconds));
  add('contentType', contentType);
  add('metadata', metadata && JSON.stringify(metadata));
  for (const [name, value] of body) form.append(name, value as string);
  return form;
}

export function encodeBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
