import type { QualifiedName } from '../catalog/catalog.ts';
import type { Aggregate, JsonStep } from '../grammar/syntax.ts';
import type { PlannedField, PlannedOrder, PlannedSelect, SpreadField } from '../plan/read-plan.ts';
import { EMPTY, columnOf, identifier, join, raw, sql, value } from './fragment.ts';
import type { SqlFragment } from './fragment.ts';

const jsonPathSql = (path: readonly JsonStep[]): SqlFragment =>
  join(
    path.map(({ asText, operand }) => {
      const arrow = raw(asText ? '->>' : '->');
      return operand.type === 'key'
        ? sql`${arrow}${value(operand.value)}`
        : sql`${arrow}${value(operand.value)}::int`;
    }),
    '',
  );

export const languageSql = (language: string | undefined): SqlFragment =>
  language === undefined ? EMPTY : sql`${value(language)}, `;

/** A column or a path within its JSON, as an operand. */
export function fieldSql(table: QualifiedName, field: PlannedField): SqlFragment {
  const plain = plainFieldSql(table, field);
  return field.textSearch ? sql`to_tsvector(${languageSql(field.textSearch.language)}${plain})` : plain;
}

function plainFieldSql(table: QualifiedName, { name, path, toJson, isWholeRow }: PlannedField): SqlFragment {
  if (isWholeRow) return identifier(table.name);
  const column = columnOf(table, name);
  if (path.length === 0) return column;
  return toJson ? sql`to_jsonb(${column})${jsonPathSql(path)}` : sql`${column}${jsonPathSql(path)}`;
}

/** Applies the conversion function of a domain. */
export const transformSql = (transform: string | undefined, of: SqlFragment): SqlFragment =>
  transform === undefined ? of : sql`${raw(transform)}(${of})`;

const aliasSql = (alias: string | undefined): SqlFragment =>
  alias === undefined ? EMPTY : sql` AS ${identifier(alias)}`;

/** The type name cannot be quoted, as in `timestamp with time zone`; the grammar restricts its characters. */
const castSql = (type: string | undefined, of: SqlFragment): SqlFragment =>
  type === undefined ? of : sql`CAST( ${of} AS ${raw(type)} )`;

const aggregateSql = (
  aggregate: Aggregate | undefined,
  cast: string | undefined,
  of: SqlFragment,
): SqlFragment => (aggregate === undefined ? of : castSql(cast, sql`${raw(aggregate.toUpperCase())}(${of})`));

export function selectSql(table: QualifiedName, select: PlannedSelect): SqlFragment {
  const column = transformSql(select.field.transform, fieldSql(table, select.field));
  const shown = aggregateSql(select.aggregate, select.aggregateCast, castSql(select.cast, column));
  return sql`${shown}${aliasSql(select.alias)}`;
}

const spreadColumn = (aggregateAlias: string, name: string): SqlFragment =>
  columnOf({ schema: '', name: aggregateAlias }, name);

export function spreadSelectSql(aggregateAlias: string, field: SpreadField): SqlFragment {
  const shown = aggregateSql(field.aggregate, field.aggregateCast, spreadColumn(aggregateAlias, field.name));
  return sql`${shown}${aliasSql(field.alias)}`;
}

/** A column of a to-many spread, aggregated in order. */
export function spreadListSql(
  aggregateAlias: string,
  order: readonly PlannedOrder[],
  { name, alias }: SpreadField,
): SqlFragment {
  const ordered = orderSql({ schema: '', name: aggregateAlias }, order);
  const column = spreadColumn(aggregateAlias, name);
  return sql`COALESCE(json_agg(${column} ${ordered}),'[]')::jsonb AS ${identifier(alias ?? name)}`;
}

export function orderSql(table: QualifiedName, terms: readonly PlannedOrder[]): SqlFragment {
  if (terms.length === 0) return EMPTY;
  const ordered = terms.map(({ relation, field, direction, nulls }) => {
    const of = relation === undefined ? table : { schema: '', name: relation };
    const nullOrder = nulls === undefined ? '' : ` NULLS ${nulls === 'nullsfirst' ? 'FIRST' : 'LAST'}`;
    return sql`${fieldSql(of, field)}${raw(direction === undefined ? '' : ` ${direction.toUpperCase()}`)}${raw(nullOrder)}`;
  });
  return sql`ORDER BY ${join(ordered, ', ')}`;
}

/** Groups by every selected column that is not an aggregate, if there is an aggregate. */
export function groupSql(
  table: QualifiedName,
  select: readonly PlannedSelect[],
  relations: readonly {
    readonly aggregateAlias: string;
    readonly fields?: readonly SpreadField[];
    readonly name?: string;
  }[],
): SqlFragment {
  const isAggregated =
    select.some(({ aggregate }) => aggregate) ||
    relations.some(({ fields }) => fields?.some(({ aggregate }) => aggregate));
  if (!isAggregated) return EMPTY;
  const terms = [
    ...select
      .filter(({ aggregate }) => !aggregate)
      .map(({ alias, field }) => (alias === undefined ? fieldSql(table, field) : identifier(alias))),
    ...relations.flatMap(({ aggregateAlias, fields, name }) =>
      fields
        ? fields
            .filter(({ aggregate }) => !aggregate)
            .map((field) => sql`${identifier(aggregateAlias)}.${identifier(field.alias ?? field.name)}`)
        : [identifier(name ?? '')],
    ),
  ];
  return terms.length === 0 ? EMPTY : sql`GROUP BY ${join(terms, ', ')}`;
}
