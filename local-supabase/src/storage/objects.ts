import { Hono } from 'hono';
import { listPage } from './list-v2.ts';
import type { ListV2Body } from './list-v2.ts';
import { listFolder } from './listing.ts';
import type { ListBody } from './listing.ts';
import { sendObject } from './object-response.ts';
import { describeObject, findObject } from './object-row.ts';
import { removeObjects } from './removal.ts';
import type { RemovalEntry } from './removal.ts';
import type { StorageContext } from './storage-context.ts';
import { objectNotFound, readJsonBody } from './storage-error.ts';
import { checkUpload, isUpsert, readUpload, storeObject } from './upload.ts';

/** The routes below /object that depend on the caller's permissions. */
export function createObjectRoutes(context: StorageContext): Hono {
  const { run, objects } = context;
  const app = new Hono();
  app.post('/list/:bucket', async (c) => {
    const body = await readJsonBody<ListBody>(c.req.raw);
    return run(c.req.raw, async (sql) => c.json(await listFolder(sql, c.req.param('bucket'), body)));
  });
  app.post('/list-v2/:bucket', async (c) => {
    const body = await readJsonBody<ListV2Body>(c.req.raw);
    return run(c.req.raw, async (sql) => c.json(await listPage(sql, c.req.param('bucket'), body)));
  });
  app.get('/info/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    const version = c.req.query('versionId');
    return run(c.req.raw, async (sql) =>
      c.json(describeObject(await findObject(sql, bucket, path, version))),
    );
  });
  app.on(['GET', 'HEAD'], ['/authenticated/:bucket/:path{.+}', '/:bucket/:path{.+}'], async (c) => {
    const { bucket, path } = c.req.param();
    const row = await run(c.req.raw, (sql) => findObject(sql, bucket, path, c.req.query('versionId')));
    return sendObject(context, row, c.req.raw);
  });
  app.on(['POST', 'PUT'], '/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    const upload = await readUpload(c.req.raw);
    const sizeBytes = upload.bytes.length;
    const { versioning_status: versioning } = await checkUpload(context, bucket, path, {
      ...upload,
      sizeBytes,
    });
    return run(c.req.raw, async (sql) => {
      if (c.req.method === 'PUT') await findObject(sql, bucket, path);
      const upsert = isUpsert(c.req.raw) || c.req.method === 'PUT';
      const { id } = await storeObject(sql, objects, { bucket, path, upsert, versioning }, upload);
      return c.json({ Key: `${bucket}/${path}`, Id: id });
    });
  });
  app.delete('/:bucket', async (c) => {
    const { prefixes = [] } = await readJsonBody<{ prefixes?: RemovalEntry[] }>(c.req.raw);
    return c.json(await removeObjects(context, c.req.raw, c.req.param('bucket'), prefixes));
  });
  app.delete('/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    const gone = await removeObjects(context, c.req.raw, bucket, [path]);
    if (gone.length === 0) throw objectNotFound();
    return c.json({ message: 'Successfully deleted' });
  });
  return app;
}
