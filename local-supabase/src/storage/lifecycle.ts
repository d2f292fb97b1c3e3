import { Hono } from 'hono';
import type { Database, Sql } from '../database/database.ts';
import type { ObjectStore } from './object-store.ts';
import type { StorageContext } from './storage-context.ts';
import { readJson } from './request-body.ts';
import { bucketNotFound, invalidRequest, StorageError } from './storage-error.ts';
import { ALLOW_DELETION } from './transaction.ts';

interface LifecycleRule {
  readonly id: string;
  readonly status: 'Enabled' | 'Disabled';
  /** The service supports no other filter yet. */
  readonly filter: Readonly<Record<string, never>>;
  readonly noncurrentVersionExpiration: {
    readonly noncurrentDays: number;
    readonly newerNoncurrentVersions?: number;
  };
}

const MOST_RULES = 1000;
const MOST_KEPT_VERSIONS = 100;

/** The routes below /bucket for the expiry of earlier object versions. */
export function createLifecycleRoutes({ run, admit }: StorageContext): Hono {
  const app = new Hono();
  app.get('/:id/lifecycle', (c) => {
    admit(c.req.raw);
    return run(c.req.raw, async (sql) => {
      const rules = await readRules(sql, c.req.param('id'));
      if (rules) return c.json({ rules });
      throw new StorageError(
        404,
        'NoSuchLifecycleConfiguration',
        'The lifecycle configuration does not exist',
      );
    });
  });
  app.put('/:id/lifecycle', async (c) => {
    const body = Object(await readJson(c.req.raw)) as { readonly rules?: unknown };
    const rules = parseRules(body.rules);
    admit(c.req.raw);
    return run(c.req.raw, async (sql) => {
      await writeRules(sql, c.req.param('id'), rules);
      return c.json({ rules });
    });
  });
  app.delete('/:id/lifecycle', (c) => {
    admit(c.req.raw);
    return run(c.req.raw, async (sql) => {
      await writeRules(sql, c.req.param('id'), null);
      return c.json({ message: 'Successfully deleted' });
    });
  });
  return app;
}

/** Removes the versions that have expired by the rules of their buckets. */
export async function expireVersions(
  { database, objects }: { readonly database: Database; readonly objects: ObjectStore },
  nowMs: number,
): Promise<void> {
  const gone = await database.transaction(async (sql) => {
    await sql.query(ALLOW_DELETION);
    return sql.query<{ version: string }>(EXPIRE, [new Date(nowMs).toISOString()]);
  });
  for (const { version } of gone) await objects.remove(version);
}

const EXPIRE = `with rules as (
       select buckets.id as bucket_id, (rule -> 'noncurrentVersionExpiration' ->> 'noncurrentDays')::int as days,
         coalesce((rule -> 'noncurrentVersionExpiration' ->> 'newerNoncurrentVersions')::int, 0) as kept
       from storage.buckets, jsonb_array_elements(lifecycle) as rule where rule ->> 'status' = 'Enabled'
     ), versions as (
       select id, bucket_id, archived_at, row_number() over (partition by bucket_id, name order by archived_at desc) as age
       from storage.objects where archived_at is not null
     )
     delete from storage.objects where id in (
       select versions.id from versions join rules using (bucket_id)
       where age > kept and archived_at < $1::timestamptz - make_interval(days => days)
     ) returning version`;

async function readRules(sql: Sql, id: string): Promise<readonly LifecycleRule[] | null> {
  const [bucket] = await sql.query<{ lifecycle: readonly LifecycleRule[] | null }>(
    'select lifecycle from storage.buckets where id = $1',
    [id],
  );
  if (!bucket) throw bucketNotFound();
  return bucket.lifecycle;
}

async function writeRules(sql: Sql, id: string, rules: readonly LifecycleRule[] | null): Promise<void> {
  const changed = await sql.query('update storage.buckets set lifecycle = $2 where id = $1 returning id', [
    id,
    rules && JSON.stringify(rules),
  ]);
  if (changed.length === 0) throw bucketNotFound();
}

/** @throws {StorageError} for invalid rules. */
function parseRules(rules: unknown): readonly LifecycleRule[] {
  if (!Array.isArray(rules) || rules.length < 1 || rules.length > MOST_RULES)
    throw invalidRequest(`A lifecycle has 1 to ${MOST_RULES} rules`);
  const parsed = rules.map(parseRule);
  if (new Set(parsed.map(({ id }) => id)).size < parsed.length)
    throw invalidRequest('The ids of the rules must be unique');
  return parsed;
}

function parseRule(rule: unknown): LifecycleRule {
  const { id, status, filter, noncurrentVersionExpiration } = Object(rule) as Record<string, unknown>;
  const isEmpty = typeof filter === 'object' && filter !== null && Object.keys(filter).length === 0;
  if (!isEmpty) throw invalidRequest('The filter of a rule must be {}');
  if (status !== 'Enabled' && status !== 'Disabled')
    throw invalidRequest('The status of a rule is Enabled or Disabled');
  const { noncurrentDays, newerNoncurrentVersions } = Object(noncurrentVersionExpiration) as Record<
    string,
    unknown
  >;
  if (!isCount(noncurrentDays)) throw invalidRequest('noncurrentDays must be a positive integer');
  const expiration = { noncurrentDays };
  if (newerNoncurrentVersions === undefined)
    return { id: idOf(id), status, filter: {}, noncurrentVersionExpiration: expiration };
  if (!isCount(newerNoncurrentVersions) || newerNoncurrentVersions > MOST_KEPT_VERSIONS)
    throw invalidRequest(`newerNoncurrentVersions must be 1 to ${MOST_KEPT_VERSIONS}`);
  return {
    id: idOf(id),
    status,
    filter: {},
    noncurrentVersionExpiration: { ...expiration, newerNoncurrentVersions },
  };
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0;
const idOf = (id: unknown): string => (typeof id === 'string' && id ? id : crypto.randomUUID());
