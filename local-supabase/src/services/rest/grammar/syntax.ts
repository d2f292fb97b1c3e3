/** `->key`, `->>key`, `->1`. An index keeps its sign, as in `+1`. */
export interface JsonStep {
  readonly asText: boolean;
  readonly operand: { readonly kind: 'key' | 'index'; readonly value: string };
}

/** A column, or a path within its JSON. */
export interface Field {
  readonly name: string;
  readonly path: readonly JsonStep[];
}

export type Aggregate = 'sum' | 'avg' | 'count' | 'max' | 'min';
export type JoinType = 'inner' | 'left';

export interface SelectedField {
  readonly kind: 'field';
  readonly field: Field;
  readonly alias?: string | undefined;
  readonly cast?: string | undefined;
  readonly aggregate?: Aggregate | undefined;
  readonly aggregateCast?: string | undefined;
}

/** `alias:relation!hint!inner(…)`, or `...relation(…)` when spread. */
export interface SelectedRelation {
  readonly kind: 'relation';
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
  | { readonly kind: 'plain'; readonly operator: PlainOperator; readonly value: string }
  | {
      readonly kind: 'quantifiable';
      readonly operator: QuantifiableOperator;
      readonly quantifier: 'any' | 'all' | undefined;
      readonly value: string;
    }
  | { readonly kind: 'in'; readonly values: readonly string[] }
  | { readonly kind: 'is'; readonly value: IsValue }
  | { readonly kind: 'isdistinct'; readonly value: string }
  | {
      readonly kind: 'text-search';
      readonly operator: TextSearchOperator;
      readonly language: string | undefined;
      readonly value: string;
    };

export interface OperatorExpression {
  readonly isNegated: boolean;
  readonly operation: Operation;
}

export interface Filter {
  readonly kind: 'filter';
  readonly field: Field;
  readonly expression: OperatorExpression;
}

export interface LogicBranch {
  readonly kind: 'branch';
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
