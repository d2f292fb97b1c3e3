import { compareUtf8 } from '../../platform/bytes.ts';
import { TemplateError } from './syntax.ts';

/**
 * A value in a template: JSON data, or bigint for Go's `int` (JSON's numbers are float64). `undefined` is a missing map
 * key, which Go distinguishes from null.
 */
export type Value = unknown;

export type ValueMap = Readonly<Record<string, unknown>>;

export const isMap = (value: Value): value is ValueMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Go's name of the type, for messages. */
export function typeName(value: Value): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isMap(value)) return 'map[string]interface {}';
  return scalarNames.get(typeof value) ?? '<nil>';
}

const scalarNames: ReadonlyMap<string, string> = new Map([
  ['string', 'string'],
  ['number', 'float64'],
  ['bigint', 'int'],
  ['boolean', 'bool'],
]);

/** Whether `if` accepts the value: not false, zero, empty, nil or missing. */
export function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isMap(value) ? Object.keys(value).length > 0 : Boolean(value);
}

/** The keys of a map in the order of Go's iteration. */
export const sortedKeys = (map: ValueMap): string[] => Object.keys(map).toSorted(compareUtf8);

/** Reads a member of a map. Throws TemplateError for every other type. */
export function readField(value: Value, name: string): Value {
  if (value === undefined) return undefined;
  if (value === null) throw new TemplateError(`nil pointer evaluating interface {}.${name}`);
  if (!isMap(value)) throw new TemplateError(`can't evaluate field ${name} in type ${typeName(value)}`);
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Prints as Go's `%v` does. */
export function formatValue(value: Value): string {
  if (Array.isArray(value)) return `[${value.map((item) => formatValue(item)).join(' ')}]`;
  if (isMap(value)) {
    const members = sortedKeys(value).map((key) => `${key}:${formatValue(value[key])}`);
    return `map[${members.join(' ')}]`;
  }
  if (typeof value === 'number') return formatFloat(value);
  const isScalar = typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean';
  return isScalar ? String(value) : '<nil>';
}

/** Prints a float64 as `%v` does: the shortest form, with an exponent below 1e-4 and from 1e6 on. */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
