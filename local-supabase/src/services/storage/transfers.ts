import { Hono } from 'hono';
import { readBySchema } from './body-schema.ts';
import { checkBucketName, checkStoredKey } from './names.ts';
import { findObject, presentRow } from './object-row.ts';
import type { ObjectRow } from './object-row.ts';
import { operation } from './operation.ts';
import { readJson } from './request-body.ts';
import { copySchema, moveSchema } from './schemas.ts';
import type { StorageContext } from './storage-context.ts';
import { objectNotFound } from './storage-error.ts';
import { ownerOf, type Owner } from './transaction.ts';
import type { Upload } from './upload.ts';
import { eTagOf, isUpsert, parseMetadataHeader, storeAsCaller, versioningOf } from './upload.ts';
import { archive, findCurrent, promoteNewest } from './versions.ts';

interface Transfer {
  readonly bucketId: string;
  readonly sourceKey: string;
  /** Default: the current object. */
  readonly sourceVersionId?: string;
  /** Default: the source's bucket. */
  readonly destinationBucket?: string;
  readonly destinationKey: string;
}

interface Copy extends Transfer {
  /** Default true. */
  readonly copyMetadata?: boolean;
  /** Replaces parts of the object's metadata if it is not copied. */
  readonly metadata?: {
    readonly cacheControl?: string;
    readonly contentEncoding?: string;
    readonly mimetype?: string;
  };
}

export function createTransferRoutes(context: StorageContext): Hono {
  const { run, admit, objects, database } = context;
  const app = new Hono();
  app.post('/move', operation('storage.object.move'), async (c) => {
    const transfer = readBySchema(moveSchema, await readJson(c.req.raw), 'body') as Transfer;
    const owner = ownerOf(admit(c.req.raw));
    checkBucketName(transfer.bucketId);
    checkStoredKey(transfer.destinationKey);
    await moveObject(context, c.req.raw, transfer, owner);
    return c.json({ message: 'Successfully moved' });
  });
  app.post('/copy', operation('storage.object.copy'), async (c) => {
    const copy = readBySchema(copySchema, await readJson(c.req.raw), 'body') as Copy;
    const owner = ownerOf(admit(c.req.raw));
    const { bucketId, sourceKey, sourceVersionId, destinationKey: path } = copy;
    checkBucketName(bucketId);
    checkStoredKey(path);
    const bucket = copy.destinationBucket || bucketId;
    const versioning = await versioningOf(database, bucket);
    const destination = { bucket, path, owner, upsert: isUpsert(c.req.raw), versioning };
    return run(c.req.raw, async (tx) => {
      const source = await findObject(tx, bucketId, sourceKey, sourceVersionId);
      const upload = await readSource(context, source, copy, c.req.raw);
      const row = await storeAsCaller(tx, objects, destination, upload);
      const stored = presentRow(row as unknown as ObjectRow);
      return c.json({ Id: row.id, Key: `${bucket}/${path}`, ...stored });
    });
  });
  return app;
}

/** Moves an object, or one version of it, which becomes the object at the destination. */
async function moveObject(
  { run, database }: StorageContext,
  request: Request,
  transfer: Transfer,
  owner: Owner,
): Promise<void> {
  const { bucketId, sourceKey, sourceVersionId = null, destinationKey } = transfer;
  const bucket = transfer.destinationBucket || bucketId;
  const versioning = await versioningOf(database, bucket);
  await run(request, async (sql) => {
    const source = await findObject(sql, bucketId, sourceKey, sourceVersionId);
    if (sourceVersionId !== null) {
      const replaced = await findCurrent(sql, bucket, destinationKey);
      if (replaced && replaced.id !== source.id && versioning !== 'DISABLED') await archive(sql, replaced);
    }
    const moved = await sql.query(
      // As in the service, the metadata of a moved object is that of its bytes, without the rules for robots.
      `update storage.objects set bucket_id = $2, name = $3, archived_at = null, updated_at = now(),
         metadata = metadata - 'xRobotsTag',
         owner = coalesce($4, owner), owner_id = coalesce($5, owner_id)
       where id = $1 returning *`,
      [source.id, bucket, destinationKey, owner.uuid, owner.id],
    );
    if (moved.length === 0) throw objectNotFound();
    if (sourceVersionId !== null) await promoteNewest(sql, bucketId, sourceKey);
  });
}

async function readSource(
  { objects }: StorageContext,
  { version, metadata, user_metadata }: ObjectRow,
  { copyMetadata = true, metadata: replacement = {} }: Copy,
  request: Request,
): Promise<Upload> {
  const content = await objects.get(version);
  if (!content) throw objectNotFound();
  const { mimetype, cacheControl, contentEncoding, xRobotsTag } = {
    mimetype: 'application/octet-stream',
    cacheControl: 'no-cache',
    contentEncoding: undefined,
    xRobotsTag: undefined,
    ...metadata,
    ...(!copyMetadata && replacement),
  };
  return {
    content,
    eTag: await eTagOf(content),
    contentType: mimetype,
    cacheControl,
    contentEncoding: contentEncoding || undefined,
    robotsTag: xRobotsTag,
    userMetadata: copyMetadata ? user_metadata : parseMetadataHeader(request),
  };
}
