import type { ObjectRow } from './object-row.ts';
import type { StorageContext } from './storage-context.ts';
import type { Transaction } from './transaction.ts';
import { findBucket } from './upload.ts';
import { asService, promoteNewest } from './versions.ts';

/** What is removed: the object of a path, or one version of it. */
export type RemovalEntry = string | { readonly path: string; readonly versionId: string };

/** Removes objects that the caller may remove, and returns those that existed. */
export async function removeObjects(
  context: StorageContext,
  request: Request,
  bucket: string,
  entries: readonly RemovalEntry[],
): Promise<ObjectRow[]> {
  const versioning = (await findBucket(context.database, bucket))?.versioning_status ?? 'DISABLED';
  const paths = entries.filter((entry) => typeof entry === 'string');
  const versions = entries.filter((entry) => typeof entry !== 'string');
  return context.run(request, async (tx) => {
    const removed =
      versioning === 'DISABLED'
        ? await deletePaths(context, tx, bucket, paths)
        : await hidePaths(tx, bucket, paths, versioning === 'ENABLED');
    for (const version of versions) removed.push(...(await deleteVersion(context, tx, bucket, version)));
    return removed;
  });
}

const DELETE_CURRENT = `delete from storage.objects
  where bucket_id = $1 and name = any ($2) and archived_at is null and not is_delete_marker returning *`;

async function deletePaths(
  { objects }: StorageContext,
  tx: Transaction,
  bucket: string,
  paths: readonly string[],
): Promise<ObjectRow[]> {
  const gone = await tx.query<ObjectRow>(DELETE_CURRENT, [bucket, paths]);
  for (const { version } of gone) tx.afterCommit(() => objects.remove(version));
  return gone;
}

/** Archives the objects of a bucket with versions, and puts a delete marker in the place of each. */
async function hidePaths(
  tx: Transaction,
  bucket: string,
  paths: readonly string[],
  isVersioned: boolean,
): Promise<ObjectRow[]> {
  // The policies for deletion decide; the rows stay.
  await tx.query('savepoint attempt');
  const hidden = await tx.query<ObjectRow>(DELETE_CURRENT, [bucket, paths]);
  await tx.query('rollback to savepoint attempt');
  const ids = hidden.map(({ id }) => id);
  await asService(tx, async () => {
    await tx.query('update storage.objects set archived_at = now() where id = any ($1)', [ids]);
    await tx.query(
      `insert into storage.objects (bucket_id, name, version, owner, owner_id, is_delete_marker, is_versioned)
       select bucket_id, name, gen_random_uuid()::text, auth.uid(), auth.uid()::text, true, $2
       from storage.objects where id = any ($1)`,
      [ids, isVersioned],
    );
  });
  return hidden;
}

async function deleteVersion(
  { objects }: StorageContext,
  tx: Transaction,
  bucket: string,
  { path, versionId }: Exclude<RemovalEntry, string>,
): Promise<ObjectRow[]> {
  const gone = await tx.query<ObjectRow>(
    'delete from storage.objects where bucket_id = $1 and name = $2 and version = $3 returning *',
    [bucket, path, versionId],
  );
  if (gone.length === 0) return [];
  await promoteNewest(tx, bucket, path);
  tx.afterCommit(() => objects.remove(versionId));
  return gone;
}
