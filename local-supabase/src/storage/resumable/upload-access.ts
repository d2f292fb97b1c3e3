import type { StorageContext } from '../storage-context.ts';
import { StorageError } from '../storage-error.ts';
import type { Transaction } from '../transaction.ts';
import { attemptToStore, findBucket, isUpsert } from '../upload.ts';
import type { Destination } from '../upload.ts';
import { uploadNotFound } from './tus-error.ts';

/** What the caller of a request may do with an upload. */
export interface UploadAccess {
  readonly destination: Destination;
  /** Runs a task with the permissions of the caller, or, for a signed link, of the service. */
  run<T>(task: (tx: Transaction) => Promise<T>): Promise<T>;
}

/** Identifies the caller, by a token or by the link of a signed upload. @throws {StorageError} for an invalid link. */
export async function identify(context: StorageContext, request: Request, id: string): Promise<UploadAccess> {
  const { run, runAllowed, links, database } = context;
  const { bucket, path } = splitId(id);
  const versioning = (await findBucket(database, bucket))?.versioning_status ?? 'DISABLED';
  if (!new URL(request.url).pathname.includes('/upload/resumable/sign')) {
    const destination = { bucket, path, versioning, upsert: isUpsert(request) };
    return { destination, run: (task) => run(request, task) };
  }
  const signature = request.headers.get('x-signature');
  if (!signature) throw new StorageError(400, 'InvalidSignature', 'Missing x-signature header');
  const { upsert } = await links.verify('upload', signature, `upload/${bucket}/${path}`);
  return { destination: { bucket, path, versioning, upsert: upsert === true }, run: runAllowed };
}

/** Identifies the caller and checks that they may store the object. @throws {StorageError} otherwise. */
export async function authorize(
  context: StorageContext,
  request: Request,
  id: string,
): Promise<UploadAccess> {
  const access = await identify(context, request, id);
  await access.run((tx) => attemptToStore(tx, access.destination));
  return access;
}

/** The bucket and path of an upload's id. @throws {TusError} 404 for an id that is none. */
function splitId(id: string): { readonly bucket: string; readonly path: string } {
  const segments = id.split('/');
  if (segments.length < 3) throw uploadNotFound();
  return { bucket: segments[0] ?? '', path: segments.slice(1, -1).join('/') };
}
