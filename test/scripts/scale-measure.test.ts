import { expect, it } from 'vitest';
import { isWithinLimit, measure } from '../../scripts/scale/measure.ts';
import type { ScaleDatabase } from '../../scripts/scale/scale-database.ts';

const query = { name: 'list', sql: 'select 50', countsResponse: false };
const scan = {
  'Node Type': 'Index Scan',
  'Relation Name': 'notifications',
  'Actual Rows': 2,
  'Actual Loops': 40,
  'Rows Removed by Filter': 1,
  'Shared Hit Blocks': 3,
  'Shared Read Blocks': 4,
};
const join = { ...scan, 'Node Type': 'Nested Loop', 'Actual Rows': 80, 'Actual Loops': 1, Plans: [scan] };

/** A database whose plan is a nested loop, and whose statistics count `tuples` more rows after each query. */
function createDatabase(tuples: number): ScaleDatabase {
  let read = 0;
  return {
    name: 'test',
    exec: () => Promise.resolve(),
    query: <Row>(sql: string) => {
      let rows: object[] = [{ page_total: 50 }];
      if (sql.startsWith('explain')) {
        read += tuples;
        rows = [{ 'QUERY PLAN': [{ Plan: join, 'Execution Time': 1.5 }] }];
      } else if (sql.includes('pg_stat_xact_user_tables')) rows = [{ number: read }];
      return Promise.resolve(rows as Row[]);
    },
    connect: null,
    close: () => Promise.resolve(),
  };
}

it.each([
  ['the plan, with each loop and the rows that a filter removes', 0, 120],
  ['the statistics, which count what functions read', 700, 700],
])('a query reads the rows of %s', async (_, tuples, rowsRead) => {
  expect(await measure(createDatabase(tuples), 'user', query)).toEqual({
    name: 'list',
    rowsRead,
    rowsReturned: 50,
    milliseconds: 1.5,
    buffers: 7,
  });
});

it.each([
  [515, 1, undefined, true],
  [516, 1, undefined, false],
  [3000, 90, { rowsRead: 3400, milliseconds: 100 }, true],
  [3000, 110, { rowsRead: 3400, milliseconds: 100 }, false],
  [3500, 90, { rowsRead: 3400, milliseconds: 100 }, false],
])('a query of %d rows in %d ms is within the limit %j: %s', (rowsRead, milliseconds, most, expected) => {
  const measurement = { name: 'list', rowsRead, rowsReturned: 50, milliseconds, buffers: 1 };
  expect(isWithinLimit({ ...measurement, ...(most && { most }) })).toBe(expected);
});
