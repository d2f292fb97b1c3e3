import { keyOf } from '../catalog/catalog.ts';
import type { Catalog, QualifiedName } from '../catalog/catalog.ts';
import type { JsonStep } from '../grammar/syntax.ts';
import { asOutput, fieldOfColumn } from './fields.ts';
import { SOURCE } from './read-plan.ts';
import type { PlannedField, PlannedSelect, ReadNode } from './read-plan.ts';

/**
 * Replaces `*` with the columns where they matter one by one: with aggregates, in to-many spreads, and for domains with
 * a JSON representation.
 */
export function expandStars(
  node: ReadNode,
  root: QualifiedName,
  catalog: Catalog,
  isAggregated = false,
): void {
  const isGrouped =
    isAggregated || node.select.some(({ aggregate }) => aggregate) || node.spread?.type === 'to-many';
  const isSource = node.from.schema === '' && node.from.name === SOURCE;
  const table =
    isSource && node.fromAlias !== undefined ? { schema: root.schema, name: node.fromAlias } : node.from;
  const columns = catalog.tables.get(keyOf(table))?.columns ?? [];
  const isSpread = node.spread !== undefined;
  const hasStar = node.select.some(
    ({ field, aggregate }) =>
      field.name === '*' && (aggregate === undefined || (isSpread && aggregate === 'count')),
  );
  const hasRepresentation = columns.some(({ type }) => catalog.representations.has(`${type}→json`));
  if (hasStar && (isGrouped || hasRepresentation)) {
    const expand = (select: PlannedSelect): PlannedSelect[] => {
      const { field, aggregate } = select;
      if (field.name !== '*' || field.path.length > 0) return [select];
      if (aggregate === undefined) {
        return columns.map((column) => withField(select, asOutput(catalog, fieldOfColumn(column))));
      }
      return isSpread && aggregate === 'count'
        ? [{ ...select, field: { ...field, isWholeRow: true } }]
        : [select];
    };
    node.select = node.select.flatMap(expand);
  }
  for (const child of node.children) expandStars(child, root, catalog, isGrouped);
}

const withField = (select: PlannedSelect, field: PlannedField): PlannedSelect => ({ ...select, field });

/** Adds an alias to columns without a name: JSON paths, converted columns, aggregates in spread relations. */
export function addAliases(node: ReadNode): void {
  const isSpread = node.spread !== undefined;
  node.select = node.select.map((select) => ({
    ...select,
    alias: select.alias ?? ownAlias(select, isSpread),
  }));
  for (const child of node.children) addAliases(child);
}

function ownAlias({ field, aggregate }: PlannedSelect, isSpread: boolean): string | undefined {
  if (aggregate) return isSpread ? aggregate : undefined;
  if (field.path.length > 0) return lastKey(field.path) ?? field.name;
  return field.transform === undefined ? undefined : field.name;
}

const lastKey = (path: readonly JsonStep[]): string | undefined =>
  path.findLast(({ operand }) => operand.type === 'key')?.operand.value;
