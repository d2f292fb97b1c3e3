import type { Model } from './types/model.ts';
import type { Columns, Plan, Projection, RowCheck } from './query/plan.ts';
import type { TableDefinition } from './rest-client.ts';
import { RestError } from './errors.ts';
import { type Embed, embed, isColumn, isEmbed, type Shape, shape, type Shaped } from './query/shape.ts';
import { checkRecord, type ColumnCheck } from './results/record-check.ts';
import { parseSelect, type SelectEmbed, type SelectItem } from './query/select.ts';
import type { StandardSchema } from '../platform/standard-schema.ts';
import { checkWith, type Validate } from './results/standard-schema.ts';

type NoRelations = { readonly [_ in never]: Relation };
type Schemas = Readonly<Record<string, StandardSchema>>;
type OutputOf<S> = S extends StandardSchema<unknown, infer T> ? T : never;
type RowOfColumns<C> = { [K in keyof C]: OutputOf<C[K]> };

/** A relation of a table: what `one()`, `exactlyOne()` and `many()` make. */
export interface Relation<
  M extends Model = Model,
  Many extends boolean = boolean,
  Nullable extends boolean = boolean,
> {
  /** The related table; a function, so that tables can refer to one another. */
  readonly table: () => DefinedTable<M>;
  /** Whether there are many related rows. */
  readonly many: Many;
  /** Whether the one related row may be missing. */
  readonly nullable: Nullable;
}

type EmbedsOf<R> = {
  [K in keyof R]: R[K] extends Relation<infer M, infer Many, infer Nullable>
    ? { model: M; many: Many; nullable: Nullable }
    : never;
};

/** The types of a defined table. */
export interface DefinedModel<C, R, Insert, Update> extends Model {
  readonly Row: RowOfColumns<C>;
  readonly Insert: Insert;
  readonly Update: Update;
  /** The related rows. */
  readonly Embeds: EmbedsOf<R>;
}

/** A table defined by the schemas of its columns, as `table()` returns it. */
export interface DefinedTable<M extends Model = Model> extends TableDefinition<M> {
  /** The schemas by column. */
  readonly columns: Schemas;
  /** The relations by the name that embeds them. */
  readonly relations: Readonly<Record<string, Relation>>;
}

/** What defines a table. */
export interface TableParts<C extends Schemas, R, Insert, Update> {
  /** A schema for each column. Selects are partial, so each column is validated separately. */
  readonly columns: C;
  /** Related tables by the names that embed them. Default: none. */
  readonly relations?: R;
  /** Present for the type checker only: what an insert takes. Default: any part of a row. */
  readonly insert?: StandardSchema<unknown, Insert>;
  /** Present for the type checker only: what an update takes. Default: any part of a row. */
  readonly update?: StandardSchema<unknown, Update>;
}

/**
 * Defines a table by the schemas of its columns (Standard Schema v1: zod, valibot, arktype …), which both type and validate
 * its rows and every part of them that is selected. `*` selects the defined columns.
 * @example
 * ```ts
 * import * as z from 'zod/mini';
 * import { int8, table } from 'supabase-protocol-clients/rest-client/table';
 *
 * const notifications = table('notifications', {
 *   columns: { id: z.uuid(), status: z.enum(['unread', 'read', 'archived']), sequence: int8() },
 * });
 * const rows = await rest.from(notifications).select('status, sequence').limit(1);
 * const sequence: bigint | undefined = rows[0]?.sequence;
 * ```
 */
export function table<
  const C extends Schemas,
  const R extends Readonly<Record<string, Relation>> = NoRelations,
  Insert = Partial<RowOfColumns<C>>,
  Update = Partial<RowOfColumns<C>>,
>(name: string, parts: TableParts<C, R, Insert, Update>): DefinedTable<DefinedModel<C, R, Insert, Update>> {
  const { columns, relations = {} } = parts;
  const definition: DefinedTable<DefinedModel<C, R, Insert, Update>> = {
    name,
    columns,
    relations,
    prepare: (plan: Plan, validate) => ({
      ...plan,
      project: (selected: Columns) => projectColumns(definition, selected, validate),
    }),
  };
  return definition;
}

/** One related row, or null. */
export function one<M extends Model>(of: () => DefinedTable<M>): Relation<M, false, true> {
  return { table: of, many: false, nullable: true };
}

/** One related row that is never missing. */
export function exactlyOne<M extends Model>(of: () => DefinedTable<M>): Relation<M, false, false> {
  return { table: of, many: false, nullable: false };
}

/** Any number of related rows. */
export function many<M extends Model>(of: () => DefinedTable<M>): Relation<M, true, false> {
  return { table: of, many: true, nullable: false };
}

/** The schema of an int8 column. */
export interface Int8Schema<T extends bigint | null> extends StandardSchema<unknown, T> {
  /** The column is selected as text. */
  readonly cast: 'text';
}

/** An int8 column without loss: selected as text and decoded to a bigint. */
export function int8(): Int8Schema<bigint> {
  return int8Schema((value) => (isInteger(value) ? { value: BigInt(value) } : notInt8));
}

/** An int8 column that may be null. */
export function nullableInt8(): Int8Schema<bigint | null> {
  return int8Schema((value) =>
    value === null ? { value } : isInteger(value) ? { value: BigInt(value) } : notInt8,
  );
}

const notInt8 = { issues: [{ message: 'Not an int8' }] };
const isInteger = (value: unknown): value is string => typeof value === 'string' && /^-?\d+$/.test(value);

function int8Schema<T extends bigint | null>(
  validate: StandardSchema<unknown, T>['~standard']['validate'],
): Int8Schema<T> {
  return { cast: 'text', '~standard': { version: 1, vendor: 'rest-client', validate } };
}

const isCast = (schema: StandardSchema | undefined) => schema !== undefined && 'cast' in schema;

function projectColumns(of: DefinedTable, selected: Columns, validate: Validate): Projection {
  if (typeof selected !== 'string' && !('shape' in selected)) return selected;
  const columns =
    typeof selected === 'string'
      ? shapeOfItems(of, parseSelect(selected))
      : ((selected as Shaped).shape as Shape);
  const { select, params } = shape(withCasts(of, columns));
  return { select, params, check: checkShape(of, columns, validate) };
}

/** A select as a shape; `*` as all columns of the definition. */
function shapeOfItems(of: DefinedTable, items: readonly SelectItem[]): Shape {
  return Object.fromEntries(
    items.flatMap((item): (readonly [string, Shape[string]])[] => {
      if (item.type === 'embed') return [shapeOfEmbed(of, item)];
      const { alias, column, cast } = item;
      if (column === '*') return Object.keys(of.columns).map((name) => [name, true]);
      const isOwn = !alias && !cast && column in of.columns;
      return [isOwn ? [column, true] : [alias || nameOf(column), column + cast]];
    }),
  );
}

function shapeOfEmbed({ relations }: DefinedTable, item: SelectEmbed): readonly [string, Embed] {
  const { alias, relation, hint, join, isSpread, items } = item;
  const related = findRelation(relations, relation).table();
  const options = { of: relation, ...(hint && { hint }), inner: join === 'inner' };
  const key = isSpread ? `...${relation}` : alias || relation;
  return [key, embed(shapeOfItems(related, items), options)];
}

/** The name that the server gives a column: the last key of its path, without array positions. */
const nameOf = (column: string) => column.replace(/(->>?-?\d+)+$/, '').replace(/.*->>?/, '');

function withCasts({ columns, relations }: DefinedTable, selected: Shape): Shape {
  return Object.fromEntries(
    Object.entries(selected).map(([key, value]) => {
      const column = value === true ? key : value;
      if (typeof column === 'string') return [key, isCast(columns[column]) ? `${column}::text` : value];
      if (typeof value !== 'object' || isColumn(value)) return [key, value];
      const related = relatedTable(relations, key, value).table();
      const inner = withCasts(related, shapeIn(related, value));
      return [key, isEmbed(value) ? { ...value, shape: inner } : inner];
    }),
  );
}

function shapeIn(related: DefinedTable, value: Shape | Embed): Shape {
  const inner = isEmbed(value) ? value.shape : value;
  return typeof inner === 'string' ? shapeOfItems(related, parseSelect(inner)) : (inner as Shape);
}

function relatedTable(relations: DefinedTable['relations'], key: string, value: object): Relation {
  return findRelation(relations, (isEmbed(value) && value.options.of) || key.replace(/^\.{3}/, ''));
}

function findRelation(relations: DefinedTable['relations'], name: string): Relation {
  const relation = relations[name];
  if (!relation) throw new RestError('invalid-query', `No relation "${name}" is defined`);
  return relation;
}

const checkShape = (of: DefinedTable, selected: Shape, validate: Validate): RowCheck | undefined =>
  checkRecord(checksOf(of, selected, validate, []), validate);

function checksOf(
  of: DefinedTable,
  selected: Shape,
  validate: Validate,
  path: readonly string[],
): readonly ColumnCheck[] {
  return Object.entries(selected).flatMap(([key, value]): readonly ColumnCheck[] => {
    if (value === true || typeof value === 'string') {
      const schema = of.columns[value === true ? key : value];
      return schema ? [{ key, check: checkWith(schema, [...path, key]), isDecoder: isCast(schema) }] : [];
    }
    if (isColumn(value))
      return value.decode ? [{ key, check: value.decode, isDecoder: true, mayMiss: true }] : [];
    const related = relatedTable(of.relations, key, value);
    const isSpread = key.startsWith('...');
    const inner = checksOf(
      related.table(),
      shapeIn(related.table(), value),
      validate,
      isSpread ? path : [...path, key],
    );
    const more = { mayMiss: true, isMany: related.many };
    if (isSpread) return inner.map((column) => ({ ...column, ...more }));
    const check = checkRecord(inner, validate);
    return check && inner.length ? [{ key, check, isDecoder: true, ...more }] : [];
  });
}
