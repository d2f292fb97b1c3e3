import { keyOf } from './catalog.ts';
import type {
  Catalog,
  ColumnPairs,
  ComputedRelationship,
  KeyRelationship,
  QualifiedName,
  Relationship,
  Table,
} from './catalog.ts';
import type { ViewKey } from './view-columns.ts';

export interface ForeignKey {
  readonly table: QualifiedName;
  readonly foreignTable: QualifiedName;
  readonly isSelf: boolean;
  readonly constraint: string;
  readonly columns: ColumnPairs;
  readonly isOneToOne: boolean;
}

/** The relationships of the exposed schemas, and the names for hints. */
export interface Relationships {
  /** Relationships by the key of their origin. */
  readonly relationships: ReadonlyMap<string, readonly Relationship[]>;
  readonly relatedTables: Catalog['relatedTables'];
}

export function buildRelationships(
  foreignKeys: readonly ForeignKey[],
  viewKeys: readonly ViewKey[],
  tables: ReadonlyMap<string, Table>,
  computed: readonly ComputedRelationship[],
  schemas: readonly string[],
): Relationships {
  const withViews = keyRelationships(foreignKeys, viewKeys);
  const manyToMany = throughJunctions(withViews, tables);
  const all = [...withViews, ...manyToMany, ...withViews.map(invert)];
  const functions = new Set(computed.map((one) => keyOf(one.table) + keyOf(one.function)));
  const kept: readonly Relationship[] = [
    ...computed,
    // A function with the name of a related relation replaces the relationships by keys.
    ...all.filter((one) => !functions.has(keyOf(one.table) + keyOf(one.foreignTable))),
  ];
  const byTable = new Map<string, Relationship[]>();
  for (const relationship of kept.filter((one) => isExposed(one, schemas)).toSorted(compareRelationships)) {
    const key = keyOf(relationship.table);
    byTable.set(key, [...(byTable.get(key) ?? []), relationship]);
  }
  return { relationships: byTable, relatedTables: relatedTablesOf(kept, schemas) };
}

/** The relationships of foreign keys, from the referencing side, including those of views. */
export function keyRelationships(
  foreignKeys: readonly ForeignKey[],
  viewKeys: readonly ViewKey[],
): KeyRelationship[] {
  const direct = foreignKeys.map(relationshipOf);
  return [...direct, ...direct.flatMap((relationship) => throughViews(relationship, viewKeys))];
}

/** As in PostgREST, includes relationships that are hidden because their junction is internal. */
function relatedTablesOf(
  kept: readonly Relationship[],
  schemas: readonly string[],
): Catalog['relatedTables'] {
  const related = new Map<string, Map<string, QualifiedName>>();
  for (const { table, foreignTable } of kept) {
    if (!schemas.includes(table.schema)) continue;
    const tables = related.get(foreignTable.schema) ?? new Map<string, QualifiedName>();
    related.set(foreignTable.schema, tables.set(keyOf(table), table));
  }
  return new Map([...related].map(([schema, tables]) => [schema, [...tables.values()]]));
}

function isExposed(relationship: Relationship, schemas: readonly string[]): boolean {
  const { table, foreignTable } = relationship;
  if (!schemas.includes(table.schema) || !schemas.includes(foreignTable.schema)) return false;
  if (relationship.type === 'computed' || relationship.cardinality.type !== 'many-to-many') return true;
  return schemas.includes(relationship.cardinality.junction.table.schema);
}

function relationshipOf({
  table,
  foreignTable,
  isSelf,
  constraint,
  columns,
  isOneToOne,
}: ForeignKey): KeyRelationship {
  return {
    type: 'key',
    table,
    foreignTable,
    isSelf,
    cardinality: isOneToOne
      ? { type: 'one-to-one', constraint, columns, isParent: false }
      : { type: 'many-to-one', constraint, columns },
    isTableView: false,
    isForeignTableView: false,
  };
}

/** The same relationship from and to views that contain its columns. */
function throughViews(relationship: KeyRelationship, viewKeys: readonly ViewKey[]): KeyRelationship[] {
  const { table, foreignTable, cardinality } = relationship;
  if (cardinality.type === 'many-to-many') return [];
  const showing = (of: QualifiedName, kind: ViewKey['kind']) =>
    viewKeys
      .filter(
        (key) =>
          key.kind === kind && key.constraint === cardinality.constraint && keyOf(key.table) === keyOf(of),
      )
      .flatMap(({ view, columns }) => combinations(columns).map((names) => ({ view, names })));
  const sources = showing(table, 'f');
  const targets = showing(foreignTable, 'f_ref');
  const build = (source?: (typeof sources)[number], target?: (typeof targets)[number]): KeyRelationship => ({
    ...relationship,
    table: source?.view ?? table,
    foreignTable: target?.view ?? foreignTable,
    isSelf: source !== undefined && target !== undefined && keyOf(source.view) === keyOf(target.view),
    cardinality: {
      ...cardinality,
      columns: cardinality.columns.map(
        ([column, foreign], index) =>
          [source?.names[index] ?? column, target?.names[index] ?? foreign] as const,
      ),
    },
    isTableView: source !== undefined,
    isForeignTableView: target !== undefined,
  });
  return [
    ...sources.map((source) => build(source)),
    ...targets.map((target) => build(undefined, target)),
    ...sources.flatMap((source) => targets.map((target) => build(source, target))),
  ];
}

/** Every combination of one item per list. */
function combinations(lists: readonly (readonly string[])[]): string[][] {
  return lists.reduce<string[][]>(
    (taken, list) => taken.flatMap((names) => list.map((name) => [...names, name])),
    [[]],
  );
}

const swap = (columns: ColumnPairs): ColumnPairs => columns.map(([one, other]) => [other, one] as const);

function invert(relationship: KeyRelationship): KeyRelationship {
  const { table, foreignTable, cardinality, isTableView, isForeignTableView } = relationship;
  if (cardinality.type === 'many-to-many') return relationship;
  const columns = swap(cardinality.columns);
  return {
    ...relationship,
    table: foreignTable,
    foreignTable: table,
    isTableView: isForeignTableView,
    isForeignTableView: isTableView,
    cardinality:
      cardinality.type === 'one-to-one'
        ? { ...cardinality, columns, isParent: true }
        : { type: 'one-to-many', constraint: cardinality.constraint, columns },
  };
}

/** A table is a junction of two others if its foreign keys to them are part of its primary key. */
function throughJunctions(
  relationships: readonly KeyRelationship[],
  tables: ReadonlyMap<string, Table>,
): KeyRelationship[] {
  const keys = relationships.flatMap(({ table, foreignTable, cardinality, isForeignTableView }) =>
    cardinality.type === 'many-to-one' ? [{ table, foreignTable, ...cardinality, isForeignTableView }] : [],
  );
  return keys.flatMap((source) =>
    keys
      .filter(
        (target) => keyOf(target.table) === keyOf(source.table) && target.constraint !== source.constraint,
      )
      .flatMap((target): KeyRelationship[] => {
        const primaryKey = tables.get(keyOf(source.table))?.primaryKey ?? [];
        const joining = [...source.columns, ...target.columns].map(([column]) => column);
        if (!joining.every((column) => primaryKey.includes(column))) return [];
        const junction = {
          table: source.table,
          sourceConstraint: source.constraint,
          targetConstraint: target.constraint,
          sourceColumns: swap(source.columns),
          targetColumns: swap(target.columns),
        };
        return [
          {
            type: 'key',
            table: source.foreignTable,
            foreignTable: target.foreignTable,
            isSelf: keyOf(source.foreignTable) === keyOf(target.foreignTable),
            cardinality: { type: 'many-to-many', junction },
            isTableView: source.isForeignTableView,
            isForeignTableView: target.isForeignTableView,
          },
        ];
      }),
  );
}

const CARDINALITY_ORDER = ['one-to-many', 'many-to-one', 'one-to-one', 'many-to-many'];

/** PostgREST's order of relationships, which is visible in error messages. */
function compareRelationships(one: Relationship, other: Relationship): number {
  const a = sortKey(one);
  const b = sortKey(other);
  return a < b ? -1 : Number(a > b);
}

function sortKey(relationship: Relationship): string {
  const { table, foreignTable, isSelf } = relationship;
  if (relationship.type === 'computed') return ['1', keyOf(relationship.function), keyOf(table)].join('\0');
  const { cardinality } = relationship;
  const name =
    cardinality.type === 'many-to-many'
      ? [
          keyOf(cardinality.junction.table),
          cardinality.junction.sourceConstraint,
          cardinality.junction.targetConstraint,
        ].join('\0')
      : [cardinality.constraint, ...cardinality.columns.flat()].join('\0');
  return [
    '0',
    keyOf(table),
    keyOf(foreignTable),
    isSelf,
    CARDINALITY_ORDER.indexOf(cardinality.type),
    name,
  ].join('\0');
}
