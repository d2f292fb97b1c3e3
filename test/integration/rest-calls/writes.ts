import { expectAffected, maxAffected } from '../../../src/rest-client/index.ts';
import { type Call, failing, rejected } from './call.ts';

/** Writes, and what PostgREST 14.17 returned. */
export const writeCalls: readonly Call[] = [
  [
    'insert rows of different keys',
    ({ rest }) =>
      rest
        .from('z_up')
        .insert([
          { id: 10, v: 'a' },
          { id: 11, code: 'b' },
        ])
        .select(),
    [
      { id: 10, code: null, v: 'a', n: null },
      { id: 11, code: 'b', v: 'dv', n: null },
    ],
  ],
  [
    'insert missing null',
    ({ rest }) =>
      rest
        .from('z_up')
        .insert(
          [
            { id: 10, v: 'a' },
            { id: 11, code: 'b' },
          ],
          { missing: 'null' },
        )
        .select(),
    [
      { id: 10, code: null, v: 'a', n: null },
      { id: 11, code: 'b', v: null, n: null },
    ],
  ],
  ['insert {}', async ({ rest }) => (await rest.from('z_auto').insert({}).select())[0]?.v, 'dflt'],
  ['insert []', ({ rest }) => rest.from('z_auto').insert([]).select(), []],
  [
    'insert JSON',
    async ({ rest }) =>
      (
        await rest
          .from('z_items')
          .insert({ id: 20, data: [1, 'x', { a: null }], doc: 'text', tags: ['a', null, 'b,"'] })
          .select('data,doc,tags')
      )[0],
    { data: [1, 'x', { a: null }], doc: 'text', tags: ['a', null, 'b,"'] },
  ],
  [
    'insert odd column names',
    async ({ rest }) =>
      (
        await rest
          .from('z_items')
          .insert([{ id: 20, 'weird col': 'a', 'quo"te': 'b', 'dot.ted': 'c', Öçé: 'd' }])
          .select('id')
      )[0]?.id,
    20,
  ],
  [
    'insert duplicate',
    ({ rest }) => rest.from('z_up').insert({ id: 1 }),
    failing('unique-violation', '23505'),
  ],
  [
    'insert null violation',
    ({ rest }) => rest.from('z_up').insert({ code: 'x' }),
    failing('not-null-violation', '23502'),
  ],
  [
    'upsert onConflict',
    ({ rest }) => rest.from('z_up').upsert({ id: 1, code: 'c1', v: 'm' }, { onConflict: 'code' }).select('v'),
    [{ v: 'm' }],
  ],
  ['update number', ({ rest }) => rest.from('z_up').update({ v: 'u' }).gt('id', 1), 2],
  ['update all', ({ rest }) => rest.from('z_up').update({ v: 'u' }).all(), 3],
  ['delete count', ({ rest }) => rest.from('z_pairs').delete().eq('a', 1), 2],
  [
    'delete select',
    ({ rest }) => rest.from('z_pairs').delete().eq('a', 2).select(),
    [{ a: 2, b: 1, v: 'z' }],
  ],
  [
    'delete expectAffected',
    ({ rest }) => rest.from('z_pairs').delete().eq('a', 1).with(expectAffected(1)),
    failing('affected-rows', 'PGRST124'),
  ],
  [
    'insert',
    async ({ rest, readBack }) => {
      await rest.from('z_up').insert({ id: 10, code: 'n' });
      return (await readBack('z_up')).length;
    },
    4,
  ],
  [
    'insert JSON that is a text of JSON',
    async ({ rest }) =>
      (await rest.from('z_items').insert({ id: 20, data: '{"a":1}' }).select('data'))[0]?.data,
    '{"a":1}',
  ],
  [
    'insert maxAffected(1) of two rows',
    async ({ rest, readBack }) =>
      rejected(
        () =>
          rest
            .from('z_up')
            .insert([{ id: 10 }, { id: 11 }])
            .with(maxAffected(1)),
        async () => (await readBack('z_up')).length,
      ),
    ['affected-rows', 3],
  ],
  [
    'insert expectAffected(1) of two rows',
    async ({ rest, readBack }) =>
      rejected(
        () =>
          rest
            .from('z_up')
            .insert([{ id: 10 }, { id: 11 }])
            .with(expectAffected(1)),
        async () => (await readBack('z_up')).length,
      ),
    ['affected-rows', 3],
  ],
  [
    'insert expectAffected(2)',
    async ({ rest, readBack }) => {
      await rest
        .from('z_up')
        .insert([{ id: 10 }, { id: 11 }])
        .with(expectAffected(2));
      return (await readBack('z_up')).length;
    },
    5,
  ],
  [
    'upsert',
    ({ rest }) =>
      rest
        .from('z_up')
        .upsert([
          { id: 1, v: 'm' },
          { id: 30, v: 'n' },
        ])
        .select('id,code,v')
        .order('id'),
    [
      { id: 1, code: 'c1', v: 'm' },
      { id: 30, code: null, v: 'n' },
    ],
  ],
  [
    'upsert expectAffected',
    async ({ rest, readBack }) => {
      await rest
        .from('z_up')
        .upsert([{ id: 1, v: 'm' }])
        .with(expectAffected(1));
      return (await readBack('z_up'))[0]?.['v'];
    },
    'm',
  ],
  [
    'update single of none',
    async ({ rest, readBack }) =>
      rejected(
        () => rest.from('z_up').update({ v: 'u' }).gt('id', 0).select().single(),
        async () => (await readBack('z_up')).filter(({ v }) => v === 'u'),
      ),
    ['not-one-row', []],
  ],
  [
    'update maxAffected',
    async ({ rest, readBack }) =>
      rejected(
        () => rest.from('z_up').update({ v: 'u' }).gt('id', 0).with(maxAffected(2)),
        async () => (await readBack('z_up')).filter(({ v }) => v === 'u'),
      ),
    ['affected-rows', []],
  ],
];
