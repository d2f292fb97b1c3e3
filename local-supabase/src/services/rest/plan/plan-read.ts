import { isToOne } from '../catalog/catalog.ts';
import type { Catalog, QualifiedName, Relationship } from '../catalog/catalog.ts';
import { RequestCrash, aggregatesNotAllowed, negativeLimit, notEmbedded } from '../request/errors.ts';
import type { EmbedPath, SelectItem, SelectedRelation } from '../grammar/syntax.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { parseTreePath } from '../request/query-params.ts';
import { ALL_ROWS, NO_ROWS, isEmptyRange, isLimitZero, restrict } from '../request/row-range.ts';
import { hoistAggregates } from './aggregates.ts';
import { addRelationSelects, orderSpreads, resolveNullEmbeds, resolveRelatedOrders } from './embeds.ts';
import { resolveFilter, resolveLogic, resolveOrder, resolveOutput } from './fields.ts';
import { findRelationship } from './find-relationship.ts';
import { SOURCE, shownName } from './read-plan.ts';
import type { JoinCondition, ReadNode } from './read-plan.ts';
import { addAliases, expandStars } from './stars.ts';

export interface PlanSettings {
  /** The maximum number of rows of a response and of each embedded list; null for no limit. */
  readonly maxRows: bigint | null;
  readonly allowsAggregates: boolean;
  /** Whether parameters may refer to an embedded relation by name although it has an alias. */
  readonly allowsTargetNames: boolean;
}

/**
 * Plans the read of a request, also after a write or call. The order of steps is PostgREST's, because each may throw.
 *
 * @throws {RestError}
 */
export function planRead(
  request: ApiRequest,
  table: QualifiedName,
  catalog: Catalog,
  settings: PlanSettings,
): ReadNode {
  const { query, action } = request;
  const isMutation = action.type === 'mutate';
  const root = createNode(table, undefined, 0, catalog, query.select);
  const isForRead = ({ path }: { readonly path: EmbedPath }) => !isMutation || path.length > 0;
  for (const { path, value } of query.filters.filter(isForRead).toReversed()) {
    const node = findNode(root, path, settings);
    node.where = [resolveFilter(catalog, node.from, value), ...node.where];
  }
  for (const { path, value } of query.order.toReversed()) {
    findNode(root, path, settings).order = value.map((term) => resolveOrder(catalog, table, term));
  }
  if (!isMutation) {
    for (const [name, range] of request.ranges) {
      findNode(root, parseTreePath(name).path, settings).range = range;
    }
  }
  for (const { path, value } of query.logic.filter(isForRead).toReversed()) {
    const node = findNode(root, path, settings);
    node.where = [resolveLogic(catalog, node.from, value), ...node.where];
  }
  if (isMutation || action.type === 'call') {
    root.fromAlias = root.from.name;
    root.from = { schema: '', name: SOURCE };
  }
  for (const child of root.children) relate(child, root, table.schema, catalog);
  expandStars(root, table, catalog);
  addAliases(root);
  resolveRelatedOrders(root);
  resolveNullEmbeds(root);
  addRelationSelects(root);
  if (!settings.allowsAggregates && hasAggregates(root)) throw aggregatesNotAllowed();
  hoistAggregates(root);
  orderSpreads(root);
  if (!isMutation) restrictRanges(root, settings.maxRows);
  return root;
}

function createNode(
  from: QualifiedName,
  relation: SelectedRelation | undefined,
  depth: number,
  catalog: Catalog,
  items: readonly SelectItem[],
): ReadNode {
  return {
    select: items
      .filter((item) => item.type === 'field')
      .map(({ field, aggregate, aggregateCast, cast, alias }) => ({
        field: resolveOutput(catalog, from, field),
        aggregate,
        aggregateCast,
        cast,
        alias,
      })),
    from,
    fromAlias: undefined,
    where: [],
    order: [],
    range: ALL_ROWS,
    name: relation?.name ?? from.name,
    alias: relation?.alias,
    isNamedByTarget: false,
    hint: relation?.hint,
    join: relation?.join,
    spread: relation?.isSpread ? { type: 'to-one' } : undefined,
    relationship: undefined,
    joinConditions: [],
    aggregateAlias: '',
    relationSelect: [],
    depth,
    children: items
      .filter((item) => item.type === 'relation')
      .map((item) =>
        createNode({ schema: from.schema, name: item.name }, item, depth + 1, catalog, item.items),
      ),
  };
}

/** Finds the node of a parameter, and moves it before its siblings. */
function findNode(root: ReadNode, path: EmbedPath, { allowsTargetNames }: PlanSettings): ReadNode {
  let node = root;
  for (const name of path) {
    const targeted = node.children.find((child) => child.name === name || child.alias === name);
    const found = allowsTargetNames ? targeted : node.children.find((child) => shownName(child) === name);
    if (!found) throw notEmbedded(name, targeted?.alias);
    found.isNamedByTarget ||= shownName(found) !== name;
    node.children = [found, ...node.children.filter((child) => child !== found)];
    node = found;
  }
  return node;
}

function relate(node: ReadNode, parent: ReadNode, schema: string, catalog: Catalog): void {
  const origin = node.depth === 1 ? (parent.fromAlias ?? parent.from.name) : parent.from.name;
  const relationship = findRelationship(schema, catalog, origin, node.name, node.hint);
  const alias = `${relationship.foreignTable.name}_${node.depth}`;
  node.from = relationship.foreignTable;
  node.aggregateAlias = `${relationship.table.name}_${node.alias ?? node.name}_${node.depth}`;
  if (node.spread && !isToOne(relationship)) node.spread = { type: 'to-many', extraSelect: [], order: [] };
  if (relationship.type === 'computed') {
    const parentAlias =
      parent.fromAlias === undefined ? relationship.table : { schema: '', name: parent.fromAlias };
    node.relationship = { ...relationship, parentAlias };
    node.fromAlias = alias;
  } else {
    node.relationship = relationship;
    // A many-to-many relationship is joined through its junction without an alias.
    if (relationship.cardinality.type !== 'many-to-many') node.fromAlias = alias;
    node.joinConditions = joinConditions(relationship, node.fromAlias, parent.fromAlias);
  }
  for (const child of node.children) relate(child, node, schema, catalog);
}

function joinConditions(
  relationship: Extract<Relationship, { type: 'key' }>,
  alias: string | undefined,
  parentAlias: string | undefined,
): JoinCondition[] {
  const { table, foreignTable, cardinality } = relationship;
  const { schema } = table;
  const named = (name: string, as: string | undefined): QualifiedName =>
    as === undefined ? { schema, name } : { schema: '', name: as };
  if (cardinality.type !== 'many-to-many') {
    return cardinality.columns.map(([column, foreignColumn]) => ({
      left: [named(table.name, parentAlias), column],
      right: [named(foreignTable.name, alias), foreignColumn],
    }));
  }
  const { junction } = cardinality;
  return [
    ...junction.targetColumns.map(([column, joining]): JoinCondition => ({
      left: [named(foreignTable.name, undefined), column],
      right: [named(junction.table.name, undefined), joining],
    })),
    ...junction.sourceColumns.map(([column, joining]): JoinCondition => ({
      left: [named(table.name, parentAlias), column],
      right: [named(junction.table.name, undefined), joining],
    })),
  ];
}

const hasAggregates = (node: ReadNode): boolean =>
  node.select.some(({ aggregate }) => aggregate !== undefined) || node.children.some(hasAggregates);

function restrictRanges(node: ReadNode, maxRows: bigint | null, isRoot = true): void {
  if (isLimitZero(node.range)) node.range = NO_ROWS;
  else if (isEmptyRange(node.range))
    throw isRoot ? negativeLimit() : new RequestCrash('A relation has a negative limit');
  else node.range = restrict(node.range, maxRows);
  for (const child of node.children) restrictRanges(child, maxRows, false);
}

/** Whether a request selects whole rows of one relation, which custom media types require. */
export const hasDefaultSelect = ({ select, children }: ReadNode): boolean =>
  children.length === 0 && select.length === 1 && select[0]?.field.name === '*';
