import { isDeepStrictEqual } from 'node:util';

/** An assertion that failed: what was expected, and the actual value. Both may contain secrets. */
export class UnmetExpectationError extends Error {
  override readonly name: string = 'UnmetExpectationError';
  /** A sentence about a conforming target. */
  readonly expectation: string;
  readonly came: string;
  constructor(expectation: string, came: string, options?: ErrorOptions) {
    super(`expected: ${expectation}; came: ${came}`, options);
    this.expectation = expectation;
    this.came = came;
  }
}

/**
 * The assertions of audits. Each names its subject, so that a failure is a sentence: a noun phrase ("the status of the
 * response"), or a statement about the values ("a refused refresh has no token").
 */
export interface Assertions {
  equal<T>(actual: unknown, expected: T, subject: string): asserts actual is T;
  notEqual(actual: unknown, unexpected: unknown, subject: string): void;
  deepEqual<T>(actual: unknown, expected: T, subject: string): asserts actual is T;
  match(actual: string, pattern: RegExp, subject: string): void;
  /** @param statement a whole sentence. */
  ok(holds: unknown, statement: string, came?: string): asserts holds;
  fail(expectation: string, came: string): never;
}

export const assert: Assertions = {
  equal(actual, expected, subject) {
    if (!Object.is(actual, expected)) assert.fail(`${subject} is ${showValue(expected)}`, showValue(actual));
  },
  notEqual(actual, unexpected, subject) {
    if (Object.is(actual, unexpected))
      assert.fail(`${subject} differs from ${showValue(unexpected)}`, 'the same value');
  },
  deepEqual(actual, expected, subject) {
    if (!isDeepStrictEqual(actual, expected))
      assert.fail(`${subject} is ${showValue(expected)}`, showValue(actual));
  },
  match(actual, pattern, subject) {
    if (!pattern.test(actual)) assert.fail(`${subject} matches ${String(pattern)}`, showValue(actual));
  },
  ok(holds, statement, came = 'the condition stayed false') {
    if (!holds) assert.fail(statement, came);
  },
  fail(expectation, came) {
    throw new UnmetExpectationError(expectation, came);
  },
};

/** Prints a value, as JSON if possible. `collectEvidence` removes its secrets. */
export function showValue(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint')
    return String(value);
  return (
    JSON.stringify(value, (_name, part: unknown) => {
      if (part instanceof Set) return [...(part as Set<unknown>)];
      if (part instanceof Map) return Object.fromEntries(part as Map<string, unknown>);
      if (part instanceof Error) return `${part.name}: ${part.message}`;
      return part;
    }) ?? typeof value
  );
}
