import { Names, match } from './compare.ts';
import { isExactArray, isExactObject, stringifyExactJson } from './exact-json.ts';
import type { ExactJson } from './exact-json.ts';
import type { Recorded } from './replay.ts';
import type { Scenario } from './scenario.ts';
import { numberOf, textOf } from './scenario.ts';

type Fields = { readonly [key: string]: ExactJson };

/** The events that a socket or an HTTP step has to receive, in order. */
type Expectation =
  | { readonly kind: 'one'; readonly value: Fields }
  | { readonly kind: 'set'; readonly values: readonly Fields[] }
  | { readonly kind: 'omitted'; readonly count: number };

export interface Mismatch {
  readonly where: string;
  readonly expected: readonly ExactJson[];
  readonly actual: readonly ExactJson[];
}

/** Returns null if the replay received the recorded events. */
export function compareScenario(scenario: Scenario, recorded: readonly Recorded[]): Mismatch | null {
  let names = new Names();
  for (const where of placesOf(scenario, recorded)) {
    const expected = scenario.frames.filter((frame) => placeOf(frame) === where);
    const actual = recorded.filter((item) => item.where === where).map(({ value }) => value);
    const optional = expected.filter((frame) => frame['optional'] === true);
    const required = expected.filter((frame) => frame['optional'] !== true);
    const known = matchSequence(required.map(expectationOf), optional, actual, names);
    if (!known) return { where, expected, actual };
    names = known;
  }
  return null;
}

const SHOWN_CHARACTERS = 600;

/** The frames of both sides, one per line. */
export function describeMismatch({ where, expected, actual }: Mismatch): string {
  const lines = (values: readonly ExactJson[]) =>
    values.map((value) => stringifyExactJson(value).slice(0, SHOWN_CHARACTERS));
  return [where, 'expected:', ...lines(expected), 'actual:', ...lines(actual)].join('\n');
}

const placeOf = (frame: Fields): string =>
  frame['step'] === undefined ? `socket ${textOf(frame['socket'])}` : `step ${textOf(frame['step'])}`;

function placesOf({ frames }: Scenario, recorded: readonly Recorded[]): string[] {
  return [...new Set([...frames.map(placeOf), ...recorded.map(({ where }) => where)])].toSorted();
}

function expectationOf(frame: Fields): Expectation {
  if (isExactArray(frame['set'])) return { kind: 'set', values: frame['set'].filter(isExactObject) };
  if (frame['omitted'] !== undefined) return { kind: 'omitted', count: numberOf(frame['omitted']) };
  return { kind: 'one', value: frame };
}

function matchSequence(
  expected: readonly Expectation[],
  optional: readonly Fields[],
  actual: readonly Fields[],
  names: Names,
): Names | null {
  const [first, ...rest] = expected;
  const [head, ...tail] = actual;
  if (head) {
    for (const [index, value] of optional.entries()) {
      const known = matchFrame(value, head, names);
      const all = known && matchSequence(expected, optional.toSpliced(index, 1), tail, known);
      if (all) return all;
    }
  }
  if (!first) return head ? null : names;
  if (first.kind === 'omitted') return matchSequence(rest, optional, actual.slice(first.count), names);
  if (!head) return null;
  if (first.kind === 'one') {
    const known = matchFrame(first.value, head, names);
    return known && matchSequence(rest, optional, tail, known);
  }
  for (const [index, value] of first.values.entries()) {
    const known = matchFrame(value, head, names);
    const left = first.values.toSpliced(index, 1);
    const next: readonly Expectation[] = left.length > 0 ? [{ kind: 'set', values: left }, ...rest] : rest;
    const all = known && matchSequence(next, optional, tail, known);
    if (all) return all;
  }
  return null;
}

const COMPARED = ['frame', 'binary', 'closed', 'handshake', 'http'] as const;

function matchFrame(expected: Fields, actual: Fields, names: Names): Names | null {
  let known: Names | null = names;
  for (const part of COMPARED) {
    const value = expected[part];
    if (value === undefined) {
      if (actual[part] !== undefined) return null;
      continue;
    }
    const found = actual[part];
    if (found === undefined || !known) return null;
    known = match(value, part === 'binary' ? sameMembers(found, value) : found, known);
  }
  return known;
}

/** Compares without the bytes of binary frames that contain generated values. */
const sameMembers = (actual: ExactJson, expected: ExactJson): ExactJson =>
  isExactObject(actual) && isExactObject(expected)
    ? Object.fromEntries(Object.entries(actual).filter(([key]) => key in expected))
    : actual;
