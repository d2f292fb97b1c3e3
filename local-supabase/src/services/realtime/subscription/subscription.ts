import type { Database } from '../../../database/database.ts';
import { SubscriptionRefused } from './bindings.ts';
import type { Binding } from './bindings.ts';
import type { Filter } from './filters.ts';
import { createPredicate, quoteLiteral } from './predicate.ts';
import type { Predicate } from './predicate.ts';
import type { Column, Relations } from './relations.ts';
import { Tuple, prettyTerm } from './term.ts';
import type { ChannelClaims } from './tokens.ts';

/** One binding on one table, for the role and claims of one token. */
export interface Subscription {
  readonly bindingId: number;
  readonly relation: number;
  readonly action: Binding['action'];
  readonly predicates: readonly Predicate[];
  readonly select: readonly string[] | null;
  readonly role: string;
  /** The token's claims as JSON, for policies. */
  readonly claims: string;
}

export interface SubscriptionContext {
  readonly database: Database;
  readonly relations: Relations;
  readonly publication: string;
}

/**
 * Checks bindings against the publication, the privileges of the token's role and the types of the columns.
 *
 * @throws {SubscriptionRefused} for the first invalid binding; then none of them is subscribed.
 */
export async function prepareSubscriptions(
  context: SubscriptionContext,
  claims: ChannelClaims,
  bindings: readonly Binding[],
): Promise<Subscription[]> {
  const subscriptions: Subscription[] = [];
  for (const binding of bindings) {
    const prepared = await prepareBinding(context, claims, binding).catch((error: unknown) => {
      throw new SubscriptionRefused(
        `${REFUSED} An exception happened so please check your connect parameters: ${shown(binding)}. Exception: ${exceptionText(error)}`,
        { cause: error },
      );
    });
    if (prepared.length === 0)
      throw new SubscriptionRefused(
        `${REFUSED} Please check Realtime is enabled for the given connect parameters: ${shown(binding)}`,
      );
    subscriptions.push(...prepared);
  }
  return subscriptions;
}

const REFUSED = 'Unable to subscribe to changes with given parameters.';

async function prepareBinding(
  context: SubscriptionContext,
  claims: ChannelClaims,
  binding: Binding,
): Promise<Subscription[]> {
  const { schema, table, filters, select } = binding;
  const texts = [
    schema,
    table,
    ...filters.flatMap(({ column, value }) => [column, value]),
    ...(select ?? []),
  ];
  // The real server sends all texts to PostgreSQL in one statement.
  if (texts.some((text) => text.includes('\0')))
    throw new RaisedException('invalid byte sequence for encoding "UTF8": 0x00', '22021');
  const prepared: Subscription[] = [];
  for (const oid of await publishedRelations(context, binding))
    prepared.push(await prepareSubscription(context, claims, binding, oid));
  return prepared;
}

async function publishedRelations(
  { database, publication }: SubscriptionContext,
  { schema, table }: Binding,
) {
  const rows = await database.query<{ oid: number }>(
    `select format('%I.%I', schemaname, tablename)::regclass::oid::int8 as oid from pg_publication_tables
     where pubname = $1 and ($2 = '*' or schemaname like $2 escape '') and ($3 = '*' or tablename like $3 escape '')`,
    [publication, schema, table],
  );
  return rows.map(({ oid }) => oid);
}

async function prepareSubscription(
  { database, relations }: SubscriptionContext,
  claims: ChannelClaims,
  binding: Binding,
  oid: number,
): Promise<Subscription> {
  const role = String(claims.role);
  const relation = await relations.get(oid);
  const readable = await relations.readableColumns(oid, role);
  const columnOf = (name: string, use: string): Column => {
    const column = relation?.columns.find((candidate) => candidate.name === name);
    if (!column || !readable.has(name)) throw new RaisedException(`invalid column for ${use} ${name}`);
    return column;
  };
  const predicates: Predicate[] = [];
  for (const filter of binding.filters) {
    const column = columnOf(filter.column, 'filter');
    predicates.push(createPredicate(filter, column, await checkValue(database, filter, column)));
  }
  for (const name of binding.select ?? []) columnOf(name, 'select');
  const { id, action, select } = binding;
  return {
    bindingId: id,
    relation: oid,
    action,
    predicates,
    select,
    role,
    claims: JSON.stringify(claims),
  };
}

/** The canonical text of a value, for types with one text per value. Throws if the value does not fit the column. */
async function checkValue(database: Database, filter: Filter, column: Column): Promise<string | null> {
  const { operator, value } = filter;
  if (operator === 'in') {
    const length = await evaluate(
      database,
      `coalesce(cardinality(${quoteLiteral(value)}::${column.sqlType}[]), 0)`,
    );
    if (Number(length) > 100) throw new RaisedException('too many values for `in` filter. Maximum 100');
    return null;
  }
  if (operator === 'is') return checkIs(value, column);
  if (operator === 'like' || operator === 'ilike') {
    await requireOperator(database, filter, column, '~~');
    return null;
  }
  if (operator === 'match' || operator === 'imatch') {
    await requireOperator(database, filter, column, operator === 'match' ? '~' : '~*');
    await evaluate(database, `'' ~ ${quoteLiteral(value)}`).catch((error: unknown) => {
      throw new RaisedException(`invalid regular expression for ${operator} filter: ${messageOf(error)}`);
    });
    return null;
  }
  return evaluate(database, `to_jsonb(${quoteLiteral(value)}::${column.sqlType})`);
}

function checkIs(value: string, { sqlType }: Column): null {
  if (!['null', 'true', 'false', 'unknown'].includes(value)) {
    throw new RaisedException('invalid value for is filter: must be null, true, false, or unknown');
  }
  if (value !== 'null' && sqlType !== 'boolean') {
    throw new RaisedException(`is ${value} filter requires a boolean column, got ${sqlType}`);
  }
  return null;
}

async function requireOperator(
  database: Database,
  { operator }: Filter,
  { sqlType }: Column,
  symbol: string,
) {
  const found = await evaluate(
    database,
    `exists (select from pg_operator where oprname = ${quoteLiteral(symbol)} and oprleft = ${quoteLiteral(sqlType)}::regtype
       and oprresult = 'boolean'::regtype)`,
  );
  if (found !== 'true') {
    throw new RaisedException(`operator ${operator} requires a text-compatible column type, got ${sqlType}`);
  }
}

async function evaluate(database: Database, expression: string): Promise<string> {
  const [row] = await database.query<{ value: string }>(`select (${expression})::text as value`);
  return row?.value ?? '';
}

/** An exception that PostgreSQL or its code would raise; the wire names its SQLSTATE. */
class RaisedException extends Error {
  readonly code: string;
  constructor(message: string, code = 'P0001') {
    super(message);
    this.code = code;
  }
}

function exceptionText(error: unknown): string {
  const { code = 'XX000' } = error as { readonly code?: string };
  return `ERROR ${code} (${CONDITIONS[code] ?? 'unknown'}) ${messageOf(error)}`;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** PostgreSQL's condition names (Appendix A of its manual) for errors of a filter's value or of a role. */
const CONDITIONS: Record<string, string> = {
  P0001: 'raise_exception',
  '22P02': 'invalid_text_representation',
  '22003': 'numeric_value_out_of_range',
  '22007': 'invalid_datetime_format',
  '22008': 'datetime_field_overflow',
  '22023': 'invalid_parameter_value',
  '22001': 'string_data_right_truncation',
  '22021': 'character_not_in_repertoire',
  '42704': 'undefined_object',
  '42883': 'undefined_function',
  XX000: 'internal_error',
};

function shown({ action, schema, table, filters, select }: Binding): string {
  const listed = filters.map(
    ({ column, operator, value, negated }) => new Tuple(column, operator, value, negated),
  );
  return `[event: ${action}, schema: ${schema}, table: ${table}, filters: ${prettyTerm(listed)}, select: ${prettyTerm(select)}]`;
}
