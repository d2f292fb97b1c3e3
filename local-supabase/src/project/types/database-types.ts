import type { KeyRelationship } from '../../services/rest/catalog/catalog.ts';
import type { CatalogQuery } from '../../services/rest/catalog/load-catalog.ts';
import { FunctionTypes } from './function-types.ts';
import { helperTypes } from './helper-types.ts';
import {
  introspect,
  type DatabaseType,
  type Introspection,
  type Relation,
  type RelationColumn,
} from './introspection.ts';
import { createTypeOf, orNull, type TypeOf } from './type-names.ts';
import {
  object,
  printMember,
  propertyName,
  quote,
  union,
  type Member,
  type TypeNode,
} from './type-printer.ts';

export interface TypesOptions {
  /** Default `public`. */
  readonly schemas?: readonly string[] | undefined;
  /** The version of PostgREST by which the vendor's client selects its types, such as `14.1`. Default: no version. */
  readonly postgrestVersion?: string | undefined;
}

/**
 * Generates `database.types.ts` as `supabase gen types typescript` does: rows, inserts and updates of relations, their
 * relationships, functions, enums and composite types.
 *
 * @param query returns one JSON value in the column `result`; it runs with the search path of the project's API.
 */
export async function generateTypes(query: CatalogQuery, options: TypesOptions = {}): Promise<string> {
  const schemas = (options.schemas ?? ['public']).toSorted((a, b) => a.localeCompare(b));
  const introspection = await introspect(query, schemas);
  const typeOf = createTypeOf(introspection, schemas);
  const { postgrestVersion } = options;
  const database = object([
    ...(postgrestVersion === undefined
      ? []
      : [
          {
            name: '__InternalSupabase',
            type: object([{ name: 'PostgrestVersion', type: quote(postgrestVersion) }]),
          },
        ]),
    ...schemas.map((name) => ({ name, type: schemaType(introspection, name, typeOf) })),
  ]);
  const json = printMember({ name: 'Json', type: JSON_TYPE }, 0).replace('Json:', 'export type Json =');
  const body = printMember({ name: 'Database', type: database }, 0).replace(
    'Database: ',
    'export type Database = ',
  );
  return `${json}\n\n${body}\n\n${helperTypes}\n${constants(introspection, schemas)}\n`;
}

const JSON_TYPE = union([
  'string',
  'number',
  'boolean',
  'null',
  '{ [key: string]: Json | undefined }',
  'Json[]',
]);

const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  one.name.localeCompare(other.name);
const ofSchema = <T extends { readonly schema: string; readonly name: string }>(
  all: readonly T[],
  schema: string,
): T[] => all.filter((one) => one.schema === schema).toSorted(byName);
const enumsOf = ({ types }: Introspection, schema: string): DatabaseType[] =>
  ofSchema(types, schema).filter(({ values }) => values.length > 0);

function schemaType(introspection: Introspection, schema: string, typeOf: TypeOf): TypeNode {
  const relations = ofSchema(introspection.relations, schema);
  const columnsOf = (relation: Relation): Member[] =>
    relation.columns.toSorted(byName).map(({ name, isNullable, type: typeName }) => {
      const type = typeOf(typeName, schema);
      return { name, type: isNullable ? orNull(type) : type };
    });
  const functions = new FunctionTypes(introspection, schema, typeOf, columnsOf);
  const typeById = (id: number) => {
    const type = introspection.types.find((one) => one.id === id);
    return type ? typeOf(type.name, schema) : 'unknown';
  };
  const relationTypes = (isView: boolean) =>
    relations
      .filter((relation) => relation.isView === isView)
      .map((relation) => ({
        name: relation.name,
        type: relationType(relation, introspection.relationships, functions, typeOf, columnsOf(relation)),
      }));
  const composites = ofSchema(introspection.types, schema).filter(({ attributes }) => attributes.length > 0);
  return object([
    { name: 'Tables', type: orNever(relationTypes(false)) },
    { name: 'Views', type: orNever(relationTypes(true)) },
    { name: 'Functions', type: orNever(functions.members()) },
    {
      name: 'Enums',
      type: orNever(
        enumsOf(introspection, schema).map(({ name, values }) => ({ name, type: union(values.map(quote)) })),
      ),
    },
    {
      name: 'CompositeTypes',
      type: orNever(
        composites.map(({ name, attributes }) => ({
          name,
          type: object(attributes.map((one) => ({ name: one.name, type: orNull(typeById(one.typeId)) }))),
        })),
      ),
    },
  ]);
}

/** A member that must not be set. */
const never = (name: string): Member => ({ name, isOptional: true, type: 'never' });

function relationType(
  relation: Relation,
  relationships: readonly KeyRelationship[],
  functions: FunctionTypes,
  typeOf: TypeOf,
  row: readonly Member[],
): TypeNode {
  const { schema, isView } = relation;
  const columns = relation.columns.toSorted(byName);
  const change = (isOptional: (column: RelationColumn) => boolean): TypeNode =>
    object(
      columns.map((column) => {
        if (isView ? !column.isUpdatable : column.identity === 'always') return never(column.name);
        const type = typeOf(column.type, schema);
        const isNullable = isView || column.isNullable;
        return {
          name: column.name,
          isOptional: isView || isOptional(column),
          type: isNullable ? orNull(type) : type,
        };
      }),
    );
  const changes = [
    {
      name: 'Insert',
      type: change((column) => column.isNullable || column.hasDefault || column.identity !== null),
    },
    { name: 'Update', type: change(() => true) },
  ];
  return object([
    { name: 'Row', type: object([...row, ...functions.fieldsOf(relation)]) },
    ...(isView && !relation.isUpdatable ? [] : changes),
    { name: 'Relationships', type: { type: 'tuple', of: relationshipTypes(relation, relationships) } },
  ]);
}

/** Relationships by foreign keys to relations of the same schema. */
function relationshipTypes(
  { schema, name }: Relation,
  relationships: readonly KeyRelationship[],
): TypeNode[] {
  return relationships
    .filter(
      ({ table, foreignTable }) =>
        table.schema === schema && table.name === name && foreignTable.schema === schema,
    )
    .flatMap(({ foreignTable, cardinality }) =>
      cardinality.type === 'many-to-many' ? [] : [{ to: foreignTable.name, ...cardinality }],
    )
    .map(({ to, constraint, columns, type }) => ({
      constraint,
      to,
      type,
      columns: columns.map(([column]) => column),
      foreignColumns: columns.map(([, column]) => column),
    }))
    .toSorted(
      (a, b) =>
        a.constraint.localeCompare(b.constraint) ||
        a.to.localeCompare(b.to) ||
        JSON.stringify(a.foreignColumns).localeCompare(JSON.stringify(b.foreignColumns)),
    )
    .map(({ constraint, to, type, columns, foreignColumns }) =>
      object([
        { name: 'foreignKeyName', type: quote(constraint) },
        { name: 'columns', type: { type: 'tuple', of: columns.map(quote) } },
        { name: 'isOneToOne', type: String(type === 'one-to-one') },
        { name: 'referencedRelation', type: quote(to) },
        { name: 'referencedColumns', type: { type: 'tuple', of: foreignColumns.map(quote) } },
      ]),
    );
}

const orNever = (members: readonly Member[]): TypeNode =>
  members.length > 0 ? object(members) : '{\n      [_ in never]: never\n    }';

/** The values of enums at run time: `Constants.public.Enums.status`. */
function constants(introspection: Introspection, schemas: readonly string[]): string {
  const parts = schemas.map((schema) => {
    const members = enumsOf(introspection, schema).map(
      ({ name, values }) => `${printMember({ name, type: { type: 'tuple', of: values.map(quote) } }, 6)},\n`,
    );
    const enums = members.length > 0 ? `{\n${members.join('')}    }` : '{}';
    return `  ${propertyName(schema)}: {\n    Enums: ${enums},\n  },\n`;
  });
  return `export const Constants = {\n${parts.join('')}} as const`;
}
