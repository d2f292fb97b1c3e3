import { Hono } from 'hono';
import type { Sql } from '../../database/database.ts';
import { isUniqueViolation } from '../../database/database-error.ts';
import { readBySchema } from './body-schema.ts';
import { checkBucketName } from './names.ts';
import { operation } from './operation.ts';
import { readJson } from './request-body.ts';
import { createBucketSchema, listBucketsSchema, updateBucketSchema } from './schemas.ts';
import type { StorageContext } from './storage-context.ts';
import {
  accessDenied,
  alreadyExists,
  bucketNotFound,
  invalidBucketName,
  invalidMimeType,
  objectTooLarge,
  StorageError,
} from './storage-error.ts';
import { ownerOf } from './transaction.ts';
import { asService, type VersioningStatus } from './versions.ts';

interface BucketSettings {
  readonly public?: boolean;
  readonly file_size_limit?: number | string | null;
  readonly allowed_mime_types?: readonly string[] | null;
  readonly versioning_status?: VersioningStatus;
}

interface NewBucket extends BucketSettings {
  readonly id?: string;
  readonly name: string;
  readonly type?: string;
}

interface BucketQuery {
  readonly limit?: number;
  readonly offset?: number;
  readonly sortColumn?: string;
  readonly sortOrder?: 'asc' | 'desc';
  readonly search?: string;
}

const COLUMNS = `id, name, coalesce(owner::text, '') as owner, public, file_size_limit, allowed_mime_types, created_at, updated_at`;

export function createBucketRoutes(context: StorageContext): Hono {
  const { run, admit, fileSizeLimitBytes } = context;
  const app = new Hono();
  app.on(['GET', 'HEAD'], ['/', ''], operation('storage.bucket.list'), async (c) => {
    const query = readBySchema(listBucketsSchema, queryOf(c.req.queries()), 'querystring') as BucketQuery;
    admit(c.req.raw);
    return run(c.req.raw, async (sql) => c.json(await listBuckets(sql, query, c.req.raw.headers)));
  });
  app.get('/:id{[^/]*}', operation('storage.bucket.get'), async (c) => {
    admit(c.req.raw);
    return run(c.req.raw, async (sql) => {
      const { versioning_status: status, ...bucket } = await findBucket(sql, c.req.param('id'));
      return c.json(status === 'DISABLED' ? bucket : { ...bucket, versioning_status: status });
    });
  });
  app.on('POST', ['/', ''], operation('storage.bucket.create'), async (c) => {
    const body = readBySchema(createBucketSchema, await readJson(c.req.raw), 'body') as NewBucket;
    const claims = admit(c.req.raw);
    checkNewName(body);
    const settings = readSettings(body, fileSizeLimitBytes);
    await run(c.req.raw, (sql) => createBucket(sql, body, settings, ownerOf(claims)));
    return c.json({ name: body.name });
  });
  app.put('/:id{[^/]*}', operation('storage.bucket.update'), async (c) => {
    const body = readBySchema(updateBucketSchema, await readJson(c.req.raw), 'body') as BucketSettings;
    admit(c.req.raw);
    const id = c.req.param('id');
    checkBucketName(id);
    const settings = readSettings(body, fileSizeLimitBytes);
    await run(c.req.raw, (sql) => updateBucket(sql, id, settings));
    return c.json({ message: 'Successfully updated' });
  });
  app.post('/:id{[^/]*}/empty', async (c) => {
    await readJson(c.req.raw, { mayBeEmpty: true });
    if (admit(c.req.raw).role !== 'service_role') throw accessDenied('Access denied: Invalid role', 403);
    await emptyBucket(context, c.req.raw, c.req.param('id'));
    return c.json({ message: 'Empty bucket has been queued. Completion may take up to an hour.' });
  });
  app.delete('/:id{[^/]*}', operation('storage.bucket.delete'), async (c) => {
    await readJson(c.req.raw, { mayBeEmpty: true });
    admit(c.req.raw);
    await run(c.req.raw, (sql) => deleteBucket(sql, c.req.param('id')));
    return c.json({ message: 'Successfully deleted' });
  });
  return app;
}

/** The parameters of a query; repeated ones become a list. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

export function queryOf(queries: Readonly<Record<string, readonly string[]>>): Query {
  return Object.fromEntries(
    Object.entries(queries).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}

const BEFORE_2_18_0 = /supabase-py\/(?:[01]\.\d+|2\.(?:\d|1[0-7]))\.\d/i;
const BEFORE_0_12_1 = /supabase-py\/storage3 v0\.(?:(?:\d|1[01])\.\d|12\.0(?!\d))/i;

/** Older Python clients reject the member `type`. */
const refusesType = (headers: Headers): boolean =>
  BEFORE_2_18_0.test(String(headers.get('x-client-info'))) ||
  BEFORE_0_12_1.test(String(headers.get('user-agent')));

const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);

function listBuckets(sql: Sql, query: BucketQuery, headers: Headers): Promise<unknown[]> {
  const { limit, offset = 0, search = '', sortColumn, sortOrder = 'asc' } = query;
  const type = refusesType(headers) ? '' : `, 'STANDARD' as type`;
  return sql.query(
    `select ${COLUMNS}${type} from storage.buckets where $1 = '' or name ilike '%' || $1 || '%'
     ${sortColumn === undefined ? '' : `order by ${sortColumn} ${sortOrder}`} limit $2 offset $3`,
    [escapeLike(search), limit ?? null, offset],
  );
}

async function findBucket(sql: Sql, id: string): Promise<Record<string, unknown>> {
  const [bucket] = await sql.query(
    `select ${COLUMNS}, versioning_status from storage.buckets where id = $1`,
    [id],
  );
  if (!bucket) throw bucketNotFound();
  return bucket;
}

function checkNewName({ name, type }: NewBucket): void {
  if (name.trim() !== name) throw invalidBucketName();
  checkBucketName(name);
  if (type === 'ANALYTICS')
    throw new StorageError(
      409,
      'FeatureNotEnabled',
      'The feature Iceberg buckets are not enabled for this tenant is not enabled for this resource',
    );
}

async function createBucket(
  sql: Sql,
  { id, name, public: isPublic = false, versioning_status: versioning = 'DISABLED' }: NewBucket,
  settings: ReadonlyMap<string, unknown>,
  owner: { readonly id: string | null; readonly uuid: string | null },
): Promise<void> {
  const values = [id || name, name, isPublic, settings.get('file_size_limit') ?? null];
  try {
    await sql.query(
      `insert into storage.buckets
         (id, name, public, file_size_limit, allowed_mime_types, versioning_status, owner, owner_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [...values, settings.get('allowed_mime_types') ?? null, versioning, owner.uuid, owner.id],
    );
  } catch (problem) {
    if (isUniqueViolation(problem)) throw alreadyExists('BucketAlreadyExists');
    throw problem;
  }
}

async function updateBucket(sql: Sql, id: string, settings: ReadonlyMap<string, unknown>): Promise<void> {
  const columns = [...settings.keys()].map((column, index) => `${column} = $${index + 2}`);
  const changed = await sql.query(
    `update storage.buckets set ${columns.join(', ')} where id = $1 returning id`,
    [id, ...settings.values()],
  );
  if (changed.length === 0) throw bucketNotFound();
}

async function emptyBucket({ run, objects }: StorageContext, request: Request, id: string): Promise<void> {
  await run(request, async (tx) => {
    await findBucket(tx, id);
    const gone = await tx.query<{ version: string | null }>(
      'delete from storage.objects where bucket_id = $1 returning version',
      [id],
    );
    for (const { version } of gone) if (version !== null) tx.afterCommit(() => objects.remove(version));
  });
}

async function deleteBucket(sql: Sql, id: string): Promise<void> {
  const [bucket] = await asService(sql, () =>
    sql.query<{ has_objects: boolean }>(
      `select exists (select from storage.objects where bucket_id = buckets.id) as has_objects
       from storage.buckets where id = $1`,
      [id],
    ),
  );
  if (!bucket) throw bucketNotFound();
  if (bucket.has_objects)
    throw new StorageError(409, 'ResourceNotEmpty', 'The bucket you tried to delete is not empty');
  const gone = await sql.query('delete from storage.buckets where id = $1 returning id', [id]);
  if (gone.length === 0) throw bucketNotFound();
}

/** The settings in a body, by column. @throws {StorageError} for an invalid one. */
function readSettings(body: BucketSettings, maxBytes: number): ReadonlyMap<string, unknown> {
  const settings = new Map<string, unknown>();
  if (body.public !== undefined) settings.set('public', body.public);
  if (body.file_size_limit !== undefined)
    settings.set('file_size_limit', readSize(body.file_size_limit, maxBytes));
  if (body.allowed_mime_types !== undefined)
    settings.set('allowed_mime_types', readMimeTypes(body.allowed_mime_types));
  if (body.versioning_status !== undefined) settings.set('versioning_status', body.versioning_status);
  return settings;
}

const MIME_TYPE = /^([a-zA-Z0-9\-+.]+)\/([a-zA-Z0-9\-+.]+)(;\s*charset=[a-zA-Z0-9-]+)?$|\*$/;

function readMimeTypes(types: readonly string[] | null): readonly string[] | null {
  const named = types?.filter((type) => type !== '') ?? null;
  const wrong = named?.find((type) => type.length > 1000 || !MIME_TYPE.test(type));
  if (wrong !== undefined) throw invalidMimeType(wrong);
  return named;
}

const UNIT_BYTES: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, g: 1e9 };

/**
 * Parses a bucket's limit in bytes. As in the storage service, units are decimal and strings are read to three digits.
 * Null removes the limit.
 *
 * @throws {StorageError} above the project's limit.
 */
function readSize(size: number | string | null, maxBytes: number): number | null {
  const sizeBytes = typeof size === 'string' ? parseSize(size) : size;
  if ((sizeBytes ?? 0) > maxBytes) throw objectTooLarge();
  return sizeBytes;
}

/** Parses a size that the schema of buckets allows, such as `1.5MB`. */
const parseSize = (size: string): number =>
  Number(Number.parseFloat(size).toPrecision(3)) * (UNIT_BYTES[size.slice(-2, -1).toLowerCase()] ?? 1);
