import { count, duration, limit, rangeProblem } from '../platform/number-options.ts';
import { encodeSegment } from '../platform/path-segment.ts';
import { configurationProblem } from '../platform/service.ts';
import { mergeHeaders } from '../platform/service-http.ts';
import { readRows } from './query/response.ts';
import { RestError } from './errors.ts';
import { Runner, type RunnerOptions } from './wire/runner.ts';
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
import type { Method, Plan } from './query/plan.ts';
import type {
  FunctionRowQuery,
  FunctionRowsQuery,
  Query,
  RowsQuery,
  Selectable,
  Table,
} from './query/query.ts';
import { accept } from './query/modifiers.ts';
import { encodeJson, refuse } from './query/quoting.ts';
import { QueryBuilder } from './query/query-builder.ts';
import { TableQuery } from './query/table-query.ts';
import type { Validate } from './results/standard-schema.ts';

/** The project, the caller, and how queries are sent. */
export interface RestClientOptions<Schema extends string = string> extends RunnerOptions {
  /** The schema to query. Default: the server's own, `public`. */
  readonly schema?: Schema;
  /** Which rows of a `table()` are validated by its schemas. Default 'all'. */
  readonly validate?: Validate;
  /** Headers to send with every request; preferences (`Prefer`) are added to those of the query. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A table with the schemas of its columns: what `table()` makes. */
export interface TableDefinition<M extends Model = Model> {
  /** The table's or view's name. */
  readonly name: string;
  /** Adds the schemas to the plan of a query of this table. */
  readonly prepare: (plan: Plan, validate: Validate) => Plan;
  /** Present for the type checker only. */
  readonly model?: M;
}

/** What a function returns: rows where it returns a set, one row where it returns a composite, else a value. */
export type FunctionQuery<Database, S extends keyof Database, F, Returns> = [unknown] extends [Returns]
  ? UntypedFunctionQuery<FunctionModel<Database, S, F, Record<string, unknown>>>
  : [Returns] extends [readonly (infer Row extends object)[]]
    ? FunctionRowsQuery<FunctionModel<Database, S, F, Row>>
    : [Returns] extends [undefined]
      ? Query<null>
      : [Returns] extends [Readonly<Record<string, unknown>>]
        ? FunctionRowQuery<FunctionModel<Database, S, F, Returns>, Returns>
        : Query<Returns>;

/** What a function without types returns: any value, or rows. */
type UntypedFunctionQuery<M extends Model> = RowsQuery<M, M['Row'], 'unknown'> & Selectable<M>;

/** The names of a schema; members of an interface, whose types a compiler's message shows in full. */
interface Names<Schema> {
  readonly relation: (keyof Part<Schema, 'Tables'> | keyof Part<Schema, 'Views'>) & string;
  readonly function: keyof Part<Schema, 'Functions'> & string;
}

/** Queries of a schema's tables, views and functions; typed by `Database`, if there is one. */
export interface RestClient<
  Database = UnknownDatabase,
  Name extends SchemaName<Database> = DefaultSchema<Database>,
> {
  /** Queries a table or view: by its name, or by its definition, whose schemas also validate the rows. */
  from<M extends Model>(table: TableDefinition<M>): Table<M>;
  from<T extends Names<Database[Name]>['relation']>(table: T): Table<DatabaseModel<Database, Name, T>>;
  /** The same client for another schema, which the server must expose. */
  schema<S extends Exclude<keyof Database, '__InternalSupabase'> & string>(name: S): RestClient<Database, S>;
  /** Calls a function by POST; see `viaGet()` for functions that only read. */
  rpc<F extends Names<Database[Name]>['function'], const A extends ArgsOf<Database[Name], F>>(
    name: F,
    ...args: ArgsList<A>
  ): FunctionQuery<Database, Name, F, ReturnsOf<Database[Name], F, A>>;
  /**
   * Describes the tables, views and functions that the caller may use. Hosted projects require a secret key.
   *
   * @see https://docs.postgrest.org/en/stable/references/api/openapi.html
   */
  getOpenApiSpec(): Query<OpenApiSpec>;
}

/** The description of a schema, as PostgREST writes it (OpenAPI 2.0). */
export interface OpenApiSpec {
  /** The version of OpenAPI. */
  readonly swagger: '2.0';
  /** Title and description of the schema, by its comment, and the version of PostgREST. */
  readonly info: Readonly<Record<string, string>>;
  /** What can be requested, by path: `/` and a name, or `/rpc/` and a function's name. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** JSON schemas of the rows, by the table's or view's name. */
  readonly definitions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Arguments may be left out where none is required. */
type ArgsList<A> = [undefined] extends [A] ? [args?: A] : {} extends A ? [args?: A] : [args: A];

type DefaultSchema<Database> = 'public' extends SchemaName<Database> ? 'public' : SchemaName<Database>;

/**
 * Creates a client of PostgREST. Creating it sends nothing.
 *
 * @throws {RestError} `invalid-options`
 * @example
 * ```ts
 * import { createRestClient, eq, like, or } from 'supabase-protocol-clients/rest-client';
 *
 * const rest = createRestClient<Database>({ url, apiKey, platform, getAccessToken: auth.getAccessToken });
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
  const problem = configurationProblem(options, ranges) ?? rangeProblem(options.retry, retryRanges);
  if (problem) throw new RestError('invalid-options', problem);
  return new Client(options, options.schema, new Runner(options)) as unknown as RestClient<Database, Name>;
}

const ranges = { timeoutMs: duration, attemptTimeoutMs: duration, maxRows: count, maxUrlLength: count };
const retryRanges = { limit, baseDelayMs: duration, maxDelayMs: duration };

const none: readonly never[] = [];

/** The name of a table, view or function. @throws {RestError} `invalid-query` */
const encodeName = (name: string): string => encodeSegment(name, refuse);

/** Starts queries; the interface `RestClient` types them. */
class Client {
  readonly #options: RestClientOptions;
  readonly #schema: string | undefined;
  readonly #runner: Runner;

  constructor(options: RestClientOptions, schema: string | undefined, runner: Runner) {
    this.#options = options;
    this.#schema = schema;
    this.#runner = runner;
  }

  schema(name: string): Client {
    return new Client(this.#options, name, this.#runner);
  }

  from(table: string | TableDefinition): TableQuery {
    const isName = typeof table === 'string';
    const plan = this.#plan('GET', encodeName(isName ? table : table.name));
    const prepared = isName ? plan : table.prepare(plan, this.#options.validate ?? 'all');
    return new TableQuery(prepared, this.#runner);
  }

  rpc(name: string, args: object = {}): QueryBuilder {
    const plan = this.#plan('POST', `rpc/${encodeName(name)}`);
    return new QueryBuilder({ ...plan, body: encodeJson(args) }, this.#runner);
  }

  getOpenApiSpec(): QueryBuilder {
    const plan = this.#plan('GET', '');
    return new QueryBuilder(accept('application/openapi+json')(plan), this.#runner);
  }

  #plan(method: Method, path: string): Plan {
    const { headers } = this.#options;
    // Sets every member: copies of an object are several times faster if none adds a member.
    return {
      method,
      path,
      schema: this.#schema,
      params: none,
      select: undefined,
      filters: none,
      order: none,
      limit: undefined,
      offset: undefined,
      prefer: {},
      headers: mergeHeaders(headers),
      body: undefined,
      addedRows: undefined,
      isUnfiltered: undefined,
      read: readRows,
      parse: undefined,
      isCounted: undefined,
      precondition: undefined,
      onFailure: undefined,
      verify: undefined,
      project: undefined,
      check: undefined,
    };
  }
}
