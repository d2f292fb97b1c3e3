import { utf8Length } from '../../../platform/bytes.ts';
import { isRecord, Tuple } from '../subscription/term.ts';

/**
 * The size of a payload as the real server measures it: the bytes of Erlang's external term format (version 131).
 * A text of n bytes takes n + 5, a map or list takes 5 plus its members, and a list of n bytes takes n + 3. A symbol is an
 * atom.
 */
export function externalSize(value: unknown): number {
  return 1 + termSize(value);
}

const HEADER = 5;

function termSize(value: unknown): number {
  if (typeof value === 'string') return HEADER + utf8Length(value);
  if (value instanceof Uint8Array) return HEADER + value.length;
  if (typeof value === 'number') return numberSize(value);
  if (Array.isArray(value)) {
    if (isString(value)) return 3 + value.length;
    // An empty list takes one byte, and every other list ends with that byte.
    return value.length === 0 ? 1 : value.reduce<number>((sum, item) => sum + termSize(item), HEADER + 1);
  }
  if (value instanceof Tuple) return value.items.reduce<number>((sum, item) => sum + termSize(item), 2);
  if (isRecord(value)) {
    return Object.entries(value).reduce(
      (sum, [key, member]) => sum + termSize(key) + termSize(member),
      HEADER,
    );
  }
  if (typeof value === 'symbol') return 2 + String(value.description).length;
  return 2 + (typeof value === 'boolean' ? String(value) : 'nil').length;
}

/** Erlang writes a list of bytes as a string, whose length has 16 bits. */
const isString = (items: readonly unknown[]): boolean =>
  items.length > 0 && items.length < 65_535 && items.every(isByte);

const isByte = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;

function numberSize(value: number): number {
  if (!Number.isInteger(value)) return 9;
  if (isByte(value)) return 2;
  if (value >= -(2 ** 31) && value < 2 ** 31) return 5;
  return 3 + Math.ceil(Math.log2(Math.abs(value) + 1) / 8);
}

const PADDING_BYTES = 500;

/** Whether a payload is larger than a limit in kilobytes of 1,000 bytes. */
export const exceedsPayloadLimit = (value: unknown, maxPayloadKb: number): boolean =>
  externalSize(value) > maxPayloadKb * 1_000 + PADDING_BYTES;
