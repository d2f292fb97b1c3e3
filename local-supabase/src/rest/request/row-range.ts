/**
 * The rows that a request asks for. `last` is null where there is no limit; it is before `first` where the range
 * holds nothing.
 */
export interface RowRange {
  readonly first: bigint;
  readonly last: bigint | null;
}

export const ALL_ROWS: RowRange = { first: 0n, last: null };

/** The range of `limit=0`: no rows. */
export const NO_ROWS: RowRange = { first: 0n, last: -1n };

export const isEmptyRange = ({ first, last }: RowRange): boolean => last !== null && last < first;
export const isLimitZero = ({ last }: RowRange): boolean => last === -1n;
export const isAllRows = ({ first, last }: RowRange): boolean => first === 0n && last === null;

/** How many rows, or null for all. */
export const limitOf = ({ first, last }: RowRange): bigint | null =>
  last === null ? null : last - first + 1n;

export function intersect(one: RowRange, other: RowRange): RowRange {
  const first = one.first > other.first ? one.first : other.first;
  if (one.last === null) return { first, last: other.last };
  if (other.last === null) return { first, last: one.last };
  return { first, last: one.last < other.last ? one.last : other.last };
}

/** At most `limit` rows of the range. */
export function restrict(range: RowRange, limit: bigint | null): RowRange {
  if (limit === null) return range;
  const last = range.first + limit - 1n;
  return range.last !== null && range.last < last ? range : { first: range.first, last };
}

/** The `Range` header: `0-24`, `10-`. Anything else stands for all rows. */
export function parseRangeHeader(value: string | undefined): RowRange {
  const [, first, last] = /^(\d+)-(\d*)$/.exec(value ?? '') ?? [];
  if (first === undefined) return ALL_ROWS;
  return { first: BigInt(first), last: last ? BigInt(last) : null };
}

/** A whole number, as Haskell's `read` takes one: with spaces, parentheses, a minus sign, or in hex, octal, binary. */
export function readInteger(source: string): bigint | undefined {
  const bare = source.trim();
  const [, inner] = /^\((.*)\)$/s.exec(bare) ?? [];
  if (inner !== undefined) return readInteger(inner);
  const [, sign, digits] = /^(-?)\s*(0[xX][\da-fA-F]+|0[oO][0-7]+|0[bB][01]+|\d+)$/.exec(bare) ?? [];
  if (digits === undefined) return undefined;
  return sign ? -BigInt(digits) : BigInt(digits);
}
