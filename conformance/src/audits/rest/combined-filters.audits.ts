import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertStatus, at } from '../../target/wire.ts';
import { quote, rowAt, sharedInbox } from './inbox.ts';

const audit = auditsOf('rest');

type Filter = readonly [name: string, value: string];

interface CombinedCase {
  readonly id: string;
  readonly title: string;
  readonly filters: (created: (index: number) => string) => readonly Filter[];
  /** Indexes of the shared inbox's rows that match. */
  readonly expected: readonly number[];
}

const cases: readonly CombinedCase[] = [
  {
    id: 'REST-331',
    title: 'one operator twice on a column applies both filters',
    filters: () => [
      ['status', 'neq.unread'],
      ['status', 'neq.read'],
    ],
    expected: [3],
  },
  {
    id: 'REST-332',
    title: 'two bounds on a column apply both filters',
    filters: (created) => [
      ['created_at', `gt.${created(0)}`],
      ['created_at', `lt.${created(3)}`],
    ],
    expected: [1, 2],
  },
  {
    id: 'REST-333',
    title: 'two or= trees apply both',
    filters: () => [
      ['or', '(status.eq.unread,status.eq.read)'],
      ['or', '(content.like.*comment*,content.like.*edit*)'],
    ],
    expected: [1, 2, 4],
  },
  {
    id: 'REST-334',
    title: 'an or= tree and a not.or= tree apply both',
    filters: () => [
      ['or', '(status.eq.unread,status.eq.read)'],
      ['not.or', '(status.eq.read,content.like.*edit*)'],
    ],
    expected: [0, 4],
  },
  {
    id: 'REST-335',
    title: 'a quoted like pattern in a tree keeps its commas, brackets and wildcards',
    filters: () => [['or', `(content.like.${quote('*two, 1+1 (a&b)*')},status.eq.archived)`]],
    expected: [3, 4],
  },
  {
    id: 'REST-336',
    title: 'a quoted regular expression in a tree keeps its brackets',
    filters: () => [['and', `(content.match.${quote('number (1|3)')},status.eq.read)`]],
    expected: [1],
  },
  {
    id: 'REST-337',
    title: 'a list of quoted patterns in a tree keeps their commas',
    filters: () => [['or', '(content.like(any).{"*two, 1+1*","*number 0*"},status.eq.archived)']],
    expected: [0, 3, 4],
  },
];

/** Filters that a server must combine instead of overwriting. */
export const restCombinedFilterAudits: readonly Audit[] = cases.map(({ id, title, filters, expected }) =>
  audit(id, title, { source: 'protocol/rest.md#logic-trees' }, async (context) => {
    const { ada, rows } = await sharedInbox(context);
    const search = new URLSearchParams(
      filters((index) => rowAt(rows, index).created_at).map(([...pair]) => pair),
    );
    const path = `/notifications?${search.toString()}&select=id&order=created_at.asc`;
    const response = await context.rest.send('GET', path, { token: ada.accessToken });
    assertStatus(response, 200);
    const found = (response.json as readonly unknown[]).map((row) =>
      rows.findIndex(({ id: known }) => known === at(row, 'id')),
    );
    assert.deepEqual(found, expected, 'the result');
  }),
);
