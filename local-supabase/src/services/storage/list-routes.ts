import { Hono } from 'hono';
import { readBySchema } from './body-schema.ts';
import { listPage } from './list-v2.ts';
import type { ListV2Body } from './list-v2.ts';
import { listFolder } from './listing.ts';
import type { ListBody } from './listing.ts';
import { checkBucketName } from './names.ts';
import { operation } from './operation.ts';
import { readJson } from './request-body.ts';
import { listSchema, listV2Schema } from './schemas.ts';
import type { StorageContext } from './storage-context.ts';

/** The routes below /object that list the objects visible to the caller. */
export function createListRoutes({ run, admit }: StorageContext): Hono {
  const app = new Hono();
  app.post('/list/:bucket{[^/]*}', operation('storage.object.list'), async (c) => {
    const body = readBySchema(listSchema, await readJson(c.req.raw), 'body') as ListBody;
    admit(c.req.raw);
    const bucket = c.req.param('bucket');
    checkBucketName(bucket);
    return run(c.req.raw, async (sql) => c.json(await listFolder(sql, bucket, body)));
  });
  app.post('/list-v2/:bucket{[^/]*}', operation('storage.object.list_v2'), async (c) => {
    const body = readBySchema(listV2Schema, await readJson(c.req.raw), 'body') as ListV2Body;
    admit(c.req.raw, { isHeaderChecked: false });
    const bucket = c.req.param('bucket');
    checkBucketName(bucket);
    return run(c.req.raw, async (sql) => c.json(await listPage(sql, bucket, body)));
  });
  return app;
}
