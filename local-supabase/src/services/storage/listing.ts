import type { Sql } from '../../database/database.ts';
import {
  isVersionListing,
  noVersionColumns,
  versionColumns,
  versionCondition,
  type Inclusion,
} from './versions.ts';

export interface ListBody {
  readonly prefix: string;
  /** Default 100; maximum 1,500. */
  readonly limit?: number;
  readonly offset?: number;
  /** A prefix of the names, regardless of case. */
  readonly search?: string;
  readonly sortBy?: { readonly column: string; readonly order?: string };
  readonly noncurrentVersions?: Inclusion;
  readonly deleteMarkers?: Inclusion;
  /** Selects only the object whose key equals the prefix. */
  readonly exactMatch?: boolean;
}

const MAX_ENTRIES = 1500;
const COLUMNS = 'id, updated_at, created_at, last_accessed_at, metadata';
const NO_COLUMNS =
  'null::uuid as id, null::timestamptz as updated_at, null::timestamptz as created_at, null::timestamptz as last_accessed_at, null::jsonb as metadata';

/**
 * Lists the folders and objects in a folder that are visible to the caller. Ordered by name, both are mixed without
 * regard to case, and folders that differ only in case are merged; ordered by time, folders come first.
 */
export function listFolder(sql: Sql, bucket: string, body: ListBody): Promise<unknown[]> {
  const { limit = 100, offset = 0, search = '', sortBy, exactMatch = false } = body;
  const page = [Math.min(limit, MAX_ENTRIES), offset];
  const exact = exactMatch ? body.prefix : null;
  const parent = exactMatch ? body.prefix.slice(0, body.prefix.lastIndexOf('/') + 1) : body.prefix;
  const prefix = parent === '' || parent.endsWith('/') ? parent : `${parent}/`;
  const statement = (sortBy?.column ?? 'name') === 'name' ? byName(body) : byTime(body);
  return sql.query(statement, [bucket, prefix, search, ...page, exact]);
}

const directionOf = ({ sortBy }: ListBody) => (sortBy?.order === 'desc' ? 'desc' : 'asc');

/** `$1` bucket, `$2` prefix, `$3` search, `$4` limit, `$5` offset, `$6` the exact name or null. */
function byName(body: ListBody): string {
  const { columns, absent, condition } = versionsOf(body);
  const direction = directionOf(body);
  return `with inside as (
     select *, ctid as place, lower(name) as key, strpos(substr(name, length($2 || $3) + 1), '/') as slash
     from storage.objects
     where bucket_id = $1 and starts_with(lower(name), lower($2 || $3)) and ($6::text is null or name = $6) and ${condition}
   ), entries as (
     select left(key, length($2 || $3) + slash) as key, null::tid as place, count(*) as members,
       (array_agg(left(name, length($2 || $3) + slash) order by key collate "C" ${direction}))[1] as whole,
       ${NO_COLUMNS}${absent}
     from inside where slash > 0 group by 1
     union all
     select key, place, 0, name, ${COLUMNS}${columns} from inside where slash = 0
   ), ordered as (
     select *, lag(id) over (order by key collate "C" ${direction}, place ${direction}) as before from entries
   )
   select substr(case when id is null then rtrim(whole, '/') else whole end, length($2) + 1) as name,
     id, updated_at, created_at, last_accessed_at, metadata${columns}
   from ordered where ${isReached(direction)}
   order by key collate "C" ${direction}${columns && ', archived_at desc nulls first'}, place ${direction}
   limit $4 offset $5`;
}

/** In descending order the service omits a folder with one object that follows an object. */
export const isReached = (direction: string): string =>
  direction === 'desc' ? 'not (id is null and members = 1 and before is not null)' : 'true';

/** `shown` contains the path levels from the folder's own to the level of the search. */
function byTime(body: ListBody): string {
  const { columns, absent, condition } = versionsOf(body);
  const direction = directionOf(body);
  return `with levels as (
     select coalesce(array_length(string_to_array($2, '/'), 1), 1) as first,
       coalesce(array_length(string_to_array($2 || $3, '/'), 1), 1) as last
   ), inside as (
     select *, array_to_string(path_tokens[first:last], '/') as shown, array_length(path_tokens, 1) = last as is_object
     from storage.objects, levels
     where bucket_id = $1 and starts_with(lower(name), lower($2 || $3)) and ($6::text is null or name = $6) and ${condition}
   ), entries as (
     select false as is_object, shown, ${NO_COLUMNS}${absent} from inside where not is_object group by shown
     union all
     select true, shown, ${COLUMNS}${columns} from inside where is_object
   )
   select shown as name, ${COLUMNS}${columns} from entries
   order by is_object, case when is_object then null else shown end ${direction}, ${body.sortBy?.column} ${direction}
   limit $4 offset $5`;
}

function versionsOf(body: ListBody) {
  const { noncurrentVersions, deleteMarkers } = body;
  const hasVersions = isVersionListing(body);
  return {
    columns: hasVersions ? `, ${versionColumns}` : '',
    absent: hasVersions ? `, ${noVersionColumns}` : '',
    condition: versionCondition(noncurrentVersions, deleteMarkers),
  };
}
