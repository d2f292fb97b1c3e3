import { parseJson, readCount } from '../wire/answer.ts';
import { accept, prefer } from './modifiers.ts';
import type { Reader } from './plan.ts';
import type { Form, Modifier } from './query.ts';
import { asRead } from './rpc-reads.ts';

const form =
  <Data>(read: Reader, change: Modifier): Form<Data> =>
  (plan) => ({ ...change(plan), read, check: undefined, isCounted: false });

const readText: Reader = ({ text }) => text;

/** The rows as CSV, with a line of names. */
export const csv = (): Form<string> => form(readText, accept('text/csv'));

/** GeoJSON as PostGIS makes it of rows with a geometry. */
export interface FeatureCollection {
  readonly type: 'FeatureCollection';
  readonly features: readonly unknown[];
}

/** The rows as GeoJSON; the server needs PostGIS. */
export const geojson = (): Form<FeatureCollection> => form(parseJson, accept('application/geo+json'));

export interface ExplainOptions {
  readonly analyze?: boolean;
  readonly verbose?: boolean;
  readonly settings?: boolean;
  readonly buffers?: boolean;
  readonly wal?: boolean;
}

const planAs =
  (format: string, options: ExplainOptions): Modifier =>
  (plan) => {
    const wanted = Object.entries(options).flatMap(([name, on]) => (on ? name : []));
    const of = plan.headers['accept'] ?? 'application/json';
    return accept(`application/vnd.pgrst.plan+${format}; for="${of}"; options=${wanted.join('|')};`)(plan);
  };

/** How PostgreSQL would execute the query, as JSON; the server needs `db-plan-enabled`. */
export const explain = (options: ExplainOptions = {}): Form<unknown> =>
  form(parseJson, planAs('json', options));

/** As `explain`, as text for people. */
export const explainText = (options: ExplainOptions = {}): Form<string> =>
  form(readText, planAs('text', options));

/** Of an insert: where the new row is (`/t?id=eq.1`), without the row; null if the server does not say. */
export const location = (): Form<string | null> =>
  form(({ headers }) => headers.get('location'), prefer({ return: 'headers-only' }));

/** Of a function that returns a set: how many rows it returns, without them (HEAD, where its arguments allow it). */
export const rowCount = (): Form<number> =>
  form(readCount, (plan) => {
    const read = asRead(plan, 'HEAD');
    return prefer({ count: 'exact', return: read === plan ? 'minimal' : undefined })(read);
  });
