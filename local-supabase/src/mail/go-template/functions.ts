import { compareUtf8, decodeUtf8, encodeUtf8, utf8Length } from '../../platform/bytes.ts';
import { sprintf } from './printf.ts';
import { TemplateError } from './syntax.ts';
import { formatValue, isMap, isTrue, typeName, type Value } from './values.ts';

type TemplateFunction = (...args: readonly Value[]) => Value;

const isSameKind = (left: Value, right: Value): boolean => typeof left === typeof right;
const isBasic = (value: Value): boolean => ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
const isNil = (value: Value): boolean => value === null || value === undefined;

function eq(first: Value, ...others: readonly Value[]): boolean {
  if (others.length === 0) throw new TemplateError('error calling eq: missing argument for comparison');
  if (!isNil(first) && !isBasic(first))
    throw new TemplateError(`error calling eq: non-comparable type ${typeName(first)}`);
  return others.some((other) => {
    if (isNil(first) || isNil(other)) return isNil(first) && isNil(other);
    if (!isSameKind(first, other) || !isBasic(other))
      throw new TemplateError('error calling eq: incompatible types for comparison');
    return first === other;
  });
}

function isLess(name: string, left: Value, right: Value): boolean {
  if (typeof left === 'string' && typeof right === 'string') return compareUtf8(left, right) < 0;
  if (typeof left === 'number' && typeof right === 'number') return left < right;
  if (typeof left === 'bigint' && typeof right === 'bigint') return left < right;
  const reason =
    isSameKind(left, right) || isNil(left) || isNil(right) ? 'invalid type' : 'incompatible types';
  throw new TemplateError(`error calling ${name}: ${reason} for comparison`);
}

/** Go slices strings by bytes. */
function toInt(name: string, value: Value, length: number): number {
  if (typeof value !== 'bigint')
    throw new TemplateError(`error calling ${name}: cannot index slice/array with type ${typeName(value)}`);
  const position = Number(value);
  if (position < 0 || position > length)
    throw new TemplateError(`error calling ${name}: index out of range: ${position}`);
  return position;
}

function slice(item: Value, ...bounds: readonly Value[]): Value {
  const source = typeof item === 'string' ? encodeUtf8(item) : item;
  const isList = Array.isArray(source);
  if (!isList && !(source instanceof Uint8Array))
    throw new TemplateError(`error calling slice: can't slice item of type ${typeName(item)}`);
  if (bounds.length > (isList ? 3 : 2))
    throw new TemplateError('error calling slice: too many slice indexes');
  const [start = 0, end = source.length] = bounds.map((bound) => toInt('slice', bound, source.length));
  if (start > end) throw new TemplateError(`error calling slice: invalid slice index: ${start} > ${end}`);
  return isList ? source.slice(start, end) : decodeUtf8(source.subarray(start, end));
}

function indexOne(item: Value, key: Value): Value {
  if (item === null || item === undefined)
    throw new TemplateError('error calling index: index of untyped nil');
  if (isMap(item)) {
    if (typeof key !== 'string')
      throw new TemplateError(`error calling index: value has type ${typeName(key)}; should be string`);
    return Object.hasOwn(item, key) ? item[key] : undefined;
  }
  if (typeof item !== 'string' && !Array.isArray(item))
    throw new TemplateError(`error calling index: can't index item of type ${typeName(item)}`);
  const list: readonly Value[] =
    typeof item === 'string' ? Array.from(encodeUtf8(item), (byte) => BigInt(byte)) : item;
  const position = toInt('index', key, list.length);
  if (position === list.length)
    throw new TemplateError(`error calling index: index out of range: ${position}`);
  return list[position];
}

function len(item: Value): bigint {
  if (typeof item === 'string') return BigInt(utf8Length(item));
  if (Array.isArray(item)) return BigInt(item.length);
  if (isMap(item)) return BigInt(Object.keys(item).length);
  throw new TemplateError(
    isNil(item)
      ? 'error calling len: len of nil pointer'
      : `error calling len: len of type ${typeName(item)}`,
  );
}

/** Go's fmt.Sprint: adds a space between two values unless one of them is a string. */
export function sprint(...args: readonly Value[]): string {
  return args.reduce<string>((text, value, position) => {
    const isSpaced = position > 0 && typeof value !== 'string' && typeof args[position - 1] !== 'string';
    return `${text}${isSpaced ? ' ' : ''}${formatValue(value)}`;
  }, '');
}

const htmlEscapes: Readonly<Record<string, string>> = {
  '\u0000': '\ufffd',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};

const functions = {
  eq,
  ne: (left, right) => !eq(left, right),
  lt: (left, right) => isLess('lt', left, right),
  le: (left, right) => isLess('le', left, right) || eq(left, right),
  gt: (left, right) => !isLess('gt', left, right) && !eq(left, right),
  ge: (left, right) => !isLess('ge', left, right),
  not: (value) => !isTrue(value),
  len,
  index: (item, ...keys) => keys.reduce<Value>((current, key) => indexOne(current, key), item),
  slice,
  print: sprint,
  println: (...args) => `${args.map((value) => formatValue(value)).join(' ')}\n`,
  printf: (format, ...args) => {
    if (typeof format !== 'string')
      throw new TemplateError(`wrong type for value; expected string; got ${typeName(format)}`);
    return sprintf(format, args);
  },
  html: (...args) =>
    // oxlint-disable-next-line no-control-regex
    sprint(...args).replaceAll(/[\u0000"'&<>]/g, (char) => htmlEscapes[char] ?? char),
  urlquery: (...args) => encodeURIComponent(sprint(...args)).replaceAll('%20', '+'),
} satisfies Readonly<Record<string, TemplateFunction>>;

const byName: ReadonlyMap<string, TemplateFunction> = new Map(Object.entries<TemplateFunction>(functions));

/** `and` and `or` are not here: the evaluator stops at the first argument that decides. */
export const functionNames: ReadonlySet<string> = new Set([...byName.keys(), 'and', 'or']);

const arities: Readonly<Record<string, readonly [number, number]>> = {
  eq: [1, Infinity],
  ne: [2, 2],
  lt: [2, 2],
  le: [2, 2],
  gt: [2, 2],
  ge: [2, 2],
  not: [1, 1],
  len: [1, 1],
  index: [1, Infinity],
  slice: [1, Infinity],
  printf: [1, Infinity],
};

/** Calls a function of the language. Throws TemplateError. */
export function callFunction(name: string, args: readonly Value[]): Value {
  const run = byName.get(name);
  if (run === undefined) throw new TemplateError(`function "${name}" not defined`);
  const [min, max] = arities[name] ?? [0, Infinity];
  if (args.length < min || args.length > max)
    throw new TemplateError(`wrong number of args for ${name}: want ${min} got ${args.length}`);
  return run(...args);
}
