import type { Database } from '../../../database/database.ts';

export interface Column {
  readonly name: string;
  /** The short name of the type, as on the wire: `int8`, `_text`. */
  readonly type: string;
  readonly sqlType: string;
  readonly primaryKey: boolean;
  /** True for a column of the replica identity, whose value a DELETE contains. */
  readonly identity: boolean;
}

/** The metadata that changes of a table need. */
export interface Relation {
  readonly oid: number;
  readonly schema: string;
  readonly table: string;
  /** Quoted, with its schema. */
  readonly sqlName: string;
  readonly rowSecurity: boolean;
  readonly columns: readonly Column[];
}

/** Tables and privileges, cached until the schema changes. */
export interface Relations {
  /** Null if the table was dropped. */
  get(oid: number): Promise<Relation | null>;
  /** The columns that `role` may read. Rejects with PostgreSQL's error if the role does not exist. */
  readableColumns(oid: number, role: string): Promise<ReadonlySet<string>>;
  /** Clears the cache, after the schema or a privilege changed. */
  invalidate(): void;
}

export function createRelations(database: Database): Relations {
  const relations = new Map<number, Promise<Relation | null>>();
  const readable = new Map<string, Promise<ReadonlySet<string>>>();
  return {
    get: (oid) => remember(relations, oid, () => loadRelation(database, oid)),
    readableColumns: (oid, role) =>
      remember(readable, `${oid} ${role}`, () => loadReadableColumns(database, oid, role)),
    invalidate() {
      relations.clear();
      readable.clear();
    },
  };
}

function remember<Key, Value>(known: Map<Key, Promise<Value>>, key: Key, load: () => Promise<Value>) {
  const found = known.get(key);
  if (found) return found;
  const loading = load();
  known.set(key, loading);
  loading.catch(() => known.delete(key));
  return loading;
}

async function loadRelation(database: Database, oid: number): Promise<Relation | null> {
  const columns = await database.query<RelationRow>(
    `select n.nspname as schema, c.relname as table, format('%I.%I', n.nspname, c.relname) as sql_name,
       c.relrowsecurity as row_security, c.relreplident as identity_kind, a.attname as name, t.typname as type,
       a.atttypid::regtype::text as sql_type, 
       coalesce(a.attnum = any(pk.indkey), false) as primary_key,
       coalesce(a.attnum = any(ri.indkey), false) as in_replica_index
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     join pg_type t on t.oid = a.atttypid
     left join pg_index pk on pk.indrelid = c.oid and pk.indisprimary
     left join pg_index ri on ri.indrelid = c.oid and ri.indisreplident
     where c.oid = $1 order by a.attnum`,
    [oid],
  );
  const [first] = columns;
  if (!first) return null;
  return {
    oid,
    schema: first.schema,
    table: first.table,
    sqlName: first.sql_name,
    rowSecurity: first.row_security,
    columns: columns.map((column) => ({
      name: column.name,
      type: column.type,
      sqlType: column.sql_type,
      primaryKey: column.primary_key,
      identity: isIdentity(column),
    })),
  };
}

interface RelationRow {
  readonly schema: string;
  readonly table: string;
  readonly sql_name: string;
  readonly row_security: boolean;
  readonly identity_kind: 'd' | 'f' | 'i' | 'n';
  readonly name: string;
  readonly type: string;
  readonly sql_type: string;
  readonly primary_key: boolean;
  readonly in_replica_index: boolean;
}

function isIdentity({ identity_kind, primary_key, in_replica_index }: RelationRow): boolean {
  if (identity_kind === 'f') return true;
  if (identity_kind === 'd') return primary_key;
  return in_replica_index;
}

async function loadReadableColumns(database: Database, oid: number, role: string) {
  const rows = await database.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = $1 and attnum > 0 and not attisdropped and has_column_privilege($2, attrelid, attnum, 'select')`,
    [oid, role],
  );
  return new Set(rows.map(({ name }) => name));
}
