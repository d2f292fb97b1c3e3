import { encodeBase64, type UploadOptions } from './bucket.ts';
import { normalizeKey } from './object-key.ts';
import type { ProgressListener } from './progress.ts';
import { createTransport, type StorageClientOptions } from './transport.ts';
import { StorageError } from './errors.ts';

export interface ResumableUploadOptions extends UploadOptions {
  readonly onProgress?: ProgressListener;
  /** Where an upload that was cut short goes on, as `onStart` told. */
  readonly resumeFrom?: string;
  /** Tells the upload's URL, by which it can be resumed. */
  readonly onStart?: (url: string) => void;
}

/** The service wants parts of exactly 6 MiB; the last may be smaller. */
const PART_BYTES = 6 * 1024 * 1024;
const tus = { 'Tus-Resumable': '1.0.0' };

/**
 * Uploads in parts by the TUS protocol (tus.io 1.0.0): with progress, and resumable.
 *
 * @throws {StorageError} also when a part fails; the upload can then be resumed. `gateway` if the server names no place for
 * the upload, or takes a part without counting it.
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
  const { signal, onProgress, upsert } = options;
  const route = (url: string) => {
    if (url.startsWith(base)) return url.slice(base.length);
    throw new StorageError('invalid-request', 'The upload is of another project');
  };
  const url = options.resumeFrom ?? (await start());
  options.onStart?.(url);
  let offset =
    options.resumeFrom === undefined
      ? 0
      : await send({ method: 'HEAD', path: route(url), headers: tus, signal }, async ({ headers }) =>
          Number(headers.get('upload-offset')),
        );
  onProgress?.(offset, blob.size);
  while (offset < blob.size) {
    const part = blob.slice(offset, offset + PART_BYTES);
    const next = await send(
      {
        method: 'PATCH',
        path: route(url),
        body: part,
        headers: {
          ...tus,
          'Upload-Offset': String(offset),
          'Content-Type': 'application/offset+octet-stream',
        },
        signal,
      },
      async ({ headers }) => Number(headers.get('upload-offset') ?? offset + part.size),
    );
    if (!(next > offset)) throw new StorageError('gateway', 'The upload does not advance');
    offset = next;
    onProgress?.(offset, blob.size);
  }

  function start(): Promise<string> {
    const about = {
      bucketName: bucket,
      objectName,
      contentType: options.contentType ?? (blob.type || 'application/octet-stream'),
      cacheControl: String(options.cacheControlSeconds ?? 3600),
      ...(options.metadata && { metadata: JSON.stringify(options.metadata) }),
    };
    return send(
      {
        method: 'POST',
        path: '/upload/resumable',
        headers: {
          ...tus,
          'Upload-Length': String(blob.size),
          'Upload-Metadata': Object.entries(about)
            .map(([name, value]) => `${name} ${encodeBase64(value)}`)
            .join(),
          ...(upsert && { 'x-upsert': 'true' }),
        },
        signal,
      },
      async ({ headers }) => {
        const location = headers.get('location');
        if (!location) throw new StorageError('gateway', 'The upload has no location');
        return new URL(location, `${base}/upload/resumable`).href;
      },
    );
  }
}
