import { Hono } from 'hono';
import type { Context } from 'hono';
import type { Sql } from '../database/database.ts';
import { listFolder } from './listing.ts';
import type { ListBody } from './listing.ts';
import type { StorageContext } from './storage-context.ts';
import { objectNotFound, readJsonBody } from './storage-error.ts';
import type { Transaction } from './transaction.ts';
import { checkUpload, readUpload, storeObject } from './upload.ts';
import type { Upload } from './upload.ts';

export interface ObjectRow {
  readonly id: string;
  readonly bucket_id: string;
  readonly name: string;
  readonly version: string;
  readonly metadata: {
    readonly eTag: string;
    readonly size: number;
    readonly mimetype: string;
    readonly cacheControl: string;
    readonly lastModified: string;
  };
  readonly user_metadata: Record<string, unknown> | null;
  readonly created_at: Date;
}

interface Relocation {
  readonly bucketId: string;
  readonly sourceKey: string;
  readonly destinationBucket?: string;
  readonly destinationKey: string;
}

/** The routes below /object that depend on the caller's permissions. */
export function createObjectRoutes(context: StorageContext): Hono {
  const { run, objects } = context;
  const app = new Hono();
  app.post('/list/:bucket', async (c) => {
    const body = await readJsonBody<ListBody>(c.req.raw);
    return run(c.req.raw, async (sql) => c.json(await listFolder(sql, c.req.param('bucket'), body)));
  });
  app.post('/move', async (c) => {
    const {
      bucketId,
      sourceKey,
      destinationBucket = bucketId,
      destinationKey,
    } = await readJsonBody<Relocation>(c.req.raw);
    return run(c.req.raw, async (sql) => {
      const [moved] = await sql.query<{ id: string }>(
        `update storage.objects set bucket_id = $3, name = $4, updated_at = now()
         where bucket_id = $1 and name = $2 returning id`,
        [bucketId, sourceKey, destinationBucket, destinationKey],
      );
      if (!moved) throw objectNotFound();
      return c.json({
        message: 'Successfully moved',
        Id: moved.id,
        Key: `${destinationBucket}/${destinationKey}`,
      });
    });
  });
  app.post('/copy', async (c) => {
    const {
      bucketId,
      sourceKey,
      destinationBucket = bucketId,
      destinationKey,
    } = await readJsonBody<Relocation>(c.req.raw);
    return run(c.req.raw, async (sql) => {
      const source = await findObject(sql, bucketId, sourceKey);
      const destination = { bucket: destinationBucket, path: destinationKey, upsert: isUpsert(c) };
      const id = await storeObject(sql, objects, destination, await readBack(context, source));
      return c.json({ Id: id, Key: `${destinationBucket}/${destinationKey}` });
    });
  });
  app.get('/info/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    return run(c.req.raw, async (sql) => c.json(describeObject(await findObject(sql, bucket, path))));
  });
  app.on(['GET', 'HEAD'], ['/authenticated/:bucket/:path{.+}', '/:bucket/:path{.+}'], async (c) => {
    const { bucket, path } = c.req.param();
    const row = await run(c.req.raw, (sql) => findObject(sql, bucket, path));
    return sendObject(context, row, c.req.raw);
  });
  app.on(['POST', 'PUT'], '/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    const upload = await readUpload(c.req.raw);
    await checkUpload(context, bucket, path, upload);
    return run(c.req.raw, async (sql) => {
      if (c.req.method === 'PUT') await findObject(sql, bucket, path);
      const upsert = isUpsert(c) || c.req.method === 'PUT';
      const id = await storeObject(sql, objects, { bucket, path, upsert }, upload);
      return c.json({ Key: `${bucket}/${path}`, Id: id });
    });
  });
  app.delete('/:bucket', async (c) => {
    const { prefixes = [] } = await readJsonBody<{ prefixes?: string[] }>(c.req.raw);
    return run(c.req.raw, async (sql) =>
      c.json(await removeObjects(context, sql, c.req.param('bucket'), prefixes)),
    );
  });
  app.delete('/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    return run(c.req.raw, async (sql) => {
      const gone = await removeObjects(context, sql, bucket, [path]);
      if (gone.length === 0) throw objectNotFound();
      return c.json({ message: 'Successfully deleted' });
    });
  });
  return app;
}

const isUpsert = (c: Context): boolean => c.req.header('x-upsert') === 'true';

export async function findObject(sql: Sql, bucket: string, path: string): Promise<ObjectRow> {
  const [row] = await sql.query<ObjectRow>(
    'select * from storage.objects where bucket_id = $1 and name = $2',
    [bucket, path],
  );
  if (!row) throw objectNotFound();
  return row;
}

async function removeObjects(
  { objects }: StorageContext,
  tx: Transaction,
  bucket: string,
  paths: readonly string[],
): Promise<ObjectRow[]> {
  const gone = await tx.query<ObjectRow>(
    'delete from storage.objects where bucket_id = $1 and name = any ($2) returning *',
    [bucket, paths],
  );
  for (const { version } of gone) tx.afterCommit(() => objects.remove(version));
  return gone;
}

async function readBack(
  { objects }: StorageContext,
  { version, metadata, user_metadata }: ObjectRow,
): Promise<Upload> {
  const bytes = await objects.get(version);
  if (!bytes) throw objectNotFound();
  const { mimetype, cacheControl } = metadata;
  return { bytes, contentType: mimetype, cacheControl, userMetadata: user_metadata ?? {} };
}

export function describeObject({
  id,
  bucket_id,
  name,
  version,
  metadata,
  user_metadata,
  created_at,
}: ObjectRow) {
  return {
    id,
    bucket_id,
    name,
    version,
    size: metadata.size,
    content_type: metadata.mimetype,
    cache_control: metadata.cacheControl,
    etag: metadata.eTag,
    metadata: user_metadata ?? {},
    last_modified: metadata.lastModified,
    created_at,
  };
}

/** The response with the bytes and caching headers. `?download` names the file for saving. */
export async function sendObject(
  { objects }: StorageContext,
  row: ObjectRow,
  request: Request,
): Promise<Response> {
  const { metadata, name } = row;
  const bytes = await objects.get(row.version);
  if (!bytes) throw objectNotFound();
  const headers = new Headers({
    'content-type': metadata.mimetype,
    'cache-control': metadata.cacheControl,
    etag: metadata.eTag,
    'last-modified': new Date(metadata.lastModified).toUTCString(),
    'x-robots-tag': 'none',
    'x-content-type-options': 'nosniff',
  });
  // A script of an uploaded document would act as a page of this host, which may use the service role.
  if (/html|xml/i.test(metadata.mimetype)) headers.set('content-security-policy', 'sandbox');
  const wanted = new URL(request.url).searchParams.get('download');
  if (wanted !== null) {
    const saveAs = encodeURIComponent(wanted || (name.split('/').at(-1) ?? ''));
    headers.set('content-disposition', `attachment; filename*=UTF-8''${saveAs}`);
  }
  if (request.headers.get('if-none-match') === metadata.eTag)
    return new Response(null, { status: 304, headers });
  headers.set('content-length', String(bytes.length));
  return new Response(request.method === 'HEAD' ? null : bytes, { headers });
}
