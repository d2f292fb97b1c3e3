/**
 * The types that a query is checked against. A model is one table, view or set of rows: either looked up in the
 * `Database` type that `supabase gen types typescript` prints, or spelled out by a table definition.
 */
export interface Model {
  /** The columns of a row that is read, by name. */
  readonly Row: object;
  /** The values that an insert accepts. */
  readonly Insert: unknown;
  /** The values that an update accepts. */
  readonly Update: unknown;
  /** Relations spelled out by a table definition. */
  readonly Embeds?: Readonly<Record<string, EmbedTarget>>;
  /** The type of the database in which relations are looked up otherwise. */
  readonly Database?: unknown;
  /** The name of the schema there. */
  readonly SchemaName?: unknown;
  /** The table's name in that schema. */
  readonly Name?: string;
}

/** The rows that a relation embeds. */
export interface EmbedTarget {
  readonly model: Model;
  /** Whether they are a list. */
  readonly many: boolean;
  /** Whether one related row may be missing. */
  readonly nullable: boolean;
}

/** The `Database` of a client without one: any schema, table and function, of unknown values. */
export interface UnknownDatabase {
  /** The default schema. */
  readonly public: UnknownSchema;
  readonly [schema: string]: UnknownSchema;
}

interface UnknownSchema {
  Tables: Record<string, UnknownTable>;
  Views: { [_ in never]: never };
  Functions: Record<string, { Args: Record<string, unknown>; Returns: unknown }>;
}

interface UnknownTable {
  Row: Record<string, unknown>;
  Insert: Record<string, unknown>;
  Update: Record<string, unknown>;
  Relationships: [];
}

/** The schemas of a `Database` type. */
export type SchemaName<Database> = Exclude<keyof Database, '__InternalSupabase'> & string;

/** The tables, views or functions of a schema; none if it has no such part. */
export type Part<Schema, K extends 'Tables' | 'Views' | 'Functions'> = Schema extends { [P in K]: infer T }
  ? T
  : never;

type RelationName<Schema> = (keyof Part<Schema, 'Tables'> | keyof Part<Schema, 'Views'>) & string;

type Relation<Schema, Name> = Name extends keyof Part<Schema, 'Tables'>
  ? Part<Schema, 'Tables'>[Name]
  : Name extends keyof Part<Schema, 'Views'>
    ? Part<Schema, 'Views'>[Name]
    : never;

type RowIn<R> = R extends { Row: infer Row extends object } ? Row : never;

type Writable<View, Name> = View extends { Insert: unknown }
  ? View
  : View & { Insert: NotWritable<Name>; Update: NotWritable<Name> };

/** The tables and views of a schema; what a view does not accept is a problem type. */
type Relations<Schema> = PartOrNone<Schema, 'Tables'> & {
  [Name in keyof PartOrNone<Schema, 'Views'>]: Writable<PartOrNone<Schema, 'Views'>[Name], Name>;
};

type PartOrNone<Schema, K extends 'Tables' | 'Views'> = Schema extends { [P in K]: infer T } ? T : {};

/** A member by its index, without a condition: for the tables of a type parameter the compiler then compares it with the same member of `Database`. */
type Member<R, K extends string> = (R & { [P in K]: unknown })[K];
type Named<Schema, Name> = Relations<Schema>[Name & keyof Relations<Schema>];

/** The model of a table or view by its name. An editor shows these names in place of the schema's whole type. */
export interface DatabaseModel<Database, S extends keyof Database, Name extends string> extends Model {
  readonly Row: RowIn<Relation<Database[S], Name>>;
  readonly Insert: Member<Named<Database[S], Name>, 'Insert'>;
  readonly Update: Member<Named<Database[S], Name>, 'Update'>;
  readonly Database: Database;
  readonly SchemaName: S;
  readonly Name: Name;
}

/** Represents a view that accepts no rows in a compiler's message. No value has this type. */
export interface NotWritable<Name> {
  readonly view: Name;
  /** No value has this member. */
  readonly problem: unique symbol;
}

export interface FunctionModel<Database, S extends keyof Database, F, Row extends object> extends Model {
  readonly Row: Row;
  readonly Insert: never;
  readonly Update: never;
  readonly Database: Database;
  readonly SchemaName: S;
  readonly Name: FunctionOf<Database[S], F> extends { SetofOptions: { to: infer Table extends string } }
    ? Table
    : '';
}

export type Scalar = string | number | bigint | boolean | null | undefined;

/** Values that JSON also carries to a column of text or of numbers: a date as ISO 8601, a bigint as its digits. */
export type Encodable<T> =
  | (string extends NonNullable<T> ? Date : never)
  | (number extends NonNullable<T> ? bigint : never);

type EncodableColumn<T> = [T] extends [Scalar]
  ? Encodable<T>
  : T extends readonly (infer Item)[]
    ? readonly ([Item] extends [Scalar] ? Item | Encodable<Item> : Item)[]
    : never;

/** The values of a write, also dates and bigints, and undefined for a column that may be left out, which JSON leaves out. */
export type Written<Columns> = {
  [K in keyof Columns]:
    | Columns[K]
    | EncodableColumn<Columns[K]>
    | ({} extends Pick<Columns, K> ? undefined : never);
};

interface Relationship {
  foreignKeyName: string;
  columns: string[];
  isOneToOne?: boolean;
  referencedRelation: string;
  referencedColumns: string[];
}

type RelationshipOf<Schema, Name> =
  Relation<Schema, Name> extends { Relationships: readonly (infer R extends Relationship)[] } ? R : never;

/** The relationships that a hint names, by constraint or by column; all of them without a hint. */
type Hinted<R, Hint> = string extends Hint
  ? R
  : R extends { foreignKeyName: Hint } | { columns: [Hint] }
    ? R
    : never;

/**
 * The foreign key of `Name` that embeds `Key`: named by the other table, by itself, or by its one column. A hint that leads
 * to the table itself means the other direction.
 */
type Outgoing<Schema, Name, Key, Hint> =
  RelationshipOf<Schema, Name> extends infer R
    ? R extends { referencedRelation: Key } | { foreignKeyName: Key } | { columns: [Key] }
      ? Key extends Name
        ? string extends Hint
          ? R
          : never
        : Hinted<R, Hint>
      : never
    : never;

type Incoming<Schema, Name, Key, Hint> =
  RelationshipOf<Schema, Key> extends infer R
    ? R extends { referencedRelation: Name }
      ? Hinted<R, Hint>
      : never
    : never;

/** Whether a column of the foreign key is nullable; `boolean` if that holds for some of several keys. */
type IsNullable<Schema, Name, R> = R extends { columns: (infer C)[] }
  ? Relation<Schema, Name> extends { Row: infer Row }
    ? null extends Row[C & keyof Row]
      ? true
      : false
    : true
  : true;

type LookUp<
  Database,
  S extends keyof Database,
  Name extends string,
  Key extends string,
  Hint extends string,
> = [Outgoing<Database[S], Name, Key, Hint>] extends [never]
  ? [Incoming<Database[S], Name, Key, Hint>] extends [never]
    ? // A many-to-many relation goes through a table that the name does not tell; the server knows.
      Key extends RelationName<Database[S]>
      ? { model: DatabaseModel<Database, S, Key>; many: true; nullable: false }
      : never
    : {
        model: DatabaseModel<Database, S, Key>;
        many: Incoming<Database[S], Name, Key, Hint> extends { isOneToOne: true } ? false : true;
        nullable: true;
      }
  : Outgoing<Database[S], Name, Key, Hint> extends { referencedRelation: infer Target extends string }
    ? {
        model: DatabaseModel<Database, S, Target>;
        many: false;
        nullable: IsNullable<Database[S], Name, Outgoing<Database[S], Name, Key, Hint>>;
      }
    : never;

/** The rows that `Key` embeds into rows of `M`; never if there is no such relation. */
export type EmbedOf<M extends Model, Key extends string, Hint extends string = string> = M extends {
  Embeds: infer E;
}
  ? Key extends keyof E
    ? E[Key] & EmbedTarget
    : never
  : M extends { Database: infer D; SchemaName: infer S; Name: infer Name extends string }
    ? LookUp<D, S & keyof D, Name, Key, Hint>
    : never;

type ReferencedBy<Schema, Name> =
  RelationshipOf<Schema, Name> extends { referencedRelation: infer Target extends string } ? Target : never;

/** The names that embed rows into rows of `M`, for a compiler's message. */
export type RelationsOf<M extends Model> = M extends { Embeds: infer E }
  ? keyof E & string
  : M extends { Database: infer D; SchemaName: infer S; Name: infer Name extends string }
    ? D[S & keyof D] extends infer Schema
      ?
          | ReferencedBy<Schema, Name>
          | {
              [K in RelationName<Schema>]: Name extends ReferencedBy<Schema, K> ? K : never;
            }[RelationName<Schema>]
      : never
    : never;

type FunctionOf<Schema, Name> = Name extends keyof Part<Schema, 'Functions'>
  ? Part<Schema, 'Functions'>[Name]
  : never;

type NoArgs = Record<PropertyKey, never> | undefined;

/** The arguments of a function; overloads are alternatives. */
export type ArgsOf<Schema, Name> =
  FunctionOf<Schema, Name> extends infer F
    ? F extends { Args: infer A }
      ? [A] extends [never]
        ? NoArgs
        : [A] extends [Record<PropertyKey, never>]
          ? NoArgs
          : A
      : never
    : never;

/** What a function returns for arguments of this type. */
export type ReturnsOf<Schema, Name, Args> =
  FunctionOf<Schema, Name> extends infer F
    ? F extends { Args: infer A; Returns: infer R }
      ? [A] extends [never]
        ? R
        : [Args] extends [A | undefined]
          ? R
          : never
      : never
    : never;
