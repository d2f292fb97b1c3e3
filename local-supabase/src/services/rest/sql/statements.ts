import { returnsScalar, returnsSetOfScalars, returnsSingleComposite } from '../catalog/catalog.ts';
import type { Routine } from '../catalog/catalog.ts';
import type { BodyHandler } from '../plan/negotiate.ts';
import type { DatabasePlan } from '../plan/plan-request.ts';
import type { CountKind, Preferences } from '../request/preferences.ts';
import { callSql } from './call-sql.ts';
import { EMPTY, join, literal, qualified, raw, sql, toStatement } from './fragment.ts';
import type { SqlFragment, Statement } from './fragment.ts';
import { countSql, readSql } from './read-sql.ts';
import { writeSql } from './write-sql.ts';

/** The statements of a request. Each returns one row. */
export interface RequestStatements {
  readonly main: Statement;
  /** Returns the planner's estimate of the number of rows. */
  readonly explainCount: Statement | undefined;
}

export function statementsOf(
  plan: DatabasePlan,
  preferences: Preferences,
  maxRows: bigint | null,
): RequestStatements {
  const main = mainSql(plan, preferences, maxRows);
  const explained =
    plan.mediaType.type === 'plan' ? sql`EXPLAIN (${raw(explainOptions(plan.mediaType))}) ${main}` : main;
  const isEstimated = preferences.count === 'planned' || preferences.count === 'estimated';
  return {
    main: toStatement(explained),
    explainCount:
      plan.type === 'read' && isEstimated
        ? toStatement(sql`EXPLAIN (FORMAT JSON) ${countSql(plan.read)}`)
        : undefined,
  };
}

function explainOptions({
  format,
  options,
}: {
  readonly format: string;
  readonly options: readonly string[];
}): string {
  return [`FORMAT ${format.toUpperCase()}`, ...options.map((option) => option.toUpperCase())].join(', ');
}

function mainSql(plan: DatabasePlan, preferences: Preferences, maxRows: bigint | null): SqlFragment {
  switch (plan.type) {
    case 'read': {
      const count = countCte(plan, preferences.count, maxRows);
      const rows = sql`SELECT * FROM pgrst_source`;
      return wrap(sql`( ${readSql(plan.read)} )${count.cte}`, rows, {
        total: count.total,
        body: bodyOf(plan.handler, undefined),
      });
    }
    case 'call': {
      const count = countCte(plan, preferences.count, null);
      return wrap(sql`(${callSql(plan.call)})${count.cte}`, readSql(plan.read), {
        total: count.total,
        pageTotal: plan.routine.returnsSet ? undefined : raw('1'),
        body: bodyOf(plan.handler, plan.routine),
      });
    }
    case 'write': {
      const { write, handler } = plan;
      const isUpsert =
        write.type === 'insert' &&
        (write.conditions.length > 0 || preferences.resolution === 'merge-duplicates');
      const isLocated = write.type === 'insert' && preferences.representation === 'headers-only';
      const rows = handler.type === 'none' ? sql`SELECT * FROM pgrst_source` : readSql(plan.read);
      return wrap(sql`(${writeSql(write)})`, rows, {
        total: raw('null::bigint'),
        location: isLocated ? locationSql(write.primaryKey) : undefined,
        body: bodyOf(handler, undefined),
        inserted: isUpsert ? raw(`nullif(current_setting('pgrst.inserted', true), '')::int`) : undefined,
      });
    }
  }
}

interface ResultColumns {
  readonly total: SqlFragment;
  readonly pageTotal?: SqlFragment | undefined;
  readonly location?: SqlFragment | undefined;
  readonly body: SqlFragment;
  readonly inserted?: SqlFragment | undefined;
}

function wrap(source: SqlFragment, rows: SqlFragment, columns: ResultColumns): SqlFragment {
  const shown = [
    sql`${columns.total} AS total`,
    sql`${columns.pageTotal ?? raw('pg_catalog.count(_postgrest_t)')} AS page_total`,
    sql`${columns.location ?? raw('null::json')} AS location`,
    sql`${columns.body} AS body`,
    raw(`nullif(current_setting('response.headers', true), '') AS response_headers`),
    raw(`nullif(current_setting('response.status', true), '') AS response_status`),
    sql`${columns.inserted ?? raw('null::int')} AS inserted`,
  ];
  return sql`WITH pgrst_source AS ${source} SELECT ${join(shown, ', ')} FROM (${rows}) _postgrest_t`;
}

function countCte(
  { read }: DatabasePlan,
  kind: CountKind | undefined,
  maxRows: bigint | null,
): { readonly cte: SqlFragment; readonly total: SqlFragment } {
  if (kind !== 'exact' && kind !== 'estimated') return { cte: EMPTY, total: raw('null::bigint') };
  // One row more than the limit shows whether the limit is exceeded.
  const limit = kind === 'estimated' && maxRows !== null ? raw(` LIMIT ${maxRows + 1n}`) : EMPTY;
  return {
    cte: sql`, pgrst_source_count AS (${countSql(read)}${limit})`,
    total: raw('(SELECT pg_catalog.count(*) FROM pgrst_source_count)'),
  };
}

/** The primary key of a single inserted row, as filters. */
function locationSql(primaryKey: readonly string[]): SqlFragment {
  const names = join(primaryKey.length === 0 ? [raw(`''`)] : primaryKey.map(literal), ', ');
  return sql`CASE WHEN pg_catalog.count(_postgrest_t) = 1 THEN (
    SELECT json_agg(json_build_array(key, coalesce('eq.' || value, 'is.null')))
    FROM (SELECT row_to_json(_) AS row FROM pgrst_source AS _ LIMIT 1) data
    CROSS JOIN json_each_text(data.row) WHERE key IN (${names})) END`;
}

function bodyOf(handler: BodyHandler, routine: Routine | undefined): SqlFragment {
  const scalar = routine !== undefined && returnsScalar(routine);
  const rows = raw(
    scalar || (routine && returnsSetOfScalars(routine)) ? '_postgrest_t.pgrst_scalar' : '_postgrest_t',
  );
  switch (handler.type) {
    case 'none':
      return raw(`''::text`);
    case 'csv':
      return raw(CSV);
    case 'geojson':
      return raw(
        `json_build_object('type', 'FeatureCollection', 'features', coalesce(json_agg(ST_AsGeoJSON(_postgrest_t)::json), '[]'))`,
      );
    case 'custom': {
      const argument = scalar
        ? rows
        : handler.target === null
          ? raw('_postgrest_t')
          : sql`_postgrest_t::${qualified(handler.target)}`;
      return sql`${qualified(handler.function)}(${argument})`;
    }
    case 'single': {
      const of = scalar ? rows : raw('_postgrest_t');
      return firstOf(of, handler.isStripped);
    }
    case 'json':
    case 'array-stripped': {
      const isStripped = handler.type === 'array-stripped';
      if (scalar || (routine && returnsSingleComposite(routine))) return firstOf(rows, isStripped);
      return sql`coalesce(${strip(sql`json_agg(${rows})`, isStripped)}, '[]')`;
    }
  }
}

const firstOf = (rows: SqlFragment, isStripped: boolean): SqlFragment =>
  sql`coalesce(${strip(sql`json_agg(${rows})->0`, isStripped)}, 'null')`;

const strip = (json: SqlFragment, isStripped: boolean): SqlFragment =>
  isStripped ? sql`json_strip_nulls(${json})` : json;

const CSV = `(SELECT coalesce(string_agg(a.k, ','), '') FROM (
  SELECT json_object_keys(r)::text AS k FROM (SELECT row_to_json(hh) AS r FROM pgrst_source AS hh LIMIT 1) s) a)
  || E'\\n' || coalesce(string_agg(substring(_postgrest_t::text, 2, length(_postgrest_t::text) - 2), E'\\n'), '')`;
