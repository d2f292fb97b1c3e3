import { decodeUtf8, encodeUtf8, isEqualBytes, utf8Length } from '../../../platform/bytes.ts';

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);

/** Prints a JSON value in Elixir's syntax, as in the real server's error messages. */
export function inspectTerm(value: unknown): string {
  if (value === null || value === undefined) return 'nil';
  if (typeof value === 'string')
    return isPrintable(value) ? quote(value) : `<<${bytesOf(value).join(', ')}>>`;
  if (value instanceof Uint8Array) return `{:binary, ${inspectBytes(value)}}`;
  if (value instanceof Tuple) return `{${value.items.map(inspectTerm).join(', ')}}`;
  if (isCharlist(value)) return `~c${quote(String.fromCharCode(...value))}`;
  if (Array.isArray(value)) return `[${value.map(inspectTerm).join(', ')}]`;
  if (typeof value === 'object') {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `%{${entries.map(([key, item]) => `${inspectTerm(key)} => ${inspectTerm(item)}`).join(', ')}}`;
  }
  // Elixir's exponents have no plus sign, and their numbers a point.
  return JSON.stringify(value).replace(
    /^(-?\d+)(\.\d+)?e\+?/,
    (_all, whole: string, fraction = '.0') => `${whole}${fraction}e`,
  );
}

/** The characters that Elixir escapes by a letter. */
const LETTERS: Readonly<Record<string, string>> = {
  '\u0007': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '\u001b': 'e',
  '\u007f': 'd',
};

/** Elixir prints a text with another control character as its bytes. */
const isPrintable = (text: string): boolean =>
  // oxlint-disable-next-line no-control-regex
  !/[\u0000-\u0006\u000e-\u001a\u001c-\u001f\u0080-\u009f\ufffe\uffff]/.test(text);

const bytesOf = (text: string): readonly number[] => Array.from(encodeUtf8(text));

/** Elixir prints bytes as text where they are one. */
function inspectBytes(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  return isEqualBytes(encodeUtf8(text), bytes) ? inspectTerm(text) : `<<${bytes.join(', ')}>>`;
}

const quote = (text: string): string =>
  `"${text
    .replaceAll(/["\\]|#(?=\{)/g, String.raw`\$&`)
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0007-\u000d\u001b\u007f]/g, (control) => `\\${LETTERS[control]}`)
    .replaceAll(
      /\u034f|[\u00a0\u061c\u2000-\u200f\u2028-\u202e\u205f-\u2064\u2066-\u2069\ufeff\ufff9-\ufffc]/g,
      (hidden) => String.raw`\u${hidden.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
    )}"`;

/** Elixir prints a list of numbers as text where each is a printable ASCII character. */
const isCharlist = (value: unknown): value is number[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every(
    (item) =>
      Number.isInteger(item) && ((item >= 32 && item <= 126) || (item >= 7 && item <= 13) || item === 27),
  );

/** The real server's error where it reads a key of a value that has none, or null. */
export function accessError(value: unknown, key: string): string | null {
  if (Array.isArray(value))
    return `the Access module supports only keyword lists (with atom keys), got: ${inspectTerm(key)}\n\nIf you want to search lists of tuples, use List.keyfind/3`;
  return isRecord(value) ? null : 'no function clause matching in Access.get/3';
}

/** An Elixir tuple, which has no JSON form. */
export class Tuple {
  readonly items: readonly unknown[];
  constructor(...items: readonly unknown[]) {
    this.items = items;
  }
}

const LINE_WIDTH = 80;

/** Like `inspectTerm`, but broken into lines of 80 bytes like the lists and tuples of Elixir's pretty printer. */
export function prettyTerm(value: unknown, indent = 0): string {
  const line = inspectTerm(value);
  if (indent + utf8Length(line) <= LINE_WIDTH) return line;
  if (typeof value === 'string' && !isPrintable(value))
    return fillLines(bytesOf(value), ['<<', '>>'], indent);
  if (value instanceof Tuple) return fillLines(value.items, ['{', '}'], indent);
  if (!Array.isArray(value)) return line;
  if (!value.some(isContainer)) return fillLines(value, ['[', ']'], indent);
  const margin = ' '.repeat(indent + 2);
  const lines = value.map((item) => margin + prettyTerm(item, indent + 2));
  return `[\n${lines.join(',\n')}\n${' '.repeat(indent)}]`;
}

const isContainer = (value: unknown): boolean => typeof value !== 'string' || !isPrintable(value);

function fillLines(
  items: readonly unknown[],
  [open, close]: readonly [string, string],
  indent: number,
): string {
  const margin = ' '.repeat(indent + open.length);
  let lines = '';
  let line = `${' '.repeat(indent)}${open}`;
  for (const [index, item] of items.entries()) {
    const after = index < items.length - 1 ? 1 : close.length;
    const separator = index === 0 ? '' : ', ';
    const fits = utf8Length(line + separator + inspectTerm(item)) + after <= LINE_WIDTH;
    if (fits || index === 0) line += separator;
    else {
      lines += `${line},\n`;
      line = margin;
    }
    const printed = (line + prettyTerm(item, utf8Length(line))).split('\n');
    line = printed.pop() ?? '';
    lines += printed.map((full) => `${full}\n`).join('');
  }
  return (lines + line + close).slice(indent);
}
