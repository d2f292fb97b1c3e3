import { Hono } from 'hono';
import { findObject, describeObject, sendObject } from './objects.ts';
import type { StorageContext } from './storage-context.ts';
import { bucketNotFound, invalidSignature, objectNotFound } from './storage-error.ts';
import { checkUpload, readUpload, storeObject } from './upload.ts';

/** How long a link for an upload is good, in seconds. */
const UPLOAD_EXPIRY_SECONDS = 7200;

/** The routes below /object that need no key: public buckets, and links that were signed before. */
export function createLinkRoutes(context: StorageContext): Hono {
  const { run, objects, database, keys, now } = context;
  const app = new Hono();
  const sign = (claims: Record<string, unknown>, expiresInSeconds: number) => {
    const iat = Math.floor(now() / 1000);
    return keys.sign({ ...claims, iat, exp: iat + expiresInSeconds }, { algorithm: 'HS256' });
  };
  const verify = async (token: string | undefined, url: string) => {
    const check = await keys.verify(token ?? '');
    if (!check.ok || check.claims['url'] !== url) throw invalidSignature();
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
    const { expiresIn, paths } = await c.req.json<{ expiresIn: number; paths: string[] }>();
    const signed = paths.map(async (path) => {
      const found = await run(c.req.raw, (sql) => findObject(sql, bucket, path)).catch(() => undefined);
      const token = found && (await sign({ url: `${bucket}/${path}` }, expiresIn));
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
    const { expiresIn } = await c.req.json<{ expiresIn: number }>();
    await run(c.req.raw, (sql) => findObject(sql, bucket, path));
    const token = await sign({ url: `${bucket}/${path}` }, expiresIn);
    return c.json({ signedURL: `/object/sign/${encodePath(bucket, path)}?token=${token}` });
  });
  app.on(['GET', 'HEAD'], '/sign/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    await verify(c.req.query('token'), `${bucket}/${path}`);
    return sendObject(context, await findObject(database, bucket, path), c.req.raw);
  });
  app.post('/upload/sign/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    const upsert = c.req.header('x-upsert') === 'true';
    const token = await run(c.req.raw, async (sql) => {
      // Whoever may not create the object gets no link to create it; the attempt itself is taken back.
      await sql.query('savepoint attempt');
      await sql.query('insert into storage.objects (bucket_id, name, owner) values ($1, $2, auth.uid())', [
        bucket,
        upsert ? `${path}.${crypto.randomUUID()}` : path,
      ]);
      await sql.query('rollback to savepoint attempt');
      return sign({ url: `upload/${bucket}/${path}`, upsert }, UPLOAD_EXPIRY_SECONDS);
    });
    return c.json({ url: `/object/upload/sign/${encodePath(bucket, path)}?token=${token}`, token });
  });
  app.put('/upload/sign/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    const { upsert } = await verify(c.req.query('token'), `upload/${bucket}/${path}`);
    const upload = await readUpload(c.req.raw);
    await checkUpload(database, bucket, path, upload);
    const destination = { bucket, path, upsert: upsert === true };
    const id = await database.transaction((sql) => storeObject(sql, objects, destination, upload));
    return c.json({ Key: `${bucket}/${path}`, Id: id });
  });
  app.all('/:kind{public|sign}/*', () => {
    throw objectNotFound();
  });
  return app;
}

const encodePath = (bucket: string, path: string): string =>
  [bucket, ...path.split('/')].map(encodeURIComponent).join('/');
