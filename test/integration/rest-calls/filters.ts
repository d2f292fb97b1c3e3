import {
  allOf,
  and,
  anyOf,
  contains,
  eq,
  gt,
  ilike,
  imatch,
  includes,
  is,
  isDistinct,
  like,
  match,
  matches,
  not,
  or,
  shape,
  startsWith,
} from '../../../src/rest-client/index.ts';
import type { Call } from './call.ts';

/** Filters and selects of odd names and values, and what PostgREST 14.17 returned. */
export const filterCalls: readonly Call[] = [
  ['eq "saw, big"', async ({ items, ids }) => ids(await items().eq('name', 'saw, big')), [2]],
  ['eq "say \\"hi\\""', async ({ items, ids }) => ids(await items().eq('name', 'say "hi"')), [3]],
  ['eq "null"', async ({ items, ids }) => ids(await items().eq('name', 'null')), [6]],
  ['eq "true"', async ({ items, ids }) => ids(await items().eq('name', 'true')), [7]],
  ['neq "hammer"', async ({ items, ids }) => ids(await items().neq('name', 'hammer')), [2, 3, 4, 5, 6, 7, 8]],
  [
    'neq "saw, big"',
    async ({ items, ids }) => ids(await items().neq('name', 'saw, big')),
    [1, 3, 4, 5, 6, 7, 8],
  ],
  [
    'neq "(paren)"',
    async ({ items, ids }) => ids(await items().neq('name', '(paren)')),
    [1, 2, 3, 5, 6, 7, 8],
  ],
  [
    'neq "größe 😀"',
    async ({ items, ids }) => ids(await items().neq('name', 'größe 😀')),
    [1, 2, 3, 4, 6, 7, 8],
  ],
  ['neq "null"', async ({ items, ids }) => ids(await items().neq('name', 'null')), [1, 2, 3, 4, 5, 7, 8]],
  ['neq "true"', async ({ items, ids }) => ids(await items().neq('name', 'true')), [1, 2, 3, 4, 5, 6, 8]],
  ['in "saw, big"', async ({ items, ids }) => ids(await items().in('name', ['saw, big', 'x'])), [2]],
  ['in "say \\"hi\\""', async ({ items, ids }) => ids(await items().in('name', ['say "hi"', 'x'])), [3]],
  [
    'in "line\\nbreak\\ttab"',
    async ({ items, ids }) => ids(await items().in('name', ['line\nbreak\ttab', 'x'])),
    [8],
  ],
  [
    'or(eq) "hammer"',
    async ({ items, ids }) => ids(await items().where(or(eq('name', 'hammer'), eq('id', 99)))),
    [1],
  ],
  [
    'or(eq) "saw, big"',
    async ({ items, ids }) => ids(await items().where(or(eq('name', 'saw, big'), eq('id', 99)))),
    [2],
  ],
  [
    'or(eq) "(paren)"',
    async ({ items, ids }) => ids(await items().where(or(eq('name', '(paren)'), eq('id', 99)))),
    [4],
  ],
  [
    'or(eq) "null"',
    async ({ items, ids }) => ids(await items().where(or(eq('name', 'null'), eq('id', 99)))),
    [6],
  ],
  [
    'or(eq) "true"',
    async ({ items, ids }) => ids(await items().where(or(eq('name', 'true'), eq('id', 99)))),
    [7],
  ],
  [
    'eq anyOf "hammer"',
    async ({ items, ids }) => ids(await items().where(eq('name', anyOf('hammer', 'x')))),
    [1],
  ],
  [
    'eq anyOf "saw, big"',
    async ({ items, ids }) => ids(await items().where(eq('name', anyOf('saw, big', 'x')))),
    [2],
  ],
  [
    'eq anyOf "say \\"hi\\""',
    async ({ items, ids }) => ids(await items().where(eq('name', anyOf('say "hi"', 'x')))),
    [3],
  ],
  [
    'eq anyOf "null"',
    async ({ items, ids }) => ids(await items().where(eq('name', anyOf('null', 'x')))),
    [6],
  ],
  [
    'eq anyOf "true"',
    async ({ items, ids }) => ids(await items().where(eq('name', anyOf('true', 'x')))),
    [7],
  ],
  [
    'eq anyOf "line\\nbreak\\ttab"',
    async ({ items, ids }) => ids(await items().where(eq('name', anyOf('line\nbreak\ttab', 'x')))),
    [8],
  ],
  [
    'or(isDistinct) "saw, big"',
    async ({ items, ids }) => ids(await items().where(or(not(isDistinct('name', 'saw, big')), eq('id', 99)))),
    [2],
  ],
  [
    'or(isDistinct) "say \\"hi\\""',
    async ({ items, ids }) => ids(await items().where(or(not(isDistinct('name', 'say "hi"')), eq('id', 99)))),
    [3],
  ],
  [
    'or(isDistinct) "(paren)"',
    async ({ items, ids }) => ids(await items().where(or(not(isDistinct('name', '(paren)')), eq('id', 99)))),
    [4],
  ],
  [
    'or(isDistinct) "größe 😀"',
    async ({ items, ids }) => ids(await items().where(or(not(isDistinct('name', 'größe 😀')), eq('id', 99)))),
    [5],
  ],
  [
    'or(isDistinct) "line\\nbreak\\ttab"',
    async ({ items, ids }) =>
      ids(await items().where(or(not(isDistinct('name', 'line\nbreak\ttab')), eq('id', 99)))),
    [8],
  ],
  ['startsWith "hammer"', async ({ items, ids }) => ids(await items().where(startsWith('name', 'ham'))), [1]],
  [
    'startsWith "say \\"hi\\""',
    async ({ items, ids }) => ids(await items().where(startsWith('name', 'say'))),
    [3],
  ],
  [
    'startsWith "(paren)"',
    async ({ items, ids }) => ids(await items().where(startsWith('name', '(pa'))),
    [4],
  ],
  [
    'startsWith "größe 😀"',
    async ({ items, ids }) => ids(await items().where(startsWith('name', 'grö'))),
    [5],
  ],
  ['startsWith "null"', async ({ items, ids }) => ids(await items().where(startsWith('name', 'nul'))), [6]],
  ['startsWith "true"', async ({ items, ids }) => ids(await items().where(startsWith('name', 'tru'))), [7]],
  [
    'startsWith "line\\nbreak\\ttab"',
    async ({ items, ids }) => ids(await items().where(startsWith('name', 'lin'))),
    [8],
  ],
  [
    'or(includes) "hammer"',
    async ({ items, ids }) => ids(await items().where(or(includes('name', 'hammer'), eq('id', 99)))),
    [1],
  ],
  [
    'or(includes) "saw, big"',
    async ({ items, ids }) => ids(await items().where(or(includes('name', 'saw, big'), eq('id', 99)))),
    [2],
  ],
  [
    'or(includes) "say \\"hi\\""',
    async ({ items, ids }) => ids(await items().where(or(includes('name', 'say "hi"'), eq('id', 99)))),
    [3],
  ],
  [
    'or(includes) "(paren)"',
    async ({ items, ids }) => ids(await items().where(or(includes('name', '(paren)'), eq('id', 99)))),
    [4],
  ],
  [
    'or(includes) "line\\nbreak\\ttab"',
    async ({ items, ids }) =>
      ids(await items().where(or(includes('name', 'line\nbreak\ttab'), eq('id', 99)))),
    [8],
  ],
  ['semicolon', async ({ items, ids }) => ids(await items().eq('note', 'semi;colon&amp=eq')), [4]],
  ['includes * literal', async ({ items, ids }) => ids(await items().where(includes('note', '*star'))), [5]],
  [
    'or(like with a comma)',
    async ({ items, ids }) => ids(await items().where(or(like('name', '%, %'), eq('id', 99)))),
    [2],
  ],
  [
    'or(like anyOf)',
    async ({ items, ids }) => ids(await items().where(or(like('name', anyOf('ham%', 'nul%')), eq('id', 99)))),
    [1, 6],
  ],
  [
    'ilike allOf',
    async ({ items, ids }) => ids(await items().where(ilike('name', allOf('%HAM%', '%MER')))),
    [1],
  ],
  [
    'imatch in or',
    async ({ items, ids }) => ids(await items().where(or(imatch('name', '^HAM'), match('name', '\\(')))),
    [1, 4],
  ],
  ['eq null', async ({ items, ids }) => ids(await items().eq('qty', null)), [3]],
  ['in with null', async ({ items, ids }) => ids(await items().in('qty', [10, null])), [1, 3]],
  ['in empty', async ({ items, ids }) => ids(await items().in('qty', [])), []],
  [
    'two or() in a chain',
    async ({ items, ids }) =>
      ids(
        await items()
          .where(or(eq('id', 1), eq('id', 2)))
          .where(or(eq('id', 2), eq('id', 3))),
      ),
    [2],
  ],
  ['two gt of one column', async ({ items, ids }) => ids(await items().gt('id', 3).gt('id', 5)), [6, 7, 8]],
  [
    'two neq',
    async ({ items, ids }) => ids(await items().neq('id', 1).neq('id', 2).neq('id', 3)),
    [4, 5, 6, 7, 8],
  ],
  [
    'two like of one column',
    async ({ items, ids }) => ids(await items().where(like('name', '%a%'), like('name', '%,%'))),
    [2],
  ],
  [
    'nested tree',
    async ({ items, ids }) =>
      ids(
        await items().where(
          or(and(gt('id', 1), not(gt('id', 3))), not(or(is('flag', true), is('flag', false)))),
        ),
      ),
    [2, 3],
  ],
  [
    'isDistinct null',
    async ({ items, ids }) => ids(await items().where(isDistinct('qty', null))),
    [1, 2, 4, 5, 6, 7, 8],
  ],
  [
    'matches',
    async ({ items, ids }) => ids(await items().where(...matches({ flag: true, cat_id: 1 }))),
    [4, 8],
  ],
  ['bigint eq', async ({ items, ids }) => ids(await items().eq('big', 9007199254740993n)), [1]],
  [
    'bigint in a tree',
    async ({ items, ids }) => ids(await items().where(or(eq('big', 9007199254740993n)))),
    [1],
  ],
  [
    'odd columns',
    async ({ items, ids }) =>
      ids(await items().eq('weird col', 'w1').eq('quo"te', 'q1').eq('dot.ted', 'd1').eq('Öçé', 'ö1')),
    [1],
  ],
  [
    'odd columns in a tree',
    async ({ items, ids }) =>
      ids(
        await items().where(
          or(eq('weird col', 'w1'), eq('quo"te', "'"), eq('dot.ted', 'd5'), eq('Öçé', 'p')),
        ),
      ),
    [1, 4, 5, 7],
  ],
  [
    'odd columns in select and order',
    async ({ rest }) =>
      (
        await rest
          .from('z_items')
          .select(shape({ 'weird col': true, 'quo"te': true, 'dot.ted': true, Öçé: true }))
          .order('quo"te')
          .limit(1)
      )[0],
    { 'weird col': '', 'quo"te': "'", 'dot.ted': '', Öçé: 'ÖÇÉ' },
  ],
  ['contains array', async ({ items, ids }) => ids(await items().where(contains('tags', ['a']))), [1, 7]],
  [
    'contains array odd texts',
    async ({ items, ids }) => ids(await items().where(contains('tags', ['x,y', 'q"t', 'b\\s']))),
    [2],
  ],
];
