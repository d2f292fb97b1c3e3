import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertError, assertStatus, at } from '../../target/wire.ts';
import { newThreads, readInbox } from './inbox.ts';
import { openLibrary } from './library.ts';
import { rowsOf } from './notifications.ts';

const audit = auditsOf('rest');
const since = '1.0.0';

type Texts = Readonly<Record<string, string>>;

const counted = { Prefer: 'count=exact' };

/** Queries and headers, with status, Content-Range and rows of the response. */
const ranges: readonly (readonly [Texts, Texts, number, string, readonly number[]])[] = [
  [{}, { Range: '3-' }, 200, '3-4/*', [3, 4]],
  [{}, { Range: '0-0' }, 200, '0-0/*', [0]],
  [{}, { Range: '1-9', ...counted }, 206, '1-4/5', [1, 2, 3, 4]],
  [{}, { Range: 'bytes=0-1' }, 200, '0-4/*', [0, 1, 2, 3, 4]],
  [{ limit: '5' }, counted, 200, '0-4/5', [0, 1, 2, 3, 4]],
  [{ limit: '4' }, counted, 206, '0-3/5', [0, 1, 2, 3]],
  [{ limit: '2', offset: '3' }, counted, 206, '3-4/5', [3, 4]],
  [{ offset: '4' }, {}, 200, '4-4/*', [4]],
  [{ offset: '5' }, counted, 206, '*/5', []],
  [{ limit: '0' }, counted, 206, '*/5', []],
  [{ limit: 'many' }, {}, 200, '0-4/*', [0, 1, 2, 3, 4]],
];

/** The number of rows of a view that is larger than a page usually is. */
const many = 1500;

/** Kinds of counts and paths, with status and Content-Range. */
const plannedCounts: readonly (readonly [kind: string, path: string, expected: string])[] = [
  ['planned', '/books', '200 0-3/4'],
  ['planned', '/books?limit=2', '206 0-1/4'],
  ['planned', '/books?id=gt.9', '206 */1'],
  ['planned', '/books?offset=9', '416 */4'],
  ['estimated', '/books?id=gt.9', '200 */0'],
  ['estimated', '/books?limit=2', '206 0-1/4'],
  ['estimated', '/books?id=eq.1', '200 0-0/1'],
  ['planned', '/rpc/count_to?last=3', '200 0-2/*'],
];

/** Values of limit, and the number of rows that they allow; five are there. */
const limits: readonly (readonly [string, number])[] = [
  [' 2 ', 2],
  ['(2)', 2],
  ['(( 3 ))', 3],
  ['0x3', 3],
  ['0X10', 5],
  ['0o4', 4],
  ['0O11', 5],
  ['002', 2],
  ['-0', 0],
  ['+2', 5],
  ['2.0', 5],
  ['2x', 5],
  ['x2', 5],
  ['(2', 5],
  ['', 5],
];

const refusedRanges: readonly (readonly [Texts, Texts, RegExp])[] = [
  [{}, { Range: '3-1' }, /lower boundary/],
  [{ limit: '-1' }, {}, /greater than or equal to zero/],
  [{ offset: '6' }, counted, /offset of 6 .* only 5 rows/],
];

/** Orders of the threads of `newThreads`, with the ids in that order. */
const orders: readonly (readonly [string, readonly string[]])[] = [
  ['entity_name', ['a', 'b', 'n']],
  ['entity_name.desc', ['n', 'b', 'a']],
  ['entity_name.nullsfirst', ['n', 'a', 'b']],
  ['entity_name.asc.nullslast', ['a', 'b', 'n']],
  ['entity_name.desc.nullsfirst', ['n', 'b', 'a']],
  ['entity_name.desc.nullslast', ['b', 'a', 'n']],
  ['entity_type , entity_name.desc.nullslast', ['a', 'n', 'b']],
  ['entity_type.desc,entity_id.desc', ['b', 'n', 'a']],
];

/** Pages to the row, and where nulls are in an order. */
export const restPagingAudits: readonly Audit[] = [
  audit(
    'REST-432',
    'limit, offset and Range cut the same pages, to the row, with their status and Content-Range',
    { source: 'protocol/rest.md#order-and-ranges', since },
    async (context) => {
      for (const [query, headers, status, range, expected] of ranges) {
        const { response, indexes } = await readInbox(context, query, headers);
        const of = JSON.stringify({ ...query, ...headers });
        assertStatus(response, status);
        assert.equal(response.headers.get('content-range'), range, `the header content-range of ${of}`);
        assert.deepEqual(indexes, expected, `the rows of ${of}`);
      }
    },
  ),
  audit(
    'REST-562',
    'limit and offset take spaces, brackets, hexadecimal and octal digits; any other text is ignored',
    { source: 'protocol/rest.md#order-and-ranges', level: 'SHOULD', since },
    async (context) => {
      const indexesOf = async (query: Texts) => (await readInbox(context, query)).indexes;
      for (const [limit, count] of limits)
        assert.equal((await indexesOf({ limit })).length, count, `the number of rows of limit=${limit}`);
      assert.deepEqual(await indexesOf({ offset: '0x3' }), [3, 4], 'the rows of offset=0x3');
      assert.deepEqual(await indexesOf({ offset: 'x' }), [0, 1, 2, 3, 4], 'the rows of offset=x');
      assert.deepEqual(await indexesOf({ offset: '(1)', limit: '0o2' }), [1, 2], 'the rows of both');
      for (const limit of ['(-1)', '- 1']) {
        const { response } = await readInbox(context, { limit });
        assertError(response, 416, 'PGRST103');
      }
    },
  ),
  audit(
    'REST-563',
    'count=planned is the number that the planner expects, and count=estimated the exact one up to the largest page',
    { source: 'protocol/rest.md#counts', level: 'SHOULD', needs: ['database'], since },
    async (context) => {
      const send = await openLibrary(context);
      const count = async (kind: string, path: string) => {
        const response = await send('GET', path, { headers: { Prefer: `count=${kind}` } });
        return `${response.status} ${response.headers.get('content-range')}`;
      };
      for (const [kind, path, expected] of plannedCounts)
        assert.equal(await count(kind, path), expected, `status and content-range of ${path}, ${kind}`);
      const shown = rowsOf(await send('GET', '/many')).length;
      const page = `${shown < many ? 206 : 200} 0-${shown - 1}`;
      for (const kind of ['exact', 'planned', 'estimated'])
        assert.equal(await count(kind, '/many'), `${page}/${many}`, `status and content-range, ${kind}`);
      const beyond = shown < many ? Math.max(shown + 1, many / 3) : many;
      assert.equal(
        await count('estimated', '/many?n=gt.0'),
        `${page}/${beyond}`,
        'status and content-range of an estimate below the largest page',
      );
      const limited = rowsOf(await send('GET', `/many?limit=${many - 1}`)).length;
      assert.equal(limited, Math.min(shown, many - 1), 'the number of rows of a limit');
    },
  ),
  audit(
    'REST-433',
    'the refusal of a range names its reason in details',
    { source: 'protocol/rest.md#order-and-ranges', since },
    async (context) => {
      for (const [query, headers, details] of refusedRanges) {
        const { response } = await readInbox(context, query, headers);
        assertError(response, 416, 'PGRST103');
        assert.match(String(at(response.json, 'details')), details, 'details of the response');
      }
    },
  ),
  audit(
    'REST-435',
    'order puts nulls last, with desc first, unless told otherwise, and skips spaces beside its commas',
    { source: 'protocol/rest.md#order-and-ranges', since },
    async (context) => {
      const threads = await newThreads(context);
      for (const [order, expected] of orders)
        assert.deepEqual(
          rowsOf(await threads({ select: 'entity_id', order })).map((row) => at(row, 'entity_id')),
          expected,
          `the ids by ${order}`,
        );
    },
  ),
];
