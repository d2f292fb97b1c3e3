import type { KeyRelationship } from '../../services/rest/catalog/catalog.ts';
import type { CatalogQuery } from '../../services/rest/catalog/load-catalog.ts';
import { keyRelationships, type ForeignKey } from '../../services/rest/catalog/relationships.ts';
import { FOREIGN_KEYS, KEY_COLUMNS, VIEW_RULES } from '../../services/rest/catalog/table-queries.ts';
import { findViewKeys, type KeyColumns, type ViewRule } from '../../services/rest/catalog/view-columns.ts';

export interface RelationColumn {
  readonly name: string;
  /** The name of its type, or of a domain's base type. */
  readonly type: string;
  readonly isNullable: boolean;
  readonly hasDefault: boolean;
  readonly identity: 'always' | 'by default' | null;
  readonly isUpdatable: boolean;
}

/** A table, foreign table, view or materialized view. */
export interface Relation {
  readonly id: number;
  readonly schema: string;
  readonly name: string;
  readonly isView: boolean;
  readonly isMaterialized: boolean;
  readonly isUpdatable: boolean;
  readonly columns: readonly RelationColumn[];
}

export interface Argument {
  readonly name: string;
  /** As stored in PostgreSQL: in, out, both, variadic, a column of `returns table`. */
  readonly mode: 'i' | 'o' | 'b' | 'v' | 't';
  readonly typeId: number;
  readonly hasDefault: boolean;
}

export interface DatabaseFunction {
  readonly schema: string;
  readonly name: string;
  readonly arguments: readonly Argument[];
  /** In SQL: `todos`, or `a integer, b text DEFAULT ''`. */
  readonly argumentsText: string;
  readonly resultText: string;
  readonly returnTypeId: number;
  /** The relation or composite type of the returned rows. */
  readonly returnRelationId: number | null;
  readonly returnsSet: boolean;
  /** The planner's estimate; null unless it returns a set. */
  readonly rows: number | null;
}

export interface DatabaseType {
  readonly id: number;
  readonly schema: string;
  readonly name: string;
  /** Quoted if necessary, with its schema unless the search path finds it. */
  readonly text: string;
  readonly values: readonly string[];
  /** The attributes of a composite type that is not a relation. */
  readonly attributes: readonly { readonly name: string; readonly typeId: number }[];
  readonly relationId: number | null;
}

/** The database objects from which types are generated. */
export interface Introspection {
  readonly relations: readonly Relation[];
  readonly functions: readonly DatabaseFunction[];
  /** The types of all schemas, including PostgreSQL's own. */
  readonly types: readonly DatabaseType[];
  /** Relationships by foreign keys, including those of views. */
  readonly relationships: readonly KeyRelationship[];
}

/** @param query runs with the search path of the project's API. */
export async function introspect(query: CatalogQuery, schemas: readonly string[]): Promise<Introspection> {
  const one = async <T>(text: string, ...params: readonly unknown[]) => (await query(text, params)) as T;
  const foreignKeys = await one<ForeignKey[]>(FOREIGN_KEYS);
  const rules = await one<ViewRule[]>(VIEW_RULES, schemas);
  const keys = await one<KeyColumns[]>(KEY_COLUMNS);
  return {
    relations: await one(RELATIONS, schemas),
    functions: await one(FUNCTIONS, schemas),
    types: await one(TYPES),
    relationships: keyRelationships(foreignKeys, findViewKeys(rules, keys, schemas)),
  };
}

const RELATIONS = `
  select coalesce(json_agg(json_build_object(
    'id', c.oid::int8,
    'schema', n.nspname,
    'name', c.relname,
    'isView', c.relkind in ('v', 'm'),
    'isMaterialized', c.relkind = 'm',
    'isUpdatable', c.relkind <> 'm' and pg_relation_is_updatable(c.oid, false) & 20 = 20,
    'columns', (
      select coalesce(json_agg(json_build_object(
        'name', a.attname,
        'type', coalesce(base.typname, t.typname),
        'isNullable', not (a.attnotnull or (t.typtype = 'd' and t.typnotnull)),
        'hasDefault', a.atthasdef,
        'identity', case a.attidentity when 'a' then 'always' when 'd' then 'by default' end,
        'isUpdatable', c.relkind in ('r', 'p')
          or (c.relkind in ('v', 'f') and pg_column_is_updatable(c.oid, a.attnum, false))
      )), '[]')
      from pg_attribute a
      join pg_type t on t.oid = a.atttypid
      left join pg_type base on t.typtype = 'd' and base.oid = t.typbasetype
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    )
  )), '[]') as result
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'f', 'v', 'm') and n.nspname = any ($1::text[])`;

const FUNCTIONS = `
  select coalesce(json_agg(json_build_object(
    'schema', n.nspname,
    'name', p.proname,
    'arguments', (
      select coalesce(json_agg(json_build_object(
        'name', coalesce(p.proargnames[at], ''),
        'mode', coalesce(p.proargmodes[at], 'i'),
        'typeId', type::int8,
        'hasDefault', at <= p.pronargs and at > p.pronargs - p.pronargdefaults
      ) order by at), '[]')
      from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality as _ (type, at)
    ),
    'argumentsText', pg_get_function_arguments(p.oid),
    'resultText', pg_get_function_result(p.oid),
    'returnTypeId', p.prorettype::int8,
    'returnRelationId', nullif(r.typrelid::int8, 0),
    'returnsSet', p.proretset,
    'rows', case when p.proretset then nullif(p.prorows, 0) end
  )), '[]') as result
  from pg_proc p
  join pg_namespace n on n.oid = p.pronamespace
  join pg_type r on r.oid = p.prorettype
  where p.prokind = 'f' and n.nspname = any ($1::text[])
    and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)`;

const TYPES = `
  select json_agg(json_build_object(
    'id', t.oid::int8,
    'schema', n.nspname,
    'name', t.typname,
    'text', format_type(t.oid, null),
    'values', coalesce(
      (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid), '[]'),
    'attributes', coalesce((
      select json_agg(json_build_object('name', a.attname, 'typeId', a.atttypid::int8) order by a.attnum)
      from pg_attribute a
      where a.attrelid = c.oid and c.relkind = 'c' and a.attnum > 0 and not a.attisdropped), '[]'),
    'relationId', nullif(t.typrelid::int8, 0)
  ) order by t.oid) as result
  from pg_type t
  join pg_namespace n on n.oid = t.typnamespace
  left join pg_class c on c.oid = t.typrelid
  where t.typrelid = 0 or c.relkind in ('c', 'r', 'v', 'm', 'p')`;
