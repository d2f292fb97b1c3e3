/**
 * Types that a compiler's message shows instead of an invalid query: `NoSuchColumn<"titel", "id" | "title">` contains the
 * wrong name, then the alternatives. No value has such a type.
 */
export interface SelectProblem {
  /** No value has this member. */
  readonly problem: unique symbol;
}

/** `Name` is not a column of the rows; `Columns` are. */
export interface NoSuchColumn<Name, Columns> extends SelectProblem {
  readonly name: Name;
  readonly columns: Columns;
}

/** `Name` embeds nothing into the rows; `Relations` do. */
export interface NoSuchRelation<Name, Relations> extends SelectProblem {
  readonly name: Name;
  readonly relations: Relations;
}

/** The column cannot be compared with this value: its own values are of `Type`. */
export interface NotComparable<Column, Value, Type> extends SelectProblem {
  readonly column: Column;
  readonly value: Value;
  /** The type of the column's values. */
  readonly type: Type;
}

export interface UnclosedParenthesis<Part> extends SelectProblem {
  readonly part: Part;
}

/** The problems among the values of a row; never without a problem. */
export type ProblemIn<Row> = {
  [K in keyof Row]: 0 extends 1 & Row[K] ? never : Extract<Row[K], SelectProblem>;
}[keyof Row];
