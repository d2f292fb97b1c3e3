import { isToOne } from '../catalog/catalog.ts';
import { notEmbedded, notImplemented, relatedOrderNotToOne } from '../request/errors.ts';
import { shownName, unknownField } from './read-plan.ts';
import type {
  PlannedLogic,
  PlannedOrder,
  PlannedSelect,
  ReadNode,
  RelationSelect,
  SpreadField,
} from './read-plan.ts';

/** Resolves orders by an embedded relation, which must be selected and to-one. */
export function resolveRelatedOrders(node: ReadNode): void {
  node.order = node.order.map((term) => {
    if (term.relation === undefined) return term;
    const child = node.children.find((one) => shownName(one) === term.relation);
    if (!child) throw notEmbedded(term.relation);
    if (!child.relationship || !isToOne(child.relationship)) {
      throw relatedOrderNotToOne(node.from.name, shownName(child));
    }
    return { ...term, relation: child.aggregateAlias };
  });
  for (const child of node.children) resolveRelatedOrders(child);
}

/** Resolves `relation=is.null`, which checks whether the relation has rows. */
export function resolveNullEmbeds(node: ReadNode): void {
  const resolve = (logic: PlannedLogic): PlannedLogic => {
    if (logic.type === 'branch') return { ...logic, operands: logic.operands.map(resolve) };
    if (logic.type !== 'filter' || logic.field.path.length > 0) return logic;
    const { isNegated, operation } = logic.expression;
    const child = node.children.find((one) => shownName(one) === logic.field.name);
    if (!child || operation.type !== 'is' || operation.value !== 'null') return logic;
    return { type: 'embed-is-null', isNegated, aggregateAlias: child.aggregateAlias };
  };
  node.where = node.where.map(resolve);
  for (const child of node.children) resolveNullEmbeds(child);
}

export function addRelationSelects(node: ReadNode): void {
  for (const child of node.children) addRelationSelects(child);
  node.relationSelect = node.children.map(relationSelectOf);
}

function relationSelectOf(node: ReadNode): RelationSelect {
  const { aggregateAlias, relationship } = node;
  if (node.spread) return { type: 'spread', fields: spreadFields(node), aggregateAlias };
  return {
    type: 'json',
    name: shownName(node),
    aggregateAlias,
    isArray: !relationship || !isToOne(relationship),
    isEmpty: selectsNothing(node),
  };
}

const selectsNothing = (node: ReadNode): boolean =>
  node.select.length === 0 && node.children.every(selectsNothing);

function spreadFields({ select, relationSelect }: ReadNode): SpreadField[] {
  const plain = (name: string): SpreadField => ({
    name,
    aggregate: undefined,
    aggregateCast: undefined,
    alias: undefined,
  });
  return [
    ...select.map(({ alias, field }) => plain(alias ?? field.name)),
    ...relationSelect.flatMap((one) => (one.type === 'json' ? [plain(one.name)] : one.fields)),
  ];
}

/** Moves the order of a to-many spread to the aggregation of its columns, and selects the columns to order by. */
export function orderSpreads(node: ReadNode): void {
  if (node.spread?.type === 'to-many') {
    const isAggregated =
      node.select.some(({ aggregate }) => aggregate) ||
      node.relationSelect.some(
        (one) => one.type === 'spread' && one.fields.some(({ aggregate }) => aggregate),
      );
    if (isAggregated) {
      throw notImplemented('Aggregates are not implemented for one-to-many or many-to-many spreads.');
    }
    const terms = node.order.map((term, index) => {
      const alias = `${node.aggregateAlias}_${term.field.name}_${index + 1}`;
      const select: PlannedSelect = {
        field: term.field,
        aggregate: undefined,
        aggregateCast: undefined,
        cast: undefined,
        alias,
      };
      const order: PlannedOrder = { ...term, relation: undefined, field: unknownField(alias) };
      return { extra: { relation: term.relation, select }, order };
    });
    node.order = [];
    node.spread = {
      type: 'to-many',
      extraSelect: terms.map(({ extra }) => extra),
      order: terms.map(({ order }) => order),
    };
  }
  for (const child of node.children) orderSpreads(child);
}
