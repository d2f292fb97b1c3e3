import type { Sql } from '../../database/database.ts';
import { decodeBase64, encodeBase64 } from '../../platform/base64.ts';
import { decodeUtf8 } from '../../platform/bytes.ts';
import { isReached } from './listing.ts';
import { invalidParameter } from './storage-error.ts';
import {
  isVersionListing,
  noVersionColumns,
  versionColumns,
  versionCondition,
  type Inclusion,
} from './versions.ts';

export interface ListV2Body {
  readonly prefix?: string;
  /** Default and maximum 1000. */
  readonly limit?: number;
  readonly cursor?: string;
  /** Groups keys by `/` into folders. */
  readonly with_delimiter?: boolean;
  readonly sortBy?: { readonly column: string; readonly order?: string };
  readonly noncurrentVersions?: Inclusion;
  readonly deleteMarkers?: Inclusion;
  /** Selects only the key that equals the prefix. */
  readonly exactMatch?: boolean;
}

interface Entry {
  /** The last segment of the name; absent without folders. */
  readonly key?: string;
  readonly name: string;
  /** Null for a folder. */
  readonly id: string | null;
  readonly updated_at: Date | null;
  readonly created_at: Date | null;
}

/** The start of the next page, with the letters of the service's own cursors plus `n`. */
interface Cursor {
  /** The name of the last entry. */
  readonly l?: string;
  /** `asc` or `desc`. */
  readonly o?: string;
  /** The column of the order. */
  readonly c?: string;
  /** The last entry's time, if ordered by a time. */
  readonly a?: string;
  /** The number of versions of the last entry that were sent, if versions are listed. */
  readonly n?: string;
}

const MAX_ENTRIES = 1000;
type Column = 'name' | 'updated_at' | 'created_at';

interface Order {
  readonly column: Column;
  readonly direction: 'asc' | 'desc';
}

/** Lists the objects below a prefix that are visible to the caller, by page. */
export async function listPage(sql: Sql, bucket: string, body: ListV2Body) {
  const { prefix = '', with_delimiter: isGrouped = false, sortBy } = body;
  const limit = Math.min(body.limit ?? MAX_ENTRIES, MAX_ENTRIES);
  const cursor = body.cursor ? decodeCursor(body.cursor) : undefined;
  const columnName = cursor?.c ?? sortBy?.column;
  const order: Order = {
    column: columnName === 'updated_at' || columnName === 'created_at' ? columnName : 'name',
    direction: (cursor?.o ?? sortBy?.order) === 'desc' ? 'desc' : 'asc',
  };
  const statement = isGrouped ? groupedPage(body, order, cursor) : plainPage(body, order, cursor);
  const found = await sql.query<Entry>(statement, [
    bucket,
    prefix,
    limit + 1,
    cursor?.l ?? '',
    cursor?.a ?? '',
    Number(cursor?.n ?? 0),
  ]);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  const isFolder = ({ id }: Entry) => id === null;
  return {
    hasNext: last !== undefined,
    ...(last && {
      nextCursor: encodeCursor(body, cursor, page, last),
      nextCursorKey: last.name,
    }),
    folders: page.filter(isFolder).map((entry) => Object.assign(entry, { name: `${entry.name}/` })),
    objects: page.filter((entry) => !isFolder(entry)),
  };
}

const BYTES = 'collate "C"';
const MEMBERS = 'id, updated_at, created_at, last_accessed_at, metadata';

/** `$1` bucket, `$2` prefix, `$3` limit, `$4` last name, `$5` its time, `$6` number of its versions that were sent. */
function plainPage(body: ListV2Body, { column, direction }: Order, cursor: Cursor | undefined): string {
  const isVersioned = isVersionListing(body);
  const beyond = `${direction === 'asc' ? '>' : '<'}${isVersioned ? '=' : ''}`;
  const start =
    column !== 'name' && cursor?.a
      ? `and (date_trunc('milliseconds', ${column}), name ${BYTES}) ${beyond} ($5::text::timestamptz, $4)`
      : `and ($4 = '' or name ${BYTES} ${beyond} $4)`;
  return `select id, name, metadata, updated_at, created_at, last_accessed_at${isVersioned ? `, ${versionColumns}` : ''}
    from storage.objects
    where bucket_id = $1 and ${inPrefix(body)} ${start} and ($5::text = '' or true)
    order by ${column === 'name' ? '' : `${column} ${direction}, `}name ${BYTES} ${direction}${isVersioned ? ', archived_at desc nulls first' : ''}
    limit $3 offset ${isVersioned ? '$6' : '$6 * 0'}`;
}

function groupedPage(body: ListV2Body, order: Order, cursor: Cursor | undefined): string {
  const isVersioned = isVersionListing(body);
  const columns = isVersioned ? `, ${versionColumns}` : '';
  const absent = isVersioned ? `, ${noVersionColumns}` : '';
  const isByName = order.column === 'name';
  const time = isByName ? 'null::timestamptz' : 'min(created_at)';
  const { column, direction } = order;
  const sorting = isByName
    ? `place ${BYTES} ${direction}`
    : `coalesce(date_trunc('milliseconds', ${column}), 'epoch'::timestamptz) ${direction}, name ${BYTES} ${direction}`;
  return `with inside as (
      select *, strpos(substr(name, length($2) + 1), '/') as slash from storage.objects
      where bucket_id = $1 and ${inPrefix(body)}
    ), entries as (
      select left(name, length($2) + slash) as place, count(*) as members, rtrim(left(name, length($2) + slash), '/') as name, null::uuid as id,
        ${time} as updated_at, ${time} as created_at, null::timestamptz as last_accessed_at, null::jsonb as metadata${absent}
      from inside where slash > 0 group by 1
      union all
      select name, 0, name, ${MEMBERS}${columns} from inside where slash = 0
    ), remaining as (
      select *, lag(id) over (order by place ${BYTES} ${direction}) as before from entries
      where ${isByName ? afterName(order, isVersioned) : afterTime(order, cursor, isVersioned)}
    )
    select split_part(name, '/', ${levelOf(body)}) as key, name, ${MEMBERS}${columns} from remaining
    where ($5::text = '' or true) and ${isByName && !isVersioned ? isReached(direction) : 'true'}
    order by ${sorting}${isVersioned ? ', archived_at desc nulls first' : ''}
    limit $3 offset ${isVersioned ? '$6' : '$6 * 0'}`;
}

const levelOf = ({ prefix = '' }: ListV2Body): number => (prefix === '' ? 1 : prefix.split('/').length);

const inPrefix = ({
  prefix = '',
  exactMatch = false,
  noncurrentVersions,
  deleteMarkers,
}: ListV2Body): string =>
  `${exactMatch ? 'name = $2' : `starts_with(name, $2)`} ${prefix === '' ? `and $2 = ''` : ''}
   and ${versionCondition(noncurrentVersions, deleteMarkers)}`;

/**
 * The service treats the last name as a folder if objects are below it, else as an object, and continues after `name/`:
 * names in between, such as `a.txt` after `a`, are on no page.
 */
function afterName({ direction }: Order, isVersioned: boolean): string {
  if (isVersioned) return `($4 = '' or place ${BYTES} ${direction === 'asc' ? '>=' : '<='} $4)`;
  const isFolder = `exists (select from storage.objects where bucket_id = $1 and starts_with(name, $4 || '/'))`;
  return direction === 'asc'
    ? `($4 = '' or place ${BYTES} >= case when ${isFolder} then $4 || '0' else $4 || '/' end)`
    : `($4 = '' or place ${BYTES} < case when ${isFolder} then $4 || '/' else $4 end)`;
}

function afterTime({ column, direction }: Order, cursor: Cursor | undefined, isVersioned: boolean): string {
  if (!cursor?.l) return `$4 = $4`;
  return `(date_trunc('milliseconds', ${column}), name ${BYTES}) ${direction === 'asc' ? '>' : '<'}${isVersioned ? '=' : ''}
    (coalesce(nullif($5::text, '')::timestamptz, 'epoch'::timestamptz), $4)`;
}

function encodeCursor(
  body: ListV2Body,
  before: Cursor | undefined,
  page: readonly Entry[],
  last: Entry,
): string {
  const column = before?.c ?? body.sortBy?.column;
  const timeOf = (entry: Entry) =>
    column === 'updated_at' || column === 'created_at' ? entry[column]?.toISOString() : undefined;
  const time = timeOf(last);
  const order = before?.o ?? body.sortBy?.order;
  // Versions share a name; ordered by a time, only those of one time share a place.
  const isLike = (entry: Entry) => entry.name === last.name && timeOf(entry) === time;
  const isContinued = page.every(isLike) && before?.l === last.name && before.a === time;
  const sent = page.filter(isLike).length + (isContinued ? Number(before.n ?? 0) : 0);
  const number = isVersionListing(body) ? sent : undefined;
  return encodeBase64(
    Object.entries({ l: last.name, o: order, c: column, a: time, n: number })
      .filter(([, value]) => value)
      .map(([letter, value]) => `${letter}:${value}`)
      .join('\n'),
  );
}

function decodeCursor(text: string): Cursor {
  const lines = decodeUtf8(decodeBase64(text)).split('\n');
  const isValid = lines.every((line) => /^[locan]:/.test(line));
  const cursor: Cursor = Object.fromEntries(lines.map((line) => [line.slice(0, 1), line.slice(2)]));
  if (!isValid || !/^\d{0,9}$/.test(cursor.n ?? ''))
    throw invalidParameter('Invalid Parameter continuation token');
  return { o: 'asc', ...cursor };
}
