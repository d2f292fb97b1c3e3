import type { ScaleDatabase } from './scale-database.ts';
import type { QueryLimit, ScaleQuery } from './queries.ts';

export interface Measurement {
  readonly name: string;
  readonly rowsRead: number;
  readonly rowsReturned: number;
  readonly milliseconds: number;
  /** 8 kB pages, from memory or disk. */
  readonly buffers: number;
  readonly most?: QueryLimit;
}

/**
 * Rows that every request reads besides its own: the account, its factors, its preferences and counters. A search also
 * reads the newest five notifications and their words; changes since a time repeat those of the 30 seconds before it.
 */
const FIXED_ROWS = 15;
const MAX_READ_PER_RETURNED = 10;

export const isWithinLimit = ({ rowsRead, rowsReturned, milliseconds, most }: Measurement): boolean =>
  most === undefined
    ? rowsRead <= MAX_READ_PER_RETURNED * rowsReturned + FIXED_ROWS
    : milliseconds <= most.milliseconds && rowsRead <= most.rowsRead;

interface PlanNode {
  readonly Plans?: readonly PlanNode[];
  readonly 'Relation Name'?: string;
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

interface Explained {
  readonly 'QUERY PLAN': readonly [{ readonly Plan: PlanNode; readonly 'Execution Time': number }];
}

/** Runs a query as the user, with warm caches, and rolls its changes back. */
export async function measure(
  database: ScaleDatabase,
  user: string,
  query: ScaleQuery,
): Promise<Measurement> {
  const claims = JSON.stringify({ sub: user, role: 'authenticated', aal: 'aal1' });
  const inTransaction = async <T>(task: () => Promise<T>): Promise<T> => {
    await database.exec('begin');
    try {
      // The data service applies the settings of the role as well, and the called function's own time limit.
      await database.query(
        `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true),
           (select count(set_config(split_part(setting, '=', 1), split_part(setting, '=', 2), true))
            from pg_roles, unnest(rolconfig) setting where rolname = 'authenticated'),
           (select count(set_config('statement_timeout', split_part(setting, '=', 2), true))
            from pg_proc, unnest(proconfig) setting
            where pronamespace = 'public'::regnamespace and setting like 'statement_timeout=%' and position(proname in $2) > 0)`,
        [claims, query.sql],
      );
      return await task();
    } finally {
      await database.exec('rollback');
    }
  };
  const returned = await inTransaction(async () => {
    const [row] = await database.query<{ page_total: number | string; body: unknown }>(query.sql);
    return Number(query.countsResponse ? row?.body : row?.page_total);
  });
  return inTransaction(async () => {
    const before = await tuplesRead(database);
    const [row] = await database.query<Explained>(`explain (analyze, buffers, format json) ${query.sql}`);
    const [explained] = row?.['QUERY PLAN'] ?? [];
    if (!explained) throw new Error(`${query.name} has no plan`);
    const { Plan: plan } = explained;
    return {
      name: query.name,
      rowsReturned: returned,
      // The plan counts rows of index-only scans too; statistics count what functions read, which no plan shows.
      rowsRead: Math.max(rowsScanned(plan), (await tuplesRead(database)) - before),
      milliseconds: explained['Execution Time'],
      buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
      ...(query.most && { most: query.most }),
    };
  });
}

function rowsScanned(node: PlanNode): number {
  const own =
    node['Relation Name'] !== undefined && node['Node Type'].endsWith('Scan')
      ? (node['Actual Rows'] +
          (node['Rows Removed by Filter'] ?? 0) +
          (node['Rows Removed by Index Recheck'] ?? 0)) *
        node['Actual Loops']
      : 0;
  return (node.Plans ?? []).reduce((total, child) => total + rowsScanned(child), own);
}

/** Rows that this transaction has read from the project's tables. */
async function tuplesRead(database: ScaleDatabase): Promise<number> {
  const [row] = await database.query<{ number: number | string }>(
    `select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0) as number from pg_stat_xact_user_tables
     where schemaname in ('public', 'private')`,
  );
  return Number(row?.number ?? 0);
}
