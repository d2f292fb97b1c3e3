import type { Cast, ColumnValue, Item, Trim, Unquote } from '../types/column.ts';
import type { EmbedOf, EmbedTarget, Model, RelationsOf, Scalar } from '../types/model.ts';
import type { NoSuchColumn, NoSuchRelation, ProblemIn, UnclosedParenthesis } from '../types/problem.ts';
import type { ColumnsOf } from './filter-methods.ts';
import type { ColumnPath, RelatedColumn } from './quoting.ts';
import type { RawSelect } from './select.ts';
import type { Embed, Shaped } from './shape.ts';

type Flat<T> = { [K in keyof T]: T[K] } & {};

type ListRow<Row, List extends string, Done = unknown> = List extends `${infer First},${infer Rest}`
  ? ListRow<Row, Rest, Done & Item<Row, Trim<First>>>
  : Done & Item<Row, Trim<List>>;

/** The row that a select with related rows yields. */
type TextRow<
  M extends Model,
  Text extends string,
  Done = unknown,
> = Text extends `${infer First},${infer Rest}`
  ? First extends `${string}(${string}`
    ? TextRowFrom<M, Text, Done>
    : TextRow<M, Rest, Done & Item<M['Row'], Trim<First>>>
  : Text extends `${string}(${string}`
    ? TextRowFrom<M, Text, Done>
    : Done & Item<M['Row'], Trim<Text>>;

/** As `TextRow`, for a text whose first item has parentheses. */
type TextRowFrom<M extends Model, Text extends string, Done> = Text extends `${infer Head}(${infer Rest}`
  ? Inside<Rest> extends [infer In extends string, infer After extends string]
    ? After extends `${infer Cast},${infer More}`
      ? TextRow<M, More, Done & Group<M, Trim<Head>, Trim<In>, Trim<Cast>>>
      : Done & Group<M, Trim<Head>, Trim<In>, Trim<After>>
    : { [K in Trim<Head>]: UnclosedParenthesis<`${Trim<Head>}(`> }
  : never;

/** Splits a text behind an opening parenthesis at the one that closes it; null if none does. */
type Inside<
  Text extends string,
  Done extends string = '',
  Depth extends 0[] = [],
> = Text extends `${infer First})${infer Rest}`
  ? Opened<First, Depth> extends [0, ...infer Outer extends 0[]]
    ? Inside<Rest, `${Done}${First})`, Outer>
    : [`${Done}${First}`, Rest]
  : null;

type Opened<Text extends string, Depth extends 0[]> = Text extends `${string}(${infer Rest}`
  ? Opened<Rest, [0, ...Depth]>
  : Depth;

type AggregateName = 'sum' | 'avg' | 'min' | 'max';

/** `head(inside)after`: related rows, related rows that are spread, or an aggregate. */
type Group<
  M extends Model,
  Head extends string,
  In extends string,
  After extends string,
> = Head extends `...${infer Path}`
  ? SpreadRows<
      EmbedOf<M, Path extends `${infer R}!${string}` ? Trim<R> : Trim<Path>, HintIn<Path>>,
      M,
      Path,
      In
    >
  : Head extends `${infer Alias}:${infer Path}`
    ? GroupValue<M, Trim<Alias>, Trim<Path>, In, After>
    : GroupValue<M, Head extends `${infer R}!${string}` ? Trim<R> : Head, Head, In, After>;

type GroupValue<
  M extends Model,
  Key extends string,
  Path extends string,
  In extends string,
  After extends string,
> = In extends ''
  ? Path extends 'count' | `${string}.count`
    ? { [K in Path extends Key ? 'count' : Key]: AggregateValue<number, After> }
    : Path extends `${string}.${AggregateName}`
      ? {
          [K in Path extends Key ? (Path extends `${string}.${infer A}` ? A : never) : Key]: AggregateValue<
            number | null,
            After
          >;
        }
      : unknown
  : {
      [K in Unquote<Key>]: TextEmbed<
        M,
        Unquote<Path extends `${infer R}!${string}` ? Trim<R> : Path>,
        HintIn<Path>,
        Path extends `${string}!inner` ? true : false,
        In
      >;
    };

type AggregateValue<T, After extends string> = After extends `::${infer Type}` ? Cast<Type, T> : T;

/** The foreign key that a path such as `people!owner_id!inner` names; string if it names none. */
type HintIn<Path extends string> = Path extends `${string}!${infer Modifiers}`
  ? Modifiers extends 'inner' | 'left'
    ? string
    : Modifiers extends `${infer Hint}!${string}`
      ? Hint
      : Modifiers
  : string;

type TextEmbed<
  M extends Model,
  Relation extends string,
  Hint extends string,
  Inner extends boolean,
  In extends string,
> =
  EmbedOf<M, Relation, Hint> extends infer E
    ? [E] extends [never]
      ? NoSuchRelation<Relation, RelationsOf<M>>
      : E extends EmbedTarget
        ? EmbeddedRows<TextOf<E['model'], In>, E, Inner, false>
        : never
    : never;

type SpreadRows<E, M extends Model, Path extends string, In extends string> = [E] extends [never]
  ? { [K in Path]: NoSuchRelation<Path, RelationsOf<M>> }
  : E extends EmbedTarget
    ? SpreadValues<TextOf<E['model'], In>, E, Path extends `${string}!inner` ? true : false, false>
    : never;

/** The columns of related rows as columns of the row: lists of a to-many relation. */
type SpreadValues<Row, E extends EmbedTarget, Inner extends boolean, Filtered extends boolean> = {
  [K in keyof Row]: E['many'] extends true ? Row[K][] : Row[K] | MaybeNull<E, Inner, Filtered>;
};

/** The related rows of one row; a problem if their select has one. */
type EmbeddedRows<Row, E extends EmbedTarget, Inner extends boolean, Filtered extends boolean> = [
  ProblemIn<Row>,
] extends [never]
  ? Many<Row, E> | MaybeNull<E, Inner, Filtered>
  : ProblemIn<Row>;

type Many<T, E> = E extends { many: true } ? T[] : T;

/** A to-one relation may be null, unless an inner join leaves out the rows without it. */
type MaybeNull<E extends EmbedTarget, Inner extends boolean, Filtered extends boolean> = Inner extends true
  ? never
  : E['many'] extends false
    ? true extends E['nullable'] | Filtered
      ? null
      : never
    : never;

type EmbedKey<Key extends string, Value> =
  Value extends Embed<unknown, boolean, infer R> ? (string extends R ? Key : R) : Key;
type EmbedShape<Value> = Value extends Embed<infer S> ? S : Value;
type IsInner<Value> = Value extends Embed<unknown, infer Inner> ? Inner : false;
type HintOf<Value> = Value extends Embed<unknown, boolean, string, infer Hint> ? Hint : string;
/** Whether conditions may filter out the related row of a to-one relation. */
type IsFiltered<Value> =
  Value extends Embed<unknown, boolean, string, string, infer Filtered> ? Filtered : false;

type EmbedValue<M extends Model, Key extends string, Value> =
  EmbedOf<M, EmbedKey<Key, Value>, HintOf<Value>> extends infer E
    ? [E] extends [never]
      ? NoSuchRelation<EmbedKey<Key, Value>, RelationsOf<M>>
      : E extends EmbedTarget
        ? EmbeddedRows<RowOf<E['model'], EmbedShape<Value>>, E, IsInner<Value>, IsFiltered<Value>>
        : never
    : never;

type ShapeValue<M extends Model, Key extends string, Value> = Value extends true
  ? Key extends keyof M['Row']
    ? M['Row'][Key]
    : NoSuchColumn<Key, keyof M['Row'] & string>
  : Value extends string
    ? ColumnValue<M['Row'], Value>
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
  EmbedOf<M, EmbedKey<Key, Value>, HintOf<Value>> extends infer E
    ? [E] extends [never]
      ? { [K in Key]: NoSuchRelation<EmbedKey<Key, Value>, RelationsOf<M>> }
      : E extends EmbedTarget
        ? SpreadValues<RowOf<E['model'], EmbedShape<Value>>, E, IsInner<Value>, IsFiltered<Value>>
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

type TextOf<M extends Model, Text extends string> = Text extends '*'
  ? M['Row']
  : string extends Text
    ? Record<string, unknown>
    : Text extends `${string}(${string}`
      ? Flat<TextRow<M, Text>>
      : [CountOf<M['Row'], Trim<Text>>] extends [never]
        ? Flat<ListRow<M['Row'], Text>>
        : CountOf<M['Row'], Trim<Text>>;

/** The row of `count` alone: PostgreSQL reads `t.count` as `count(t)`, which needs no aggregates of the server. */
type CountOf<Row, Text extends string> = 'count' extends keyof Row
  ? never
  : Text extends 'count'
    ? { count: number }
    : Text extends `${infer Alias}:count`
      ? Alias extends `${string},${string}`
        ? never
        : { [K in Unquote<Trim<Alias>>]: number }
      : never;

type ToOneColumns<E, R extends string> = E extends { model: infer M extends Model; many: false }
  ? RelatedColumn<R, Extract<ColumnsOf<M['Row']>['name'], string>>
  : never;

/** The columns by which rows are ordered that are in a related row: of a relation by its name, or of the alias in the select. */
export type RelatedColumns<M extends Model, Item> = string extends keyof M['Row']
  ? RelatedColumn
  :
      | { [R in RelationsOf<M>]: ToOneColumns<EmbedOf<M, R>, R> }[RelationsOf<M>]
      | {
          [K in keyof Item & string]: Item[K] extends readonly unknown[] | Scalar
            ? never
            : K extends RelationsOf<M>
              ? never
              : [M['Row'][K & keyof M['Row']]] extends [Item[K]]
                ? K extends keyof M['Row']
                  ? never
                  : RelatedColumn<K>
                : RelatedColumn<K>;
        }[keyof Item & string];

/** The row that a select yields. */
export type RowOf<M extends Model, S> = S extends string
  ? TextOf<M, S>
  : S extends Shaped<infer Inner>
    ? RowOf<M, Inner>
    : S extends RawSelect<infer Row>
      ? Row
      : Flat<{ -readonly [K in OwnKey<S>]: ShapeValue<M, K, S[K]> } & SpreadRow<M, S>>;

/** The select itself if every name in it exists, else a problem type, which no select matches. */
export type Checked<M extends Model, S> = S extends string | Shaped
  ? [ProblemIn<RowOf<M, S>>] extends [never]
    ? S
    : ProblemIn<RowOf<M, S>>
  : S;
