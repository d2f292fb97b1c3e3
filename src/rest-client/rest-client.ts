import { configurationProblem, serviceUrl } from '../platform/service.ts';
import { parseContentRange, readCount, readRows } from './wire/answer.ts';
import { RestError } from './errors.ts';
import { createExchange, type ExchangeOptions } from './wire/exchange.ts';
import type {
  ArgsOf,
  DatabaseModel,
  FunctionModel,
  Model,
  Part,
  ReturnsOf,
  SchemaName,
  UnknownDatabase,
} from './types/model.ts';
import { encodeRequest, type Plan, readsRows, type Wire } from './query/plan.ts';
import type { FunctionRowQuery, FunctionRowsQuery, Query, Table } from './query/query.ts';
import { encodeJson } from './query/quoting.ts';
import { createTable, QueryBuilder, type Runner } from './query/query-builder.ts';
import type { Validate } from './results/standard-schema.ts';

export interface RestClientOptions<Schema extends string = string> extends ExchangeOptions {
  /** The project's URL, without `/rest/v1`. */
  readonly url: string;
  /** The schema to query. Default: the server's own, `public`. */
  readonly schema?: Schema;
  /** Which rows are validated, where there is a schema to validate them by. Default 'all'. */
  readonly validate?: Validate;
  /** How many rows the server sends at most, by which `truncated` is judged. Default 1000, as Supabase has it. */
  readonly maxRows?: number;
  /** Longest URL to send, in characters. Default 8000, which common gateways accept. */
  readonly maxUrlLength?: number;
  /** Headers to send with every request; preferences (`Prefer`) are added to those of the query. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What `table()` of `rest-client/table.ts` makes: a table with the schemas of its columns. */
export interface TableDefinition<M extends Model = Model> {
  readonly name: string;
  /** The plan of every query of this table. */
  readonly prepare: (plan: Plan, validate: Validate) => Plan;
  /** Only for the type checker. */
  readonly model?: M;
}

/** What a function returns: rows where it returns a set, one row where it returns a composite, else a value. */
export type FunctionQuery<Schema, F, Returns> = [Returns] extends [readonly (infer Row extends object)[]]
  ? FunctionRowsQuery<FunctionModel<Schema, F, Row>>
  : [Returns] extends [undefined]
    ? Query<null>
    : [Returns] extends [Readonly<Record<string, unknown>>]
      ? FunctionRowQuery<FunctionModel<Schema, F, Returns>, Returns>
      : Query<Returns>;

/** The names of a schema, as members: an interface's members appear in a compiler's message as what they are. */
interface Names<Schema> {
  readonly relation: (keyof Part<Schema, 'Tables'> | keyof Part<Schema, 'Views'>) & string;
  readonly function: keyof Part<Schema, 'Functions'> & string;
}

/** Queries of a schema's tables, views and functions; typed by `Database`, if there is one. */
export interface RestClient<
  Database = UnknownDatabase,
  Name extends SchemaName<Database> = SchemaName<Database>,
> {
  /** Queries a table or view: by its name, or by its definition, whose schemas also validate the rows. */
  from<T extends Names<Database[Name]>['relation'] | TableDefinition>(
    table: T,
  ): T extends string
    ? Table<DatabaseModel<Database[Name], T>>
    : T extends TableDefinition<infer M>
      ? Table<M>
      : never;
  /** The same client for another schema, which the server must expose. */
  schema<S extends Exclude<keyof Database, '__InternalSupabase'> & string>(name: S): RestClient<Database, S>;
  /** Calls a function by POST; see `viaGet()` for functions that only read. */
  rpc<F extends Names<Database[Name]>['function'], const A extends ArgsOf<Database[Name], F>>(
    name: F,
    ...args: ArgsList<A>
  ): FunctionQuery<Database[Name], F, ReturnsOf<Database[Name], F, A>>;
}

/** Arguments may be left out where none is required. */
type ArgsList<A> = [undefined] extends [A] ? [args?: A] : {} extends A ? [args?: A] : [args: A];

type DefaultSchema<Database> = 'public' extends SchemaName<Database> ? 'public' : SchemaName<Database>;

/**
 * Creates a client of PostgREST (protocol: PROTOCOL.md beside this file). Creating it sends nothing.
 * @example
 * ```ts
 * import { createRestClient, eq, like, or } from 'supabase-protocol-clients/rest-client';
 *
 * const rest = createRestClient<Database>({ url, apiKey: anonKey, platform, getAccessToken: auth.getAccessToken });
 * const newest = await rest
 *   .from('notifications')
 *   .select('id, status, created_at')
 *   .where(or(eq('status', 'unread'), like('content', '%invite%')))
 *   .order('created_at', { ascending: false })
 *   .limit(20);
 * const changed = await rest.from('notifications').update({ status: 'read' }).in('id', newest.map(({ id }) => id));
 * console.log(`${changed} are read now`);
 * ```
 */
export function createRestClient<
  Database = UnknownDatabase,
  Name extends SchemaName<Database> = DefaultSchema<Database>,
>(options: RestClientOptions<Name>): RestClient<Database, Name> {
  const { maxRows = 1000, maxUrlLength = 8000, validate = 'all' } = options;
  const problem = configurationProblem(options);
  if (problem) throw new RestError('invalid-options', problem);
  const base = serviceUrl(options.url, 'rest');
  const exchange = createExchange(options);
  const runner: Runner = {
    encode(plan) {
      const request = encodeRequest(plan, base);
      if (request.url.length <= maxUrlLength) return request;
      throw new RestError('url-too-long', `URL longer than ${maxUrlLength}: see inChunks()`);
    },
    async run(query, options = {}) {
      const { headers: ownHeaders } = options;
      const plan = ownHeaders
        ? { ...query, headers: { ...query.headers, ...lowerCased(ownHeaders) } }
        : query;
      const request = runner.encode(plan);
      await plan.precondition?.(plan, (proof) => exchange(runner.encode(proof), options));
      const wire = await exchange(request, options);
      const { status, headers } = wire;
      const rows = await readAnswer(plan, wire);
      const { rows: received, total: count } = parseContentRange(headers);
      const { limit = Infinity, offset = 0, prefer } = plan;
      // Only rows that are read can be cut. A count that is not exact is an estimate.
      const truncated =
        readsRows(plan) &&
        (count === null || prefer['count'] !== 'exact'
          ? received === maxRows && limit > maxRows
          : Number(received) < Math.min(count - offset, limit));
      const data = plan.isCounted ? { rows, count: readCount(wire), truncated } : rows;
      return { data, count, truncated, status, headers };
    },
  };
  const client = (schema: string | undefined): unknown => {
    const plan: Plan = {
      method: 'GET',
      path: '',
      schema,
      params: [],
      filters: [],
      order: [],
      prefer: {},
      headers: lowerCased(options.headers),
      read: readRows,
    };
    return {
      schema: client,
      from(table: string | TableDefinition) {
        const at = (name: string): Plan => ({ ...plan, path: encodeURIComponent(name) });
        return createTable(
          typeof table === 'string' ? at(table) : table.prepare(at(table.name), validate),
          runner,
        );
      },
      rpc: (name: string, args: object = {}) =>
        new QueryBuilder(
          { ...plan, method: 'POST', path: `rpc/${encodeURIComponent(name)}`, body: encodeJson(args) },
          runner,
        ),
    };
  };
  return client(options.schema) as RestClient<Database, Name>;
}

async function readAnswer(plan: Plan, wire: Wire): Promise<unknown> {
  try {
    const rows = await plan.read(wire, plan);
    plan.verify?.(rows, wire);
    return rows;
  } catch (cause) {
    const error =
      cause instanceof RestError
        ? cause
        : new RestError('invalid-row', 'The answer is unreadable', { cause });
    throw error.withStatus(wire.status);
  }
}

/** Headers by their names in lower case. */
const lowerCased = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
