import { Hono } from 'hono';
import { findObject, describeObject, sendObject } from './objects.ts';
import type { StorageContext } from './storage-context.ts';
import { bucketNotFound, invalidSignature, objectNotFound, readJsonBody } from './storage-error.ts';
import { attemptToStore, checkUpload, readUpload, storeObject } from './upload.ts';

/** The lifetime of a link for an upload, in seconds. */
const UPLOAD_EXPIRY_SECONDS = 7200;

/** The purpose of a link. Without it, a link to read `upload/a/b` would permit a write of `a/b`. */
type Purpose = 'download' | 'upload';

/** The routes below /object that need no key: public buckets and signed links. */
export function createLinkRoutes(context: StorageContext): Hono {
  const { run, runAllowed, objects, database, keys, now } = context;
  const app = new Hono();
  const sign = (purpose: Purpose, url: string, expiresInSeconds: number, claims: object = {}) => {
    const iat = Math.floor(now() / 1000);
    return keys.sign({ url, purpose, ...claims, iat, exp: iat + expiresInSeconds });
  };
  const verify = async (purpose: Purpose, token: string | undefined, url: string) => {
    const check = await keys.verify(token ?? '', { refusesLegacy: true });
    if (!check.ok || check.claims['url'] !== url || check.claims['purpose'] !== purpose)
      throw invalidSignature();
    return check.claims;
  };
  const findPublic = async (bucket: string, path: string) => {
    const [open] = await database.query('select id from storage.buckets where id = $1 and public', [bucket]);
    if (!open) throw bucketNotFound();
    return findObject(database, bucket, path);
  };

  app.on(['GET', 'HEAD'], '/public/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    return sendObject(context, await findPublic(bucket, path), c.req.raw);
  });
  app.get('/info/public/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    return c.json(describeObject(await findPublic(bucket, path)));
  });
  app.post('/sign/:bucket', async (c) => {
    const bucket = c.req.param('bucket');
    const { expiresIn, paths } = await readJsonBody<{ expiresIn: number; paths: string[] }>(c.req.raw);
    const signed = paths.map(async (path) => {
      const found = await run(c.req.raw, (sql) => findObject(sql, bucket, path)).catch(() => undefined);
      const token = found && (await sign('download', `${bucket}/${path}`, expiresIn));
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
    const { expiresIn } = await readJsonBody<{ expiresIn: number }>(c.req.raw);
    await run(c.req.raw, (sql) => findObject(sql, bucket, path));
    const token = await sign('download', `${bucket}/${path}`, expiresIn);
    return c.json({ signedURL: `/object/sign/${encodePath(bucket, path)}?token=${token}` });
  });
  app.on(['GET', 'HEAD'], '/sign/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    await verify('download', c.req.query('token'), `${bucket}/${path}`);
    return sendObject(context, await findObject(database, bucket, path), c.req.raw);
  });
  app.post('/upload/sign/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    const upsert = c.req.header('x-upsert') === 'true';
    const token = await run(c.req.raw, async (sql) => {
      // Signed links are redeemed as superuser, so check the permission now by an upload that is rolled back.
      await sql.query('savepoint attempt');
      await attemptToStore(sql, { bucket, path, upsert });
      await sql.query('rollback to savepoint attempt');
      return sign('upload', `upload/${bucket}/${path}`, UPLOAD_EXPIRY_SECONDS, { upsert });
    });
    return c.json({ url: `/object/upload/sign/${encodePath(bucket, path)}?token=${token}`, token });
  });
  app.put('/upload/sign/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    const { upsert } = await verify('upload', c.req.query('token'), `upload/${bucket}/${path}`);
    const upload = await readUpload(c.req.raw);
    await checkUpload(context, bucket, path, upload);
    const destination = { bucket, path, upsert: upsert === true };
    const id = await runAllowed((tx) => storeObject(tx, objects, destination, upload));
    return c.json({ Key: `${bucket}/${path}`, Id: id });
  });
  app.all('/:kind{public|sign}/*', () => {
    throw objectNotFound();
  });
  return app;
}

const encodePath = (bucket: string, path: string): string =>
  [bucket, ...path.split('/')].map(encodeURIComponent).join('/');
