import type { Sql } from '../../database/database.ts';
import { checkKey } from './names.ts';
import { objectNotFound } from './storage-error.ts';

export interface ObjectMetadata {
  readonly eTag: string;
  readonly size: number;
  readonly mimetype: string;
  readonly cacheControl: string;
  readonly contentEncoding?: string;
  readonly lastModified: string;
  readonly xRobotsTag?: string;
}

/** A row of `storage.objects`. */
export interface ObjectRow {
  readonly id: string;
  readonly bucket_id: string;
  readonly name: string;
  readonly version: string;
  readonly owner: string | null;
  readonly owner_id: string | null;
  /** Null in a row that another program wrote. */
  readonly metadata: ObjectMetadata | null;
  readonly user_metadata: Record<string, unknown> | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly last_accessed_at: Date;
}

/**
 * The object of a path, or one of its versions.
 *
 * @throws {StorageError} if the caller cannot read it.
 */
export async function findObject(
  sql: Sql,
  bucket: string,
  path: string,
  version?: string | null,
): Promise<ObjectRow> {
  const [row] = await sql.query<ObjectRow>(
    `select * from storage.objects where bucket_id = $1 and name = $2 and not is_delete_marker
       and case when $3::text is null then archived_at is null else version = $3 end`,
    [bucket, path, version ?? null],
  );
  if (!row) throw objectNotFound();
  return row;
}

/** Like `findObject`, for a path in a URL. @throws {StorageError} for an invalid path. */
export async function findNamedObject(
  sql: Sql,
  bucket: string,
  path: string,
  version?: string | null,
): Promise<ObjectRow> {
  checkKey(path);
  return findObject(sql, bucket, path, version);
}

export function describeObject(row: ObjectRow) {
  const { id, bucket_id, name, version, metadata, user_metadata, created_at, updated_at } = row;
  return {
    id,
    name,
    version,
    bucket_id,
    size: metadata?.size ?? null,
    content_type: metadata?.mimetype ?? null,
    cache_control: metadata?.cacheControl ?? null,
    etag: metadata?.eTag ?? null,
    metadata: user_metadata,
    last_modified: updated_at,
    created_at,
  };
}

/** The members for lists and copies; as in the service, an absent owner is an empty string. */
export function presentRow(row: ObjectRow) {
  const { name, bucket_id, owner, owner_id, version, id, updated_at, created_at, last_accessed_at } = row;
  return {
    name,
    bucket_id,
    owner: owner ?? '',
    owner_id: owner_id ?? '',
    version,
    id,
    updated_at,
    created_at,
    last_accessed_at,
    metadata: row.metadata,
    user_metadata: row.user_metadata,
  };
}
