import type { Sql } from '../database/database.ts';
import { decodeBase64, encodeBase64 } from '../platform/base64.ts';
import { decodeUtf8 } from '../platform/bytes.ts';
import { invalidRequest } from './storage-error.ts';
import { versionCondition } from './versions.ts';

export interface ListV2Body {
  /** Only keys that begin with this text. */
  readonly prefix?: string;
  /** Default and maximum 1000. */
  readonly limit?: number;
  readonly cursor?: string;
  /** Groups keys by `/` into folders. */
  readonly with_delimiter?: boolean;
  readonly sortBy?: { readonly column?: string; readonly order?: string };
  readonly noncurrentVersions?: string;
  readonly deleteMarkers?: string;
  /** Only the key that equals the prefix. */
  readonly exactMatch?: boolean;
}

interface Entry {
  /** The last segment of the name; absent without folders. */
  readonly key?: string;
  readonly name: string;
  /** Null for a folder. */
  readonly id: string | null;
  readonly updated_at: Date;
  readonly created_at: Date;
}

/** Where the next page begins. The letters are those of the storage service's own cursors, and `n`. */
interface Cursor {
  /** The name of the last entry. */
  readonly l: string;
  /** `asc` or `desc`. */
  readonly o: string;
  /** The column of the order. */
  readonly c: string;
  /** The last entry's time, where a time is the order. */
  readonly a?: string;
  /** How many entries with the name and time of the last one were sent: versions share them. */
  readonly n: string;
}

const MOST_ENTRIES = 1000;
const COLUMNS = ['name', 'updated_at', 'created_at'] as const;
type Column = (typeof COLUMNS)[number];

/** Lists the objects below a prefix that the caller may see, a page at a time. */
export async function listPage(sql: Sql, bucket: string, body: ListV2Body) {
  const { prefix = '', with_delimiter: isGrouped = false } = body;
  const limit = readLimit(body.limit);
  const cursor = decodeCursor(body.cursor);
  const column = COLUMNS.find((name) => name === (cursor?.c ?? body.sortBy?.column)) ?? 'name';
  const order = (cursor?.o ?? body.sortBy?.order) === 'desc' ? 'desc' : 'asc';
  const sent = Number(cursor?.n ?? 0);
  const found = await sql.query<Entry>(
    `${entriesOf(body)} ${cursor ? startOf(column, order) : ''}
     order by ${column === 'name' ? '' : `date_trunc('milliseconds', ${column}) ${order}, `}name collate "C" ${order},
       archived_at desc nulls first
     limit $4 offset $5`,
    [
      bucket,
      prefix,
      isGrouped,
      limit + 1,
      sent,
      ...(cursor ? [cursor.l] : []),
      ...(cursor?.a ? [cursor.a] : []),
    ],
  );
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    hasNext: last !== undefined,
    ...(last && {
      nextCursor: nextCursor(page, last, { column, order, before: cursor, sent }),
      nextCursorKey: last.name,
    }),
    folders: page.filter(({ id }) => id === null).map(({ key, name }) => ({ key, name })),
    objects: page.filter(({ id }) => id !== null),
  };
}

/** The entries of `$1` below `$2`: where `$3` is true, those below a further `/` are folders. */
const entriesOf = ({
  exactMatch = false,
  noncurrentVersions,
  deleteMarkers,
  with_delimiter: isGrouped = false,
}: ListV2Body): string =>
  `with matching as (
     select *, strpos(substr(name, length($2) + 1), '/') as slash from storage.objects
     where bucket_id = $1 and ${exactMatch ? 'name = $2' : 'starts_with(name, $2)'}
       and ${versionCondition(noncurrentVersions, deleteMarkers)}
   ), entries as (
     select name, id, updated_at, created_at, last_accessed_at, metadata, version, archived_at, is_delete_marker,
       is_versioned
     from matching where not $3 or slash = 0
     union all
     select substr(name, 1, length($2) + slash), null, min(created_at), min(created_at), null, null, null, null, null, null
     from matching where $3 and slash > 0 group by 1
   )
   select ${isGrouped ? "regexp_replace(rtrim(name, '/'), '^.*/', '') as key, " : ''}* from entries`;

/** The entries from the last one of the page before, which are then skipped by their number. */
function startOf(column: Column, order: 'asc' | 'desc'): string {
  const isReached = order === 'desc' ? '<=' : '>=';
  if (column === 'name') return `where name collate "C" ${isReached} $6`;
  return `where (date_trunc('milliseconds', ${column}), name collate "C") ${isReached} ($7::timestamptz, $6)`;
}

function readLimit(limit: number = MOST_ENTRIES): number {
  if (!Number.isInteger(limit) || limit < 1) throw invalidRequest('body/limit must be >= 1');
  return Math.min(limit, MOST_ENTRIES);
}

interface Paging {
  readonly column: Column;
  readonly order: string;
  readonly before: Cursor | undefined;
  /** How many entries of the cursor's name were sent before. */
  readonly sent: number;
}

function nextCursor(page: readonly Entry[], last: Entry, { column, order, before, sent }: Paging): string {
  const timeOf = (entry: Entry) => (column === 'name' ? undefined : entry[column].toISOString());
  const isLike = (entry: Entry) => entry.name === last.name && timeOf(entry) === timeOf(last);
  const isSameAsBefore = page.every(isLike) && before?.l === last.name && before.a === timeOf(last);
  const time = timeOf(last);
  const cursor: Cursor = {
    l: last.name,
    o: order,
    c: column,
    ...(time !== undefined && { a: time }),
    n: String(page.filter(isLike).length + (isSameAsBefore ? sent : 0)),
  };
  const lines = Object.entries(cursor).map(([letter, value]) => `${letter}:${value}`);
  return encodeBase64(lines.join('\n'));
}

function decodeCursor(text: string | undefined): Cursor | undefined {
  if (text === undefined) return undefined;
  const lines = decodeUtf8(decodeBase64(text)).split('\n');
  const {
    l,
    o = 'asc',
    c = 'name',
    a,
    n = '1',
  } = Object.fromEntries(lines.map((line) => [line.slice(0, 1), line.slice(2)])) as Partial<Cursor>;
  const isValid = l !== undefined && /^\d+$/.test(n) && lines.every((line) => /^[locan]:/.test(line));
  if (!isValid || (c !== 'name' && a === undefined)) throw invalidRequest('Invalid continuation token');
  return { l, o, c, n, ...(a !== undefined && { a }) };
}
