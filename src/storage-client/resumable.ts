import type { BackoffOptions } from '../platform/backoff.ts';
import { CallUser } from '../platform/call-user.ts';
import { duration } from '../platform/number-options.ts';
import { retry } from '../platform/retry.ts';
import { requireRanges, StorageError } from './errors.ts';
import { normalizeKey } from './object-key.ts';
import type { StorageClientOptions } from './transport.ts';
import { requireUpload } from './upload-request.ts';
import { TusRequests, type ResumableUploadOptions } from './tus.ts';

/** About 40 s in total, enough for a restart of the service. */
const backoff: BackoffOptions = { delaysMs: [500, 1_000, 3_000, 5_000, 10_000, 20_000], jitter: 0.2 };

/** Statuses below 500 that a retry may end: a conflict of offsets, an upload that is locked, a rate limit. */
const transientStatuses: ReadonlySet<number> = new Set([409, 423, 429]);

/** Whether the upload may continue from the service's offset, as TUS clients do after each 5xx too. */
function isTransient(problem: unknown): boolean {
  if (!(problem instanceof StorageError)) return false;
  const { code, status } = problem;
  if (status === null) return code === 'network' || code === 'timeout';
  return status >= 500 || transientStatuses.has(status);
}

/** A conflict at the creation is final: an object of that path exists. */
const isTransientAtCreation = (problem: unknown): boolean =>
  isTransient(problem) && (problem as StorageError).status !== 409;

/**
 * Uploads a Blob in parts by the TUS protocol (tus.io 1.0.0), with progress. A request that fails on the network, at a 5xx, a
 * lock or a rate limit is retried with backoff, a part from the offset that the service confirms. An upload that ended can be
 * resumed.
 *
 * @throws {StorageError} `not-the-service` for a response without the protocol's headers; `timeout` if a part stalls; `server` if the
 *   service counts nothing of a part.
 */
export async function uploadResumable(
  client: StorageClientOptions,
  bucket: string,
  path: string,
  blob: Blob,
  options: ResumableUploadOptions = {},
): Promise<void> {
  requireRanges(options, { stallTimeoutMs: duration });
  requireUpload(options);
  const objectName = normalizeKey(path);
  const { signal, resumeFrom, onStart, onProgress } = options;
  const tus = new TusRequests(
    client,
    { bucket, objectName, blob },
    { ...options, user: options.user ?? new CallUser() },
  );
  if (resumeFrom !== undefined && !tus.isOwn(resumeFrom))
    throw new StorageError('invalid-request', 'The upload is of another project');

  const repeat = async <T>(
    isRetryable: (problem: unknown) => boolean,
    attempt: (number: number) => Promise<T>,
  ): Promise<T> => {
    try {
      const policy = { limit: backoff.delaysMs.length, backoff, isRetryable };
      return await retry(client.platform, policy, attempt, signal);
    } catch (problem) {
      // An abort during the wait between two attempts rejects with the signal's own reason.
      throw signal?.aborted
        ? new StorageError('aborted', 'The upload was aborted', { cause: signal.reason })
        : problem;
    }
  };

  const url = resumeFrom ?? (await repeat(isTransientAtCreation, () => tus.create()));
  onStart?.(url);
  let offset = resumeFrom === undefined ? 0 : await repeat(isTransient, () => tus.readOffset(url));
  onProgress?.(offset, blob.size);
  while (offset < blob.size) {
    const confirmed = await repeat(isTransient, async (attempt) => {
      if (attempt > 1) offset = await tus.readOffset(url);
      return offset < blob.size ? tus.sendPart(url, offset) : offset;
    });
    if (confirmed <= offset && offset < blob.size)
      throw new StorageError('server', 'The service counted nothing of the part');
    offset = confirmed;
    onProgress?.(offset, blob.size);
  }
}
