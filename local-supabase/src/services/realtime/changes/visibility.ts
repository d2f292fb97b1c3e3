import type { Database } from '../../../database/database.ts';
import type { Change } from './change.ts';
import type { RowText } from './outbox.ts';
import type { Relation } from '../subscription/relations.ts';
import { quoteIdentifier, quoteLiteral } from '../subscription/predicate.ts';
import type { Subscription } from '../subscription/subscription.ts';

/** Whether a role with these claims can see the changed row. */
export interface RowCheck {
  readonly role: string;
  readonly claims: string;
  readonly change: Change;
}

/** Returns the subscriptions with filters that a change passes. Every column of a filter must be present and match. */
export async function passFilters(
  database: Database,
  change: Change,
  subscriptions: readonly Subscription[],
): Promise<Subscription[]> {
  const row = change.action === 'DELETE' ? change.identity : change.record;
  const matches = new Map<string, boolean>();
  const pending = new Map<string, Subscription['predicates']>();
  for (const { predicates } of subscriptions) {
    const key = filterKey(predicates);
    const isMatch = matchByText(predicates, row);
    if (isMatch === null) pending.set(key, predicates);
    else matches.set(key, isMatch);
  }
  if (pending.size > 0) {
    const results = await matchBySql(database, row, [...pending.values()]);
    [...pending.keys()].forEach((key, index) => matches.set(key, results[index] ?? false));
  }
  return subscriptions.filter(({ predicates }) => matches.get(filterKey(predicates)) === true);
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
  const [result] = await database.query<{ results: boolean[] }>(
    `select array[${conditions.map((condition) => `coalesce(${condition}, false)`).join(',')}] as results
     from (select $1::jsonb as changed) r`,
    [`{${members.join(',')}}`],
  );
  return result?.results ?? [];
}

/** The primary key as a list of SQL literals. */
function keyOf({ relation, record }: Change): string {
  const values = relation.columns
    .filter(({ primaryKey }) => primaryKey)
    .map(({ name, sqlType }) => `${quoteLiteral(keyText(record[name] ?? 'null'))}::${sqlType}`);
  return values.join(', ');
}

/** A value in PostgreSQL's input form: its JSON text, for strings without quotes. */
function keyText(json: string): string {
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

/** Selects the visibility of each row as an array, for the current role. Rows are looked up by primary key. */
function rowsQuery({ columns, sqlName }: Relation, keys: readonly string[]): string {
  const names = columns.filter(({ primaryKey }) => primaryKey).map(({ name }) => quoteIdentifier(name));
  const conditions = names.map((name, index) => `stored.${name} = changed.key_${index}`).join(' and ');
  const rows = keys.map((key, index) => `(${index}, ${key})`).join(', ');
  // `exists` could be planned as one scan of the whole table, with its policies.
  return `select array(
    select coalesce((select true from ${sqlName} stored where ${conditions} limit 1), false)
    from (values ${rows}) changed (position, ${names.map((_, index) => `key_${index}`).join(', ')})
    order by changed.position)`;
}

/** The checks of the rows of one table, with the same role and claims. */
interface CheckGroup extends Pick<RowCheck, 'role' | 'claims'> {
  readonly relation: Relation;
  readonly keys: string[];
  /** The positions of the checks in the full list. */
  readonly positions: number[];
}

/** Runs all checks in one statement: one query for each table and role. Rejects when a policy raises. */
export async function checkRows(
  database: Database,
  checks: readonly RowCheck[],
): Promise<readonly boolean[]> {
  if (checks.length === 0) return [];
  const groups = new Map<string, CheckGroup>();
  for (const [position, { role, claims, change }] of checks.entries()) {
    const { relation } = change;
    const key = `${role} ${relation.oid} ${claims}`;
    const group = groups.get(key) ?? { role, claims, relation, keys: [], positions: [] };
    group.keys.push(keyOf(change));
    group.positions.push(position);
    groups.set(key, group);
  }
  const queries = [...groups.values()].map(({ role, claims, relation, keys }) => ({
    role,
    claims,
    query: rowsQuery(relation, keys),
  }));
  const rows = await database.query<{ visible: boolean[] }>(
    'select visible from realtime.visible($1::jsonb) visible',
    [JSON.stringify(queries)],
  );
  const results = checks.map(() => false);
  [...groups.values()].forEach(({ positions }, group) =>
    positions.forEach((position, index) => (results[position] = rows[group]?.visible[index] ?? false)),
  );
  return results;
}
