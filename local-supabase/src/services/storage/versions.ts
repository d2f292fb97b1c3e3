import type { Sql } from '../../database/database.ts';
import { accessDenied } from './storage-error.ts';

/** Whether a bucket keeps earlier versions of its objects. Once enabled, versioning can only be suspended. */
export type VersioningStatus = 'DISABLED' | 'ENABLED' | 'SUSPENDED';

interface CurrentRow {
  readonly id: string;
  readonly version: string | null;
  readonly is_versioned: boolean;
  readonly is_delete_marker: boolean;
}

/** Runs `task` within a transaction as the service itself, to which no policy applies. */
export async function asService<T>(sql: Sql, task: () => Promise<T>): Promise<T> {
  const [caller] = await sql.query<{ role: string }>("select current_setting('role') as role");
  await sql.query("select set_config('role', 'none', true)");
  const result = await task();
  await sql.query("select set_config('role', $1, true)", [caller?.role]);
  return result;
}

/** The current row of a path, which may be a delete marker; the caller need not be able to read it. */
export function findCurrent(sql: Sql, bucket: string, path: string): Promise<CurrentRow | undefined> {
  return asService(sql, async () => {
    const [row] = await sql.query<CurrentRow>(
      `select id, version, is_versioned, is_delete_marker from storage.objects
       where bucket_id = $1 and name = $2 and archived_at is null`,
      [bucket, path],
    );
    return row;
  });
}

/**
 * Makes the current row of a path an earlier version, so that another row can take the path. A delete marker is
 * archived by the service, an object with the caller's permissions.
 */
export async function archive(sql: Sql, { id, is_delete_marker }: CurrentRow): Promise<void> {
  const change = () =>
    sql.query('update storage.objects set archived_at = now() where id = $1 returning id', [id]);
  const changed = is_delete_marker ? await asService(sql, change) : await change();
  if (changed.length === 0) throw accessDenied('new row violates row-level security policy');
}

/** Makes the newest earlier version of a path the current one, if the path has no current one. */
export async function promoteNewest(sql: Sql, bucket: string, path: string): Promise<void> {
  await asService(sql, () =>
    sql.query(
      `update storage.objects set archived_at = null
       where id = (
         select id from storage.objects where bucket_id = $1 and name = $2 order by archived_at desc limit 1
       ) and not exists (
         select from storage.objects where bucket_id = $1 and name = $2 and archived_at is null
       )`,
      [bucket, path],
    ),
  );
}

export const versionColumns = 'version, archived_at, is_delete_marker, is_versioned';
/** The same columns of a folder. */
export const noVersionColumns =
  'null::text as version, null::timestamptz as archived_at, null::boolean as is_delete_marker, null::boolean as is_versioned';

export const isVersionListing = (body: {
  readonly noncurrentVersions?: unknown;
  readonly deleteMarkers?: unknown;
}): boolean => body.noncurrentVersions !== undefined || body.deleteMarkers !== undefined;

/** Whether a list has the rows of a kind: not at all, among others, or alone. */
export type Inclusion = 'exclude' | 'include' | 'only';

/** The condition on `storage.objects` for the versions and delete markers that a list includes. */
export function versionCondition(
  noncurrent: Inclusion = 'exclude',
  deleteMarkers: Inclusion = 'exclude',
): string {
  return [
    inclusion(noncurrent, 'archived_at is not null'),
    inclusion(deleteMarkers, 'is_delete_marker'),
  ].join(' and ');
}

function inclusion(wanted: Inclusion, condition: string): string {
  if (wanted === 'include') return 'true';
  return wanted === 'only' ? `(${condition})` : `not (${condition})`;
}
