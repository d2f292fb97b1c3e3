import type { EmbedOf, Model } from './model.ts';
import type { ColumnPath } from '../query/quoting.ts';
import type { RawSelect } from '../query/select.ts';
import type { Embed, Shaped } from '../query/shape.ts';

/** A JSON value, as the generated types have it. */
export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[];

type Flat<T> = { [K in keyof T]: T[K] } & {};

type Trim<S extends string> = S extends ` ${infer T}` | `${infer T} ` | `\n${infer T}` | `${infer T}\n`
  ? Trim<T>
  : S;

/** What PostgreSQL's cast makes of a value, as JSON. */
interface Casts {
  text: string;
  int2: number;
  int4: number;
  int: number;
  integer: number;
  float8: number;
  float4: number;
  numeric: number;
  bool: boolean;
  boolean: boolean;
  json: Json;
  jsonb: Json;
}

type Cast<Type extends string, T> = Type extends keyof Casts ? Casts[Type] | Extract<T, null> : unknown;

type Unarrow<Path extends string> = Path extends `>${infer Rest}` ? Rest : Path;

/** The name that the server gives a column that has no alias: the last key of its path, positions left out. */
type NameOf<Path extends string, Name extends string = Path> = Path extends `${infer Step}->${infer Rest}`
  ? NameOf<Unarrow<Rest>, Step extends `${number}` ? Name : Step>
  : Path extends `${number}`
    ? Name
    : Path;

/** The type of `column`, `column->path`, `column->>path` and each of them with `::cast`. */
type ColumnType<Row, Column extends string> = Column extends `${infer C}::${infer Type}`
  ? Cast<Type, ColumnType<Row, C>>
  : Column extends keyof Row
    ? Row[Column]
    : Column extends `${infer C}->>${string}`
      ? C extends keyof Row | `${keyof Row & string}->${string}`
        ? string | null
        : never
      : Column extends `${infer C}->${string}`
        ? C extends keyof Row
          ? Json
          : never
        : never;

type Uncast<Column extends string> = Column extends `${infer C}::${string}` ? C : Column;

type Named<Row, Name extends string, Column extends string> = { [K in Name]: ColumnType<Row, Column> };

type Item<Row, Text extends string> = Text extends '*'
  ? Row
  : Text extends `${infer Alias}::${infer Type}`
    ? Alias extends `${infer Name}:${infer Column}`
      ? Named<Row, Trim<Name>, `${Trim<Column>}::${Type}`>
      : Named<Row, NameOf<Alias>, Text>
    : Text extends `${infer Alias}:${infer Column}`
      ? Named<Row, Trim<Alias>, Trim<Column>>
      : Named<Row, NameOf<Uncast<Text>>, Text>;

/** The row that a list of columns selects. */
type ListRow<Row, List extends string, Done = unknown> = List extends `${infer First},${infer Rest}`
  ? ListRow<Row, Rest, Done & Item<Row, Trim<First>>>
  : Done & Item<Row, Trim<List>>;

type EmbedKey<Key extends string, Value> =
  Value extends Embed<unknown, boolean, infer R> ? (string extends R ? Key : R) : Key;
type EmbedShape<Value> = Value extends Embed<infer S> ? S : Value;
type IsInner<Value> = Value extends Embed<unknown, infer Inner> ? Inner : false;
type HintOf<Value> = Value extends Embed<unknown, boolean, string, infer Hint> ? Hint : string;
/** Whether conditions may leave out the one row that there is. */
type IsFiltered<Value> =
  Value extends Embed<unknown, boolean, string, string, infer Filtered> ? Filtered : false;

type Many<T, E> = E extends { many: true } ? T[] : T;
type MaybeNull<E extends { many: boolean; nullable: boolean }, Value> =
  IsInner<Value> extends true
    ? never
    : E['many'] extends false
      ? true extends E['nullable'] | IsFiltered<Value>
        ? null
        : never
      : never;

/** The related rows; never if the shape names what they do not have. */
type EmbedValue<M extends Model, Key extends string, Value> =
  EmbedOf<M, EmbedKey<Key, Value>, HintOf<Value>> extends infer E extends {
    model: Model;
    many: boolean;
    nullable: boolean;
  }
    ? RowOf<E['model'], EmbedShape<Value>> extends infer Row
      ? [BadKey<Row>] extends [never]
        ? Many<Row, E> | MaybeNull<E, Value>
        : never
      : never
    : never;

type ShapeValue<M extends Model, Key extends string, Value> = Value extends true
  ? Key extends keyof M['Row']
    ? M['Row'][Key]
    : never
  : Value extends string
    ? ColumnType<M['Row'], Value>
    : Value extends ColumnPath<infer C, infer T>
      ? T | Extract<M['Row'][C & keyof M['Row']], null>
      : EmbedValue<M, Key, Value>;

/** A shape's keys that name something in the row: neither spread, nor embedded only to filter by. */
type OwnKey<S> = {
  [K in keyof S & string]: K extends `...${string}`
    ? never
    : S[K] extends string
      ? K
      : keyof EmbedShape<S[K]> extends never
        ? never
        : K;
}[keyof S & string];

type SpreadOf<M extends Model, Key extends string, Value> =
  EmbedOf<M, EmbedKey<Key, Value>, HintOf<Value>> extends infer E extends {
    model: Model;
    many: boolean;
    nullable: boolean;
  }
    ? RowOf<E['model'], EmbedShape<Value>> extends infer R
      ? { [K in keyof R]: E['many'] extends true ? R[K][] : R[K] | MaybeNull<E, Value> }
      : never
    : never;

type SpreadRow<M extends Model, S> = [Extract<keyof S, `...${string}`>] extends [never]
  ? unknown
  : UnionToIntersection<
      {
        [K in keyof S & `...${string}`]: K extends `...${infer Key}` ? SpreadOf<M, Key, S[K]> : never;
      }[keyof S & `...${string}`]
    >;

type UnionToIntersection<U> = (U extends unknown ? (value: U) => void : never) extends (
  value: infer I,
) => void
  ? I
  : never;

/** The row that a select yields. */
export type RowOf<M extends Model, S> = S extends '*'
  ? M['Row']
  : S extends string
    ? string extends S
      ? Record<string, unknown>
      : Flat<ListRow<M['Row'], S>>
    : S extends Shaped<infer Inner>
      ? RowOf<M, Inner>
      : S extends RawSelect<infer Row>
        ? Row
        : Flat<{ -readonly [K in OwnKey<S>]: ShapeValue<M, K, S[K]> } & SpreadRow<M, S>>;

type BadKey<T> = { [K in keyof T & string]: [T[K]] extends [never] ? K : never }[keyof T & string];

/**
 * The select itself if all that it names exists, else a text that names what does not, which no select is.
 */
export type Checked<M extends Model, S> = S extends string | Shaped
  ? [BadKey<RowOf<M, S>>] extends [never]
    ? S
    : `No such column or relation: ${BadKey<RowOf<M, S>>}`
  : S;
