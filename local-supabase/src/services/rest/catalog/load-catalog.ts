import { keyOf } from './catalog.ts';
import type { Catalog, ComputedRelationship, MediaHandler, Parameter, Routine, Table } from './catalog.ts';
import { buildRelationships } from './relationships.ts';
import type { ForeignKey } from './relationships.ts';
import {
  MEDIA_HANDLERS,
  REPRESENTATIONS,
  ROLE_SETTINGS,
  ROUTINES,
  TAKEABLE_ROLES,
} from './routine-queries.ts';
import { COMPUTED_RELATIONSHIPS, FOREIGN_KEYS, KEY_COLUMNS, TABLES, VIEW_RULES } from './table-queries.ts';
import { findViewKeys } from './view-columns.ts';
import type { KeyColumns, ViewKey, ViewRule } from './view-columns.ts';

export interface CatalogSettings {
  readonly schemas: readonly string[];
  readonly extraSearchPath: readonly string[];
}

/** Runs a query with one JSON value in the column `result`. */
export type CatalogQuery = (text: string, params: readonly unknown[]) => Promise<unknown>;

/** @param query runs with an empty search path. */
export async function loadCatalog(query: CatalogQuery, settings: CatalogSettings): Promise<Catalog> {
  const { schemas, extraSearchPath } = settings;
  const one = async <T>(text: string, params: readonly unknown[] = []) => (await query(text, params)) as T;
  const tables = await one<Table[]>(TABLES, [schemas]);
  const foreignKeys = await one<ForeignKey[]>(FOREIGN_KEYS);
  const rules = await one<ViewRule[]>(VIEW_RULES, [[...schemas, ...extraSearchPath]]);
  const keys = await one<KeyColumns[]>(KEY_COLUMNS);
  const computed = await one<ComputedRelationship[]>(COMPUTED_RELATIONSHIPS);
  const routines = await one<Routine[]>(ROUTINES, [schemas]);
  const representations = await one<[string, string, string][]>(REPRESENTATIONS);
  const mediaHandlers = await one<MediaHandler[]>(MEDIA_HANDLERS, [schemas]);
  const roles = await one<string[]>(TAKEABLE_ROLES);
  const roleSettings = await one<[string, string, string][]>(ROLE_SETTINGS);
  const viewKeys = findViewKeys(rules, keys, schemas);
  const known = new Map(tables.map((table) => [keyOf(table), withViewKey(table, viewKeys)]));
  return {
    tables: new Map([...known].filter(([, { schema }]) => schemas.includes(schema))),
    ...buildRelationships(foreignKeys, viewKeys, known, computed, schemas),
    routines: groupRoutines(routines),
    representations: new Map(representations.map(([from, to, name]) => [`${from}→${to}`, name])),
    mediaHandlers,
    roles: new Set(roles),
    roleSettings: groupSettings(roleSettings),
  };
}

/** A view has a table's primary key if it contains all of the key's columns; for each of them, its first occurrence counts. */
function withViewKey(table: Table, viewKeys: readonly ViewKey[]): Table {
  if (!table.isView) return table;
  const primaryKey = viewKeys
    .filter(({ kind, view }) => kind === 'p' && keyOf(view) === keyOf(table))
    .flatMap(({ columns }) => columns.flatMap((names) => names.slice(0, 1)));
  return { ...table, primaryKey };
}

export function groupRoutines(routines: readonly Routine[]): ReadonlyMap<string, readonly Routine[]> {
  const groups = new Map<string, Routine[]>();
  for (const routine of routines) {
    const key = keyOf(routine);
    groups.set(key, [...(groups.get(key) ?? []), routine]);
  }
  return new Map([...groups].map(([key, group]) => [key, group.toSorted(compareOverloads)]));
}

/** Orders by number of parameters, then by description and parameters. */
function compareOverloads(one: Routine, other: Routine): number {
  const difference = one.parameters.length - other.parameters.length;
  if (difference !== 0) return difference;
  const [a, b] = [sortKey(one), sortKey(other)];
  return a < b ? -1 : Number(a > b);
}

const parameterKey = ({ name, type, unlimitedType, isRequired, isVariadic }: Parameter): string =>
  [name, type, unlimitedType, isRequired, isVariadic].join('\0');

const sortKey = ({ description, parameters }: Routine): string =>
  [description ?? '', ...parameters.map(parameterKey)].join('\0\0');

function groupSettings(
  settings: readonly (readonly [string, string, string])[],
): ReadonlyMap<string, readonly (readonly [string, string])[]> {
  const groups = new Map<string, (readonly [string, string])[]>();
  for (const [role, name, value] of settings) {
    groups.set(role, [...(groups.get(role) ?? []), [name, value]]);
  }
  return groups;
}
