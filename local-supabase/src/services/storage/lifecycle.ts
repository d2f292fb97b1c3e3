import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { Hono } from 'hono';
import type { Database, Sql } from '../../database/database.ts';
import { hasSqlState } from '../../database/database-error.ts';
import { encodeUtf8 } from '../../platform/bytes.ts';
import type { ObjectStore } from './object-store.ts';
import { operation } from './operation.ts';
import type { StorageContext } from './storage-context.ts';
import { readJson } from './request-body.ts';
import { bucketNotFound, invalidParameter, StorageError } from './storage-error.ts';
import { ALLOW_DELETION } from './transaction.ts';

interface Expiration {
  readonly noncurrentDays: number;
  readonly newerNoncurrentVersions?: number;
}

interface LifecycleRule {
  readonly id?: string;
  readonly status: 'Enabled' | 'Disabled';
  /** The service supports no other filter yet. */
  readonly filter?: Readonly<Record<string, never>>;
  /** The older form of `filter`. */
  readonly legacyPrefix?: '';
  readonly noncurrentVersionExpiration: Expiration;
}

const MAX_RULES = 1000;
const MAX_KEPT_VERSIONS = 100;

/** The routes below /bucket for the expiry of earlier object versions. */
export function createLifecycleRoutes({ run, admit }: StorageContext): Hono {
  const app = new Hono();
  app.get('/:id/lifecycle', operation('storage.bucket.get_lifecycle'), (c) => {
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
  app.put('/:id/lifecycle', operation('storage.bucket.put_lifecycle'), async (c) => {
    const rules = parseRules(await readJson(c.req.raw));
    admit(c.req.raw);
    return run(c.req.raw, async (sql) => {
      await writeRules(sql, c.req.param('id'), rules);
      return c.json({ rules });
    });
  });
  app.delete('/:id/lifecycle', operation('storage.bucket.delete_lifecycle'), (c) => {
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
       from storage.buckets, jsonb_array_elements(lifecycle_configuration -> 'rules') as rule where rule ->> 'status' = 'Enabled'
     ), versions as (
       select id, bucket_id, archived_at, row_number() over (partition by bucket_id, name order by archived_at desc) as age
       from storage.objects where archived_at is not null
     )
     delete from storage.objects where id in (
       select versions.id from versions join rules using (bucket_id)
       where age > kept and archived_at < $1::timestamptz - make_interval(days => days)
     ) returning version`;

async function readRules(sql: Sql, id: string): Promise<readonly LifecycleRule[] | null> {
  const [bucket] = await sql.query<{ rules: readonly LifecycleRule[] | null }>(
    `select lifecycle_configuration -> 'rules' as rules from storage.buckets where id = $1`,
    [id],
  );
  if (!bucket) throw bucketNotFound();
  return bucket.rules;
}

/** The caller's update checks the policies. A trigger admits changes of the service alone, so the service repeats the update. */
async function writeRules(sql: Sql, id: string, rules: readonly LifecycleRule[] | null): Promise<void> {
  const configuration = rules && JSON.stringify({ rules });
  const [bucket] = await sql.query<{ isSame: boolean }>(
    `select lifecycle_configuration is not distinct from $2::jsonb as "isSame" from storage.buckets where id = $1`,
    [id, configuration],
  );
  if (!bucket) throw bucketNotFound();
  if (bucket.isSame) return;
  const update = () =>
    sql.query(
      `update storage.buckets set lifecycle_configuration = $2, lifecycle_configuration_generation = $3
       where id = $1 returning id`,
      [id, configuration, rules && crypto.randomUUID()],
    );
  await sql.query('savepoint attempt');
  try {
    if ((await update()).length === 0) throw bucketNotFound();
  } catch (problem) {
    if (!hasSqlState(problem, 'PST01')) throw problem;
    await sql.query('rollback to savepoint attempt');
    await sql.query('set local role service_role');
    await update();
  }
}

type Json = Readonly<Record<string, unknown>>;

/** @throws {StorageError} for invalid rules. */
function parseRules(body: unknown): readonly LifecycleRule[] {
  const { rules } = parseObject(body, 'Lifecycle configuration', 'Lifecycle configuration', ['rules']);
  if (!Array.isArray(rules)) throw invalidParameter('Lifecycle configuration rules must be an array');
  if (rules.length < 1 || rules.length > MAX_RULES)
    throw invalidParameter(`Lifecycle configuration must contain between 1 and ${MAX_RULES} rules`);
  const parsed = rules.map((rule, index) => parseRule(rule, `Rule ${index + 1}`));
  const ids = new Set(parsed.flatMap(({ id }) => id ?? []));
  if (ids.size < parsed.filter(({ id }) => id !== undefined).length)
    throw invalidParameter('Rule ID must be unique. Found same ID for more than one rule');
  return parsed.map((rule) => withId(rule, ids));
}

function withId(rule: LifecycleRule, taken: Set<string>): LifecycleRule {
  return rule.id === undefined ? { ...rule, id: generateId(rule, taken) } : rule;
}

const RULE_FIELDS = ['id', 'status', 'filter', 'legacyPrefix', 'noncurrentVersionExpiration'];

function parseRule(value: unknown, name: string): LifecycleRule {
  const rule = parseObject(value, name, name, RULE_FIELDS);
  const { id, status, filter, legacyPrefix, noncurrentVersionExpiration } = rule;
  const isLegacy = Object.hasOwn(rule, 'legacyPrefix');
  if (isLegacy === Object.hasOwn(rule, 'filter'))
    throw invalidParameter(`${name} must contain exactly one of Filter or Prefix`);
  if (id !== undefined && typeof id !== 'string')
    throw invalidParameter(`${name} ID must be a string no longer than 255 characters`);
  if (id !== undefined && id.length > 255)
    throw invalidParameter(`${name} ID must be 255 characters or fewer`);
  if (status !== 'Enabled' && status !== 'Disabled')
    throw invalidParameter(`${name} Status must be Enabled or Disabled`);
  const expiration = parseExpiration(noncurrentVersionExpiration, name, isLegacy);
  const isAll = isLegacy ? legacyPrefix === '' : isEmptyFilter(filter, name);
  if (!isAll) throw invalidParameter(`${name} uses a lifecycle filter that is not supported in v1`);
  return {
    ...(id && { id }),
    status,
    ...(isLegacy ? { legacyPrefix: '' } : { filter: {} }),
    noncurrentVersionExpiration: expiration,
  };
}

function isEmptyFilter(filter: unknown, name: string): boolean {
  if (filter === '' || filter === null) return true;
  if (typeof filter !== 'object' || Array.isArray(filter))
    throw invalidParameter(`${name} Filter must be an object`);
  return Object.keys(filter).length === 0;
}

function parseExpiration(value: unknown, name: string, isLegacy: boolean): Expiration {
  const fields = ['noncurrentDays', 'newerNoncurrentVersions'];
  const expiration = parseObject(value, `${name} NoncurrentVersionExpiration`, `${name} expiration`, fields);
  if (isLegacy && Object.hasOwn(expiration, 'newerNoncurrentVersions'))
    throw invalidParameter('NewerNoncurrentVersions element can only be used in Lifecycle V2.');
  if (!Object.hasOwn(expiration, 'noncurrentDays'))
    throw invalidParameter(`${name} NoncurrentVersionExpiration must contain NoncurrentDays`);
  const noncurrentDays = readCount(expiration['noncurrentDays']);
  if (noncurrentDays === null)
    throw invalidParameter(
      "'NoncurrentDays' for NoncurrentVersionExpiration action must be a positive integer",
    );
  if (expiration['newerNoncurrentVersions'] === undefined) return { noncurrentDays };
  const newerNoncurrentVersions = readCount(expiration['newerNoncurrentVersions']);
  if (newerNoncurrentVersions === null || newerNoncurrentVersions > MAX_KEPT_VERSIONS)
    throw invalidParameter(
      `'NewerNoncurrentVersions' for NoncurrentVersionExpiration action must be an integer between 1 and ${MAX_KEPT_VERSIONS}`,
    );
  return { noncurrentDays, newerNoncurrentVersions };
}

function parseObject(value: unknown, name: string, label: string, fields: readonly string[]): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidParameter(`${name} must be an object`);
  const unknown = Object.keys(value).find((key) => !fields.includes(key));
  if (unknown !== undefined) throw invalidParameter(`${label} contains unsupported field ${unknown}`);
  return value as Json;
}

/** A positive integer, also as text; null for another value. */
function readCount(value: unknown): number | null {
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : null;
}

/** An id of a rule's content, so that a configuration without ids stays the same when it is put again. */
function generateId(rule: LifecycleRule, taken: Set<string>): string {
  const base = `rule-${bytesToHex(sha256(encodeUtf8(JSON.stringify(rule))))}`;
  let id = base;
  for (let collision = 1; taken.has(id); collision += 1) id = `${base}-${collision}`;
  taken.add(id);
  return id;
}
