import { invalidRequest } from './storage-error.ts';

/** The part of JSON Schema (draft 7) that describes bodies and queries. */
export interface Schema {
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, Schema | AnyOf>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  /** At least one of these members is required. */
  readonly requiredAny?: readonly string[];
  /** Members that are required if another one has a certain value. */
  readonly requiredWith?: {
    readonly name: string;
    readonly value: string;
    readonly members: readonly string[];
  };
  /** Members that also satisfy `requiredAny` but are not named in its message. */
  readonly orAny?: readonly string[];
}

export interface AnyOf {
  readonly anyOf: readonly Schema[];
}

/**
 * Validates and coerces a value as the service does (ajv with `coerceTypes: 'array'`): converts between strings,
 * numbers and booleans, and wraps a single value in a list. The message is the first violation.
 *
 * @param name the name of the value in messages.
 * @throws {StorageError} 400.
 */
export function readBySchema(schema: Schema, value: unknown, name: string): unknown {
  const checked = check(schema, value, name);
  if (checked.problems.length > 0) throw invalidRequest(checked.problems.join(', '), 'Error');
  return checked.value;
}

const NOT_FINITE = 'must pass "finite" keyword validation';

interface Checked {
  readonly value: unknown;
  /** Contains several only if no schema of `anyOf` matches. */
  readonly problems: readonly string[];
}

const fine = (value: unknown): Checked => ({ value, problems: [] });
const wrong = (value: unknown, problem: string): Checked => ({ value, problems: [problem] });

function check(schema: Schema | AnyOf, given: unknown, at: string): Checked {
  if ('anyOf' in schema) return checkAny(schema, given, at);
  const value = coerce(schema, given);
  if (value === undefined) return wrong(unwrap(schema, given), `${at} must be ${schema.type}`);
  if (value === null && schema.nullable) return fine(null);
  if (Array.isArray(value)) return checkList(schema, value, at);
  if (typeof value === 'object') return checkMembers(schema, value as Record<string, unknown>, at);
  const problem = violation(schema, value, at);
  return problem === undefined ? fine(value) : wrong(value, problem);
}

function violation(schema: Schema, value: unknown, at: string): string | undefined {
  const { minimum = -Infinity, maximum = Infinity, pattern } = schema;
  if (typeof value === 'number' && value > maximum) return `${at} must be <= ${maximum}`;
  if (typeof value === 'number' && value < minimum) return `${at} must be >= ${minimum}`;
  if (typeof value === 'number' && !Number.isFinite(value)) return `${at} ${NOT_FINITE}`;
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(String(value)))
    return `${at} must match pattern "${pattern}"`;
  if (schema.enum && !schema.enum.some((allowed) => allowed === value))
    return `${at} must be equal to one of the allowed values`;
  return undefined;
}

/** As in ajv, each schema's coercion changes the value for the next one. */
function checkAny({ anyOf }: AnyOf, given: unknown, at: string): Checked {
  const problems: string[] = [];
  let value = given;
  for (const schema of anyOf) {
    const checked = check(schema, value, at);
    if (checked.problems.length === 0) return checked;
    value = checked.value;
    problems.push(...checked.problems);
    if (schema.type === 'integer' && !Number.isFinite(value)) problems.push(`${at} ${NOT_FINITE}`);
  }
  return { value, problems: [...problems, `${at} must match a schema in anyOf`] };
}

function checkList(schema: Schema, list: readonly unknown[], at: string): Checked {
  const { minItems = 0, maxItems = Infinity, items } = schema;
  if (list.length > maxItems) return wrong(list, `${at} must NOT have more than ${maxItems} items`);
  if (list.length < minItems) return wrong(list, `${at} must NOT have fewer than ${minItems} items`);
  if (!items) return fine(list);
  const checked = list.map((item, index) => check(items, item, `${at}/${index}`));
  const first = checked.find(({ problems }) => problems.length > 0);
  return first ? { value: list, problems: first.problems } : fine(checked.map(({ value }) => value));
}

function checkMembers(schema: Schema, members: Readonly<Record<string, unknown>>, at: string): Checked {
  const { properties = {}, required = [], requiredAny = [], orAny = [], requiredWith } = schema;
  const isMissing = (name: string) => members[name] === undefined;
  const without = (name: string) => `${at} must have required property '${name}'`;
  const missing = required.find(isMissing);
  if (missing !== undefined) return wrong(members, without(missing));
  const read: Record<string, unknown> = { ...members };
  for (const [name, property] of Object.entries(properties)) {
    if (isMissing(name)) continue;
    const checked = check(property, members[name], `${at}/${name}`);
    if (checked.problems.length > 0) return { value: members, problems: checked.problems };
    read[name] = checked.value;
  }
  const absent =
    read[requiredWith?.name ?? ''] === requiredWith?.value && requiredWith?.members.find(isMissing);
  if (absent) return wrong(members, without(absent));
  if (requiredAny.length === 0 || ![...requiredAny, ...orAny].every(isMissing)) return fine(read);
  return { value: members, problems: [...requiredAny.map(without), `${at} must match a schema in anyOf`] };
}

const isScalarValue = (value: unknown): value is string | number | boolean | null =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** Unwraps a list of one value if a string, number or boolean is expected. */
function unwrap({ type }: Schema, given: unknown): unknown {
  const isWrapped = Array.isArray(given) && given.length === 1 && type !== 'array' && type !== 'object';
  return isWrapped ? given[0] : given;
}

/** Coerces the value to the schema's type; undefined if that is impossible. */
function coerce(schema: Schema, given: unknown): unknown {
  const { type, nullable = false } = schema;
  if (given === null && nullable) return null;
  const value = unwrap(schema, given);
  const isWrapped = value !== given;
  const isScalar = isScalarValue(value);
  switch (type) {
    case 'object':
      return isScalar || Array.isArray(value) ? undefined : value;
    case 'array':
      return Array.isArray(value) ? value : isScalar ? [value] : undefined;
    case 'string':
      return isScalarValue(value) ? (value === null ? '' : String(value)) : undefined;
    case 'boolean':
      return coerceBoolean(value);
    case 'number':
    case 'integer':
      // ajv does not unwrap a list for a nullable number.
      return nullable && isWrapped ? undefined : coerceNumber(value, schema);
  }
}

function coerceBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 1) return true;
  return value === 'false' || value === 0 || value === null ? false : undefined;
}

/** A string may represent infinity, a JSON number may not. */
function coerceNumber(value: unknown, { type, nullable }: Schema): number | null | undefined {
  if (value === '') return nullable ? null : undefined;
  const number = typeof value === 'object' && value !== null ? NaN : Number(value);
  if (Number.isNaN(number) || (typeof value === 'number' && !Number.isFinite(value))) return undefined;
  return type === 'integer' && Number.isFinite(number) && !Number.isInteger(number) ? undefined : number;
}
