import { parseWithExactIntegers } from '../../platform/exact-integers.ts';
import { isRecord } from '../json.ts';
import { fieldsOf } from '../protocol/wire.ts';

/** PostgreSQL types whose integers may exceed the safe range of a number, and arrays of them. */
const exactTypes = new Set<unknown>(['int8', 'numeric', '_int8', '_numeric']);

/** Whether JSON may contain an integer beyond the safe range, which has at least 16 digits. */
export function hasLongDigits(text: string): boolean {
  return /\d{16}/.test(text);
}

/** Returns the payload of a `postgres_changes` frame with exact integers. */
export function withExactIntegers(payload: unknown, frame: string): unknown {
  const data = isRecord(payload) ? payload['data'] : null;
  if (!isRecord(data) || !Array.isArray(data['columns'])) return payload;
  const names = roundedColumns(data, data['columns']);
  if (names.length === 0) return payload;
  const exact = fieldsOf(parseWithExactIntegers(frame))[4];
  return {
    ...(payload as object),
    data: withExactColumns(data, names, isRecord(exact) ? exact['data'] : null),
  };
}

/** The members of a change that have values of columns. */
const members = ['record', 'old_record'] as const;

/** The columns of these types of which `JSON.parse` has rounded a value. */
function roundedColumns(
  data: Readonly<Record<string, unknown>>,
  columns: readonly unknown[],
): readonly string[] {
  const names: string[] = [];
  for (const column of columns) {
    if (!isRecord(column) || !exactTypes.has(column['type'])) continue;
    const name = String(column['name']);
    if (members.some((member) => isRounded(data[member], name))) names.push(name);
  }
  return names;
}

function isRounded(row: unknown, name: string): boolean {
  const value = isRecord(row) ? row[name] : null;
  if (!Array.isArray(value)) return isUnsafe(value);
  return value.flat(Infinity).some(isUnsafe);
}

function isUnsafe(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

/**
 * Replaces the values of the columns of type int8 and numeric by their exact ones. Other types keep JSON's numbers: a
 * float8 such as 1e300 arrives as 301 digits and stays a number.
 *
 * @param rounded the `data` of a change as `JSON.parse` returns it.
 * @param exact the same from {@link parseWithExactIntegers}.
 */
function withExactColumns(
  rounded: Readonly<Record<string, unknown>>,
  names: readonly string[],
  exact: unknown,
): unknown {
  if (!isRecord(exact)) return rounded;
  const restored = { ...rounded };
  for (const member of members) {
    const [row, exactRow] = [rounded[member], exact[member]];
    if (!isRecord(row) || !isRecord(exactRow)) continue;
    const values = names
      .filter((name) => Object.hasOwn(row, name))
      .map((name) => [name, exactRow[name]] as const);
    restored[member] = { ...row, ...Object.fromEntries(values) };
  }
  return restored;
}
