import { encodeItem, refuse } from '../../rest-client/query/quoting.ts';

/** A select without the white space that is not in quotes. */
export const withoutSpaces = (columns: string): string =>
  columns
    .split('"')
    .map((part, index) => (index % 2 ? part : part.replaceAll(/\s/g, '')))
    .join('"');

/** A value as its text. @throws {RestError} `invalid-query` for a function or a symbol, which no column equals. */
export const textOf = (value: unknown): string =>
  typeof value === 'function' || typeof value === 'symbol'
    ? refuse(`A ${typeof value} is not a value to compare with`)
    : String(value);

/** Texts that PostgreSQL reads unchanged in an array literal, and those that a program has quoted itself. */
const literalItem = /^(?!null$)[^\s{},"\\](?:[^{},"\\]*[^\s{},"\\])?$|^"(?:[^"\\]|\\.)*"$/is;

/** Values as an array literal. Items that the vendor's client writes correctly are written as there. */
export const encodeList = (values: readonly unknown[]): string =>
  `{${values.map((value) => (isLiteral(value) ? value : encodeItem(value ?? null))).join()}}`;

const isLiteral = (value: unknown): boolean => typeof value === 'string' && literalItem.test(value);

const needsQuotes = (text: string): boolean => /[,()"\\]|^\s|\s$/.test(text);
const quote = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

/** A text as an operand among others: quoted if it has a reserved character or white space at an end. */
export const encodeText = (text: string): string => (needsQuotes(text) ? quote(text) : text);

/** Values as the list of `in`: texts as by `encodeText`, and an empty text among others in quotes. */
export const encodeItems = (values: readonly unknown[]): string => {
  const items = Array.from(new Set(values), (value) => {
    if (typeof value !== 'string') return textOf(value);
    return value === '' && values.length > 1 ? '""' : encodeText(value);
  });
  return `(${items.join()})`;
};

/** A range unchanged, an array as its literal, anything else as JSON. */
export function encodeContainment(value: string | readonly unknown[] | object): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? encodeList(value) : JSON.stringify(value);
}

/** The operand of an operator by its name: an array as the operator reads it, anything else as its text. */
export function encodeOperand(operator: string, value: unknown): string {
  if (!Array.isArray(value)) return textOf(value);
  return operator === 'in' ? encodeItems(value) : encodeList(value);
}
