import type { BackoffOptions } from '../platform/backoff.ts';
import { CallUser } from '../platform/call-user.ts';
import { duration } from '../platform/number-options.ts';
import { retry } from '../platform/retry.ts';
import { requireRanges, StorageError } from './errors.ts';
import { normalizeKey } from './object-key.ts';
import type { StorageClientOptions } from './transport.ts';
import type { ProgressListener } from './progress.ts';
import { requireUpload } from './upload-request.ts';
import { TusRequests, type ResumableUploadOptions } from './tus.ts';

/** About 40 s in total, enough for a restart of the service. */
const backoff: BackoffOptions = { delaysMs: [500, 1_000, 3_000, 5_000, 10_000, 20_000], jitter: 0.2 };

/** How often an object is uploaded whose last part the service does not confirm. */
const UPLOADS_LIMIT = 3;

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
 * resumed. The service stores the object after the last part, and removes the upload if it cannot: where it has not confirmed that
 * part, the client looks for the object, and else uploads it again, which calls `onStart` again.
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

  const repeat: Repeat = (isRetryable, attempt) => repeatUntil(client, signal, isRetryable, attempt);
  const create = () => repeat(isTransientAtCreation, () => tus.create());
  let isResumed = resumeFrom !== undefined;
  let url = resumeFrom ?? (await create());
  for (let uploads = 1; ; uploads += 1) {
    onStart?.(url);
    const offset = isResumed ? await repeat(isTransient, () => tus.readOffset(url)) : 0;
    const problem = await sendParts(tus, url, { offset, size: blob.size, isResumed, repeat, onProgress });
    if (problem === null || (await tus.isStored(url))) return;
    if (uploads === UPLOADS_LIMIT) throw problem;
    const next = await create().catch(refuseUnlessStored);
    if (next === null) return;
    url = next;
    isResumed = false;
  }
}

/** Without `upsert`, the service refuses another upload of an object that it has stored. */
function refuseUnlessStored(problem: unknown): null {
  if (problem instanceof StorageError && problem.status === 409) return null;
  throw problem;
}

type Repeat = <T>(
  isRetryable: (problem: unknown) => boolean,
  attempt: (number: number) => Promise<T>,
) => Promise<T>;

async function repeatUntil<T>(
  { platform }: StorageClientOptions,
  signal: AbortSignal | undefined,
  isRetryable: (problem: unknown) => boolean,
  attempt: (number: number) => Promise<T>,
): Promise<T> {
  try {
    return await retry(platform, { limit: backoff.delaysMs.length, backoff, isRetryable }, attempt, signal);
  } catch (problem) {
    // An abort during the wait between two attempts rejects with the signal's own reason.
    throw signal?.aborted
      ? new StorageError('aborted', 'The upload was aborted', { cause: signal.reason })
      : problem;
  }
}

interface Parts {
  /** Where the next part begins. */
  readonly offset: number;
  readonly size: number;
  readonly isResumed: boolean;
  readonly repeat: Repeat;
  readonly onProgress: ProgressListener | undefined;
}

/** Returns why the service has not confirmed the last part, after which it has stored the object; null if it has. */
async function sendParts(tus: TusRequests, url: string, parts: Parts): Promise<StorageError | null> {
  const { size, isResumed, repeat, onProgress } = parts;
  let { offset } = parts;
  // An empty object is stored when its upload is created.
  let problem = isResumed
    ? new StorageError('server', 'The service has all bytes, but not the object')
    : null;
  onProgress?.(offset, size);
  while (offset < size) {
    const confirmed = await repeat(isTransient, async (attempt) => {
      if (attempt > 1) offset = await tus.readOffsetAfter(url, offset);
      if (offset === size) return offset;
      try {
        const next = await tus.sendPart(url, offset);
        problem = null;
        return next;
      } catch (refusal) {
        if (refusal instanceof StorageError) problem = refusal;
        throw refusal;
      }
    });
    if (confirmed <= offset && offset < size)
      throw new StorageError('server', 'The service counted nothing of the part');
    offset = confirmed;
    onProgress?.(offset, size);
  }
  return problem;
}
