/** A JSON string or number, matched without backtracking over long strings. */
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/**
 * Parses JSON without rounding integers: one that a number cannot hold exactly (PostgreSQL's int8 can be such)
 * becomes a string of its digits. All else is as `JSON.parse` gives it.
 *
 * @throws {SyntaxError} if `text` is not JSON.
 */
export function parsePreciseJson(text: string): unknown {
  // Unsafe integers have at least 16 digits: most frames have none and take the direct way.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(
    text.replace(stringOrNumber, (token) =>
      /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
    ),
  );
}
