/** `->key`, `->>key`, `->1`. An index keeps its sign, as in `+1`. */
export interface JsonStep {
  readonly asText: boolean;
  readonly operand: { readonly type: 'key' | 'index'; readonly value: string };
}

/** A column, or a path within its JSON. */
export interface Field {
  readonly name: string;
  readonly path: readonly JsonStep[];
}

export type Aggregate = 'sum' | 'avg' | 'count' | 'max' | 'min';
export type JoinType = 'inner' | 'left';

export interface SelectedField {
  readonly type: 'field';
  readonly field: Field;
  readonly alias?: string | undefined;
  readonly cast?: string | undefined;
  readonly aggregate?: Aggregate | undefined;
  readonly aggregateCast?: string | undefined;
}

/** `alias:relation!hint!inner(…)`, or `...relation(…)` when spread. */
export interface SelectedRelation {
  readonly type: 'relation';
  readonly isSpread: boolean;
  readonly name: string;
  readonly alias?: string | undefined;
  readonly hint?: string | undefined;
  readonly join?: JoinType | undefined;
  readonly items: readonly SelectItem[];
}

export type SelectItem = SelectedField | SelectedRelation;

export type QuantifiableOperator = 'eq' | 'gte' | 'gt' | 'lte' | 'lt' | 'like' | 'ilike' | 'match' | 'imatch';
export type PlainOperator = 'neq' | 'cs' | 'cd' | 'ov' | 'sl' | 'sr' | 'nxr' | 'nxl' | 'adj';
export type TextSearchOperator = 'fts' | 'plfts' | 'phfts' | 'wfts';
export type IsValue = 'null' | 'not_null' | 'true' | 'false' | 'unknown';

export type Operation =
  | { readonly type: 'plain'; readonly operator: PlainOperator; readonly value: string }
  | {
      readonly type: 'quantifiable';
      readonly operator: QuantifiableOperator;
      readonly quantifier: 'any' | 'all' | undefined;
      readonly value: string;
    }
  | { readonly type: 'in'; readonly values: readonly string[] }
  | { readonly type: 'is'; readonly value: IsValue }
  | { readonly type: 'isdistinct'; readonly value: string }
  | {
      readonly type: 'text-search';
      readonly operator: TextSearchOperator;
      readonly language: string | undefined;
      readonly value: string;
    };

export interface OperatorExpression {
  readonly isNegated: boolean;
  readonly operation: Operation;
}

export interface Filter {
  readonly type: 'filter';
  readonly field: Field;
  readonly expression: OperatorExpression;
}

export interface LogicBranch {
  readonly type: 'branch';
  readonly isNegated: boolean;
  readonly operator: 'and' | 'or';
  readonly operands: readonly LogicTree[];
}

export type LogicTree = Filter | LogicBranch;

export interface OrderTerm {
  /** The embedded relation to order by, for `relation(column)`. */
  readonly relation: string | undefined;
  readonly field: Field;
  readonly direction: 'asc' | 'desc' | undefined;
  readonly nulls: 'nullsfirst' | 'nullslast' | undefined;
}

/** The names of the embedded relations on the path to a parameter's relation; empty at the top level. */
export type EmbedPath = readonly string[];
