import type { DatabaseType, Introspection, Relation } from './introspection.ts';
import { quote, union, type TypeNode } from './type-printer.ts';

const NAMED: readonly (readonly [string, string])[] = [
  ['boolean', 'bool'],
  ['number', 'int2 int4 int8 float4 float8 numeric'],
  ['string', 'bytea bpchar varchar text citext uuid vector date time timetz timestamp timestamptz interval'],
  ['Json', 'json jsonb'],
  ['undefined', 'void'],
  ['Record<string, unknown>', 'record'],
];
const KNOWN: ReadonlyMap<string, string> = new Map(
  NAMED.flatMap(([type, names]) => names.split(' ').map((name) => [name, type] as const)),
);

/** Returns the TypeScript type for the name of a PostgreSQL type. */
export type TypeOf = (name: string, schema: string) => TypeNode;

/**
 * A name refers to the type in the schema where it is used, or else to the first type of that name, because the
 * vendor's generator only uses names.
 *
 * @param schemas the schemas whose types can be referenced.
 */
export function createTypeOf({ types, relations }: Introspection, schemas: readonly string[]): TypeOf {
  const enums = types.filter(({ values }) => values.length > 0);
  const composites = types.filter(({ attributes }) => attributes.length > 0);
  const tables = relations.filter(({ isView }) => !isView);
  const views = relations.filter(({ isView, isMaterialized }) => isView && !isMaterialized);
  const reference = (kind: string, { schema, name }: DatabaseType | Relation, end = '') =>
    schemas.includes(schema) ? `Database[${quote(schema)}]["${kind}"][${quote(name)}]${end}` : null;
  const typeOf: TypeOf = (name, schema) => {
    const known = KNOWN.get(name);
    if (known !== undefined) return known;
    if (name.startsWith('_')) return { type: 'array', of: typeOf(name.slice(1), schema) };
    const find = <T extends DatabaseType | Relation>(list: readonly T[]): T | undefined => {
      const named = list.filter((one) => one.name === name);
      return named.find((one) => one.schema === schema) ?? named[0];
    };
    const oneOf = find(enums);
    if (oneOf) return reference('Enums', oneOf) ?? union(oneOf.values.map(quote));
    const composite = find(composites);
    if (composite) return reference('CompositeTypes', composite) ?? 'unknown';
    const table = find(tables);
    if (table) return reference('Tables', table, '["Row"]') ?? 'unknown';
    const view = find(views);
    return (view && reference('Views', view, '["Row"]')) ?? 'unknown';
  };
  return typeOf;
}

export const orNull = (type: TypeNode): TypeNode => (type === 'unknown' ? type : flatUnion(type));

/** Flattens `"a" | "b" | null` into one level, because nested unions would be indented. */
const flatUnion = (type: TypeNode): TypeNode =>
  typeof type !== 'string' && type.type === 'union' ? union([...type.of, 'null']) : union([type, 'null']);
