import type { NoSuchColumn } from './problem.ts';

/** A JSON value, as the generated types have it. */
export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[];

/** A text without the white space around it. */
export type Trim<S extends string> = S extends ` ${infer T}` | `${infer T} ` | `\n${infer T}` | `${infer T}\n`
  ? Trim<T>
  : S;

/** The JSON type of a value after a cast to each PostgreSQL type. */
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

/** The type of a cast value; null stays null. */
export type Cast<Type extends string, T> = Type extends keyof Casts
  ? Casts[Type] | Extract<T, null>
  : unknown;

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

/** A column without its `::cast`. */
export type Uncast<Column extends string> = Column extends `${infer C}::${string}` ? C : Column;

/** The value of a column; a problem if there is no such column. */
export type ColumnValue<Row, Column extends string> = [ColumnType<Row, Column>] extends [never]
  ? NoSuchColumn<Uncast<Column>, keyof Row & string>
  : ColumnType<Row, Column>;

/** A name without its double quotes. */
export type Unquote<Name extends string> = Name extends `"${infer N}"` ? N : Name;

type Named<Row, Name extends string, Column extends string> = {
  [K in Unquote<Name>]: ColumnValue<Row, Unquote<Column>>;
};

/** The part of the row that one item of a select yields: `*`, `column`, `alias:column`, each with `::cast`. */
export type Item<Row, Text extends string> = Text extends '*'
  ? Row
  : Text extends `${infer Alias}::${infer Type}`
    ? Alias extends `${infer Name}:${infer Column}`
      ? Named<Row, Trim<Name>, `${Trim<Column>}::${Type}`>
      : Named<Row, NameOf<Alias>, Text>
    : Text extends `${infer Alias}:${infer Column}`
      ? Named<Row, Trim<Alias>, Trim<Column>>
      : Named<Row, NameOf<Uncast<Text>>, Text>;
