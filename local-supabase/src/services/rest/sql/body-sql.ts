import type { PlannedField } from '../plan/read-plan.ts';
import { EMPTY, identifier, join, literal, raw, sql, value } from './fragment.ts';
import type { SqlFragment } from './fragment.ts';

export interface BodySqlOptions {
  /** Whether to select the columns, for an INSERT. */
  readonly selects?: boolean;
  /** Whether to use the first object only, for a call. */
  readonly takesFirst?: boolean;
  /** Whether a column that an object omits gets its default instead of null. */
  readonly appliesDefaults?: boolean;
}

/** A `FROM` clause that converts the objects of a JSON body to rows `pgrst_body` with the columns' types. */
export function bodySql(body: string, fields: readonly PlannedField[], options: BodySqlOptions): SqlFragment {
  const { selects = false, takesFirst = false, appliesDefaults = false } = options;
  const isObject = /^[ \t\n\r]*\{/.test(body);
  const names = fields.map(({ name }) => sql`"pgrst_body".${identifier(name)}`);
  const select = selects ? sql`SELECT ${join(names, ', ')} ` : EMPTY;
  const json = sql`${value(body)}::${raw(appliesDefaults ? 'jsonb' : 'json')}`;
  const source = appliesDefaults ? raw('pgrst_json_defs.val') : raw('pgrst_payload.json_data');
  const rows = rowsSql(fields, source, isObject, appliesDefaults, takesFirst);
  const parsed = join(fields.map(parsedSql), ', ');
  const defaults = appliesDefaults ? defaultsSql(fields, isObject) : EMPTY;
  return sql`${select}FROM (SELECT ${json} AS json_data) pgrst_payload, ${defaults}LATERAL (SELECT ${parsed} FROM ${rows}) pgrst_body `;
}

function rowsSql(
  fields: readonly PlannedField[],
  source: SqlFragment,
  isObject: boolean,
  isBinary: boolean,
  takesFirst: boolean,
): SqlFragment {
  const prefix = isBinary ? 'jsonb' : 'json';
  if (fields.length === 0) {
    return isObject ? raw('(values(1)) _ ') : sql`${raw(prefix)}_array_elements(${source}) _ `;
  }
  const typed = fields.map(({ name, type }) => sql`${identifier(name)} ${raw(type)}`);
  const reader = raw(`${prefix}_to_record${isObject ? '' : 'set'}`);
  return sql`${reader}(${source}) AS _(${join(typed, ', ')}) ${raw(takesFirst ? 'LIMIT 1' : '')}`;
}

function parsedSql({ name, transform }: PlannedField): SqlFragment {
  const column = identifier(name);
  return transform === undefined ? column : sql`${raw(transform)}(${column}) AS ${column}`;
}

/** Adds to each object the defaults of the columns that it omits. */
function defaultsSql(fields: readonly PlannedField[], isObject: boolean): SqlFragment {
  const defaults = fields.flatMap((field) =>
    field.default === null ? [] : [sql`${literal(field.name)}, ${raw(field.default)}`],
  );
  const object = sql`jsonb_build_object(${join(defaults, ',')})`;
  return isObject
    ? sql`LATERAL (SELECT ${object} || pgrst_payload.json_data AS val) pgrst_json_defs, `
    : sql`LATERAL (SELECT jsonb_agg(${object} || elem) AS val from jsonb_array_elements(pgrst_payload.json_data) elem) pgrst_json_defs, `;
}
