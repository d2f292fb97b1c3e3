/**
 * Catalog queries that return one row with one JSON value. They run with an empty search path, so that names and types
 * include their schema. `$1` contains the exposed schemas.
 */

/** The base type of each domain, resolved through nested domains. */
const BASE_TYPES = `
  base_types as (
    with recursive chain(type, base) as (
      select oid, oid from pg_type where typbasetype = 0
      union all
      select t.oid, c.base from pg_type t join chain c on t.typbasetype = c.type
    )
    select type, base from chain
  )`;

/** Relations of the exposed schemas with their columns. `pg_relation_is_updatable` returns a bit mask of commands, and opens the
 * relation: tables accept all. */
export const TABLES = `
  with recursive ${BASE_TYPES},
  cols as (
    select a.attrelid as relation,
      json_agg(json_build_object(
        'name', a.attname,
        'description', col_description(a.attrelid, a.attnum),
        'isNullable', not (a.attnotnull or (t.typtype = 'd' and t.typnotnull)),
        'baseType', case
          when t.typtype = 'd' and b.typnamespace = 'pg_catalog'::regnamespace then format_type(b.oid, null)
          when t.typtype <> 'd' and t.typnamespace = 'pg_catalog'::regnamespace then format_type(a.atttypid, null)
          else format_type(a.atttypid, a.atttypmod)
        end,
        'type', format_type(a.atttypid, a.atttypmod),
        'maxLength', information_schema._pg_char_max_length(
          information_schema._pg_truetypid(a.*, t.*), information_schema._pg_truetypmod(a.*, t.*)),
        'default', case
          when t.typbasetype <> 0 and d.adbin is null then pg_get_expr(t.typdefaultbin, 0)
          when a.attidentity = 'd' then (
            select format('nextval(%L)', s.objid::regclass) from pg_depend s
            where s.refobjid = a.attrelid and s.refobjsubid = a.attnum and s.deptype = 'i' limit 1)
          when a.attgenerated = 's' then null
          else pg_get_expr(d.adbin, d.adrelid)
        end,
        'enumValues', coalesce(
          (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = b.oid), '[]')
      ) order by a.attnum) as columns
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid
    join pg_type t on t.oid = a.atttypid
    left join base_types bt on bt.type = t.oid
    left join pg_type b on b.oid = bt.base
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'v', 'f', 'm', 'p')
      and c.relnamespace in (select oid from pg_namespace where nspname = any ($1::text[]))
    group by a.attrelid
  )
  select coalesce(json_agg(json_build_object(
    'schema', n.nspname,
    'name', c.relname,
    'description', obj_description(c.oid, 'pg_class'),
    'isView', c.relkind in ('v', 'm'),
    'isInsertable', m.mask & 8 = 8,
    'isUpdatable', m.mask & 4 = 4,
    'isDeletable', m.mask & 16 = 16,
    'primaryKey', coalesce((
      select json_agg(a.attname order by a.attname collate "C")
      from pg_constraint k join pg_attribute a on a.attrelid = c.oid and a.attnum = any (k.conkey)
      where k.conrelid = c.oid and k.contype = 'p'), '[]'),
    'columns', coalesce(cols.columns, '[]')
  ) order by n.nspname, c.relname), '[]') as result
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  cross join lateral (
    select case
      when c.relkind in ('r', 'p') then 4 | 8 | 16
      when c.relkind in ('v', 'f') then pg_relation_is_updatable(c.oid::regclass, true)
      else 0
    end as mask
  ) m
  left join cols on cols.relation = c.oid
  where c.relkind in ('v', 'r', 'm', 'f', 'p') and not c.relispartition
    and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`;

/** Every foreign key; it is one-to-one if its columns are a whole primary or unique key. */
export const FOREIGN_KEYS = `
  select coalesce(json_agg(json_build_object(
    'table', json_build_object('schema', n.nspname, 'name', c.relname),
    'foreignTable', json_build_object('schema', fn.nspname, 'name', fc.relname),
    'isSelf', k.conrelid = k.confrelid,
    'constraint', k.conname,
    'columns', pairs.names,
    'isOneToOne', exists (
      select 1 from pg_constraint u
      where u.conrelid = k.conrelid and u.contype in ('p', 'u') and u.conkey @> k.conkey and u.conkey <@ k.conkey)
  ) order by k.conrelid, k.conname), '[]') as result
  from pg_constraint k
  join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = k.connamespace
  join pg_class fc on fc.oid = k.confrelid join pg_namespace fn on fn.oid = fc.relnamespace
  cross join lateral (
    select json_agg(json_build_array(a.attname, fa.attname) order by ord) as names
    from unnest(k.conkey, k.confkey) with ordinality as _ (col, fcol, ord)
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = col
    join pg_attribute fa on fa.attrelid = k.confrelid and fa.attnum = fcol
  ) pairs
  where k.contype = 'f' and k.conparentid = 0`;

/** The stored definitions of views, which contain the origin of their columns. */
export const VIEW_RULES = `
  select coalesce(json_agg(json_build_object(
    'oid', c.oid::int8, 'schema', n.nspname, 'name', c.relname, 'rule', r.ev_action::text,
    'columns', (select json_object_agg(attnum, attname) from pg_attribute where attrelid = c.oid and attnum > 0)
  )), '[]') as result
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_rewrite r on r.ev_class = c.oid and r.rulename = '_RETURN'
  where c.relkind in ('v', 'm') and n.nspname = any ($1::text[])`;

/** The column numbers of primary and foreign keys, and of the columns that foreign keys refer to. */
export const KEY_COLUMNS = `
  with keys as (
    select conname, contype::text as kind, conrelid as relation, conkey as numbers
    from pg_constraint where contype in ('p', 'f')
    union all
    select conname, 'f_ref', confrelid, confkey from pg_constraint where contype = 'f'
  )
  select coalesce(json_agg(json_build_object(
    'table', json_build_object('schema', n.nspname, 'name', c.relname),
    'oid', c.oid::int8, 'constraint', k.conname, 'kind', k.kind, 'numbers', k.numbers
  )), '[]') as result
  from keys k join pg_class c on c.oid = k.relation join pg_namespace n on n.oid = c.relnamespace
  where n.nspname not in ('pg_catalog', 'information_schema')`;

/** Functions that take a row of one relation and return rows of another. */
export const COMPUTED_RELATIONSHIPS = `
  select coalesce(json_agg(json_build_object(
    'type', 'computed',
    'function', json_build_object('schema', pn.nspname, 'name', p.proname),
    'table', json_build_object('schema', an.nspname, 'name', a.typname),
    'foreignTable', json_build_object('schema', rn.nspname, 'name', r.typname),
    'isToOne', not p.proretset or p.prorows = 1,
    'isSelf', a.oid = r.oid
  )), '[]') as result
  from pg_proc p
  join pg_namespace pn on pn.oid = p.pronamespace
  join pg_type a on a.oid = p.proargtypes[0] join pg_namespace an on an.oid = a.typnamespace
  join pg_type r on r.oid = p.prorettype join pg_namespace rn on rn.oid = r.typnamespace
  where p.pronargs = 1
    and exists (select 1 from pg_class c where c.reltype = a.oid and c.relkind in ('v', 'r', 'm', 'f', 'p'))
    and exists (select 1 from pg_class c where c.reltype = r.oid and c.relkind in ('v', 'r', 'm', 'f', 'p'))`;

/** The relations of schema `$1` on which the current role has any privilege. */
export const ACCESSIBLE_TABLES = `
  select coalesce(json_agg(c.relname order by c.relname), '[]') as result
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('v', 'r', 'm', 'f', 'p') and not c.relispartition and n.nspname = $1::text
    and (pg_has_role(c.relowner, 'USAGE')
      or has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
      or has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))`;

export const SCHEMA_COMMENT = `
  select obj_description(oid, 'pg_namespace') as result from pg_namespace where nspname = $1::text`;
