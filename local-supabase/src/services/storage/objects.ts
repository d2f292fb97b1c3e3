import { Hono } from 'hono';
import { readBySchema } from './body-schema.ts';
import { queryOf, type Query } from './buckets.ts';
import { checkBucketName, checkKey } from './names.ts';
import { sendHead, sendInfo, sendObject } from './object-response.ts';
import { findNamedObject } from './object-row.ts';
import type { ObjectRow } from './object-row.ts';
import { operation } from './operation.ts';
import { downloadQuerySchema, transformSchema } from './schemas.ts';
import type { StorageContext } from './storage-context.ts';
import { bucketNotFound } from './storage-error.ts';
import { findBucket } from './upload.ts';

const ofHead = { HEAD: 'object.head_authenticated_info' };

/** The routes below /object that read an object: from a public bucket, or with the caller's permissions. */
export function createReadRoutes(context: StorageContext): Hono {
  const app = new Hono();
  addPublicRoutes(app, context);
  addInfoRoutes(app, context);
  addAuthenticatedRoutes(app, context);
  return app;
}

function addPublicRoutes(app: Hono, context: StorageContext): void {
  const { database } = context;
  app.on(['GET', 'HEAD'], '/public/:bucket/:path{.*}', async (c) => {
    const { bucket, path } = c.req.param();
    const isHead = c.req.raw.method === 'HEAD';
    const query = readQuery(isHead, queryOf(c.req.queries()));
    checkBucketName(bucket);
    checkKey(path);
    const row = await findBucket(database, bucket);
    if (!row?.public) throw bucketNotFound();
    const object = await findNamedObject(database, bucket, path, c.req.query('versionId'));
    return isHead ? sendHead(object, c.req.raw) : sendObject(context, object, c.req.raw, query);
  });
  app.get('/info/public/:bucket/:path{.*}', async (c, next) => {
    // As in the service, HEAD reads a bucket named `public`.
    if (c.req.raw.method === 'HEAD') return next();
    const { bucket, path } = c.req.param();
    readBySchema(transformSchema, queryOf(c.req.queries()), 'querystring');
    const row = await findBucket(database, bucket);
    if (!row?.public) throw bucketNotFound();
    checkBucketName(bucket);
    return sendInfo(await findNamedObject(database, bucket, path, c.req.query('versionId')));
  });
}

function addInfoRoutes(app: Hono, context: StorageContext): void {
  app.get('/info/authenticated/:bucket/:path{.*}', operation('object.get_authenticated_info'), async (c) => {
    readBySchema(transformSchema, queryOf(c.req.queries()), 'querystring');
    context.admit(c.req.raw);
    const { bucket, path } = c.req.param();
    return sendInfo(await findVisible(context, c.req.raw, bucket, path, c.req.query('versionId')));
  });
  app.get('/info/:bucket/:path{.*}', operation('object.get_authenticated_info'), async (c) => {
    readBySchema(transformSchema, queryOf(c.req.queries()), 'querystring');
    const { bucket, path } = c.req.param();
    return sendInfo(await findVisible(context, c.req.raw, bucket, path, c.req.query('versionId')));
  });
}

function addAuthenticatedRoutes(app: Hono, context: StorageContext): void {
  app.on(
    ['GET', 'HEAD'],
    '/authenticated/:bucket/:path{.*}',
    operation('storage.object.get_authenticated', ofHead),
    async (c) => {
      const isHead = c.req.raw.method === 'HEAD';
      const query = readQuery(isHead, queryOf(c.req.queries()));
      context.admit(c.req.raw);
      const { bucket, path } = c.req.param();
      const object = await findVisible(context, c.req.raw, bucket, path, c.req.query('versionId'));
      return isHead ? sendHead(object, c.req.raw) : sendObject(context, object, c.req.raw, query);
    },
  );
  app.on(
    ['GET', 'HEAD'],
    '/:bucket/:path{.*}',
    operation('storage.object.get_authenticated', ofHead),
    (c) => {
      const { bucket, path } = c.req.param();
      return readAny(context, bucket, path, c.req.raw, queryOf(c.req.queries()));
    },
  );
}

/** Reads an object by the route of any bucket, whose HEAD alone has a schema. */
async function readAny(
  context: StorageContext,
  bucket: string,
  path: string,
  request: Request,
  query: Query,
): Promise<Response> {
  const isHead = request.method === 'HEAD';
  if (isHead) readBySchema(transformSchema, query, 'querystring');
  const { versionId, download } = query;
  const version = typeof versionId === 'string' ? versionId : undefined;
  const object = await findVisible(context, request, bucket, path, version);
  if (isHead) return sendHead(object, request);
  return sendObject(context, object, request, {
    // This route has no schema: repeated names are joined by commas.
    download: download?.toString(),
  });
}

function readQuery(isHead: boolean, query: Query): { readonly download?: string } {
  return readBySchema(isHead ? transformSchema : downloadQuerySchema, query, 'querystring') as {
    readonly download?: string;
  };
}

/** An object that the caller may read. With an invalid token, only public buckets are readable. */
async function findVisible(
  { database, run, callerOf }: StorageContext,
  request: Request,
  bucket: string,
  path: string,
  version: string | undefined,
): Promise<ObjectRow> {
  const row = await findBucket(database, bucket);
  const caller = callerOf(request);
  const isAuthenticated = caller !== null && 'claims' in caller;
  if (!row || (!isAuthenticated && !row.public)) throw bucketNotFound();
  checkBucketName(bucket);
  checkKey(path);
  if (row.public) return findNamedObject(database, bucket, path, version);
  return run(request, (sql) => findNamedObject(sql, bucket, path, version));
}
