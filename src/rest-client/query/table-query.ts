import { readAffected, readCount, readNothing, readRows } from './response.ts';
import type { Columns, Plan } from './plan.ts';
import { project, QueryBuilder, type QueryRunner } from './query-builder.ts';
import type { CountKind, InsertOptions, UpsertOptions } from './query.ts';
import { encodeColumn, encodeJson, quote, refuse } from './quoting.ts';

/** The queries of a table or view, of which `plan` holds the path; the interface `Table` types them. */
export class TableQuery {
  readonly #plan: Plan;
  readonly #runner: QueryRunner;

  constructor(plan: Plan, runner: QueryRunner) {
    this.#plan = plan;
    this.#runner = runner;
  }

  select(columns: Columns = '*'): QueryBuilder {
    const plan = this.#plan;
    const { select, params, check } = project(plan, columns);
    return new QueryBuilder({ ...plan, select, params, check, read: readRows }, this.#runner);
  }

  count(kind: CountKind = 'exact'): QueryBuilder {
    return this.#start({ method: 'HEAD', prefer: { count: kind }, read: readCount });
  }

  insert(rows: unknown, { missing }: InsertOptions = {}): QueryBuilder {
    return this.#add(rows, { missing });
  }

  upsert(
    rows: unknown,
    { onConflict = [], ignoreDuplicates = false, missing }: UpsertOptions = {},
  ): QueryBuilder {
    const resolution = ignoreDuplicates ? 'ignore-duplicates' : 'merge-duplicates';
    if (typeof onConflict === 'string' && onConflict.includes(','))
      refuse(`onConflict "${onConflict}": several columns are a list`);
    if (!ignoreDuplicates && missing === undefined && isUneven(rows, columnsOf(rows)))
      refuse('An upsert of rows with different columns overwrites those that a row lacks: choose `missing`');
    const target = [onConflict].flat().map(encodeColumn).join();
    return this.#add(rows, { resolution, missing }, target || undefined);
  }

  update(values: unknown): QueryBuilder {
    return this.#start({ method: 'PATCH', body: encodeJson(values), read: readAffected });
  }

  delete(): QueryBuilder {
    return this.#start({ method: 'DELETE', prefer: { count: 'exact' }, read: readAffected });
  }

  #add(rows: unknown, { missing, ...prefer }: Plan['prefer'], onConflict?: string): QueryBuilder {
    const names = columnsOf(rows);
    const appliesDefaults = missing !== 'null' && isUneven(rows, names);
    return this.#start({
      ...addRows(rows, names, encodeJson(rows), onConflict),
      method: 'POST',
      read: readNothing,
      // Without the preference the server writes null.
      prefer: { ...prefer, missing: appliesDefaults ? 'default' : undefined },
    });
  }

  #start(change: Partial<Plan>): QueryBuilder {
    return new QueryBuilder({ ...this.#plan, ...change }, this.#runner);
  }
}

/** The parts of a plan that adds rows. @param names the columns of the rows. */
export const addRows = (
  rows: unknown,
  names: readonly string[],
  body: string,
  onConflict: string | undefined,
): Pick<Plan, 'params' | 'body' | 'addedRows'> => ({
  params: [
    ['columns', names.map(quote).join() || undefined],
    ['on_conflict', onConflict],
  ],
  body,
  addedRows: Array.isArray(rows) ? rows.length : 1,
});

const definedKeys = (row: object): string[] =>
  Object.entries(row).flatMap(([name, value]) => (value === undefined ? [] : name));

/** The columns that any of several rows has. */
export const columnsOf = (
  rows: unknown,
  keysOfRow: (row: object) => readonly string[] = definedKeys,
): readonly string[] =>
  Array.isArray(rows) ? [...new Set((rows as readonly object[]).flatMap(keysOfRow))] : [];

/** Whether one of several rows lacks a column that another one has. */
function isUneven(rows: unknown, { length }: readonly string[]): boolean {
  return Array.isArray(rows) && (rows as readonly object[]).some((row) => definedKeys(row).length < length);
}
