import { readAffected, readCount, readNothing, readRows } from './answer.ts';
import type { Columns, Plan } from './plan.ts';
import { project, QueryBuilder, type QueryRunner } from './query-builder.ts';
import type { CountKind, InsertOptions, UpsertOptions } from './query.ts';
import { encodeColumn, encodeJson, quote } from './quoting.ts';

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
    const target = [onConflict].flat().map(encodeColumn).join();
    return this.#add(rows, { resolution, missing }, target);
  }

  update(values: unknown): QueryBuilder {
    return this.#start({ method: 'PATCH', body: encodeJson(values), read: readAffected });
  }

  delete(): QueryBuilder {
    return this.#start({ method: 'DELETE', prefer: { count: 'exact' }, read: readAffected });
  }

  #add(rows: unknown, prefer: Plan['prefer'], onConflict = ''): QueryBuilder {
    // The union of the rows' keys: a row that lacks one gets its default, or null.
    const names = new Set(Array.isArray(rows) ? rows.flatMap(Object.keys) : []);
    return this.#start({
      method: 'POST',
      params: [
        ['columns', Array.from(names, quote).join() || undefined],
        ['on_conflict', onConflict || undefined],
      ],
      body: encodeJson(rows),
      addedRows: Array.isArray(rows) ? rows.length : 1,
      read: readNothing,
      prefer,
    });
  }

  #start(change: Partial<Plan>): QueryBuilder {
    return new QueryBuilder({ ...this.#plan, ...change }, this.#runner);
  }
}
