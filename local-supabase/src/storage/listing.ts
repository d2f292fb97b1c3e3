import type { Sql } from '../database/database.ts';
import { versionCondition } from './versions.ts';

export interface ListBody {
  readonly prefix?: string;
  /** Default 100. */
  readonly limit?: number;
  readonly offset?: number;
  readonly search?: string;
  readonly sortBy?: { readonly column?: string; readonly order?: string };
  readonly noncurrentVersions?: string;
  readonly deleteMarkers?: string;
  /** Only the object whose key equals the prefix. */
  readonly exactMatch?: boolean;
}

interface Entry {
  readonly name: string;
  /** Null for a folder. */
  readonly id: string | null;
  readonly updated_at: Date | null;
  readonly created_at: Date | null;
  readonly last_accessed_at: Date | null;
  readonly metadata: Record<string, unknown> | null;
}

const SORTABLE = ['name', 'updated_at', 'created_at', 'last_accessed_at'];

/** Lists the direct members of a folder: its folders, then its objects, limited to those visible to the caller. */
export async function listFolder(sql: Sql, bucket: string, body: ListBody): Promise<Entry[]> {
  const { prefix = '', limit = 100, offset = 0, search = '', sortBy = {}, exactMatch = false } = body;
  const parent = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  const isWhole = prefix === parent;
  const folder = exactMatch ? parent : `${prefix}${isWhole ? '' : '/'}`;
  const column = SORTABLE.find((name) => name === sortBy.column) ?? 'name';
  const direction = sortBy.order?.toLowerCase() === 'desc' ? 'desc' : 'asc';
  return sql.query<Entry>(
    `with inside as (
       select *, substr(name, length($2) + 1) as rest from storage.objects
       where bucket_id = $1 and starts_with(name, $2) and ($6::text is null or name = $6)
         and ${versionCondition(body.noncurrentVersions, body.deleteMarkers)}
     ), entries as (
       select split_part(rest, '/', 1) as name, null::uuid as id, null::timestamptz as updated_at,
         null::timestamptz as created_at, null::timestamptz as last_accessed_at, null::jsonb as metadata,
         null::text as version, null::timestamptz as archived_at, null::boolean as is_delete_marker,
         null::boolean as is_versioned
       from inside where rest like '%/%' group by 1
       union all
       select rest, id, updated_at, created_at, last_accessed_at, metadata, version, archived_at, is_delete_marker,
         is_versioned
       from inside where rest not like '%/%'
     )
     select * from entries where name ilike '%' || $3 || '%' and name <> ''
     order by (id is not null), ${column} ${direction}, archived_at desc nulls first limit $4 offset $5`,
    [bucket, folder, search, limit, offset, exactMatch ? prefix : null],
  );
}
