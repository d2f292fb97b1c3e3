import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit, type AuditLevel } from '../../audit/audit.ts';
import { assertStatus, at } from '../../target/wire.ts';
import { quote, rowAt, sharedInbox, type InboxRow } from './inbox.ts';

const audit = auditsOf('rest');

interface FilterCase {
  readonly id: string;
  readonly title: string;
  /** The query parameters, or an encoded query. */
  readonly query: (rows: readonly InboxRow[]) => readonly (readonly [string, string])[] | string;
  /** Indexes of the shared inbox's rows that match. */
  readonly expected: readonly number[];
  readonly level?: AuditLevel;
  /** The section of protocol/rest.md. Default `filters`. */
  readonly section?: 'quoting' | 'logic-trees';
  readonly since?: string;
}

const all = [0, 1, 2, 3, 4];
const field =
  (name: string, value: (row: (index: number) => InboxRow) => string): FilterCase['query'] =>
  (rows) => [[name, value((index) => rowAt(rows, index))]];

const status = (value: string) => field('status', () => value);
const content = (value: string) => field('content', () => value);
const created = (operator: string, index: number) =>
  field('created_at', (row) => `${operator}.${row(index).created_at}`);

const cases: readonly FilterCase[] = [
  { id: 'REST-140', title: 'eq matches equal values', query: status('eq.read'), expected: [1] },
  { id: 'REST-141', title: 'neq matches the other values', query: status('neq.unread'), expected: [1, 3] },
  { id: 'REST-142', title: 'gt matches greater values', query: created('gt', 2), expected: [3, 4] },
  { id: 'REST-143', title: 'gte matches equal values too', query: created('gte', 2), expected: [2, 3, 4] },
  { id: 'REST-144', title: 'lt matches smaller values', query: created('lt', 2), expected: [0, 1] },
  { id: 'REST-145', title: 'lte matches equal values too', query: created('lte', 2), expected: [0, 1, 2] },
  {
    id: 'REST-146',
    title: 'two filters of one column both apply',
    query: (rows) => [
      ['created_at', `gt.${rowAt(rows, 0).created_at}`],
      ['created_at', `lt.${rowAt(rows, 3).created_at}`],
    ],
    expected: [1, 2],
  },
  {
    id: 'REST-147',
    section: 'quoting',
    title: 'eq matches its value literally: commas, quotes, brackets and backslashes are not special',
    query: field('content', (row) => `eq.${row(4).content}`),
    expected: [4],
  },
  {
    id: 'REST-148',
    section: 'quoting',
    title: 'an unencoded plus in the query is a space',
    query: () => 'content=like.*one+two*',
    expected: [4],
  },
  {
    id: 'REST-149',
    section: 'quoting',
    title: 'an encoded plus is a plus',
    query: () => 'content=like.*1%2B1*',
    expected: [4],
  },
  {
    id: 'REST-150',
    section: 'quoting',
    title: 'a value may hold an ampersand and characters of more than two bytes',
    query: content('like.*a&b*😀 größer*'),
    expected: [4],
  },
  {
    id: 'REST-151',
    title: 'in matches the values of a list',
    query: status('in.(read,archived)'),
    expected: [1, 3],
  },
  {
    id: 'REST-152',
    section: 'quoting',
    title: 'in takes quoted values with commas, escaped quotes and escaped backslashes',
    query: field('content', (row) => `in.(${quote(row(4).content)},${quote(row(0).content)})`),
    expected: [0, 4],
  },
  { id: 'REST-153', title: 'an empty list matches nothing', query: status('in.()'), expected: [] },
  {
    id: 'REST-417',
    section: 'quoting',
    since: '1.0.0',
    title: 'a list of one empty text matches nothing, whatever the type of the column',
    query: field('recipient_id', () => 'in.("")'),
    expected: [],
  },
  {
    id: 'REST-154',
    title: 'not.in matches values outside the list',
    query: status('not.in.(read,archived)'),
    expected: [0, 2, 4],
  },
  { id: 'REST-155', title: 'not. negates an operator', query: status('not.eq.unread'), expected: [1, 3] },
  { id: 'REST-156', title: 'is.null matches missing values', query: content('is.null'), expected: [] },
  {
    id: 'REST-157',
    title: 'not.is.null matches present values',
    query: content('not.is.null'),
    expected: all,
  },
  {
    id: 'REST-158',
    title: 'is.not_null matches present values',
    query: content('is.not_null'),
    expected: all,
    level: 'SHOULD',
  },
  {
    id: 'REST-159',
    title: 'isdistinct compares with nulls',
    query: status('isdistinct.unread'),
    expected: [1, 3],
  },
  { id: 'REST-160', title: 'like accepts * as the wildcard', query: status('like.un*'), expected: [0, 2, 4] },
  { id: 'REST-161', title: 'like accepts % as the wildcard', query: status('like.un%'), expected: [0, 2, 4] },
  { id: 'REST-162', title: 'like is case-sensitive', query: status('like.UN*'), expected: [] },
  { id: 'REST-163', title: 'ilike is case-insensitive', query: status('ilike.UN*'), expected: [0, 2, 4] },
  {
    id: 'REST-164',
    title: 'match takes a regular expression',
    query: status('match.^(read|archived|UNREAD)$'),
    expected: [1, 3],
  },
  { id: 'REST-165', title: 'imatch is case-insensitive', query: status('imatch.^READ$'), expected: [1] },
  {
    id: 'REST-166',
    title: 'like(any) matches one of several patterns',
    query: status('like(any).{re*,arch*}'),
    expected: [1, 3],
  },
  {
    id: 'REST-167',
    title: 'like(all) matches all of several patterns',
    query: status('like(all).{un*,*ead}'),
    expected: [0, 2, 4],
  },
  {
    id: 'REST-168',
    title: 'eq(any) matches one of several values',
    query: status('eq(any).{read,archived}'),
    expected: [1, 3],
  },
  { id: 'REST-169', title: 'fts searches text', query: content('fts.comment'), expected: [1, 4] },
  {
    id: 'REST-170',
    title: 'plfts takes plain words and a language',
    query: content('plfts(english).comments'),
    expected: [1, 4],
  },
  { id: 'REST-171', title: 'phfts takes a phrase', query: content('phfts.one two'), expected: [4] },
  {
    id: 'REST-172',
    title: 'wfts takes or and minus, as search engines do',
    query: content('wfts(english).edit or mention -number'),
    expected: [2],
  },
  {
    id: 'REST-173',
    section: 'logic-trees',
    title: 'or matches rows that satisfy one condition',
    query: field('or', () => '(status.eq.read,status.eq.archived)'),
    expected: [1, 3],
  },
  {
    id: 'REST-174',
    section: 'logic-trees',
    title: 'and matches rows that satisfy all conditions',
    query: field('and', () => '(status.eq.unread,content.like.*comment*)'),
    expected: [4],
  },
  {
    id: 'REST-175',
    section: 'logic-trees',
    title: 'not.or negates a tree',
    query: field('not.or', () => '(status.eq.read,status.eq.archived)'),
    expected: [0, 2, 4],
  },
  {
    id: 'REST-176',
    section: 'logic-trees',
    title: 'trees nest, and negate within',
    query: field(
      'or',
      () =>
        '(status.eq.archived,and(status.eq.unread,not.and(content.not.like.*comment*,content.not.like.*edit*)))',
    ),
    expected: [2, 3, 4],
  },
  {
    id: 'REST-177',
    section: 'quoting',
    title: 'a tree takes quoted values with commas and brackets',
    query: field('or', (row) => `(content.eq.${quote(row(4).content)},content.eq.nothing)`),
    expected: [4],
  },
  {
    id: 'REST-178',
    section: 'logic-trees',
    title: 'a tree takes lists',
    query: field('or', (row) => `(status.in.(read,archived),id.eq.${row(0).id})`),
    expected: [0, 1, 3],
  },
  {
    id: 'REST-179',
    section: 'quoting',
    title: 'a column may be quoted',
    query: field('"status"', () => 'eq.read'),
    expected: [1],
  },
  {
    id: 'REST-180',
    section: 'logic-trees',
    title: 'a tree beside a filter narrows it',
    query: (rows) => [
      ['status', 'eq.unread'],
      ['or', `(id.eq.${rowAt(rows, 0).id},id.eq.${rowAt(rows, 1).id})`],
    ],
    expected: [0],
  },
];

export const restFilterAudits: readonly Audit[] = cases.map(
  ({ id, title, query, expected, section = 'filters', level = 'MUST', since = '0.1.0' }) =>
    audit(id, title, { source: `protocol/rest.md#${section}`, level, since }, async (context) => {
      const { ada, rows } = await sharedInbox(context);
      const parameters = query(rows);
      const search =
        typeof parameters === 'string'
          ? parameters
          : new URLSearchParams(parameters.map(([name, value]) => [name, value]));
      const path = `/notifications?${search.toString()}&select=id&order=created_at.asc`;
      const response = await context.rest.send('GET', path, { token: ada.accessToken });
      assertStatus(response, 200);
      const found = (response.json as readonly unknown[]).map((row) =>
        rows.findIndex(({ id: known }) => known === at(row, 'id')),
      );
      assert.deepEqual(found, expected, 'the result');
    }),
);
