import {
  asBigint,
  by,
  contains,
  containsJson,
  countRows,
  embed,
  eq,
  exactIntegers,
  geojson,
  gt,
  hasRelated,
  json,
  jsonText,
  or,
  pages,
  prefer,
  rawSelect,
  relatedColumn,
  rowCount,
  shape,
  stripNulls,
  textSearch,
  timezone,
  viaGet,
} from '../../../src/rest-client/index.ts';
import { type Call, failing } from './call.ts';

/** Counts, related rows and functions, and what PostgREST 14.17 returned. */
export const resultCalls: readonly Call[] = [
  [
    'contains empty array',
    async ({ items, ids }) => ids(await items().where(contains('tags', []))),
    [1, 2, 4, 5, 6, 7, 8],
  ],
  ['eq array', async ({ items, ids }) => ids(await items().eq('tags', ['a', 'b'])), [1]],
  [
    'contains json',
    async ({ items, ids }) => ids(await items().where(contains('data', { b: { c: 'x' } }))),
    [1],
  ],
  ['containsJson text', async ({ items, ids }) => ids(await items().where(containsJson('data', 'str'))), [5]],
  [
    'textSearch',
    async ({ items, ids }) => ids(await items().where(textSearch('tsv', 'dogs', { config: 'english' }))),
    [2, 6],
  ],
  [
    'textSearch websearch in a tree',
    async ({ items, ids }) =>
      ids(
        await items().where(
          or(textSearch('tsv', '"quick brown" or runner', { type: 'websearch', config: 'english' })),
        ),
      ),
    [1, 7],
  ],
  ['json key with space', async ({ items, ids }) => ids(await items().eq(jsonText('data', 'b c'), '1')), [7]],
  [
    'json key with a quote',
    async ({ items, ids }) => ids(await items().eq(jsonText('data', 'q"k'), '2')),
    [7],
  ],
  [
    'json select',
    async ({ rest }) =>
      await rest
        .from('z_items')
        .select(shape({ a: json('data', 'a'), e: jsonText('data', 'b', 'd', 2, 'e') }))
        .in('id', [1, 2])
        .order('id'),
    [
      { a: 1, e: 'z' },
      { a: '1', e: null },
    ],
  ],
  [
    'order by json',
    async ({ rest, ids }) =>
      ids(
        await rest
          .from('z_items')
          .select('id')
          .order(jsonText('data', 'a'), { ascending: false, nulls: 'last' })
          .order('id')
          .limit(3),
      ),
    [8, 1, 2],
  ],
  [
    'timezone()',
    async ({ rest }) =>
      (await rest.from('z_items').select('at').eq('id', 1).with(timezone('Europe/Berlin')))[0]?.at,
    '2024-01-31T11:00:00+01:00',
  ],
  [
    'timezone unknown',
    ({ rest }) =>
      rest
        .from('z_items')
        .select('at')
        .eq('id', 1)
        .with(timezone('Mars/Olympus'), prefer({ handling: 'strict' })),
    failing('invalid-request', 'PGRST122'),
  ],
  ['count exact', ({ rest }) => rest.from('z_items').count().gt('id', 3), 5],
  ['count estimated', ({ rest }) => rest.from('z_items').count('estimated'), 8],
  [
    'range past the counted end',
    ({ items }) => items().range(9, 10).withCount(),
    failing('out-of-range', 'PGRST103'),
  ],
  ['range past the end, not counted', ({ items }) => items().range(20, 30), []],
  ['maybeSingle none', ({ rest }) => rest.from('z_items').select('id').eq('id', 99).maybeSingle(), null],
  ['limit 0', ({ items }) => items().limit(0), []],
  [
    'order nulls',
    async ({ rest, ids }) =>
      ids(await rest.from('z_items').select('id').order('qty', { nulls: 'first' }).limit(2)),
    [3, 4],
  ],
  [
    'stripNulls',
    ({ rest }) => rest.from('z_cats').select('id,parent_id').order('id').limit(2).with(stripNulls()),
    [{ id: 1 }, { id: 2, parent_id: 1 }],
  ],
  [
    'aggregates refused',
    ({ rest }) => rest.from('z_items').select(shape({ n: countRows() })),
    failing('invalid-request', 'PGRST123'),
  ],
  ['unknown column', ({ rest }) => rest.from('z_items').select('nope'), failing('not-found', '42703')],
  ['odd table', ({ rest }) => rest.from('Z Odd Table').select('*'), [{ id: 1, 'a b': 'x y' }]],
  [
    'embed to-one',
    async ({ rest }) => (await rest.from('z_items').select(rawSelect('id,z_cats(name)')).eq('id', 1))[0],
    { id: 1, z_cats: { name: 'hand tools' } },
  ],
  [
    'embed inner',
    async ({ rest, ids }) =>
      ids(
        await rest
          .from('z_items')
          .select(
            shape({
              id: true,
              z_labels: embed({ label: true }, { inner: true, where: [eq('label', 'new')] }),
            }),
          )
          .order('id'),
      ),
    [1, 5],
  ],
  [
    'embed hint',
    ({ rest }) =>
      rest
        .from('z_msgs')
        .select(
          shape({
            id: true,
            from: embed({ name: true }, { of: 'z_people', hint: 'sender_id' }),
            to: embed({ name: true }, { of: 'z_people', hint: 'z_msgs_receiver' }),
          }),
        )
        .eq('id', 1),
    [{ id: 1, from: { name: 'ann' }, to: { name: 'bob' } }],
  ],
  [
    'embed the parent of itself',
    ({ rest }) =>
      rest
        .from('z_cats')
        .select(shape({ id: true, parent: embed({ name: true }, { of: 'parent_id' }) }))
        .order('id'),
    [
      { id: 1, parent: null },
      { id: 2, parent: { name: 'tools' } },
      { id: 3, parent: null },
      { id: 4, parent: { name: 'toys' } },
    ],
  ],
  [
    'embed children of itself by hint',
    ({ rest }) =>
      rest
        .from('z_cats')
        .select(shape({ id: true, kids: embed({ name: true }, { of: 'z_cats', hint: 'parent_id' }) }))
        .order('id')
        .limit(2),
    [
      { id: 1, kids: [{ name: 'hand tools' }] },
      { id: 2, kids: [] },
    ],
  ],
  [
    'spread to-many',
    ({ rest }) =>
      rest
        .from('z_cats')
        .select(shape({ id: true, '...z_items': embed({ iid: 'id' }, { order: [by('id')] }) }))
        .in('id', [1, 4])
        .order('id'),
    [
      { id: 1, iid: [4, 8] },
      { id: 4, iid: [] },
    ],
  ],
  [
    'hasRelated in a tree',
    async ({ rest, ids }) =>
      ids(
        await rest
          .from('z_cats')
          .select(rawSelect<{ id: number }>('id,z_items(id)'))
          .where(or(hasRelated('z_items'), eq('id', 4)))
          .order('id'),
      ),
    [1, 2, 3, 4],
  ],
  [
    'relatedColumn',
    async ({ rest, ids }) =>
      ids(
        await rest
          .from('z_items')
          .select(rawSelect<{ id: number }>('id,z_cats(name)'))
          .in('id', [1, 4, 5])
          .order(relatedColumn('z_cats', 'name'), { ascending: false })
          .order('id'),
      ),
    [5, 4, 1],
  ],
  [
    'computed column',
    async ({ rest }) => (await rest.from('z_items').select('id,z_full').eq('id', 1))[0]?.z_full,
    'hammer/plain',
  ],
  [
    'count of related rows',
    ({ rest }) =>
      rest
        .from('z_cats')
        .select(rawSelect<{ id: number; z_items: { count: number }[] }>('id,z_items(count)'))
        .in('id', [1, 4])
        .order('id'),
    [
      { id: 1, z_items: [{ count: 2 }] },
      { id: 4, z_items: [{ count: 0 }] },
    ],
  ],
  [
    'integers that a number cannot hold, of a table and of a function',
    async ({ rest }) => [
      await exactIntegers(rest.from('z_items').select('id,big').in('id', [1, 2]).order('id')),
      await exactIntegers(rest.rpc('z_setof').select('big').limit(1)),
    ],
    [
      [
        { id: 1, big: '9007199254740993' },
        { id: 2, big: -1 },
      ],
      [{ big: '9007199254740993' }],
    ],
  ],
  ['rpc viaGet', ({ rest }) => rest.rpc('z_add', { a: 1, b: 2 }).with(viaGet()), 3],
  ['rpc void', ({ rest }) => rest.rpc('z_void'), null],
  ['rpc null argument viaGet', ({ rest }) => rest.rpc('z_text', { t: null }).with(viaGet()), null],
  [
    'rpc array argument',
    ({ rest }) => rest.rpc('z_tarr', { v: ['a,b', 'c"d', null, ''] }),
    ['a,b', 'c"d', null, ''],
  ],
  [
    'rpc array argument viaGet',
    ({ rest }) => rest.rpc('z_tarr', { v: ['a,b', 'c"d', ''] }).with(viaGet()),
    ['a,b', 'c"d', ''],
  ],
  ['rpc json argument', ({ rest }) => rest.rpc('z_json', { j: { a: [1, 'x'] } }), { a: [1, 'x'] }],
  [
    'rpc set with select, filter, order, limit',
    async ({ rest, ids }) =>
      ids(await rest.rpc('z_setof').select('id').gt('id', 2).order('id', { ascending: false }).limit(2)),
    [8, 7],
  ],
  [
    'rpc set with or',
    async ({ rest, ids }) =>
      ids(
        await rest
          .rpc('z_setof')
          .select('id')
          .where(or(eq('id', 1), eq('id', 3)))
          .order('id'),
      ),
    [1, 3],
  ],
  ['rpc rowCount', ({ rest }) => rest.rpc('z_table', { n: 3 }).as(rowCount()), 3],
  ['rpc single of set', ({ rest }) => rest.rpc('z_table', { n: 1 }).single(), { a: 1, b: 'b1' }],
  [
    'rpc maybeSingle of set: one',
    ({ rest }) => rest.rpc('z_table', { n: 1 }).maybeSingle(),
    { a: 1, b: 'b1' },
  ],
  ['rpc maybeSingle of set: none', ({ rest }) => rest.rpc('z_table', { n: 0 }).maybeSingle(), null],
  [
    'rpc maybeSingle of set: many',
    ({ rest }) => rest.rpc('z_table', { n: 2 }).maybeSingle(),
    failing('not-one-row', null),
  ],
  [
    'rpc maybeSingle of one composite',
    async ({ rest }) => (await rest.rpc('z_row', { who: 1 }).maybeSingle())?.id,
    1,
  ],
  ['rpc single of one composite', async ({ rest }) => (await rest.rpc('z_row', { who: 1 }).single())?.id, 1],
  ['rpc raise', ({ rest }) => rest.rpc('z_raise_plain'), failing('raised', 'P0001')],
  ['rpc PT402', ({ rest }) => rest.rpc('z_raise', { code: 'PT402', msg: 'pay' }), failing('raised', 'PT402')],
  ['rpc own error by PGRST', ({ rest }) => rest.rpc('z_pgrst'), failing('invalid-request', '123')],
  [
    'asBigint',
    async ({ rest }) =>
      (
        await rest
          .from('z_items')
          .select(shape({ b: asBigint('big') }))
          .eq('id', 1)
      )[0]?.b,
    9007199254740993n,
  ],
  [
    'range at the counted end',
    async ({ items }) => {
      const { rows, count } = await items().range(8, 9).withCount();
      return [rows, count];
    },
    [[], 8],
  ],
  [
    'geojson refused without PostGIS',
    ({ rest }) => rest.from('z_cats').select().as(geojson()),
    failing('not-found', '42883'),
  ],
  [
    'pages',
    async ({ rest, ids }) => {
      const all: unknown[] = [];
      const query = rest.from('z_items').select('id, qty');
      for await (const page of pages(query, { by: ['qty', 'id'], size: 3 })) all.push(...ids(page));
      return all;
    },
    [4, 2, 6, 8, 1, 7, 5, 3],
  ],
  [
    'url too long',
    ({ items }) =>
      items().in(
        'name',
        Array.from({ length: 900 }, (_, index) => `name number ${index}`),
      ),
    failing('url-too-long', null),
  ],
  [
    'embed with where/order/limit',
    ({ rest }) =>
      rest
        .from('z_cats')
        .select(
          shape({
            id: true,
            items: embed(
              { id: true },
              { of: 'z_items', where: [gt('id', 1)], order: [by('id', { ascending: false })], limit: 1 },
            ),
          }),
        )
        .order('id'),
    [
      { id: 1, items: [{ id: 8 }] },
      { id: 2, items: [{ id: 2 }] },
      { id: 3, items: [{ id: 6 }] },
      { id: 4, items: [] },
    ],
  ],
  [
    'many-to-many nested',
    async ({ rest }) =>
      (
        await rest
          .from('z_items')
          .select(
            rawSelect<{ z_item_labels: readonly unknown[] }>('id,z_item_labels(weight,z_labels(label))'),
          )
          .eq('id', 1)
      )[0]?.z_item_labels,
    [
      { weight: 5, z_labels: { label: 'new' } },
      { weight: 6, z_labels: { label: 'old' } },
    ],
  ],
];
