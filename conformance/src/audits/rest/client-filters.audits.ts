import { assert } from '../../target/assertion.ts';
import type { NotificationRow } from '../../schema/schema.ts';
import {
  type Filter,
  type Quantified,
  RestError,
  and,
  anyOf,
  eq,
  gte,
  includes,
  lte,
  neq,
  not,
  oneOf,
  or,
  startsWith,
} from 'supabase-protocol-clients/rest-client';
import type { Audit } from '../../audit/audit.ts';
import { clientAuditsOf, refusalOf, type ClientContext } from '../../clients/client-audit.ts';
import { hostileInbox, type HostileRow } from './hostile-inbox.ts';
import { restOf } from './rest-of.ts';

type Column = keyof NotificationRow;
type RowFilter = Filter<readonly [Column, string | Quantified<string>]>;

const audit = clientAuditsOf('rest-client');
const source = 'protocol/rest.md#null-and-undefined';

interface FilterCase {
  readonly id: string;
  readonly title: string;
  /** Filters that match exactly one row, or, with `finds: 'rest'`, every other row. */
  readonly filter: (row: HostileRow) => RowFilter;
  readonly finds?: 'it' | 'the rest';
}

const cases: readonly FilterCase[] = [
  { id: '101', title: 'eq', filter: ({ content }) => eq('content', content) },
  { id: '102', title: 'neq', filter: ({ content }) => neq('content', content), finds: 'the rest' },
  { id: '103', title: 'a list', filter: ({ content }) => oneOf('content', [content, 'of no row']) },
  {
    id: '104',
    title: 'not a list',
    filter: ({ content }) => not(oneOf('content', [content, 'of no row'])),
    finds: 'the rest',
  },
  { id: '105', title: 'anyOf', filter: ({ content }) => eq('content', anyOf(content, 'of no row')) },
  {
    id: '106',
    title: 'or',
    filter: ({ content }) => or(eq('content', content), eq('content', 'of no row')),
  },
  {
    id: '107',
    title: 'a tree of conditions',
    filter: ({ content }) =>
      and(eq('status', 'unread'), not(or(neq('content', content), oneOf('content', ['a,b', '"'])))),
  },
  { id: '108', title: 'includes', filter: ({ text }) => includes('content', `"${text}"`) },
  {
    id: '109',
    title: 'startsWith',
    filter: ({ content }) => startsWith('content', content),
  },
  {
    id: '110',
    title: 'gte with lte',
    filter: ({ content }) => and(gte('content', content), lte('content', content)),
  },
];

async function assertFinds(
  { server, open }: ClientContext,
  { filter, finds }: Pick<FilterCase, 'filter' | 'finds'>,
): Promise<void> {
  const { ada, rows } = await hostileInbox(server);
  const rest = restOf(await open(), ada);
  for (const row of rows) {
    const found = await rest.from('notifications').select('id').where(filter(row));
    const expected = rows.filter(({ id }) => (id === row.id) === (finds !== 'the rest'));
    const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id).sort();
    assert.deepEqual(ids(found), ids(expected), `the ids of the rows with the text ${row.text}`);
  }
}

export const clientFilterAudits: readonly Audit[] = [
  ...cases.map(({ id, title, filter, finds = 'it' }) =>
    audit(
      `CLIENT-REST-${id}`,
      `${title} finds ${finds === 'it' ? 'only the row' : 'every row except the one'} with a hostile text`,
      { source: 'protocol/rest.md#literal-values' },
      (context) => assertFinds(context, { filter, finds }),
    ),
  ),
  audit(
    'CLIENT-REST-111',
    'equal to null matches null, not equal to null matches the other rows',
    { source },
    async ({ server, open }) => {
      const { ada, rows } = await hostileInbox(server);
      const tab = await open();
      const count = (query: { execute(): Promise<number> }) => query.execute();
      const table = restOf(tab, ada).from('notifications');
      assert.equal(await count(table.count().eq('content', null)), 0, 'the count');
      assert.equal(await count(table.count().neq('content', null)), rows.length, 'the count');
      const sent = tab.wire.requests.map(({ query }) => query.get('content'));
      assert.deepEqual(sent, ['is.null', 'not.is.null'], 'the sent request');
    },
  ),
  audit(
    'CLIENT-REST-112',
    'a list without values matches nothing, one with null matches null',
    { source },
    async ({ server, open }) => {
      const { ada, rows } = await hostileInbox(server);
      const tab = await open();
      const table = restOf(tab, ada).from('notifications');
      assert.equal((await table.select('id').in('content', [])).length, 0, 'the number of rows of the query');
      const [row] = rows;
      const found = await table.select('id').in('content', [null, row?.content ?? '']);
      assert.deepEqual(found, [{ id: row?.id }], 'the result');
      assert.match(
        tab.wire.requests.at(-1)?.query.get('or') ?? '',
        /\bcontent\.is\.null\)$/,
        'or of the query of the last request',
      );
    },
  ),
  audit(
    'CLIENT-REST-113',
    'an undefined value is refused before a request is sent',
    { source },
    async ({ server, open }) => {
      const { ada } = await hostileInbox(server);
      const tab = await open();
      const missing = (() => undefined)() as unknown as string;
      const table = restOf(tab, ada).from('notifications');
      for (const query of [
        () => table.select().eq('status', missing),
        () => table.select().in('status', ['read', missing]),
        () => table.select().gt('created_at', missing),
        () => table.delete().where(eq('id', missing)),
      ]) {
        assert.equal((await refusalOf(RestError, query)).code, 'invalid-query', 'the code of the refusal');
      }
      assert.deepEqual(tab.wire.requests, [], 'the sent requests');
    },
  ),
];
