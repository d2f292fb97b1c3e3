import { ExactNumber, isExactArray, isExactObject } from './exact-json.ts';
import type { ExactJson } from './exact-json.ts';

/**
 * Compares recorded values with actual ones. Names such as `<id1>` represent generated values; within a scenario, the
 * same name means the same value.
 */
export class Names {
  readonly #actualByName: ReadonlyMap<string, string>;
  constructor(actualByName: ReadonlyMap<string, string> = new Map()) {
    this.#actualByName = actualByName;
  }

  /** Returns these names with another one, or null if the name or the value is already bound differently. */
  bind(name: string, actual: string): Names | null {
    const known = this.#actualByName.get(name);
    if (known !== undefined) return known === actual ? this : null;
    if ([...this.#actualByName.values()].includes(actual)) return null;
    return new Names(new Map([...this.#actualByName, [name, actual]]));
  }
}

const NAME = /<(?:id|uuid|phx_ref)\d+>/g;
const LONG_RUN = /(.)\1{199,}/gs;
const EXPIRED = /Token has expired \d+ seconds ago/;

/** Returns the names that make the values equal, or null if they differ. */
export function match(expected: ExactJson, actual: ExactJson, names: Names, key = ''): Names | null {
  if (typeof expected === 'string') return matchText(expected, actual, names);
  if (expected instanceof ExactNumber) {
    return actual instanceof ExactNumber && expected.digits === actual.digits ? names : null;
  }
  if (isExactArray(expected)) {
    if (!isExactArray(actual) || expected.length !== actual.length) return null;
    if (key === 'ids') return matchAnyOrder(expected, actual, names);
    return matchAll(
      expected.map((item, index) => [item, actual[index] ?? null]),
      names,
    );
  }
  if (isExactObject(expected)) {
    if (!isExactObject(actual)) return null;
    return matchMembers(Object.entries(expected), Object.entries(actual), names);
  }
  return expected === actual ? names : null;
}

function matchAll(pairs: readonly (readonly [ExactJson, ExactJson])[], names: Names): Names | null {
  let known: Names | null = names;
  for (const [expected, actual] of pairs) {
    known = match(expected, actual, known);
    if (!known) return null;
  }
  return known;
}

type Member = readonly [string, ExactJson];

function matchMembers(expected: readonly Member[], actual: readonly Member[], names: Names): Names | null {
  if (expected.length !== actual.length) return null;
  const [first, ...rest] = expected;
  if (!first) return names;
  const [key, value] = first;
  for (const [index, [actualKey, actualValue]] of actual.entries()) {
    const named = matchText(key, actualKey, names);
    const known = named && match(value, actualValue, named, key);
    const all = known && matchMembers(rest, actual.toSpliced(index, 1), known);
    if (all) return all;
    if (key === actualKey) return null;
  }
  return null;
}

function matchAnyOrder(
  expected: readonly ExactJson[],
  actual: readonly ExactJson[],
  names: Names,
): Names | null {
  const [first, ...rest] = expected;
  if (first === undefined) return names;
  for (const [index, candidate] of actual.entries()) {
    const known = match(first, candidate, names);
    const all = known && matchAnyOrder(rest, actual.toSpliced(index, 1), known);
    if (all) return all;
  }
  return null;
}

function matchText(expected: string, actual: ExactJson, names: Names): Names | null {
  if (expected === '<ts>')
    return typeof actual === 'string' && !Number.isNaN(Date.parse(actual)) ? names : null;
  const text = actual instanceof ExactNumber && /^<id\d+>$/.test(expected) ? actual.digits : actual;
  if (typeof text !== 'string') return null;
  const shown = text
    .replaceAll(LONG_RUN, (run, char: string) => `<repeat:${char}:${run.length}>`)
    .replace(EXPIRED, 'Token has expired <n> seconds ago');
  const found = [...expected.matchAll(NAME)].map(([name]) => name);
  if (found.length === 0) return expected === shown ? names : null;
  const pattern = new RegExp(`^${expected.split(NAME).map(escapePattern).join('(.+?)')}$`, 's');
  const values = pattern.exec(shown)?.slice(1);
  if (!values) return null;
  let known: Names | null = names;
  for (const [index, name] of found.entries()) known = known?.bind(name, values[index] ?? '') ?? null;
  return known;
}

const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
