import { Hono } from 'hono';
import type { ObjectRow } from './object-row.ts';
import { findObject } from './object-row.ts';
import type { StorageContext } from './storage-context.ts';
import { objectNotFound, readJsonBody } from './storage-error.ts';
import type { Upload } from './upload.ts';
import { findBucket, isUpsert, parseMetadataHeader, storeObject } from './upload.ts';
import { archive, findCurrent, promoteNewest } from './versions.ts';

interface Transfer {
  readonly bucketId: string;
  readonly sourceKey: string;
  /** Default: the object as it is now. */
  readonly sourceVersionId?: string;
  readonly destinationBucket?: string;
  readonly destinationKey: string;
}

interface Copy extends Transfer {
  /** Default true. */
  readonly copyMetadata?: boolean;
  /** Replaces parts of the object's metadata where it is not copied. */
  readonly metadata?: {
    readonly cacheControl?: string;
    readonly contentEncoding?: string;
    readonly mimetype?: string;
  };
}

/** The routes that move and copy objects. */
export function createTransferRoutes(context: StorageContext): Hono {
  const { run, objects, database } = context;
  const app = new Hono();
  app.post('/move', async (c) => {
    const transfer = await readJsonBody<Transfer>(c.req.raw);
    const { bucketId, destinationBucket = bucketId, destinationKey } = transfer;
    const id = await moveObject(context, c.req.raw, { ...transfer, destinationBucket });
    return c.json({ message: 'Successfully moved', Id: id, Key: `${destinationBucket}/${destinationKey}` });
  });
  app.post('/copy', async (c) => {
    const copy = await readJsonBody<Copy>(c.req.raw);
    const { bucketId, sourceKey, sourceVersionId, destinationBucket = bucketId, destinationKey } = copy;
    const versioning = (await findBucket(database, destinationBucket))?.versioning_status ?? 'DISABLED';
    return run(c.req.raw, async (sql) => {
      const source = await findObject(sql, bucketId, sourceKey, sourceVersionId);
      const destination = {
        bucket: destinationBucket,
        path: destinationKey,
        upsert: isUpsert(c.req.raw),
        versioning,
      };
      const upload = await readSource(context, source, copy, c.req.raw);
      const { id, version } = await storeObject(sql, objects, destination, upload);
      return c.json({ Id: id, Key: `${destinationBucket}/${destinationKey}`, version });
    });
  });
  return app;
}

/** Moves an object, or one version of it, which becomes the object of the destination. Returns its id. */
async function moveObject(
  { run, database }: StorageContext,
  request: Request,
  {
    bucketId,
    sourceKey,
    sourceVersionId,
    destinationBucket,
    destinationKey,
  }: Transfer & { readonly destinationBucket: string },
): Promise<string> {
  const versioning = (await findBucket(database, destinationBucket))?.versioning_status ?? 'DISABLED';
  return run(request, async (sql) => {
    if (sourceVersionId !== undefined) {
      const source = await findObject(sql, bucketId, sourceKey, sourceVersionId);
      const replaced = await findCurrent(sql, destinationBucket, destinationKey);
      if (replaced && replaced.id !== source.id && versioning !== 'DISABLED') await archive(sql, replaced);
    }
    const [moved] = await sql.query<{ id: string }>(
      `update storage.objects set bucket_id = $3, name = $4, archived_at = null, updated_at = now()
       where bucket_id = $1 and name = $2 and not is_delete_marker
         and case when $5::text is null then archived_at is null else version = $5 end
       returning id`,
      [bucketId, sourceKey, destinationBucket, destinationKey, sourceVersionId ?? null],
    );
    if (!moved) throw objectNotFound();
    if (sourceVersionId !== undefined) await promoteNewest(sql, bucketId, sourceKey);
    return moved.id;
  });
}

/** The object as an upload that a copy stores. */
async function readSource(
  { objects }: StorageContext,
  { version, metadata, user_metadata }: ObjectRow,
  { copyMetadata = true, metadata: replacement = {} }: Copy,
  request: Request,
): Promise<Upload> {
  const bytes = await objects.get(version);
  if (!bytes) throw objectNotFound();
  const { mimetype, cacheControl, contentEncoding } = copyMetadata
    ? metadata
    : { ...metadata, ...replacement };
  return {
    bytes,
    contentType: mimetype,
    cacheControl,
    contentEncoding: contentEncoding || undefined,
    userMetadata: copyMetadata ? (user_metadata ?? {}) : parseMetadataHeader(request),
  };
}
