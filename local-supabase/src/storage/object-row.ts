import type { Sql } from '../database/database.ts';
import { objectNotFound } from './storage-error.ts';

/** A row of `storage.objects`. */
export interface ObjectRow {
  readonly id: string;
  readonly bucket_id: string;
  readonly name: string;
  readonly version: string;
  readonly metadata: {
    readonly eTag: string;
    readonly size: number;
    readonly mimetype: string;
    readonly cacheControl: string;
    readonly contentEncoding?: string;
    readonly lastModified: string;
  };
  readonly user_metadata: Record<string, unknown> | null;
  readonly created_at: Date;
}

/**
 * The object of a path, or one of its versions.
 *
 * @throws {StorageError} where the caller may read none.
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

export function describeObject(row: ObjectRow) {
  const { id, bucket_id, name, version, metadata, user_metadata, created_at } = row;
  return {
    id,
    bucket_id,
    name,
    version,
    size: metadata.size,
    content_type: metadata.mimetype,
    cache_control: metadata.cacheControl,
    etag: metadata.eTag,
    metadata: user_metadata ?? {},
    last_modified: metadata.lastModified,
    created_at,
  };
}
