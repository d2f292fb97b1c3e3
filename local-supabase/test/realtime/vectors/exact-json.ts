/**
 * JSON with exact numbers: `1.50`, `1e300` and int8 values are compared by their digits on the wire. A number becomes
 * an `ExactNumber`; everything else is parsed as by `JSON.parse`.
 */
export type ExactJson =
  | null
  | boolean
  | string
  | ExactNumber
  | readonly ExactJson[]
  | { readonly [key: string]: ExactJson };

export class ExactNumber {
  readonly digits: string;
  constructor(digits: string) {
    this.digits = digits;
  }
}

const NUMBER_MARK = '\u0000number:';
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** @throws {SyntaxError} for a text that is not JSON. */
export function parseExactJson(text: string): ExactJson {
  const marked = text.replaceAll(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') ? token : JSON.stringify(NUMBER_MARK + token),
  );
  return JSON.parse(marked, (_key, value: ExactJson) =>
    typeof value === 'string' && value.startsWith(NUMBER_MARK)
      ? new ExactNumber(value.slice(NUMBER_MARK.length))
      : value,
  ) as ExactJson;
}

/** Prints a value with the original digits of its numbers. */
export function stringifyExactJson(value: ExactJson): string {
  if (value instanceof ExactNumber) return value.digits;
  if (isExactArray(value)) return `[${value.map(stringifyExactJson).join(',')}]`;
  if (isExactObject(value)) {
    const members = Object.entries(value).map(
      ([key, member]) => `${JSON.stringify(key)}:${stringifyExactJson(member)}`,
    );
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}

export const isExactArray = (value: ExactJson | undefined): value is readonly ExactJson[] =>
  Array.isArray(value);

export const isExactObject = (value: ExactJson | undefined): value is { readonly [key: string]: ExactJson } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
