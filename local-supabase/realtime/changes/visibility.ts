import type { Database } from '../../database/database.ts';
import type { Change } from './change.ts';
import type { RowText } from './outbox.ts';
import { quoteIdentifier, quoteLiteral } from '../subscription/predicate.ts';
import type { Subscription } from '../subscription/subscription.ts';

/** A question to the policies: may this role with these claims see the row that the query asks for? */
export interface RowCheck {
  readonly role: string;
  readonly claims: string;
  readonly query: string;
}

/** Which of the subscriptions' filters a change passes. Every column of a filter must be there and match. */
export async function passFilters(
  database: Database,
  change: Change,
  subscriptions: readonly Subscription[],
): Promise<Subscription[]> {
  const row = change.action === 'DELETE' ? change.identity : change.record;
  const answers = new Map<string, boolean>();
  const asked = new Map<string, Subscription['predicates']>();
  for (const { predicates } of subscriptions) {
    const key = filterKey(predicates);
    const answer = matchByText(predicates, row);
    if (answer === null) asked.set(key, predicates);
    else answers.set(key, answer);
  }
  if (asked.size > 0) {
    const results = await matchBySql(database, change, row, [...asked.values()]);
    [...asked.keys()].forEach((key, index) => answers.set(key, results[index] ?? false));
  }
  return subscriptions.filter(({ predicates }) => answers.get(filterKey(predicates)) === true);
}

const filterKey = (predicates: Subscription['predicates']): string =>
  predicates.map(({ sql }) => sql).join(' and ');

/** The answer if text tells it; null if PostgreSQL has to be asked. */
function matchByText(predicates: Subscription['predicates'], row: RowText): boolean | null {
  if (predicates.some(({ column }) => row[column] === undefined)) return false;
  if (predicates.some(({ column, equalsJson }) => equalsJson !== null && row[column] !== equalsJson))
    return false;
  return predicates.every(({ equalsJson }) => equalsJson !== null) ? true : null;
}

async function matchBySql(
  database: Database,
  { relation }: Change,
  row: RowText,
  filters: readonly Subscription['predicates'][],
): Promise<readonly boolean[]> {
  const conditions = filters.map((filter) => filter.map(({ sql }) => sql).join(' and '));
  const bytea = new Set(relation.columns.filter(({ type }) => type === 'bytea').map(({ name }) => name));
  const json = `{${Object.entries(row)
    .map(
      ([name, value]) =>
        `${JSON.stringify(name)}:${bytea.has(name) ? value.replace('"', String.raw`"\\x`) : value}`,
    )
    .join(',')}}`;
  // Each condition alone if they do not all go together: one that fails must not silence the others.
  const ask = async (asked: readonly string[]) => {
    const [answer] = await database.query<{ results: (boolean | null)[] }>(
      `select array[${asked.map((condition) => `coalesce(${condition}, false)`).join(',')}] as results
       from jsonb_populate_record(null::${relation.sqlName}, $1::jsonb) r`,
      [json],
    );
    return answer?.results.map((result) => result === true) ?? [];
  };
  try {
    return await ask(conditions);
  } catch {
    return Promise.all(
      conditions.map(async (condition) => (await ask([condition]).catch(() => [false]))[0] ?? false),
    );
  }
}

/** The query that finds the changed row by its primary key, to be run as the subscriber. */
export function rowQuery({ relation, record }: Change): string {
  const conditions = relation.columns
    .filter(({ primaryKey }) => primaryKey)
    .map(({ name, sqlType, type }) => {
      const value = keyText(record[name] ?? 'null');
      return `${quoteIdentifier(name)} = ${quoteLiteral(type === 'bytea' ? `\\x${value}` : value)}::${sqlType}`;
    });
  return `select exists (select from ${relation.sqlName} where ${conditions.join(' and ')})`;
}

/** A value's JSON text as PostgreSQL reads it: strings without their quotes. */
function keyText(json: string): string {
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

/** Answers all checks in one statement, each under its own role, which is never left set. */
export async function checkRows(
  database: Database,
  checks: readonly RowCheck[],
): Promise<readonly boolean[]> {
  if (checks.length === 0) return [];
  const [answer] = await database.query<{ visible: boolean[] }>(
    'select realtime.visible($1::jsonb) as visible',
    [JSON.stringify(checks)],
  );
  return answer?.visible ?? [];
}
