import { readCount } from './answer.ts';
import type { Plan, Reader } from './plan.ts';
import type { Form } from './query.ts';
import { asRead } from './rpc-reads.ts';

function form<Data>(read: Reader, change: (plan: Plan) => Partial<Plan>): Form<Data> {
  return (plan) => ({ ...plan, ...change(plan), read, check: undefined });
}

const accept =
  (type: string) =>
  ({ headers }: Plan): Partial<Plan> => ({ headers: { ...headers, Accept: type } });

/** The rows as CSV, with a line of names. */
export const csv = (): Form<string> => form(({ text }) => text, accept('text/csv'));

/** GeoJSON as PostGIS makes it of rows with a geometry. */
export interface FeatureCollection {
  readonly type: 'FeatureCollection';
  readonly features: readonly unknown[];
}

/** The rows as GeoJSON; the server needs PostGIS. */
export const geojson = (): Form<FeatureCollection> =>
  form(({ text }) => JSON.parse(text), accept('application/geo+json'));

export interface ExplainOptions {
  readonly analyze?: boolean;
  readonly verbose?: boolean;
  readonly settings?: boolean;
  readonly buffers?: boolean;
  readonly wal?: boolean;
}

const plan =
  (format: string, options: ExplainOptions) =>
  ({ headers }: Plan): Partial<Plan> => {
    const wanted = Object.entries(options).flatMap(([name, on]) => (on ? [name] : []));
    const of = headers['Accept'] ?? 'application/json';
    return accept(`application/vnd.pgrst.plan+${format}; for="${of}"; options=${wanted.join('|')};`)({
      headers,
    } as Plan);
  };

/** How PostgreSQL would execute the query, as JSON; the server needs `db-plan-enabled`. */
export const explain = (options: ExplainOptions = {}): Form<unknown> =>
  form(({ text }) => JSON.parse(text), plan('json', options));

/** As `explain`, as text for people. */
export const explainText = (options: ExplainOptions = {}): Form<string> =>
  form(({ text }) => text, plan('text', options));

/** Of an insert: where the new row is (`/t?id=eq.1`), without the row; null if the server does not say. */
export const location = (): Form<string | null> =>
  form(
    ({ headers }) => headers.get('location'),
    ({ prefer }) => ({ prefer: { ...prefer, return: 'headers-only' } }),
  );

/** Of a function that returns a set: how many rows it returns, without them (HEAD, where its arguments allow it). */
export const rowCount = (): Form<number> => (plan) => {
  const { method, prefer, ...rest } = asRead(plan, 'HEAD');
  const counted = { ...prefer, count: 'exact', ...(method === 'POST' && { return: 'minimal' }) };
  return { ...rest, method, prefer: counted, read: readCount, check: undefined };
};
