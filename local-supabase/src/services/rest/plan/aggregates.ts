import type { Aggregate } from '../grammar/syntax.ts';
import type { ReadNode, RelationSelect, SpreadField } from './read-plan.ts';

/** An aggregate that moves from a spread relation to the query that contains its columns. */
interface HoistedAggregate {
  readonly aggregateAlias: string;
  readonly name: string;
  readonly aggregate: Aggregate;
  readonly cast: string | undefined;
  readonly alias: string | undefined;
}

/**
 * Moves the aggregates of to-one spread relations up to the nearest query that is not spread itself: a to-one spread
 * query has one row, so the aggregate would only see that row.
 */
export function hoistAggregates(node: ReadNode): readonly HoistedAggregate[] {
  const fromChildren = node.children.flatMap(hoistAggregates);
  const isToOneSpread = node.spread?.type === 'to-one';
  if (!isToOneSpread) {
    if (node.children.length > 0)
      node.relationSelect = node.relationSelect.map((one) => apply(one, fromChildren));
    return [];
  }
  const own = node.select.flatMap(({ aggregate, aggregateCast, alias, field }): HoistedAggregate[] =>
    aggregate === undefined
      ? []
      : [
          {
            aggregateAlias: node.aggregateAlias,
            name: alias ?? field.name,
            aggregate,
            cast: aggregateCast,
            alias,
          },
        ],
  );
  node.select = node.select.map((select) =>
    select.aggregate === undefined ? select : { ...select, aggregate: undefined, aggregateCast: undefined },
  );
  return [...own, ...fromChildren.map((one) => under(node.aggregateAlias, one))];
}

const under = (aggregateAlias: string, hoisted: HoistedAggregate): HoistedAggregate => ({
  ...hoisted,
  aggregateAlias,
});

function apply(select: RelationSelect, hoisted: readonly HoistedAggregate[]): RelationSelect {
  if (select.type !== 'spread') return select;
  const fields = select.fields.map((field): SpreadField => {
    const found = hoisted.find(
      ({ aggregateAlias, name }) => aggregateAlias === select.aggregateAlias && name === field.name,
    );
    if (!found) return field;
    return { ...field, aggregate: found.aggregate, aggregateCast: found.cast, alias: found.alias };
  });
  return { ...select, fields };
}
