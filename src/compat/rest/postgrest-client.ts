import type { OpenApiSpec, RestClient } from '../../rest-client/index.ts';
import type { QueryBuilder } from '../../rest-client/query/query-builder.ts';
import type { TableQuery } from '../../rest-client/query/table-query.ts';
import type {
  ArgsOf,
  DatabaseModel,
  FunctionModel,
  Model,
  Part,
  ReturnsOf,
} from '../../rest-client/types/model.ts';
import type { IsUntyped, Known, SchemaOf, Untyped } from '../untyped.ts';
import { PostgrestFilterBuilder, type QuerySettings } from './filter-builder.ts';
import { PostgrestQueryBuilder, type RpcOptions, sending, withRpcOptions } from './query-builder.ts';

export type RelationName<Schema> = (keyof Part<Schema, 'Tables'> | keyof Part<Schema, 'Views'>) & string;
export type FunctionName<Schema> = keyof Part<Schema, 'Functions'> & string;

type RowOfResult<Returns> = Returns extends readonly (infer Row extends object)[]
  ? Row
  : Returns extends object
    ? Returns
    : Record<string, Untyped>;

/** The query of a function that returns `Returns`. */
export type RpcBuilder<Database, S extends keyof Database, Name, Returns> = PostgrestFilterBuilder<
  FunctionModel<
    Database,
    S,
    Name,
    IsUntyped<Returns> extends true ? Record<string, Untyped> : RowOfResult<Returns>
  >,
  Returns
>;

export interface NativeClients {
  /** Retries failed reads. */
  readonly retrying: RestClient;
  /** Never retries. */
  readonly once: RestClient;
}

/** The native clients that send the queries. */
export interface RestClients extends NativeClients {
  /** The clients that send by another `fetch`. */
  readonly withFetch: (fetch: typeof globalThis.fetch) => NativeClients;
  /** Whether reads are retried by default. */
  readonly retries: boolean;
  /** See {@link QuerySettings}. */
  readonly urlLengthLimit: number;
}

/** Options of the queries of one `from()`. Default: those of the client. */
export interface PostgrestQueryBuilderOptions {
  /** Sends the requests. */
  fetch?: typeof globalThis.fetch;
  /** As `db.urlLengthLimit` of the client. */
  urlLengthLimit?: number;
  /** Whether failed reads are retried. */
  retry?: boolean;
}

/** The queries of a schema in the vendor's form. */
export class PostgrestClient<Database, Name extends SchemaOf<Database>> {
  readonly #clients: RestClients;
  readonly #settings: QuerySettings;

  /** @param clients the native clients. */
  constructor(clients: RestClients) {
    this.#clients = clients;
    const { retrying, once, urlLengthLimit } = clients;
    this.#settings = {
      urlLengthLimit,
      withRetries: ({ plan }, enabled) =>
        ((enabled ? retrying : once).from('any').select() as unknown as QueryBuilder).with(() => plan),
    };
  }

  get #rest(): RestClient {
    const { retrying, once, retries } = this.#clients;
    return retries ? retrying : once;
  }

  #with({ fetch, retry, urlLengthLimit }: PostgrestQueryBuilderOptions): PostgrestClient<Database, Name> {
    return new PostgrestClient({
      ...this.#clients,
      ...(fetch && this.#clients.withFetch(fetch)),
      ...(retry !== undefined && { retries: retry }),
      ...(urlLengthLimit !== undefined && { urlLengthLimit }),
    });
  }

  /** Queries a table or view. @throws {Error} for an empty name */
  from<T extends RelationName<Known<Database>[Name]>>(
    relation: T,
    options?: PostgrestQueryBuilderOptions,
  ): PostgrestQueryBuilder<DatabaseModel<Known<Database>, Name, T>> {
    if (options) return this.#with(options).from(relation);
    if (typeof relation !== 'string' || relation.trim() === '')
      throw new Error('Invalid relation name: relation must be a non-empty string.');
    const table = this.#rest.from(relation) as unknown as TableQuery;
    return new PostgrestQueryBuilder(table, this.#settings);
  }

  /** The same client for another schema. */
  schema<S extends SchemaOf<Database>>(name: S): PostgrestClient<Database, S> {
    const { withFetch } = this.#clients;
    const ofSchema = ({ retrying, once }: NativeClients): NativeClients => ({
      retrying: retrying.schema(name) as unknown as RestClient,
      once: once.schema(name) as unknown as RestClient,
    });
    return new PostgrestClient({
      ...this.#clients,
      ...ofSchema(this.#clients),
      withFetch: (fetch) => ofSchema(withFetch(fetch)),
    });
  }

  /** Calls a function. */
  rpc<F extends FunctionName<Known<Database>[Name]>, const A extends ArgsOf<Known<Database>[Name], F>>(
    name: F,
    args?: A,
    options: RpcOptions = {},
  ): RpcBuilder<Known<Database>, Name, F, ReturnsOf<Known<Database>[Name], F, A>> {
    const query = (this.#rest.rpc(name, {} as never) as unknown as QueryBuilder).with(sending(args ?? {}));
    return new PostgrestFilterBuilder(withRpcOptions(query, options), this.#settings);
  }

  /** Describes the tables, views and functions that the caller may use. */
  getOpenApiSpec(): PostgrestFilterBuilder<Model, OpenApiSpec> {
    const query = this.#rest.getOpenApiSpec() as unknown as QueryBuilder;
    return new PostgrestFilterBuilder(query, this.#settings);
  }
}
