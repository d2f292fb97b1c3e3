import { parseWithExactIntegers } from '../../platform/exact-integers.ts';
import { RestError } from '../errors.ts';
import type { Model } from '../types/model.ts';
import { readCount, readText } from './response.ts';
import { accept, prefer } from './modifiers.ts';
import type { Reader } from './plan.ts';
import type { Form, Modifier, Query, RowsQuery, YieldName } from './query.ts';
import { asRead } from './rpc-reads.ts';

const form =
  <Data>(read: Reader, change: Modifier): Form<Data> =>
  (plan) => ({ ...change(plan), read, check: undefined, isCounted: false });

const readJsonText: Reader = (wire, plan) => JSON.parse(readText(wire, plan)) as unknown;

/** The rows as CSV, the first line being the columns' names. */
export const csv = (): Form<string> => form(readText, accept('text/csv'));

/** A value in which a number may be the text of an integer that a number cannot hold. */
export type ExactIntegers<T> = T extends number
  ? T | string
  : T extends readonly (infer Item)[]
    ? ExactIntegers<Item>[]
    : T extends object
      ? { [K in keyof T]: ExactIntegers<T[K]> }
      : T;

/**
 * Reads integers beyond the safe range of a number (int8, numeric) as strings of their digits, as Realtime's changes have them:
 * `exactIntegers(rest.rpc('total'))`. Without it they are rounded, as by every JSON parser. For one column of a select there are
 * `total::text` and `asBigint('total')`.
 */
export function exactIntegers<M extends Model, Item, Y extends YieldName>(
  query: RowsQuery<M, Item, Y>,
): RowsQuery<M, ExactIntegers<Item>, Y>;
export function exactIntegers<Data>(query: Query<Data>): Query<ExactIntegers<Data>>;
export function exactIntegers(query: Query<unknown>): Query<unknown> {
  return query.with((plan) => ({ ...plan, parse: parseWithExactIntegers }));
}

/** GeoJSON as PostGIS makes it of rows with a geometry. */
export interface FeatureCollection {
  /** The GeoJSON type (RFC 7946 §3.3). */
  readonly type: 'FeatureCollection';
  /** One feature per row. */
  readonly features: readonly unknown[];
}

/** Adds a remedy to an error: PostgREST reports what is missing, but not how to enable it. */
const withRemedy =
  (refusal: string, remedy: string): Modifier =>
  (plan) => ({
    ...plan,
    onFailure(problem) {
      if (!(problem instanceof RestError) || problem.serverCode !== refusal) throw problem;
      const { code, message, status, details } = problem;
      const fields = { status, serverCode: refusal, details, hint: remedy, cause: problem };
      throw new RestError(code, `${message}. ${remedy}`, fields);
    },
  });

/**
 * The rows as GeoJSON.
 *
 * @throws {RestError} `not-found` with the SQL that adds PostGIS as its hint, where the database lacks it.
 */
export const geojson = (): Form<FeatureCollection> =>
  form(readJsonText, (plan) =>
    withRemedy(
      '42883',
      'GeoJSON needs PostGIS: create extension postgis',
    )(accept('application/geo+json')(plan)),
  );

/** The options of PostgreSQL's EXPLAIN. */
export interface ExplainOptions {
  /** Executes the query and adds the actual times. Default false. */
  readonly analyze?: boolean;
  /** Adds output columns and schemas. Default false. */
  readonly verbose?: boolean;
  /** Adds settings that differ from their defaults. Default false. */
  readonly settings?: boolean;
  /** Adds the use of buffers. Default false. */
  readonly buffers?: boolean;
  /** Adds the write-ahead log that was written. Default false. */
  readonly wal?: boolean;
}

const allowPlans = `Allow plans: alter role authenticator set pgrst.db_plan_enabled to 'true'; notify pgrst, 'reload config'`;

const planAs =
  (format: string, options: ExplainOptions): Modifier =>
  (plan) => {
    const enabled = Object.entries(options).flatMap(([name, isOn]) => (isOn ? name : []));
    const mediaType = plan.headers['accept'] ?? 'application/json';
    const plans = `application/vnd.pgrst.plan+${format}; for="${mediaType}"; options=${enabled.join('|')};`;
    return withRemedy('PGRST107', allowPlans)(accept(plans)(plan));
  };

/**
 * How PostgreSQL would execute the query, as JSON.
 *
 * @throws {RestError} `invalid-request` with the SQL that allows it as its hint, where the server lacks `db-plan-enabled`.
 */
export const explain = (options: ExplainOptions = {}): Form<unknown> =>
  form(readJsonText, planAs('json', options));

/** As `explain`, in PostgreSQL's text format. */
export const explainText = (options: ExplainOptions = {}): Form<string> =>
  form(readText, planAs('text', options));

/** For an insert: the address of the new row (`/t?id=eq.1`) instead of the row; null if the server does not send it. */
export const location = (): Form<string | null> =>
  form(({ headers }) => headers.get('location'), prefer({ return: 'headers-only' }));

/** For a function that returns a set: how many rows it returns, without them (HEAD, where its arguments allow it). */
export const rowCount = (): Form<number> =>
  form(readCount, (plan) => {
    const read = asRead(plan, 'HEAD');
    return prefer({ count: 'exact', return: read === plan ? 'minimal' : undefined })(read);
  });
