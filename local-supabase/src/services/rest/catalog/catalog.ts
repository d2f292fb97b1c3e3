/** The name of a relation or function with its schema; an empty schema means the search path. */
export interface QualifiedName {
  readonly schema: string;
  readonly name: string;
}

export interface Column {
  readonly name: string;
  readonly description: string | null;
  readonly isNullable: boolean;
  /** The type; for a domain, its base type. */
  readonly baseType: string;
  /** The type as declared. */
  readonly type: string;
  readonly maxLength: number | null;
  /** An SQL expression. */
  readonly default: string | null;
  readonly enumValues: readonly string[];
}

export interface Table extends QualifiedName {
  readonly description: string | null;
  readonly isView: boolean;
  readonly isInsertable: boolean;
  readonly isUpdatable: boolean;
  readonly isDeletable: boolean;
  readonly primaryKey: readonly string[];
  readonly columns: readonly Column[];
}

/** Pairs of columns: one of the relation itself, one of the other relation. */
export type ColumnPairs = readonly (readonly [string, string])[];

export interface Junction {
  readonly table: QualifiedName;
  readonly sourceConstraint: string;
  readonly targetConstraint: string;
  /** Pairs of source and junction columns. */
  readonly sourceColumns: ColumnPairs;
  /** Pairs of target and junction columns. */
  readonly targetColumns: ColumnPairs;
}

export type Cardinality =
  | {
      readonly type: 'one-to-many' | 'many-to-one';
      readonly constraint: string;
      readonly columns: ColumnPairs;
    }
  | {
      readonly type: 'one-to-one';
      readonly constraint: string;
      readonly columns: ColumnPairs;
      /** Whether the other side has the foreign key. */
      readonly isParent: boolean;
    }
  | { readonly type: 'many-to-many'; readonly junction: Junction };

export interface KeyRelationship {
  readonly type: 'key';
  readonly table: QualifiedName;
  readonly foreignTable: QualifiedName;
  readonly isSelf: boolean;
  readonly cardinality: Cardinality;
  readonly isTableView: boolean;
  readonly isForeignTableView: boolean;
}

/** A relationship that a function defines, from rows of one relation to rows of another. */
export interface ComputedRelationship {
  readonly type: 'computed';
  readonly function: QualifiedName;
  readonly table: QualifiedName;
  readonly foreignTable: QualifiedName;
  readonly isToOne: boolean;
  readonly isSelf: boolean;
}

export type Relationship = KeyRelationship | ComputedRelationship;

export interface Parameter {
  readonly name: string;
  readonly type: string;
  /** The type without a length, which would truncate values. */
  readonly unlimitedType: string;
  readonly isRequired: boolean;
  readonly isVariadic: boolean;
}

export interface Routine extends QualifiedName {
  readonly description: string | null;
  readonly parameters: readonly Parameter[];
  readonly returnType: QualifiedName;
  readonly returnsSet: boolean;
  readonly returnsComposite: boolean;
  readonly volatility: 'i' | 's' | 'v';
  readonly hasVariadic: boolean;
  readonly isolation: string | null;
  /** Settings of the function that apply to its whole transaction. */
  readonly settings: readonly (readonly [string, string])[];
}

/** An aggregate or function that produces bodies of a media type. */
export interface MediaHandler {
  readonly function: QualifiedName;
  /** The relation or function whose rows it accepts; null for any. */
  readonly target: QualifiedName | null;
  readonly mediaType: string;
  readonly resolvedMediaType: string;
}

/** The part of the database's catalog that the service has read: PostgREST's schema cache. */
export interface Catalog {
  readonly tables: ReadonlyMap<string, Table>;
  /** Relationships by the key of their relation. */
  readonly relationships: ReadonlyMap<string, readonly Relationship[]>;
  /** The relations that hints may suggest as the origin of an embedding, by the schema of their related relations. */
  readonly relatedTables: ReadonlyMap<string, readonly QualifiedName[]>;
  readonly routines: ReadonlyMap<string, readonly Routine[]>;
  /** Functions that convert between a domain and its text or JSON, by `source→target`. */
  readonly representations: ReadonlyMap<string, string>;
  readonly mediaHandlers: readonly MediaHandler[];
  /** The roles that the API may assume. */
  readonly roles: ReadonlySet<string>;
  /** Role settings, by role. */
  readonly roleSettings: ReadonlyMap<string, readonly (readonly [string, string])[]>;
}

/** The key of a name in the maps of the catalog. */
export const keyOf = ({ schema, name }: QualifiedName): string => `${schema}\0${name}`;

export const isSameName = (one: QualifiedName, other: QualifiedName): boolean =>
  one.schema === other.schema && one.name === other.name;

export function isToOne(relationship: Relationship): boolean {
  if (relationship.type === 'computed') return relationship.isToOne;
  const { type } = relationship.cardinality;
  return type === 'many-to-one' || type === 'one-to-one';
}

export const returnsScalar = ({ returnsSet, returnsComposite }: Routine): boolean =>
  !returnsSet && !returnsComposite;
export const returnsSetOfScalars = ({ returnsSet, returnsComposite }: Routine): boolean =>
  returnsSet && !returnsComposite;
export const returnsSingleComposite = ({ returnsSet, returnsComposite }: Routine): boolean =>
  !returnsSet && returnsComposite;
export const returnsVoid = (routine: Routine): boolean =>
  returnsScalar(routine) && routine.returnType.schema === 'pg_catalog' && routine.returnType.name === 'void';
