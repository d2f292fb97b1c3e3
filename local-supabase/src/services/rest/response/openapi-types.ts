/** The types that PostgREST uses in its OpenAPI document. */
export type SwaggerType = 'string' | 'boolean' | 'integer' | 'number' | 'array';

const TYPES: Readonly<Record<string, SwaggerType | undefined>> = {
  'character varying': 'string',
  character: 'string',
  text: 'string',
  boolean: 'boolean',
  smallint: 'integer',
  integer: 'integer',
  bigint: 'integer',
  numeric: 'number',
  real: 'number',
  'double precision': 'number',
  json: undefined,
  jsonb: undefined,
};

/** JSON has no type here, because its values may be of any type. */
export function swaggerTypeOf(type: string): SwaggerType | undefined {
  if (Object.hasOwn(TYPES, type)) return TYPES[type];
  return type.endsWith('[]') ? 'array' : 'string';
}

const FORMATS: Readonly<Record<string, string>> = { smallint: 'int32', integer: 'int32', bigint: 'int64' };

export const swaggerFormatOf = (type: string): string =>
  Object.hasOwn(FORMATS, type) ? (FORMATS[type] ?? type) : type;

export const elementTypeOf = (type: string): string => type.slice(0, -2);

export function swaggerItemsOf(
  type: string,
): { readonly items: Readonly<Record<string, unknown>> } | undefined {
  if (swaggerTypeOf(type) !== 'array') return undefined;
  return { items: { type: swaggerTypeOf(elementTypeOf(type)) } };
}

/** A column's default as a JSON value, if it is a constant. */
export function defaultValueOf(type: string, expression: string | null): unknown {
  if (expression === null) return undefined;
  const cast = `::${type}`;
  const isText = swaggerTypeOf(type) === 'string';
  const bare = expression.endsWith(cast)
    ? expression.slice(0, -cast.length).replaceAll(/^'+|'+$/g, '')
    : expression;
  try {
    return JSON.parse(isText ? `"${bare}"` : expression) as unknown;
  } catch {
    return undefined;
  }
}
