import { Hono } from 'hono';
import { checkBucketName, checkStoredKey } from './names.ts';
import { operation } from './operation.ts';
import { mediaTypeOf } from './request-body.ts';
import type { StorageContext } from './storage-context.ts';
import { ownerOf } from './transaction.ts';
import { checkUpload, findUploadBucket, isUpsert, membersOf, storeAsCaller, withUpload } from './upload.ts';

/** The routes below /object that store an object with the caller's permissions. */
export function createUploadRoutes(context: StorageContext): Hono {
  const { run, admit, objects } = context;
  const app = new Hono();
  app.on(
    ['POST', 'PUT'],
    '/:bucket/:path{.*}',
    operation('storage.object.upload', { PUT: 'storage.object.upload_update' }),
    async (c) => {
      const request = c.req.raw;
      const { bucket, path } = c.req.param();
      mediaTypeOf(request);
      const claims = admit(request);
      checkBucketName(bucket);
      const row = await findUploadBucket(context, bucket);
      return withUpload(context, request, async (upload) => {
        checkUpload(context, row, path, upload);
        checkStoredKey(path);
        const destination = {
          bucket,
          path,
          owner: ownerOf(claims),
          upsert: isUpsert(request) || request.method === 'PUT',
          versioning: row.versioning_status,
        };
        const { id } = await run(request, (tx) =>
          storeAsCaller(tx, objects, destination, upload, membersOf(upload.userMetadata)),
        );
        return c.json({ Id: id, Key: `${bucket}/${path}` });
      });
    },
  );
  return app;
}
