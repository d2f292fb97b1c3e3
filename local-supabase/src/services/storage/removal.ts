import { Hono } from 'hono';
import { readBySchema } from './body-schema.ts';
import { checkBucketName } from './names.ts';
import { presentRow } from './object-row.ts';
import type { ObjectRow } from './object-row.ts';
import { operation } from './operation.ts';
import { readJson } from './request-body.ts';
import { MAX_PATHS, removedPathSchema, removeSchema } from './schemas.ts';
import type { StorageContext } from './storage-context.ts';
import { accessDenied, invalidRequest, objectNotFound } from './storage-error.ts';
import type { Transaction } from './transaction.ts';
import { versioningOf } from './upload.ts';
import { asService, promoteNewest, type VersioningStatus } from './versions.ts';

interface VersionEntry {
  readonly path: string;
  readonly versionId: string;
}

/** The object of a path, or one version of it. */
type RemovalEntry = string | VersionEntry;

/** The routes below /object that remove objects with the caller's permissions. */
export function createRemovalRoutes(context: StorageContext): Hono {
  const { admit, isRemovalLimited = true } = context;
  const app = new Hono();
  app.delete('/:bucket{[^/]*}', operation('storage.object.delete_many'), async (c) => {
    const entries = readEntries(await readJson(c.req.raw));
    admit(c.req.raw);
    if (isRemovalLimited && entries.length > MAX_PATHS)
      throw invalidRequest(`Bulk object requests are limited to ${MAX_PATHS} objects per request.`);
    const bucket = c.req.param('bucket');
    checkBucketName(bucket);
    return c.json((await removeMany(context, c.req.raw, bucket, entries)).map(presentRow));
  });
  app.delete('/:bucket/:path{.*}', operation('storage.object.delete'), async (c) => {
    await readJson(c.req.raw);
    admit(c.req.raw);
    const { bucket, path } = c.req.param();
    checkBucketName(bucket);
    await removeOne(context, c.req.raw, bucket, path);
    return c.json({ message: 'Successfully deleted' });
  });
  return app;
}

function readEntries(body: unknown): readonly RemovalEntry[] {
  const { prefixes } = readBySchema(removeSchema, body, 'body') as { prefixes: readonly unknown[] };
  return prefixes.map((entry, index) =>
    isVersionEntry(entry)
      ? entry
      : (readBySchema(removedPathSchema, entry, `body/prefixes/${index}`) as string),
  );
}

function isVersionEntry(entry: unknown): entry is VersionEntry {
  const { path, versionId } = Object(entry) as Record<string, unknown>;
  return typeof path === 'string' && typeof versionId === 'string';
}

/** @throws {StorageError} 404 if the object does not exist, 403 if the caller may not remove it. */
async function removeOne(
  context: StorageContext,
  request: Request,
  bucket: string,
  path: string,
): Promise<void> {
  const versioning = await versioningOf(context.database, bucket);
  await context.run(request, async (tx) => {
    const [known] = await asService(tx, () =>
      tx.query(
        `select id from storage.objects where bucket_id = $1 and name = $2 and archived_at is null and not is_delete_marker`,
        [bucket, path],
      ),
    );
    if (!known) throw objectNotFound();
    const gone = await removePaths(context, tx, { bucket, paths: [path], versioning });
    if (gone.length === 0) throw accessDenied('Access denied');
  });
}

/** Removes objects that the caller may remove, and returns those that existed. */
async function removeMany(
  context: StorageContext,
  request: Request,
  bucket: string,
  entries: readonly RemovalEntry[],
): Promise<ObjectRow[]> {
  const versioning = await versioningOf(context.database, bucket);
  const paths = entries.filter((entry) => typeof entry === 'string');
  const versions = entries.filter((entry) => typeof entry !== 'string');
  return context.run(request, async (tx) => {
    const removed = await removePaths(context, tx, { bucket, paths, versioning });
    for (const version of versions) removed.push(...(await deleteVersion(context, tx, bucket, version)));
    return removed;
  });
}

interface PathRemoval {
  readonly bucket: string;
  readonly paths: readonly string[];
  readonly versioning: VersioningStatus;
}

const removePaths = (context: StorageContext, tx: Transaction, removal: PathRemoval): Promise<ObjectRow[]> =>
  removal.versioning === 'DISABLED' ? deletePaths(context, tx, removal) : hidePaths(tx, removal);

const DELETE_CURRENT = `delete from storage.objects
  where bucket_id = $1 and name = any ($2) and archived_at is null and not is_delete_marker returning *`;

async function deletePaths(
  { objects }: StorageContext,
  tx: Transaction,
  { bucket, paths }: PathRemoval,
): Promise<ObjectRow[]> {
  const gone = await tx.query<ObjectRow>(DELETE_CURRENT, [bucket, paths]);
  for (const { version } of gone) tx.afterCommit(() => objects.remove(version));
  return gone;
}

/** Archives the objects of a bucket with versioning, and replaces each with a delete marker. */
async function hidePaths(tx: Transaction, { bucket, paths, versioning }: PathRemoval): Promise<ObjectRow[]> {
  // Run the deletion to apply its policies, then roll it back: the rows stay.
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
      [ids, versioning === 'ENABLED'],
    );
  });
  return hidden;
}

async function deleteVersion(
  { objects }: StorageContext,
  tx: Transaction,
  bucket: string,
  { path, versionId }: VersionEntry,
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
