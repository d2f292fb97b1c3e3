import { keyOf } from '../catalog/catalog.ts';
import type { Catalog, Column, QualifiedName } from '../catalog/catalog.ts';
import type { Field, Filter, LogicTree, OrderTerm } from '../grammar/syntax.ts';
import { unknownField } from './read-plan.ts';
import type { PlannedField, PlannedFilter, PlannedLogic, PlannedOrder } from './read-plan.ts';

export function fieldOfColumn(column: Column): PlannedField {
  return { ...unknownField(column.name), type: column.type, default: column.default };
}

const columnOf = (catalog: Catalog, table: QualifiedName, name: string): Column | undefined =>
  catalog.tables.get(keyOf(table))?.columns.find((column) => column.name === name);

function resolve(
  catalog: Catalog,
  table: QualifiedName,
  { name, path }: Field,
  textSearch: PlannedField['textSearch'],
): PlannedField {
  const column = columnOf(catalog, table, name);
  if (!column) return { ...unknownField(name, path), toJson: true };
  const isJson = column.type === 'json' || column.type === 'jsonb';
  return {
    ...fieldOfColumn(column),
    path,
    toJson: !isJson,
    textSearch: column.baseType === 'tsvector' ? undefined : textSearch,
  };
}

/** Returns the field with its conversion function, if any; its type becomes the function's argument type. */
function transformed(catalog: Catalog, field: PlannedField, from: string, to: string): PlannedField {
  const transform = catalog.representations.get(`${from}→${to}`);
  return transform === undefined ? field : { ...field, type: from, transform };
}

export function resolveOutput(catalog: Catalog, table: QualifiedName, field: Field): PlannedField {
  return asOutput(catalog, resolve(catalog, table, field, undefined));
}

export const asOutput = (catalog: Catalog, field: PlannedField): PlannedField =>
  transformed(catalog, field, field.type, 'json');

export function resolveInput(catalog: Catalog, table: QualifiedName, name: string): PlannedField | undefined {
  const column = columnOf(catalog, table, name);
  return column && transformed(catalog, fieldOfColumn(column), 'json', column.type);
}

export function resolveFilter(catalog: Catalog, table: QualifiedName, filter: Filter): PlannedFilter {
  const { field, expression } = filter;
  const { operation } = expression;
  const textSearch = operation.type === 'text-search' ? { language: operation.language } : undefined;
  const resolved = resolve(catalog, table, field, textSearch);
  return { type: 'filter', field: transformed(catalog, resolved, 'text', resolved.type), expression };
}

export function resolveLogic(catalog: Catalog, table: QualifiedName, tree: LogicTree): PlannedLogic {
  if (tree.type === 'filter') return resolveFilter(catalog, table, tree);
  return { ...tree, operands: tree.operands.map((operand) => resolveLogic(catalog, table, operand)) };
}

export function resolveOrder(catalog: Catalog, table: QualifiedName, term: OrderTerm): PlannedOrder {
  const { relation, field, direction, nulls } = term;
  const resolved =
    relation === undefined ? resolve(catalog, table, field, undefined) : unknownField(field.name, field.path);
  return { relation, field: resolved, direction, nulls };
}
