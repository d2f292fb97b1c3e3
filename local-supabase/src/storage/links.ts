import { Hono } from 'hono';
import { sendObject } from './object-response.ts';
import { describeObject, findObject } from './object-row.ts';
import type { StorageContext } from './storage-context.ts';
import { bucketNotFound, objectNotFound, readJsonBody } from './storage-error.ts';
import { attemptToStore, checkUpload, findBucket, isUpsert, readUpload, storeObject } from './upload.ts';

/** The lifetime of a link for an upload, in seconds. */
const UPLOAD_EXPIRY_SECONDS = 7200;

/** The routes below /object that need no key: public buckets and signed links. */
export function createLinkRoutes(context: StorageContext): Hono {
  const { run, runAllowed, objects, database, links } = context;
  const app = new Hono();
  const findPublic = async (bucket: string, path: string, version: string | undefined) => {
    const [open] = await database.query('select id from storage.buckets where id = $1 and public', [bucket]);
    if (!open) throw bucketNotFound();
    return findObject(database, bucket, path, version);
  };

  app.on(['GET', 'HEAD'], '/public/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    return sendObject(context, await findPublic(bucket, path, c.req.query('versionId')), c.req.raw);
  });
  app.get('/info/public/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    return c.json(describeObject(await findPublic(bucket, path, c.req.query('versionId'))));
  });
  app.post('/sign/:bucket', async (c) => {
    const bucket = c.req.param('bucket');
    const { expiresIn, paths } = await readJsonBody<{ expiresIn: number; paths: string[] }>(c.req.raw);
    const signed = paths.map(async (path) => {
      const found = await run(c.req.raw, (sql) => findObject(sql, bucket, path)).catch(() => undefined);
      const token = found && (await links.sign('download', `${bucket}/${path}`, expiresIn));
      const signedURL = token ? `/object/sign/${encodePath(bucket, path)}?token=${token}` : null;
      return {
        error: found ? null : 'Either the object does not exist or you do not have access to it',
        path,
        signedURL,
      };
    });
    return c.json(await Promise.all(signed));
  });
  app.post('/sign/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    const { expiresIn, versionId } = await readJsonBody<{ expiresIn: number; versionId?: string }>(c.req.raw);
    await run(c.req.raw, (sql) => findObject(sql, bucket, path, versionId));
    const token = await links.sign(
      'download',
      `${bucket}/${path}`,
      expiresIn,
      versionId ? { versionId } : {},
    );
    return c.json({ signedURL: `/object/sign/${encodePath(bucket, path)}?token=${token}` });
  });
  app.on(['GET', 'HEAD'], '/sign/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    const { versionId } = await links.verify('download', c.req.query('token'), `${bucket}/${path}`);
    const version = typeof versionId === 'string' ? versionId : null;
    return sendObject(context, await findObject(database, bucket, path, version), c.req.raw);
  });
  app.post('/upload/sign/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    const upsert = isUpsert(c.req.raw);
    const versioning = (await findBucket(database, bucket))?.versioning_status ?? 'DISABLED';
    const token = await run(c.req.raw, async (sql) => {
      // Signed links are redeemed as superuser, so the permission is checked now.
      await attemptToStore(sql, { bucket, path, upsert, versioning });
      return links.sign('upload', `upload/${bucket}/${path}`, UPLOAD_EXPIRY_SECONDS, { upsert });
    });
    return c.json({ url: `/object/upload/sign/${encodePath(bucket, path)}?token=${token}`, token });
  });
  app.put('/upload/sign/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    const { upsert } = await links.verify('upload', c.req.query('token'), `upload/${bucket}/${path}`);
    const upload = await readUpload(c.req.raw);
    const sizeBytes = upload.bytes.length;
    const { versioning_status: versioning } = await checkUpload(context, bucket, path, {
      ...upload,
      sizeBytes,
    });
    const destination = { bucket, path, upsert: upsert === true, versioning };
    const { id } = await runAllowed((tx) => storeObject(tx, objects, destination, upload));
    return c.json({ Key: `${bucket}/${path}`, Id: id });
  });
  app.all('/:kind{public|sign}/*', () => {
    throw objectNotFound();
  });
  return app;
}

const encodePath = (bucket: string, path: string): string =>
  [bucket, ...path.split('/')].map(encodeURIComponent).join('/');
