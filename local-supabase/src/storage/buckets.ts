import { Hono } from 'hono';
import type { Sql } from '../database/database.ts';
import type { StorageContext } from './storage-context.ts';
import {
  bucketNotFound,
  invalidRequest,
  objectTooLarge,
  StorageError,
  readJsonBody,
} from './storage-error.ts';
import type { VersioningStatus } from './versions.ts';

interface BucketBody {
  readonly id?: string;
  readonly name?: string;
  readonly public?: boolean;
  readonly file_size_limit?: number | string | null;
  readonly allowed_mime_types?: readonly string[] | null;
  readonly versioning_status?: string;
}

const COLUMNS = `id, name, coalesce(owner_id, '') as owner, public, file_size_limit, allowed_mime_types,
  versioning_status, created_at, updated_at`;

const sortColumns: ReadonlySet<string> = new Set(['id', 'name', 'created_at', 'updated_at']);
const sortOrders: ReadonlySet<string> = new Set(['asc', 'desc']);

function readCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw invalidRequest('querystring/limit and offset must be integers of at least 0');
}

/** The routes below /bucket. */
export function createBucketRoutes({ run, objects, fileSizeLimitBytes }: StorageContext): Hono {
  const app = new Hono();
  app.get('/', (c) =>
    run(c.req.raw, async (sql) => {
      const { limit, offset, search, sortColumn = 'id', sortOrder = 'asc' } = c.req.query();
      if (!sortColumns.has(sortColumn) || !sortOrders.has(sortOrder))
        throw invalidRequest(
          'querystring/sortColumn or sortOrder must be equal to one of the allowed values',
        );
      const buckets = await sql.query(
        `select ${COLUMNS} from storage.buckets where position(lower($1) in lower(name)) > 0
         order by ${sortColumn} ${sortOrder} limit $2 offset $3`,
        [search ?? '', limit === undefined ? null : readCount(limit), readCount(offset ?? '0')],
      );
      return c.json(buckets);
    }),
  );
  app.get('/:id', (c) => run(c.req.raw, async (sql) => c.json(await findBucket(sql, c.req.param('id')))));
  app.post('/', async (c) => {
    const body = await readJsonBody<BucketBody>(c.req.raw);
    const id = body.id ?? body.name ?? '';
    const versioning = readVersioning(body, ['DISABLED', 'ENABLED']) ?? 'DISABLED';
    return run(c.req.raw, async (sql) => {
      await sql.query(
        `insert into storage.buckets
           (id, name, public, file_size_limit, allowed_mime_types, versioning_status, owner, owner_id)
         values ($1, $2, $3, $4, $5, $6, auth.uid(), auth.uid()::text)`,
        [
          id,
          body.name ?? id,
          body.public ?? false,
          readSize(body.file_size_limit, fileSizeLimitBytes) ?? null,
          body.allowed_mime_types ?? null,
          versioning,
        ],
      );
      return c.json({ name: id });
    });
  });
  app.put('/:id', async (c) => {
    const body = await readJsonBody<BucketBody>(c.req.raw);
    const versioning = readVersioning(body, ['ENABLED', 'SUSPENDED']);
    const size = readSize(body.file_size_limit, fileSizeLimitBytes);
    return run(c.req.raw, async (sql) => {
      const changed = await sql.query(
        `update storage.buckets set public = coalesce($2, public),
           file_size_limit = case when $3 then $4 else file_size_limit end,
           allowed_mime_types = case when $5 then $6 else allowed_mime_types end,
           versioning_status = coalesce($7, versioning_status), updated_at = now()
         where id = $1 returning id`,
        [
          c.req.param('id'),
          body.public ?? null,
          size !== undefined,
          size ?? null,
          body.allowed_mime_types !== undefined,
          body.allowed_mime_types ?? null,
          versioning ?? null,
        ],
      );
      if (changed.length === 0) throw bucketNotFound();
      return c.json({ message: 'Successfully updated' });
    });
  });
  app.post('/:id/empty', (c) =>
    run(c.req.raw, async (tx) => {
      await findBucket(tx, c.req.param('id'));
      const gone = await tx.query<{ version: string }>(
        'delete from storage.objects where bucket_id = $1 returning version',
        [c.req.param('id')],
      );
      for (const { version } of gone) tx.afterCommit(() => objects.remove(version));
      return c.json({ message: 'Successfully emptied' });
    }),
  );
  app.delete('/:id', (c) =>
    run(c.req.raw, async (sql) => {
      await findBucket(sql, c.req.param('id'));
      const [kept] = await sql.query('select id from storage.objects where bucket_id = $1 limit 1', [
        c.req.param('id'),
      ]);
      if (kept)
        throw new StorageError(409, 'ResourceNotEmpty', 'The bucket you tried to delete is not empty');
      await sql.query('delete from storage.buckets where id = $1', [c.req.param('id')]);
      return c.json({ message: 'Successfully deleted' });
    }),
  );
  return app;
}

/** @throws {StorageError} for a status that a bucket cannot be given here. */
function readVersioning(
  { versioning_status: status }: BucketBody,
  allowed: readonly VersioningStatus[],
): VersioningStatus | undefined {
  if (status === undefined) return undefined;
  const known = allowed.find((each) => each === status);
  if (!known) throw invalidRequest(`body/versioning_status must be one of ${allowed.join(', ')}`);
  return known;
}

async function findBucket(sql: Sql, id: string): Promise<Record<string, unknown>> {
  const [bucket] = await sql.query(`select ${COLUMNS} from storage.buckets where id = $1`, [id]);
  if (!bucket) throw bucketNotFound();
  return bucket;
}

const UNIT_BYTES: Readonly<Record<string, number>> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 };

/**
 * Reads a bucket's limit: a number of bytes, or text such as `50MB`. As in the storage service, units are decimal and text counts
 * with three digits. Null removes the limit; undefined leaves it as it is.
 *
 * @throws {StorageError} for other text, such as `50MiB`, and for more than the project allows.
 */
function readSize(size: number | string | null | undefined, mostBytes = Infinity): number | null | undefined {
  const sizeBytes = typeof size === 'string' ? parseSize(size) : size;
  if ((sizeBytes ?? 0) > mostBytes) throw objectTooLarge();
  return sizeBytes;
}

function parseSize(size: string): number {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)([kmg]?b)$/i.exec(size) ?? [];
  if (digits === undefined)
    throw invalidRequest('Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B');
  return Number(Number(digits).toPrecision(3)) * (UNIT_BYTES[unit.toLowerCase()] ?? 1);
}
