import type { QualifiedName } from '../catalog/catalog.ts';
import { unknownField } from '../plan/read-plan.ts';
import type {
  JoinCondition,
  PlannedRelationship,
  PlannedSelect,
  ReadNode,
  RelationSelect,
} from '../plan/read-plan.ts';
import { isAllRows, limitOf } from '../request/row-range.ts';
import type { RowRange } from '../request/row-range.ts';
import { groupSql, orderSql, selectSql, spreadListSql, spreadSelectSql } from './field-sql.ts';
import { logicSql } from './filter-sql.ts';
import type { NullEmbedSql } from './filter-sql.ts';
import { EMPTY, columnOf, identifier, join, qualified, raw, sql, value } from './fragment.ts';
import type { SqlFragment } from './fragment.ts';

const EVERYTHING: PlannedSelect = {
  field: unknownField('*'),
  aggregate: undefined,
  aggregateCast: undefined,
  cast: undefined,
  alias: undefined,
};

/** The query of a relation, with its embedded relations as lateral joins. */
export function readSql(node: ReadNode): SqlFragment {
  const { select, children, where, joinConditions, relationSelect, order, range, spread } = node;
  const table = tableOf(node);
  const own = select.length === 0 && children.length === 0 ? [EVERYTHING] : select;
  const extra = spread?.type === 'to-many' ? spread.extraSelect : [];
  const columns = [
    ...own.map((one) => selectSql(table, one)),
    ...extra.map((one) =>
      selectSql(one.relation === undefined ? table : { schema: '', name: one.relation }, one.select),
    ),
    ...relationSelect.flatMap(relationColumns),
  ];
  const conditions = [...where.map((logic) => logicSql(table, logic)), ...joinConditions.map(conditionSql)];
  const joins = relationSelect.map((one) => joinSql(one, children));
  return join(
    [
      sql`SELECT ${join(columns, ', ')} ${fromSql(node)}`,
      ...joins,
      conditions.length === 0 ? EMPTY : sql`WHERE ${join(conditions, ' AND ')}`,
      groupSql(table, own, relationSelect),
      orderSql(table, order),
      rangeSql(range),
    ],
    ' ',
  );
}

/** Counts the rows of a request without its range, as `SELECT 1 …`. */
export function countSql(node: ReadNode): SqlFragment {
  const { where, joinConditions, children } = node;
  const nullEmbed: NullEmbedSql = ({ isNegated, aggregateAlias }) => {
    const child = children.find((one) => one.aggregateAlias === aggregateAlias);
    return child ? sql`${raw(isNegated ? '' : 'NOT ')}EXISTS (${countSql(child)})` : EMPTY;
  };
  const table = tableOf(node);
  const conditions = [
    ...where.map((logic) => logicSql(table, logic, nullEmbed)),
    ...joinConditions.map(conditionSql),
    ...children.filter((child) => child.join === 'inner').map((child) => sql`EXISTS (${countSql(child)})`),
  ];
  const filter = conditions.length === 0 ? EMPTY : sql` WHERE ${join(conditions, ' AND ')}`;
  return sql`SELECT 1 ${fromSql(node)}${filter}`;
}

function tableOf({ relationship, from, fromAlias }: ReadNode): QualifiedName {
  if (relationship?.type === 'computed') return { schema: '', name: fromAlias ?? relationship.function.name };
  return fromAlias === undefined ? from : { schema: '', name: fromAlias };
}

function fromSql({ relationship, from, fromAlias }: ReadNode): SqlFragment {
  const alias = fromAlias === undefined ? EMPTY : sql` AS ${identifier(fromAlias)}`;
  return sql`FROM ${sourceSql(relationship, from)}${alias}${junctionSql(relationship)}`;
}

function sourceSql(relationship: PlannedRelationship | undefined, from: QualifiedName): SqlFragment {
  if (relationship?.type !== 'computed') return qualified(from);
  // The cast selects among overloaded functions, because the parent may be a common table expression.
  const row = sql`${identifier(relationship.parentAlias.name)}::${qualified(relationship.table)}`;
  return sql`${qualified(relationship.function)}(${row})`;
}

function junctionSql(relationship: PlannedRelationship | undefined): SqlFragment {
  if (relationship?.type !== 'key' || relationship.cardinality.type !== 'many-to-many') return EMPTY;
  return sql`, ${qualified(relationship.cardinality.junction.table)}`;
}

const conditionSql = ({ left, right }: JoinCondition): SqlFragment =>
  sql`${columnOf(...left)} = ${columnOf(...right)}`;

function relationColumns(one: RelationSelect): SqlFragment[] {
  if (one.type === 'spread') return one.fields.map((field) => spreadSelectSql(one.aggregateAlias, field));
  if (one.isEmpty) return [];
  const alias = identifier(one.aggregateAlias);
  const shown = identifier(one.name);
  return one.isArray
    ? [sql`COALESCE( ${alias}.${alias}, '[]') AS ${shown}`]
    : [sql`row_to_json(${alias}.*)::jsonb AS ${shown}`];
}

function joinSql(one: RelationSelect, children: readonly ReadNode[]): SqlFragment {
  const child = children.find(({ aggregateAlias }) => aggregateAlias === one.aggregateAlias);
  if (!child) return EMPTY;
  const alias = identifier(one.aggregateAlias);
  const kind = raw(child.join === 'inner' ? 'INNER' : 'LEFT');
  const isList = one.type === 'json' ? one.isArray : child.spread?.type === 'to-many';
  if (!isList) return sql`${kind} JOIN LATERAL ( ${readSql(child)} ) AS ${alias} ON TRUE`;
  const order = child.spread?.type === 'to-many' ? child.spread.order : [];
  const lists =
    one.type === 'spread' ? one.fields.map((field) => spreadListSql(one.aggregateAlias, order, field)) : [];
  const collected = join([sql`json_agg(${alias})::jsonb AS ${alias}`, ...lists], ', ');
  const condition = child.join === 'inner' ? sql`${alias} IS NOT NULL` : raw('TRUE');
  return sql`${kind} JOIN LATERAL ( SELECT ${collected} FROM (${readSql(child)} ) AS ${alias} ) AS ${alias} ON ${condition}`;
}

function rangeSql(range: RowRange): SqlFragment {
  if (isAllRows(range)) return EMPTY;
  const limit = limitOf(range);
  const most = limit === null ? raw('ALL') : value(String(limit));
  return sql`LIMIT ${most} OFFSET ${value(String(range.first))}`;
}
