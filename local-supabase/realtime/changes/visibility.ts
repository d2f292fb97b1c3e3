import type { Database } from '../../database/database.ts';
import type { Change } from './change.ts';
import type { RowText } from './outbox.ts';
import { quoteIdentifier, quoteLiteral } from '../subscription/predicate.ts';
import type { Subscription } from '../subscription/subscription.ts';

/** Whether a role with these claims can see the row that the query selects. */
export interface RowCheck {
  readonly role: string;
  readonly claims: string;
  readonly query: string;
}

/** The subscriptions whose filters a change passes. Every column of a filter must be present and match. */
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
    const results = await matchBySql(database, row, [...asked.values()]);
    [...asked.keys()].forEach((key, index) => answers.set(key, results[index] ?? false));
  }
  return subscriptions.filter(({ predicates }) => answers.get(filterKey(predicates)) === true);
}

const filterKey = (predicates: Subscription['predicates']): string =>
  predicates.map(({ sql }) => sql).join(' and ');

/** The result of a text comparison; null if only PostgreSQL can decide. */
function matchByText(predicates: Subscription['predicates'], row: RowText): boolean | null {
  if (predicates.some(({ column }) => row[column] === undefined)) return false;
  if (predicates.some(({ column, equalsJson }) => equalsJson !== null && row[column] !== equalsJson))
    return false;
  return predicates.every(({ equalsJson }) => equalsJson !== null) ? true : null;
}

/** Rejects when one condition raises, as the real server's poll does. */
async function matchBySql(
  database: Database,
  row: RowText,
  filters: readonly Subscription['predicates'][],
): Promise<readonly boolean[]> {
  const conditions = filters.map((filter) => filter.map(({ sql }) => sql).join(' and '));
  const members = Object.entries(row).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  const [answer] = await database.query<{ results: boolean[] }>(
    `select array[${conditions.map((condition) => `coalesce(${condition}, false)`).join(',')}] as results
     from (select $1::jsonb as changed) r`,
    [`{${members.join(',')}}`],
  );
  return answer?.results ?? [];
}

/** The query for the changed row by its primary key; runs with the role of the subscriber. */
export function rowQuery({ relation, record }: Change): string {
  const conditions = relation.columns
    .filter(({ primaryKey }) => primaryKey)
    .map(({ name, sqlType }) => {
      const value = quoteLiteral(keyText(record[name] ?? 'null'));
      return `${quoteIdentifier(name)} = ${value}::${sqlType}`;
    });
  return `select exists (select from ${relation.sqlName} where ${conditions.join(' and ')})`;
}

/** A value as PostgreSQL parses it: its JSON text, for strings without the quotes. */
function keyText(json: string): string {
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

/** Runs all checks in one statement, each with its own role. Rejects when a policy raises. */
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
