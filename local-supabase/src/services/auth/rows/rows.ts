import type { Sql } from '../../../database/database.ts';

/** Column values by name. Dates and plain objects (jsonb) are encoded on writing; bytes (bytea) are unchanged. */
export type Values = Readonly<Record<string, unknown>>;

function encodeValue(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** Returns the row. Throws an `Error` if the table lacks it. */
export function stored<Row>(row: Row | undefined, table: string): Row {
  if (row === undefined) throw new Error(`${table} has no such row`);
  return row;
}

/** Inserts one row into `table` and returns it as stored, triggers and generated columns included. */
export async function insertRow<Row>(sql: Sql, table: string, values: Values): Promise<Row> {
  const columns = Object.keys(values);
  const places = columns.map((_, index) => `$${index + 1}`).join(', ');
  const [row] = await sql.query<Row>(
    `insert into ${table} (${columns.join(', ')}) values (${places}) returning *`,
    Object.values(values).map((value) => encodeValue(value)),
  );
  return stored(row, table);
}

/** Updates the row `id` of `table` and returns it as stored. Throws an `Error` if it does not exist any more. */
export async function updateRow<Row>(
  sql: Sql,
  table: string,
  id: string | number,
  values: Values,
): Promise<Row> {
  const assignments = Object.keys(values).map((column, index) => `${column} = $${index + 2}`);
  const [row] = await sql.query<Row>(
    `update ${table} set ${assignments.join(', ')} where id = $1 returning *`,
    [id, ...Object.values(values).map((value) => encodeValue(value))],
  );
  return stored(row, table);
}

const uuid = String.raw`[\da-f]{8}(-?)(?:[\da-f]{4}\1){3}[\da-f]{12}`;
const uuidPattern = new RegExp(`^(?:${uuid}|\\{${uuid.replace('\\1', '\\2')}\\})$`, 'i');

/** True for a UUID in every form that PostgreSQL and Go parse: without dashes and in braces too. */
export const isUuid = (text: string): boolean => uuidPattern.test(text);

/** The id that names nothing. */
export const nilUuid = '00000000-0000-0000-0000-000000000000';
