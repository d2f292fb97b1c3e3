/** A JSON string or number, matched without backtracking over long strings. */
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/**
 * Parses JSON; integers beyond the safe range become strings of their digits.
 *
 * @param maxDigits longer integers stay numbers, such as those of a float8.
 * @throws {SyntaxError} if `text` is not JSON.
 */
export function parseWithExactIntegers(text: string, maxDigits = Infinity): unknown {
  return JSON.parse(
    text.replace(stringOrNumber, (token) =>
      /^-?\d{16,}$/.test(token) && token.length <= maxDigits + 1 && !Number.isSafeInteger(Number(token))
        ? `"${token}"`
        : token,
    ),
  );
}
