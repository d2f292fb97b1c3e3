import type { Sql } from '../database/database.ts';

export interface ListBody {
  readonly prefix?: string;
  /** Default 100. */
  readonly limit?: number;
  readonly offset?: number;
  readonly search?: string;
  readonly sortBy?: { readonly column?: string; readonly order?: string };
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
  const { prefix = '', limit = 100, offset = 0, search = '', sortBy = {} } = body;
  const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  const column = SORTABLE.find((name) => name === sortBy.column) ?? 'name';
  const direction = sortBy.order?.toLowerCase() === 'desc' ? 'desc' : 'asc';
  return sql.query<Entry>(
    `with inside as (
       select *, substr(name, length($2) + 1) as rest from storage.objects
       where bucket_id = $1 and starts_with(name, $2)
     ), entries as (
       select split_part(rest, '/', 1) as name, null::uuid as id, null::timestamptz as updated_at,
         null::timestamptz as created_at, null::timestamptz as last_accessed_at, null::jsonb as metadata
       from inside where rest like '%/%' group by 1
       union all
       select rest, id, updated_at, created_at, last_accessed_at, metadata from inside where rest not like '%/%'
     )
     select * from entries where name ilike '%' || $3 || '%' and name <> ''
     order by (id is not null), ${column} ${direction} limit $4 offset $5`,
    [bucket, folder, search, limit, offset],
  );
}
