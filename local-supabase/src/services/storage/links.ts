import { Hono } from 'hono';
import { requestLineOf } from '../../http/request-line.ts';
import { readBySchema } from './body-schema.ts';
import { queryOf } from './buckets.ts';
import { checkBucketName, checkKey, checkStoredKey } from './names.ts';
import { sendObject } from './object-response.ts';
import { findNamedObject } from './object-row.ts';
import { operation } from './operation.ts';
import { mediaTypeOf, readJson } from './request-body.ts';
import { signedQuerySchema, signManySchema, signSchema } from './schemas.ts';
import type { StorageContext } from './storage-context.ts';
import { StorageError } from './storage-error.ts';
import { ownerOf } from './transaction.ts';
import {
  attemptToStore,
  checkUpload,
  findUploadBucket,
  isUpsert,
  membersOf,
  parseMetadataHeader,
  withUpload,
  storeObject,
  versioningOf,
} from './upload.ts';

const UPLOAD_EXPIRY_SECONDS = 7200;
const ABSENT = 'Either the object does not exist or you do not have access to it';

/** The routes below /object that sign links, and those that accept them. */
export function createLinkRoutes(context: StorageContext): Hono {
  const app = new Hono();
  addSigningRoutes(app, context);
  addSignedDownload(app, context);
  addUploadLinkRoutes(app, context);
  return app;
}

function addSigningRoutes(app: Hono, context: StorageContext): void {
  const { run, links, admit } = context;
  app.post('/sign/:bucket{[^/]*}', operation('storage.object.sign_many'), async (c) => {
    const { expiresIn, paths } = readBySchema(signManySchema, await readJson(c.req.raw), 'body') as {
      expiresIn: number;
      paths: readonly string[];
    };
    admit(c.req.raw);
    checkExpiry(expiresIn, context);
    const bucket = c.req.param('bucket');
    checkBucketName(bucket);
    const found = await run(c.req.raw, (sql) =>
      sql.query<{ name: string }>(
        `select name from storage.objects
         where bucket_id = $1 and name = any ($2) and archived_at is null and not is_delete_marker`,
        [bucket, paths],
      ),
    );
    const names = new Set(found.map(({ name }) => name));
    const signed = paths.map(async (path) => {
      if (!names.has(path)) return { error: ABSENT, path, signedURL: null };
      const token = await links.sign('download', `${bucket}/${path}`, expiresIn);
      return { error: null, path, signedURL: `/object/sign/${bucket}/${path}?token=${token}` };
    });
    return c.json(await Promise.all(signed));
  });
  app.post('/sign/:bucket/:path{.*}', operation('storage.object.sign'), async (c) => {
    const { expiresIn, versionId } = readBySchema(signSchema, await readJson(c.req.raw), 'body') as {
      expiresIn: number;
      versionId?: string;
    };
    admit(c.req.raw);
    checkExpiry(expiresIn, context);
    const { bucket, path } = c.req.param();
    checkBucketName(bucket);
    checkKey(path);
    await run(c.req.raw, (sql) => findNamedObject(sql, bucket, path, versionId));
    const url = signedPathOf(c.req.raw);
    const token = await links.sign('download', url, expiresIn, versionId ? { versionId } : {});
    return c.json({ signedURL: `/object/sign/${url}?token=${token}` });
  });
}

function addSignedDownload(app: Hono, context: StorageContext): void {
  const { database, links } = context;
  app.on(['GET', 'HEAD'], '/sign/:bucket/:path{.*}', async (c) => {
    const { token, download } = readBySchema(signedQuerySchema, queryOf(c.req.queries()), 'querystring') as {
      token: string;
      download?: string;
    };
    const { bucket, path } = c.req.param();
    checkBucketName(bucket);
    const { versionId, exp } = await links.verify('download', token, `${bucket}/${path}`);
    const version = typeof versionId === 'string' ? versionId : null;
    const row = await findNamedObject(database, bucket, path, version);
    return sendObject(context, row, c.req.raw, { download, expires: new Date(Number(exp) * 1000) });
  });
}

function addUploadLinkRoutes(app: Hono, context: StorageContext): void {
  const { run, database, links, admit } = context;
  app.post('/upload/sign/:bucket/:path{.*}', operation('storage.object.sign_upload_url'), async (c) => {
    await readJson(c.req.raw);
    const claims = admit(c.req.raw);
    const { bucket, path } = c.req.param();
    checkBucketName(bucket);
    const upsert = isUpsert(c.req.raw);
    const versioning = await versioningOf(database, bucket);
    const owner = ownerOf(claims);
    const mimetype = c.req.header('content-type');
    await run(c.req.raw, (sql) =>
      // Check the permission now, because the service itself will store the upload of the link.
      attemptToStore(
        sql,
        { bucket, path, upsert, versioning, owner },
        { mimetype },
        parseMetadataHeader(c.req.raw),
      ),
    );
    const claimed = { upsert, ...(owner.id !== null && { owner: owner.id }) };
    const token = await links.sign('upload', `${bucket}/${path}`, UPLOAD_EXPIRY_SECONDS, claimed);
    return c.json({ url: `/object/upload/sign/${bucket}/${path}?token=${token}`, token });
  });
  app.put('/upload/sign/:bucket/:path{.*}', operation('storage.object.upload_signed'), async (c) => {
    mediaTypeOf(c.req.raw);
    const { token } = readBySchema(
      { type: 'object', properties: { token: { type: 'string' } }, required: ['token'] },
      queryOf(c.req.queries()),
      'querystring',
    ) as { token: string };
    const { bucket, path } = c.req.param();
    await storeByLink(context, c.req.raw, { bucket, path, token });
    return c.json({ Key: `${bucket}/${path}` });
  });
}

async function storeByLink(
  context: StorageContext,
  request: Request,
  { bucket, path, token }: { readonly bucket: string; readonly path: string; readonly token: string },
): Promise<void> {
  const { links, runAllowed, objects } = context;
  checkBucketName(bucket);
  const { upsert, owner } = await links.verify('upload', token, `${bucket}/${path}`);
  const row = await findUploadBucket(context, bucket);
  await withUpload(context, request, async (upload) => {
    checkUpload(context, row, path, upload);
    checkStoredKey(path);
    const destination = {
      bucket,
      path,
      upsert: upsert === true,
      versioning: row.versioning_status,
      owner: ownerOf({ sub: owner }),
    };
    await runAllowed(request, async (tx) => {
      await attemptToStore(tx, destination, {}, upload.userMetadata);
      await storeObject(tx, objects, destination, {
        ...upload,
        userMetadata: membersOf(upload.userMetadata),
      });
    });
  });
}

/** The latest expiry that a date can represent, in seconds since the epoch. */
const LATEST_SECONDS = Math.floor(Number.MAX_SAFE_INTEGER / 1000);

function checkExpiry(expiresInSeconds: number, { now }: StorageContext): void {
  if (now() / 1000 + expiresInSeconds > LATEST_SECONDS)
    throw new StorageError(400, 'InvalidParameter', 'Invalid Parameter expiresIn');
}

/**
 * The path that a link is signed for: the request's path, decoded with `decodeURI`. It keeps escaped reserved
 * characters, so that, as in the service, a link for a name that contains them does not work.
 */
function signedPathOf(request: Request): string {
  const path = requestLineOf(request).target.replace(/\?.*/s, '');
  return decodeURI(path.split('/').slice(5).join('/'));
}
