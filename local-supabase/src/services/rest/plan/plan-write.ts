import { columnNotFound, invalidPutFilters } from '../request/errors.ts';
import type { Catalog, QualifiedName, Table } from '../catalog/catalog.ts';
import { compareUtf8 } from '../../../platform/bytes.ts';
import type { ApiRequest, Mutation } from '../request/api-request.ts';
import type { Resolution } from '../request/preferences.ts';
import { resolveFilter, resolveInput, resolveLogic } from './fields.ts';
import type { PlannedField, PlannedLogic, ReadNode } from './read-plan.ts';

export type WritePlan =
  | {
      readonly type: 'insert';
      readonly into: QualifiedName;
      readonly columns: readonly PlannedField[];
      readonly body: string;
      readonly onConflict:
        | { readonly resolution: Resolution; readonly columns: readonly string[] }
        | undefined;
      /** The conditions that the body's row must meet, for PUT. */
      readonly conditions: readonly PlannedLogic[];
      readonly returning: readonly string[];
      readonly primaryKey: readonly string[];
      readonly appliesDefaults: boolean;
    }
  | {
      readonly type: 'update';
      readonly table: QualifiedName;
      readonly columns: readonly PlannedField[];
      readonly body: string;
      readonly where: readonly PlannedLogic[];
      readonly returning: readonly string[];
      readonly appliesDefaults: boolean;
    }
  | {
      readonly type: 'delete';
      readonly from: QualifiedName;
      readonly where: readonly PlannedLogic[];
      readonly returning: readonly string[];
    };

/** @throws {RestError} */
export function planWrite(
  mutation: Mutation,
  request: ApiRequest,
  table: Table,
  catalog: Catalog,
  read: ReadNode,
): WritePlan {
  const { query, preferences, payload } = request;
  const name = { schema: table.schema, name: table.name };
  const body = payload?.type === 'json' ? payload.text : '';
  const { representation } = preferences;
  const returning =
    representation === undefined || representation === 'minimal' ? [] : neededColumns(read, table.primaryKey);
  const rootFilters = query.filters.filter(({ path }) => path.length === 0).map(({ value }) => value);
  const where = [
    ...rootFilters.map((filter) => resolveFilter(catalog, name, filter)),
    ...query.logic.map(({ value }) => resolveLogic(catalog, name, value)),
  ];
  const columns = () =>
    [...request.columns].toSorted(compareUtf8).map((column) => {
      const field = resolveInput(catalog, name, column);
      if (!field) throw columnNotFound(table.name, column);
      return field;
    });
  const appliesDefaults = preferences.missing === 'default';
  const insert = { type: 'insert' as const, into: name, body, returning, primaryKey: table.primaryKey };
  switch (mutation) {
    case 'create': {
      const { resolution } = preferences;
      const onConflict = resolution && { resolution, columns: query.onConflict ?? table.primaryKey };
      return { ...insert, columns: columns(), onConflict, conditions: [], appliesDefaults };
    }
    case 'single-upsert': {
      const hasKey =
        query.logic.length === 0 &&
        table.primaryKey.length > 0 &&
        query.filterNames.size === new Set(table.primaryKey).size &&
        table.primaryKey.every((column) => query.filterNames.has(column)) &&
        rootFilters.every(({ expression: { isNegated, operation } }) => {
          if (isNegated || operation.type !== 'quantifiable') return false;
          return operation.operator === 'eq' && operation.quantifier === undefined;
        });
      if (!hasKey) throw invalidPutFilters();
      const onConflict = { resolution: 'merge-duplicates' as const, columns: table.primaryKey };
      return { ...insert, columns: columns(), onConflict, conditions: where, appliesDefaults: false };
    }
    case 'update':
      return { type: 'update', table: name, columns: columns(), body, where, returning, appliesDefaults };
    case 'delete':
      return { type: 'delete', from: name, where, returning };
  }
}

/** The columns that the response needs: the selected ones, those that join embedded relations, and the primary key. */
export function neededColumns(
  { select, children }: ReadNode,
  primaryKey: readonly string[],
): readonly string[] {
  const needed = new Set([...select.map(({ field }) => field.name), ...primaryKey]);
  if (needed.has('*')) return ['*'];
  for (const { relationship } of children) {
    if (relationship?.type === 'computed') return ['*'];
    const cardinality = relationship?.cardinality;
    const columns =
      cardinality?.type === 'many-to-many' ? cardinality.junction.sourceColumns : cardinality?.columns;
    for (const [column] of columns ?? []) needed.add(column);
  }
  return [...needed].toSorted(compareUtf8);
}
