import type { Sql } from '../../database/database.ts';

export interface BucketSettings {
  readonly public?: boolean;
  readonly fileSizeLimitBytes?: number;
  readonly allowedMimeTypes?: readonly string[];
}

/** Creates the configured buckets or updates the settings of existing ones. */
export async function saveBuckets(
  sql: Sql,
  buckets: Readonly<Record<string, BucketSettings>>,
): Promise<void> {
  for (const [id, bucket] of Object.entries(buckets))
    await sql.query(
      `insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values ($1, $1, $2, $3, $4)
       on conflict (id) do update set public = excluded.public, file_size_limit = excluded.file_size_limit,
         allowed_mime_types = excluded.allowed_mime_types, updated_at = now()`,
      [id, bucket.public ?? false, bucket.fileSizeLimitBytes ?? null, bucket.allowedMimeTypes ?? null],
    );
}

export interface StorageSettings {
  readonly fileSizeLimitBytes?: number;
  /** The buckets by name. */
  readonly buckets?: Readonly<Record<string, BucketSettings>>;
}
