/** The name of a relation or function with its schema; an empty schema leaves it to the search path. */
export interface QualifiedName {
  readonly schema: string;
  readonly name: string;
}

export interface Column {
  readonly name: string;
  readonly description: string | null;
  readonly isNullable: boolean;
  /** The type with a domain's base type in its place. */
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

/** Pairs of columns: of the relation itself, and of the other one. */
export type ColumnPairs = readonly (readonly [string, string])[];

export interface Junction {
  readonly table: QualifiedName;
  readonly sourceConstraint: string;
  readonly targetConstraint: string;
  /** Columns of the source with those of the junction. */
  readonly sourceColumns: ColumnPairs;
  /** Columns of the target with those of the junction. */
  readonly targetColumns: ColumnPairs;
}

export type Cardinality =
  | {
      readonly kind: 'one-to-many' | 'many-to-one';
      readonly constraint: string;
      readonly columns: ColumnPairs;
    }
  | {
      readonly kind: 'one-to-one';
      readonly constraint: string;
      readonly columns: ColumnPairs;
      /** Whether the foreign key is on the other side. */
      readonly isParent: boolean;
    }
  | { readonly kind: 'many-to-many'; readonly junction: Junction };

/** A relationship by foreign keys. */
export interface KeyRelationship {
  readonly kind: 'key';
  readonly table: QualifiedName;
  readonly foreignTable: QualifiedName;
  readonly isSelf: boolean;
  readonly cardinality: Cardinality;
  readonly isTableView: boolean;
  readonly isForeignTableView: boolean;
}

/** A relationship by a function from rows of one relation to rows of another. */
export interface ComputedRelationship {
  readonly kind: 'computed';
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
  /** The type without a length that would cut values. */
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
  /** Settings of the function that hold for its whole transaction. */
  readonly settings: readonly (readonly [string, string])[];
}

/** An aggregate or function that makes the body of a media type. */
export interface MediaHandler {
  readonly function: QualifiedName;
  /** The relation or function whose rows it takes; null for any. */
  readonly target: QualifiedName | null;
  readonly mediaType: string;
  readonly resolvedMediaType: string;
}

/** What the service has read of the database's catalog: PostgREST's schema cache. */
export interface Catalog {
  readonly tables: ReadonlyMap<string, Table>;
  /** By the relation's key. */
  readonly relationships: ReadonlyMap<string, readonly Relationship[]>;
  /** The relations that hints may suggest as the origin of an embedding, by the schema of what they are related to. */
  readonly relatedTables: ReadonlyMap<string, readonly QualifiedName[]>;
  readonly routines: ReadonlyMap<string, readonly Routine[]>;
  /** Functions that convert between a domain and its text or JSON, by `source→target`. */
  readonly representations: ReadonlyMap<string, string>;
  readonly mediaHandlers: readonly MediaHandler[];
  readonly timezones: ReadonlySet<string>;
  /** The roles that the API may take. */
  readonly roles: ReadonlySet<string>;
  /** Settings of the roles that the API may take, by role. */
  readonly roleSettings: ReadonlyMap<string, readonly (readonly [string, string])[]>;
}

/** The key of a name in the catalog's maps. */
export const keyOf = ({ schema, name }: QualifiedName): string => `${schema}\0${name}`;

export const isSameName = (one: QualifiedName, other: QualifiedName): boolean =>
  one.schema === other.schema && one.name === other.name;

export function isToOne(relationship: Relationship): boolean {
  if (relationship.kind === 'computed') return relationship.isToOne;
  const { kind } = relationship.cardinality;
  return kind === 'many-to-one' || kind === 'one-to-one';
}

export const returnsScalar = ({ returnsSet, returnsComposite }: Routine): boolean =>
  !returnsSet && !returnsComposite;
export const returnsSetOfScalars = ({ returnsSet, returnsComposite }: Routine): boolean =>
  returnsSet && !returnsComposite;
export const returnsSingleComposite = ({ returnsSet, returnsComposite }: Routine): boolean =>
  !returnsSet && returnsComposite;
export const returnsVoid = (routine: Routine): boolean =>
  returnsScalar(routine) && routine.returnType.schema === 'pg_catalog' && routine.returnType.name === 'void';
