import type { ComputedRelationship, KeyRelationship, QualifiedName } from '../catalog/catalog.ts';
import type { Aggregate, JoinType, JsonStep, OperatorExpression, OrderTerm } from '../grammar/syntax.ts';
import type { RowRange } from '../request/row-range.ts';

/** A column with its catalog data. PostgreSQL reports unknown columns. */
export interface PlannedField {
  readonly name: string;
  readonly path: readonly JsonStep[];
  /** Whether the value must be converted to JSON for the path. */
  readonly toJson: boolean;
  /** The conversion for a text search and its configuration; undefined if none is needed. */
  readonly textSearch: { readonly language: string | undefined } | undefined;
  /** The declared type; empty if unknown. */
  readonly type: string;
  /** The function that converts the domain's values. */
  readonly transform: string | undefined;
  readonly default: string | null;
  /** Whether it represents the whole row instead of a column, for counting. */
  readonly isWholeRow: boolean;
}

export interface PlannedSelect {
  readonly field: PlannedField;
  readonly aggregate: Aggregate | undefined;
  readonly aggregateCast: string | undefined;
  readonly cast: string | undefined;
  readonly alias: string | undefined;
}

export type PlannedFilter =
  | { readonly type: 'filter'; readonly field: PlannedField; readonly expression: OperatorExpression }
  /** Whether an embedded relation has rows. */
  | { readonly type: 'embed-is-null'; readonly isNegated: boolean; readonly aggregateAlias: string };

export type PlannedLogic =
  | PlannedFilter
  | {
      readonly type: 'branch';
      readonly isNegated: boolean;
      readonly operator: 'and' | 'or';
      readonly operands: readonly PlannedLogic[];
    };

export interface PlannedOrder extends Pick<OrderTerm, 'direction' | 'nulls'> {
  /** The alias of the embedded relation to order by. */
  readonly relation: string | undefined;
  readonly field: PlannedField;
}

export interface SpreadField {
  readonly name: string;
  readonly aggregate: Aggregate | undefined;
  readonly aggregateCast: string | undefined;
  readonly alias: string | undefined;
}

/** The columns that an embedded relation adds to its parent. */
export type RelationSelect =
  | {
      readonly type: 'json';
      readonly name: string;
      readonly aggregateAlias: string;
      readonly isArray: boolean;
      readonly isEmpty: boolean;
    }
  | { readonly type: 'spread'; readonly fields: readonly SpreadField[]; readonly aggregateAlias: string };

export type Spread =
  | { readonly type: 'to-one' }
  | {
      readonly type: 'to-many';
      /** Columns that are only used for ordering, with their relation if it is another one. */
      readonly extraSelect: readonly {
        readonly relation: string | undefined;
        readonly select: PlannedSelect;
      }[];
      readonly order: readonly PlannedOrder[];
    };

export interface JoinCondition {
  readonly left: readonly [QualifiedName, string];
  readonly right: readonly [QualifiedName, string];
}

/** A relationship in a plan: a computed one needs its parent's alias. */
export type PlannedRelationship =
  | KeyRelationship
  | (ComputedRelationship & { readonly parentAlias: QualifiedName });

/** A relation of a request with its embedded relations. The planning steps fill it in. */
export interface ReadNode {
  select: readonly PlannedSelect[];
  from: QualifiedName;
  fromAlias: string | undefined;
  where: readonly PlannedLogic[];
  order: readonly PlannedOrder[];
  range: RowRange;
  readonly name: string;
  readonly alias: string | undefined;
  /** Whether a parameter refers to the relation by name although it has an alias. */
  isNamedByTarget: boolean;
  readonly hint: string | undefined;
  readonly join: JoinType | undefined;
  spread: Spread | undefined;
  relationship: PlannedRelationship | undefined;
  joinConditions: readonly JoinCondition[];
  /** The alias of the joined subquery in the parent's query. */
  aggregateAlias: string;
  relationSelect: readonly RelationSelect[];
  readonly depth: number;
  children: ReadNode[];
}

/** The name of the common table expression with the rows of a write or call. */
export const SOURCE = 'pgrst_source';

export const unknownField = (name: string, path: readonly JsonStep[] = []): PlannedField => ({
  name,
  path,
  toJson: false,
  textSearch: undefined,
  type: '',
  transform: undefined,
  default: null,
  isWholeRow: false,
});

/** The name by which a request refers to an embedded relation. */
export const shownName = ({ alias, name }: ReadNode): string => alias ?? name;
