import { retry, type RetryPolicy } from '../platform/retry.ts';
import { ServiceCall } from '../platform/service-http.ts';
import type { UploadOptions } from './objects.ts';
import { encodeBase64 } from '../platform/base64.ts';
import { StorageError } from './errors.ts';
import { normalizeKey } from './object-key.ts';
import type { ProgressListener } from './progress.ts';
import { createTransport, readError, type StorageClientOptions, storageService } from './transport.ts';
import { createRuntimeXhr, sendByXhr } from './upload-part.ts';
import { upsertHeader } from './upload-request.ts';

/** Options of {@link uploadResumable}. */
export interface ResumableUploadOptions extends Omit<UploadOptions, 'timeoutMs' | 'contentEncoding'> {
  /** The token of `createSignedUploadUrl`: uploads without an account. Default: as the user. */
  readonly signedToken?: string;
  /** Called as bytes leave (with XMLHttpRequest) or as parts arrive (with fetch alone). */
  readonly onProgress?: ProgressListener;
  /** The URL of an upload to continue, as `onStart` received it. */
  readonly resumeFrom?: string;
  /** Called with the upload's URL, from which it can be resumed. */
  readonly onStart?: (url: string) => void;
  /** A part fails when nothing was sent for so many milliseconds. Default 60 000. There is no deadline for the whole upload. */
  readonly stallTimeoutMs?: number;
}

/** The service requires parts of exactly 6 MiB; the last may be smaller. */
const PART_BYTES = 6 * 1024 * 1024;

/** fetch reports no progress of a body in flight: 6 MiB within ten minutes are 84 kbit/s. */
const PART_TIMEOUT_MS = 600_000;

/** A part that failed on the network is sent again from the server's offset. */
const partRetry: RetryPolicy = {
  limit: 4,
  backoff: { delaysMs: [500, 1_000, 3_000, 5_000], jitter: 0.2 },
  isRetryable: (problem) =>
    problem instanceof StorageError && (problem.code === 'network' || problem.code === 'timeout'),
};

/**
 * Uploads a Blob in parts by the TUS protocol (tus.io 1.0.0), with progress. A part that fails on the network is sent again
 * from the offset that the server confirms; an upload that ended can be resumed.
 *
 * @throws {StorageError} `gateway` if the server names no location or counts nothing of a part; `timeout` if a part stalls.
 */
export async function uploadResumable(
  client: StorageClientOptions,
  bucket: string,
  path: string,
  blob: Blob,
  options: ResumableUploadOptions = {},
): Promise<void> {
  const objectName = normalizeKey(path);
  const { send, base } = createTransport(client);
  const { platform } = client;
  const { createXhr = createRuntimeXhr } = platform;
  const { signal, headers, onProgress, signedToken, stallTimeoutMs = 60_000 } = options;
  // The service checks each request by itself: each says that it may replace, and by which link.
  const uploadHeaders = {
    'tus-resumable': '1.0.0',
    ...upsertHeader(options),
    'x-signature': signedToken,
  };
  const endpoint = `/upload/resumable${signedToken === undefined ? '' : '/sign'}`;
  const url = options.resumeFrom ?? (await create());
  if (!url.startsWith(`${base}/`))
    throw new StorageError('invalid-request', 'The upload is of another project');
  options.onStart?.(url);

  let offset = options.resumeFrom === undefined ? 0 : await readOffset();
  onProgress?.(offset, blob.size);
  while (offset < blob.size) {
    const next = await retry(
      platform,
      partRetry,
      async (attempt) => {
        if (attempt > 1) offset = await readOffset();
        return offset < blob.size ? uploadPart() : offset;
      },
      signal,
    );
    if (!(next > offset) && offset < blob.size) {
      throw new StorageError('gateway', 'The server counted nothing of the part');
    }
    offset = next;
    onProgress?.(offset, blob.size);
  }

  function create(): Promise<string> {
    const metadata = {
      bucketName: bucket,
      objectName,
      contentType: options.contentType ?? (blob.type || 'application/octet-stream'),
      cacheControl: String(options.cacheControlSeconds ?? 3600),
      ...(options.metadata && { metadata: JSON.stringify(options.metadata) }),
    };
    return send(
      {
        method: 'POST',
        path: endpoint,
        ownHeaders: {
          ...uploadHeaders,
          'upload-length': String(blob.size),
          'upload-metadata': Object.entries(metadata)
            .map(([name, value]) => `${name} ${encodeBase64(value)}`)
            .join(),
        },
      },
      { headers, signal },
      async (response) => {
        const location = response.headers.get('location');
        if (!location) throw new StorageError('gateway', 'The server names no location of the upload');
        return new URL(location, `${base}${endpoint}`).href;
      },
    );
  }

  function readOffset(): Promise<number> {
    return send(
      { method: 'HEAD', path: url.slice(base.length), ownHeaders: uploadHeaders },
      { headers, signal },
      async (response) => Number(response.headers.get('upload-offset')),
    );
  }

  async function uploadPart(): Promise<number> {
    const part = blob.slice(offset, offset + PART_BYTES);
    const startOffset = offset;
    const ownHeaders = {
      ...uploadHeaders,
      'upload-offset': String(startOffset),
      'content-type': 'application/offset+octet-stream',
    };
    const call = new ServiceCall(client, storageService, { timeoutMs: PART_TIMEOUT_MS, signal });
    return call.authorize({ ownHeaders, headers }, async (sentHeaders) => {
      const request = { method: 'PATCH', url, headers: sentHeaders, body: part };
      const read = async (response: Response) => {
        if (!response.ok) throw await readError(response, platform.clock.now());
        return Number(response.headers.get('upload-offset') ?? startOffset + part.size);
      };
      if (!createXhr) return call.exchange(request, read);
      const onPartProgress = (sentBytes: number) => {
        if (sentBytes < part.size) onProgress?.(startOffset + sentBytes, blob.size);
      };
      const { clock } = platform;
      return read(
        await sendByXhr(createXhr(), clock, { ...request, signal, stallTimeoutMs, onPartProgress }),
      );
    });
  }
}
