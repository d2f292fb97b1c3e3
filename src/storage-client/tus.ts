import { decodeBase64Url, encodeBase64 } from '../platform/base64.ts';
import { foreignResponse } from '../platform/foreign-response.ts';
import { type OwnHeaders, type Service, ServiceCall } from '../platform/service-http.ts';
import { BucketRequests } from './bucket-requests.ts';
import { StorageError } from './errors.ts';
import type { UploadOptions } from './objects.ts';
import type { ProgressListener } from './progress.ts';
import { createTransport, readError, type StorageClientOptions, storageService } from './transport.ts';
import { createRuntimeXhr, sendByXhr } from './upload-part.ts';
import { rejectUpload, upsertHeader } from './upload-request.ts';

/** The service requires parts of exactly 6 MiB; the last may be smaller. */
const PART_BYTES = 6 * 1024 * 1024;

/** fetch reports no progress of a body in flight: 6 MiB within ten minutes are 84 kbit/s. */
const PART_TIMEOUT_MS = 600_000;

/** Options of `uploadResumable`. */
export interface ResumableUploadOptions extends Omit<
  UploadOptions,
  'timeoutMs' | 'contentEncoding' | 'cacheControlSeconds'
> {
  /** How long caches may keep the object, in seconds. Default 3600. */
  readonly cacheControlSeconds?: number;
  /** The token of `createSignedUploadUrl`: uploads without an account. Default: as the user. */
  readonly signedToken?: string;
  /** Called as bytes leave (with XMLHttpRequest) or as parts arrive (with fetch alone). */
  readonly onProgress?: ProgressListener;
  /** The URL of an upload of the same Blob to continue, as `onStart` received it. */
  readonly resumeFrom?: string;
  /** Called with the upload's URL, from which it can be resumed. */
  readonly onStart?: (url: string) => void;
  /** A part fails when nothing was sent for this many milliseconds. Default 60 000. There is no deadline for the whole upload. */
  readonly stallTimeoutMs?: number;
}

/** The service refuses an expired token with 400; the response to a HEAD has no body with its words, so each 400 may be one. */
const offsetService: Service = {
  ...storageService,
  isTokenExpired: (problem) => problem instanceof StorageError && problem.status === 400,
};

export interface TusUpload {
  readonly bucket: string;
  readonly objectName: string;
  readonly blob: Blob;
}

/** The requests of one upload (tus.io 1.0.0), each sent once. */
export class TusRequests {
  readonly #client: StorageClientOptions;
  readonly #base: string;
  readonly #upload: TusUpload;
  readonly #options: ResumableUploadOptions;
  /** The service checks each request by itself: each contains the permission to replace, and the link. */
  readonly #commonHeaders: OwnHeaders;

  /** @throws {StorageError} `invalid-options`. */
  constructor(client: StorageClientOptions, upload: TusUpload, options: ResumableUploadOptions) {
    this.#client = client;
    this.#base = createTransport(client).base;
    this.#upload = upload;
    this.#options = options;
    this.#commonHeaders = {
      'tus-resumable': '1.0.0',
      ...upsertHeader(options),
      'x-signature': options.signedToken,
    };
  }

  isOwn(url: string): boolean {
    const uploads = new URL(`${this.#base}/upload/resumable/`).href;
    // The URL comes from a store of the application: a URL parser may resolve it to another route.
    return url.startsWith(`${this.#base}/`) && new URL(url).href.startsWith(uploads);
  }

  /** Creates the upload and returns its URL. */
  create(): Promise<string> {
    const { bucket, objectName, blob } = this.#upload;
    const { contentType, cacheControlSeconds = 3600, metadata, signedToken } = this.#options;
    const tusHeaders = {
      'upload-length': String(blob.size),
      'upload-metadata': encodeMetadata({
        bucketName: bucket,
        objectName,
        contentType: contentType ?? (blob.type || 'application/octet-stream'),
        cacheControl: String(cacheControlSeconds),
        ...(metadata && { metadata: JSON.stringify(metadata) }),
      }),
    };
    const url = `${this.#base}/upload/resumable${signedToken === undefined ? '' : '/sign'}`;
    return this.#send('POST', url, tusHeaders, (response) => readLocation(response, this.#base));
  }

  /** How many bytes the service has. @throws {StorageError} `invalid-request` for an upload of another size or path. */
  readOffset(url: string): Promise<number> {
    return this.#send('HEAD', url, {}, (response) => {
      this.#requireSameUpload(response.headers);
      return readOffset(response, this.#upload.blob.size);
    });
  }

  /**
   * How many bytes the service has after a part that failed. All of them where it no longer has an upload whose last part it received:
   * it may have stored the object, or removed the upload because it could not.
   */
  async readOffsetAfter(url: string, offset: number): Promise<number> {
    const { size } = this.#upload.blob;
    return this.readOffset(url).catch((problem: unknown) => {
      const isLast = offset + PART_BYTES >= size;
      if (isLast && problem instanceof StorageError && problem.code === 'not-found') return size;
      throw problem;
    });
  }

  /** Sends the part that begins at the offset, and returns how many bytes the service has then. */
  sendPart(url: string, offset: number): Promise<number> {
    const { blob } = this.#upload;
    const { clock, createXhr = createRuntimeXhr } = this.#client.platform;
    const { signal, headers, onProgress, stallTimeoutMs = 60_000 } = this.#options;
    const body = blob.slice(offset, offset + PART_BYTES);
    const ownHeaders = {
      ...this.#commonHeaders,
      'upload-offset': String(offset),
      'content-type': 'application/offset+octet-stream',
    };
    const call = this.#call(PART_TIMEOUT_MS);
    const sending = call.authorize({ ownHeaders, headers }, async (sentHeaders) => {
      const request = { method: 'PATCH', url, headers: sentHeaders, body };
      const read = (response: Response) =>
        this.#read(response, (confirmed) => readOffset(confirmed, blob.size));
      if (!createXhr) return call.exchange(request, read);
      const onPartProgress = (sentBytes: number) => {
        if (sentBytes < body.size) onProgress?.(offset + sentBytes, blob.size);
      };
      return read(
        await sendByXhr(createXhr(), clock, { ...request, signal, stallTimeoutMs, onPartProgress }),
      );
    });
    return sending.catch((problem: unknown) => rejectUpload(problem, body));
  }

  /** Whether the path has this upload's object, whose version is in the URL; false where the caller may not read it. */
  async isStored(url: string): Promise<boolean> {
    const { bucket, objectName } = this.#upload;
    const { signal, user, headers } = this.#options;
    const requests = new BucketRequests(createTransport(this.#client), bucket);
    const info = await requests.info(objectName, { signal, user, headers }).catch(() => null);
    return info !== null && readUploadId(url).endsWith(info.version);
  }

  #call(timeoutMs: number, service = storageService): ServiceCall {
    const { signal, user } = this.#options;
    return new ServiceCall(this.#client, service, { timeoutMs, signal, user });
  }

  #send<T>(
    method: 'POST' | 'HEAD',
    url: string,
    tusHeaders: OwnHeaders,
    read: (response: Response) => T,
  ): Promise<T> {
    const { headers } = this.#options;
    const request = { method, url, ownHeaders: { ...this.#commonHeaders, ...tusHeaders }, headers };
    const service = method === 'HEAD' ? offsetService : storageService;
    return this.#call(this.#client.timeoutMs ?? 60_000, service).send(request, (response) =>
      this.#read(response, read),
    );
  }

  /** The parts of another file would be appended, and an upload of another size would never be complete. */
  #requireSameUpload(headers: Headers): void {
    const { bucket, objectName, blob } = this.#upload;
    const length = headers.get('upload-length') ?? blob.size;
    const names = headers.get('upload-metadata')?.split(',');
    const isSamePath = [`bucketName ${encodeBase64(bucket)}`, `objectName ${encodeBase64(objectName)}`].every(
      (name) => names?.includes(name) ?? true,
    );
    if (Number(length) !== blob.size || !isSamePath)
      throw new StorageError('invalid-request', 'The upload to resume is of another file');
  }

  async #read<T>(response: Response, read: (response: Response) => T): Promise<T> {
    if (!response.ok) throw await readError(response, this.#client.platform.clock.now());
    try {
      return read(response);
    } catch (cause) {
      if (cause instanceof StorageError) throw cause;
      throw new StorageError(...foreignResponse('storage', response, await response.text(), cause));
    }
  }
}

const encodeMetadata = (metadata: Readonly<Record<string, string>>): string =>
  Object.entries(metadata)
    .map(([name, value]) => `${name} ${encodeBase64(value)}`)
    .join();

/**
 * The upload's URL on the project. A service behind a gateway may name another scheme, an internal host, or a path without the
 * gateway's prefix (`generateUrl` in its src/http/routes/tus/lifecycle.ts), so only what follows the prefix is used.
 *
 * @throws {TypeError} if the response names none.
 */
function readLocation({ status, headers }: Response, base: string): string {
  const { pathname, search } = new URL(headers.get('location') ?? '', `${base}/`);
  const path = /\/upload\/resumable\/.+$/.exec(pathname)?.[0];
  if (status !== 201 || path === undefined)
    throw new TypeError('The response names no location of the upload');
  return base + path + search;
}

/** The id at the end of the upload's URL, as the service has it: bucket, path and version of the object (its `generateUrl`). */
const readUploadId = (url: string): string =>
  new TextDecoder().decode(decodeBase64Url(new URL(url).pathname.replace(/^.*\//, '')));

/** @throws {TypeError} if the response has no offset within the upload. */
function readOffset({ headers }: Response, size: number): number {
  const offset = headers.get('upload-offset') ?? '';
  if (!/^\d+$/.test(offset) || Number(offset) > size)
    throw new TypeError('The response has no offset of the upload');
  return Number(offset);
}
