/** A range of rows. `last` is null without a limit, and less than `first` in an empty range. */
export interface RowRange {
  readonly first: bigint;
  readonly last: bigint | null;
}

export const ALL_ROWS: RowRange = { first: 0n, last: null };

/** The range of `limit=0`. */
export const NO_ROWS: RowRange = { first: 0n, last: -1n };

export const isEmptyRange = ({ first, last }: RowRange): boolean => last !== null && last < first;
export const isLimitZero = ({ last }: RowRange): boolean => last === -1n;
export const isAllRows = ({ first, last }: RowRange): boolean => first === 0n && last === null;

/** The number of rows, or null for all. */
export const limitOf = ({ first, last }: RowRange): bigint | null =>
  last === null ? null : last - first + 1n;

export function intersect(one: RowRange, other: RowRange): RowRange {
  const first = one.first > other.first ? one.first : other.first;
  if (one.last === null) return { first, last: other.last };
  if (other.last === null) return { first, last: one.last };
  return { first, last: one.last < other.last ? one.last : other.last };
}

/** Limits the range to `limit` rows. */
export function restrict(range: RowRange, limit: bigint | null): RowRange {
  if (limit === null) return range;
  const last = range.first + limit - 1n;
  return range.last !== null && range.last < last ? range : { first: range.first, last };
}

/** Parses the `Range` header, such as `0-24` or `10-`. Other values mean all rows. */
export function parseRangeHeader(value: string | undefined): RowRange {
  const [, first, last] = /^(\d+)-(\d*)$/.exec(value ?? '') ?? [];
  if (first === undefined) return ALL_ROWS;
  return { first: BigInt(first), last: last ? BigInt(last) : null };
}

/** Parses an integer as Haskell's `read` does: with spaces, parentheses, a minus sign, or in hex, octal, binary. */
export function readInteger(source: string): bigint | undefined {
  const bare = source.trim();
  const [, inner] = /^\((.*)\)$/s.exec(bare) ?? [];
  if (inner !== undefined) return readInteger(inner);
  const [, sign, digits] = /^(-?)\s*(0[xX][\da-fA-F]+|0[oO][0-7]+|0[bB][01]+|\d+)$/.exec(bare) ?? [];
  if (digits === undefined) return undefined;
  return sign ? -BigInt(digits) : BigInt(digits);
}
