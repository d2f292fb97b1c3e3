import type { SchemaName } from '../rest-client/types/model.ts';

/** What `JSON.parse` returns: an unchecked value. The vendor uses it where no `Database` describes a type. */
export type Untyped = ReturnType<JSON['parse']>;

/** Whether the compiler does not check a type. */
export type IsUntyped<T> = 0 extends 1 & T ? true : false;

interface UntypedRelation {
  Row: Record<string, Untyped>;
  Insert: Record<string, Untyped>;
  Update: Record<string, Untyped>;
  Relationships: [];
}

/** A database of any schemas, tables and functions. */
export interface UntypedDatabase {
  readonly public: UntypedSchema;
  readonly [schema: string]: UntypedSchema;
}

interface UntypedSchema {
  Tables: Record<string, UntypedRelation>;
  Views: { [_ in never]: never };
  Functions: Record<string, { Args: Record<string, Untyped>; Returns: Untyped }>;
}

/** A database of which every type is known, even if only as unchecked. */
export type Known<Database> = IsUntyped<Database> extends true ? UntypedDatabase : Database;

export type SchemaOf<Database> = SchemaName<Known<Database>>;

/** The schema that a client queries unless it names another. */
export type DefaultSchemaOf<Database> = 'public' extends SchemaOf<Database> ? 'public' : SchemaOf<Database>;
