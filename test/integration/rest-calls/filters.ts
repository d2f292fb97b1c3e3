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
} from '../../../src/rest-client/index.ts';
import type { Call } from './call.ts';

/** Filters and selects of odd names and values, and what PostgREST 14.17 returned. */
export const filterCalls: readonly Call[] = [
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
