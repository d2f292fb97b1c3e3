import {
  type CountKind,
  type Model,
  type Modifier,
  prefer,
  rawSelect,
  viaGet,
} from '../../rest-client/index.ts';
import { parseJson } from '../../rest-client/query/response.ts';
import type { QueryBuilder } from '../../rest-client/query/query-builder.ts';
import { encodeJson } from '../../rest-client/query/quoting.ts';
import { addRows, columnsOf, type TableQuery } from '../../rest-client/query/table-query.ts';
import { withoutSpaces } from './encoding.ts';
import { PostgrestFilterBuilder, type SelectedRow, type QuerySettings } from './filter-builder.ts';

interface CountOption {
  /** How to count the rows. Default: not at all. */
  count?: CountKind | undefined;
}

interface InsertOptions extends CountOption {
  /** Whether columns that one of several rows lacks become null, instead of their default. Default true. */
  defaultToNull?: boolean | undefined;
}

type Rows<Row> = Row | readonly Row[];

/** Writes yield nothing unless rows are selected. */
const nothing: Modifier = (plan) => ({ ...plan, read: () => null });

/** Discards a function's value after checking that PostgREST sent it. */
const noValue: Modifier = (plan) => ({
  ...plan,
  read(wire, current) {
    parseJson(wire, current);
    return null;
  },
});

/** Requests only the headers. */
const head: Modifier = (plan) => ({ ...plan, method: 'HEAD', read: () => null });

const counting = ({ count }: CountOption): Modifier => prefer({ count });

const missing = (defaultToNull: boolean) => prefer({ missing: defaultToNull ? undefined : 'default' });

/** JSON as the vendor's client writes it, where an invalid date and NaN are null; a bigint becomes its digits. */
const encodeBody = (values: unknown): string => encodeJson(values, () => false);

/** Sends values as the vendor's client does. */
export const sending =
  (values: unknown): Modifier =>
  (plan) => ({ ...plan, body: encodeBody(values) });

/** Sends rows with the columns that they name, also as undefined: the database writes null there. */
const adding =
  (rows: unknown, onConflict?: string): Modifier =>
  (plan) => ({ ...plan, ...addRows(rows, columnsOf(rows, Object.keys), encodeBody(rows), onConflict) });

/** The queries of a table or view in the vendor's form. */
export class PostgrestQueryBuilder<M extends Model> {
  readonly #table: TableQuery;
  readonly #settings: QuerySettings;

  /** @param table the native queries of the table. */
  constructor(table: TableQuery, settings: QuerySettings) {
    this.#table = table;
    this.#settings = settings;
  }

  #start<Data>(query: QueryBuilder, ...modifiers: readonly Modifier[]): PostgrestFilterBuilder<M, Data> {
    return new PostgrestFilterBuilder(query.with(...modifiers), this.#settings);
  }

  /** Reads rows. */
  select<const Columns extends string = '*'>(
    columns?: Columns,
    options: CountOption & { head?: boolean | undefined } = {},
  ): PostgrestFilterBuilder<M, SelectedRow<M, Columns>[]> {
    const query = this.#table.select(rawSelect(withoutSpaces(columns ?? '*'))).with(counting(options));
    return this.#start(options.head ? query.with(head) : query);
  }

  /** Adds rows. */
  insert(values: Rows<M['Insert']>, { defaultToNull = true, ...options }: InsertOptions = {}) {
    const query = this.#table.insert({}).with(adding(values), missing(defaultToNull));
    return this.#start<null>(query, counting(options), nothing);
  }

  /** Adds rows, and overwrites those that exist. */
  upsert(
    values: Rows<M['Insert']>,
    {
      onConflict,
      ignoreDuplicates = false,
      defaultToNull = true,
      ...options
    }: InsertOptions & { onConflict?: string | undefined; ignoreDuplicates?: boolean | undefined } = {},
  ) {
    const query = this.#table
      .upsert({}, { ignoreDuplicates })
      .with(adding(values, onConflict), missing(defaultToNull));
    return this.#start<null>(query, counting(options), nothing);
  }

  /** Changes the rows that match: all of them without a filter, as the vendor's client does. */
  update(values: M['Update'], options: CountOption = {}) {
    return this.#start<null>(
      this.#table.update({}).unfiltered(),
      sending(values),
      counting(options),
      nothing,
    );
  }

  /** Deletes the rows that match: all of them without a filter, as the vendor's client does. */
  delete(options: CountOption = {}) {
    return this.#start<null>(this.#table.delete().unfiltered(), counting(options), nothing);
  }
}

/** How a function is called. */
export interface RpcOptions extends CountOption {
  /** Calls by HEAD, for the count alone. Default false. */
  head?: boolean | undefined;
  /** Calls by GET a function that only reads. Default false. */
  get?: boolean | undefined;
}

export function withRpcOptions(query: QueryBuilder, options: RpcOptions): QueryBuilder {
  const counted = query.with(counting(options));
  if (!options.head) return options.get ? counted.with(viaGet()) : counted;
  const read = counted.with(viaGet());
  // Objects and arguments that do not fit into a URL keep the call a POST, which returns nothing.
  return read.plan.method === 'GET' && !hasObjects(query.plan.body)
    ? read.with(head)
    : counted.with(prefer({ return: 'minimal' }), noValue);
}

const hasObjects = (args: string | undefined): boolean =>
  Object.values(JSON.parse(args ?? '{}') as object).some(
    (value) => typeof value === 'object' && value !== null,
  );
