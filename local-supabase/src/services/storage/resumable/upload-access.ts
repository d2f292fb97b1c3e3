import { nameOperation } from '../operation.ts';
import type { StorageContext } from '../storage-context.ts';
import { StorageError } from '../storage-error.ts';
import { ownerOf, type Transaction } from '../transaction.ts';
import { attemptToStore, isUpsert, parseMetadata, versioningOf } from '../upload.ts';
import type { Destination } from '../upload.ts';
import type { UploadId } from './upload-id.ts';

export interface UploadAccess {
  readonly destination: Destination;
  /** Runs a task with the caller's permissions, or with the service's for a signed link. */
  run<T>(task: (tx: Transaction) => Promise<T>): Promise<T>;
  readonly isSigned: boolean;
}

export const isSignedRoute = (request: Request): boolean =>
  new URL(request.url).pathname.includes('/upload/resumable/sign');

/** Identifies the caller by a token or by the link of a signed upload. @throws {StorageError} for an invalid link. */
export async function identify(
  context: StorageContext,
  request: Request,
  { bucket, path }: UploadId,
): Promise<UploadAccess> {
  const { run, runAllowed, links, database, admit } = context;
  const versioning = await versioningOf(database, bucket);
  if (!isSignedRoute(request)) {
    const owner = ownerOf(admit(request));
    const destination = { bucket, path, versioning, owner, upsert: isUpsert(request) };
    return { destination, run: (task) => run(request, task), isSigned: false };
  }
  const signature = request.headers.get('x-signature');
  if (!signature) throw new StorageError(400, 'InvalidSignature', 'Missing x-signature header');
  const { upsert, owner } = await links.verify('upload', signature, `${bucket}/${path}`);
  const destination = {
    bucket,
    path,
    versioning,
    owner: ownerOf({ sub: owner }),
    upsert: upsert === true,
  };
  return { destination, run: (task) => runAllowed(request, task), isSigned: true };
}

/**
 * Identifies the caller and checks that they may store the object; a signed link was checked when it was created.
 *
 * @throws {StorageError} otherwise.
 */
export async function authorize(
  context: StorageContext,
  request: Request,
  id: UploadId,
  action: 'create' | 'part' | 'delete',
  {
    metadata,
    sizeBytes,
  }: { readonly metadata: Readonly<Record<string, string>>; readonly sizeBytes: number | null },
): Promise<UploadAccess> {
  const access = await identify(context, request, id);
  nameOperation(request, `storage.tus.upload.${action}${access.isSigned ? '_signed' : ''}`);
  if (access.isSigned) return access;
  const described = { mimetype: metadata['contentType'], contentLength: sizeBytes };
  await access.run((tx) =>
    attemptToStore(tx, access.destination, described, parseMetadata(metadata['metadata'] ?? null)),
  );
  return access;
}
