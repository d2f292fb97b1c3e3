import { encodeItems, encodeText } from '../rest/encoding.ts';

/** Operators of a filter of changes. */
export type RealtimePostgresChangesFilterOperator =
  | 'eq'
  | 'neq'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'in'
  | 'like'
  | 'ilike'
  | 'is'
  | 'match'
  | 'imatch'
  | 'isdistinct';

type Scalar = string | number | boolean | null;

function encodeOperand(operator: RealtimePostgresChangesFilterOperator, value: Scalar | readonly Scalar[]) {
  if (operator === 'is') return String(value);
  if (operator !== 'in') return encodeText(String(value));
  const values = [value].flat();
  if (values.length === 0) throw new Error('The filter `in` needs at least one value.');
  return encodeItems(values);
}

/** Conditions of a filter of changes, all of which must hold. */
export class RealtimePostgresFilterBuilder {
  readonly #conditions: string[] = [];

  #add(
    column: string,
    operator: RealtimePostgresChangesFilterOperator,
    value: Scalar | readonly Scalar[],
    prefix = '',
  ): this {
    this.#conditions.push(`${column}=${prefix}${operator}.${encodeOperand(operator, value)}`);
    return this;
  }

  /** Equal. */
  eq(column: string, value: Scalar): this {
    return this.#add(column, 'eq', value);
  }
  /** Not equal. */
  neq(column: string, value: Scalar): this {
    return this.#add(column, 'neq', value);
  }
  /** Less than. */
  lt(column: string, value: Scalar): this {
    return this.#add(column, 'lt', value);
  }
  /** Less than or equal. */
  lte(column: string, value: Scalar): this {
    return this.#add(column, 'lte', value);
  }
  /** Greater than. */
  gt(column: string, value: Scalar): this {
    return this.#add(column, 'gt', value);
  }
  /** Greater than or equal. */
  gte(column: string, value: Scalar): this {
    return this.#add(column, 'gte', value);
  }
  /** One of the values. */
  in(column: string, values: readonly Exclude<Scalar, null>[]): this {
    return this.#add(column, 'in', values);
  }
  /** `%` matches any text, `_` any character. */
  like(column: string, pattern: string): this {
    return this.#add(column, 'like', pattern);
  }
  /** As `like`, regardless of case. */
  ilike(column: string, pattern: string): this {
    return this.#add(column, 'ilike', pattern);
  }
  /** Null, true, false or `unknown`. */
  is(column: string, value: boolean | 'null' | 'true' | 'false' | 'unknown' | null): this {
    return this.#add(column, 'is', value);
  }
  /** A POSIX regular expression. */
  match(column: string, pattern: string): this {
    return this.#add(column, 'match', pattern);
  }
  /** As `match`, regardless of case. */
  imatch(column: string, pattern: string): this {
    return this.#add(column, 'imatch', pattern);
  }
  /** Differs, where null is a value like any other. */
  isDistinct(column: string, value: Scalar): this {
    return this.#add(column, 'isdistinct', value);
  }
  /** Negates an operator. */
  not(
    column: string,
    operator: RealtimePostgresChangesFilterOperator,
    value: Scalar | readonly Scalar[],
  ): this {
    return this.#add(column, operator, value, 'not.');
  }

  /** The filter's text. */
  build(): string {
    return this.#conditions.join();
  }
  /** As `build`. */
  toString(): string {
    return this.build();
  }
}

/** Begins a filter of changes. */
export const postgresChangesFilter = (): RealtimePostgresFilterBuilder => new RealtimePostgresFilterBuilder();
