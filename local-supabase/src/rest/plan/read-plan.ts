import type { ComputedRelationship, KeyRelationship, QualifiedName } from '../catalog/catalog.ts';
import type { Aggregate, JoinType, JsonStep, OperatorExpression, OrderTerm } from '../grammar/syntax.ts';
import type { RowRange } from '../request/row-range.ts';

/** A column with what the catalog has about it. An unknown column is left to PostgreSQL. */
export interface PlannedField {
  readonly name: string;
  readonly path: readonly JsonStep[];
  /** Whether a JSON path needs the value converted to JSON first. */
  readonly toJson: boolean;
  /** Whether a text search needs the value converted, and by which configuration. */
  readonly textSearch: { readonly language: string | undefined } | undefined;
  /** The declared type; empty where unknown. */
  readonly type: string;
  /** The function that converts a value of a domain. */
  readonly transform: string | undefined;
  readonly default: string | null;
  /** The whole row in place of a column, for counting. */
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
  | { readonly kind: 'filter'; readonly field: PlannedField; readonly expression: OperatorExpression }
  /** Whether an embedded relation has rows. */
  | { readonly kind: 'embed-is-null'; readonly isNegated: boolean; readonly aggregateAlias: string };

export type PlannedLogic =
  | PlannedFilter
  | {
      readonly kind: 'branch';
      readonly isNegated: boolean;
      readonly operator: 'and' | 'or';
      readonly operands: readonly PlannedLogic[];
    };

export interface PlannedOrder extends Pick<OrderTerm, 'direction' | 'nulls'> {
  /** The alias of the embedded relation whose column orders. */
  readonly relation: string | undefined;
  readonly field: PlannedField;
}

export interface SpreadField {
  readonly name: string;
  readonly aggregate: Aggregate | undefined;
  readonly aggregateCast: string | undefined;
  readonly alias: string | undefined;
}

/** What an embedded relation adds to the columns of its parent. */
export type RelationSelect =
  | {
      readonly kind: 'json';
      readonly name: string;
      readonly aggregateAlias: string;
      readonly isArray: boolean;
      readonly isEmpty: boolean;
    }
  | { readonly kind: 'spread'; readonly fields: readonly SpreadField[]; readonly aggregateAlias: string };

export type Spread =
  | { readonly kind: 'to-one' }
  | {
      readonly kind: 'to-many';
      /** Columns that only order the rows; with the relation that they belong to, if it is not this one. */
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

/** A relationship as it is used: one by a function needs the alias of its parent. */
export type PlannedRelationship =
  | KeyRelationship
  | (ComputedRelationship & { readonly parentAlias: QualifiedName });

/** One relation of a request with those that are embedded in it. The steps of planning fill it in. */
export interface ReadNode {
  select: readonly PlannedSelect[];
  from: QualifiedName;
  fromAlias: string | undefined;
  where: readonly PlannedLogic[];
  order: readonly PlannedOrder[];
  range: RowRange;
  readonly name: string;
  readonly alias: string | undefined;
  /** Whether a parameter names the relation although it has an alias. */
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

/** The name of the common table expression that holds the rows of a write or call. */
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
