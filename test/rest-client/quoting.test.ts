import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  allOf,
  and,
  anyOf,
  contains,
  containsJson,
  createRestClient,
  eq,
  type Filter,
  json,
  like,
  match,
  not,
  oneOf,
  or,
  relatedColumn,
  startsWith,
} from '../../src/rest-client/index.ts';
import { hostileTexts } from './support/hostile-texts.ts';
import { readArrayLiteral, type ReadFilter, readQuery, type ReadTree } from './support/grammar.ts';
import { createRecordingTab } from './support/recording-client.ts';
import { propertyRuns } from '../support/property-runs.ts';

const db = createRestClient({
  url: 'https://p.test',
  apiKey: 'k',
  platform: createRecordingTab().tab,
  maxUrlLength: 1e6,
});
const read = (...filters: Filter<never>[]) =>
  readQuery(
    db
      .from('t')
      .select()
      .where(...filters)
      .toRequest().url,
  );
const only = (filter: Filter<never>): ReadFilter => read(filter).conditions[0] as ReadFilter;
const inTree = (filter: Filter<never>): ReadFilter =>
  (read(or(filter, eq('z', 1) as Filter<never>)).conditions[0] as ReadTree).terms[0] as ReadFilter;
const loose = (filter: Filter): Filter<never> => filter as Filter<never>;

const hostile = fc.constantFrom(
  ...hostileTexts,
  ...'order select and or not limit x.order not.and columns ... !inner ~ -> ->> :: - 1 -1 )'.split(' '),
  'a b',
  '\t',
);
const text = fc
  .array(fc.oneof(hostile, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' })), { maxLength: 4 })
  .map((parts) => parts.join(''))
  .filter((value) => !/\p{Surrogate}/u.test(value));
const name = text.filter((value) => value !== '' && !value.includes('->'));
const item = fc.oneof(text, fc.integer(), fc.boolean(), fc.bigInt());

describe('a decoded filter equals the encoded one', () => {
  test('a decoded filter equals the encoded one for any column and any text, on its own and within a tree', () => {
    fc.assert(
      fc.property(name, text, (column, value) => {
        const expected = { path: [], column, json: [], not: false, operator: 'eq', quantifier: null, value };
        expect(only(loose(eq(column, value)))).toEqual(expected);
        expect(inTree(loose(eq(column, value)))).toEqual(expected);
      }),
      { numRuns: propertyRuns(300, 1500) },
    );
  });

  test('a decoded filter equals the encoded one for any list, negated or not, on its own and within a tree', () => {
    fc.assert(
      fc.property(fc.array(item), fc.boolean(), (values, isNegated) => {
        const filter = loose(isNegated ? not(oneOf('c', values)) : oneOf('c', values));
        const distinct = [...new Set(values)].map(String);
        const isEmptyText = distinct.length === 1 && distinct[0] === '';
        const expected = isEmptyText ? { operator: 'eq', value: '' } : { operator: 'in', value: distinct };
        expect(only(filter)).toMatchObject({ ...expected, not: isNegated });
        expect(inTree(filter)).toMatchObject({ ...expected, not: isNegated });
      }),
      { numRuns: propertyRuns(200, 800) },
    );
  });

  test('a decoded filter equals the encoded one for any array, with nulls and arrays in it', () => {
    const arrays = fc.array(fc.oneof(text, fc.constant(null), fc.array(text, { minLength: 1 })));
    fc.assert(
      fc.property(arrays, (values) => {
        for (const filter of [only(loose(contains('c', values))), inTree(loose(contains('c', values)))]) {
          expect(filter.operator).toBe('cs');
          expect(readArrayLiteral(filter.value as string)).toEqual(values);
        }
      }),
      { numRuns: propertyRuns(200, 800) },
    );
  });

  test('a decoded filter equals the encoded one for any alternatives of a comparison', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), fc.boolean(), (values, isAny) => {
        const filter = loose(eq('c', isAny ? anyOf(...values) : allOf(...values)));
        for (const found of [only(filter), inTree(filter)]) {
          expect(found.quantifier).toBe(isAny ? 'any' : 'all');
          expect(readArrayLiteral(found.value as string)).toEqual(values);
        }
      }),
    );
  });

  test('a decoded filter equals the encoded one for any JSON object', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.constant(null))),
        (value) => {
          for (const found of [only(loose(contains('c', value))), inTree(loose(contains('c', value)))]) {
            expect(JSON.parse(found.value as string)).toEqual({ ...value });
          }
        },
      ),
    );
  });

  test('a decoded filter equals the encoded one for any path into JSON, of keys and positions', () => {
    const keys = fc.array(fc.oneof(name, fc.integer({ min: -9, max: 9 })), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(name, keys, (column, path) => {
        const expected = { column, json: path.map((key) => ({ arrow: '->', key })) };
        expect(only(loose(eq(json(column, ...path), 'x')))).toMatchObject(expected);
        expect(inTree(loose(eq(json(column, ...path), 'x')))).toMatchObject(expected);
      }),
    );
  });

  test('a decoded filter equals the encoded one for any path into JSON that is written as one text', () => {
    // A number within the text is a position.
    const key = name.filter((value) => !/[->]/.test(value) && !/^\d+$/.test(value));
    const keys = fc.array(fc.oneof(key, fc.integer({ min: -9, max: 9 })), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(key, keys, (column, path) => {
        const expected = { column, json: path.map((step) => ({ arrow: '->', key: step })) };
        expect(only(loose(eq([column, ...path].join('->'), 'x')))).toMatchObject(expected);
      }),
    );
  });

  test('a decoded filter equals the encoded one for any tree of conditions', () => {
    const leaf = fc.tuple(name, text).map(([column, value]) => loose(eq(column, value)));
    const { tree } = fc.letrec<{ tree: Filter<never>; node: Filter<never> }>((tie) => ({
      tree: fc.oneof({ maxDepth: 3 }, leaf, tie('node')),
      node: fc
        .tuple(fc.constantFrom(and, or), fc.array(tie('tree'), { minLength: 1, maxLength: 3 }), fc.boolean())
        .map(([join, terms, isNegated]) => (isNegated ? not(join(...terms)) : join(...terms))),
    }));
    fc.assert(
      fc.property(tree, (filter) => {
        expect(outline(only(filter))).toEqual(outlineOf(filter));
      }),
    );
  });
});

type Outline = readonly [unknown, ...unknown[]];
const outline = (found: ReadFilter | ReadTree): Outline =>
  'terms' in found
    ? [found.not, found.operator, ...found.terms.map(outline)]
    : [found.not, found.operator, found.column, found.value];
/** The meaning of a filter, by its parts before they are encoded. */
const outlineOf = (filter: Filter): Outline =>
  filter.filters
    ? [filter.not ?? false, filter.operator, ...filter.filters.map(outlineOf)]
    : [filter.not ?? false, filter.operator, unquoted(filter.column ?? ''), filter.operand];
const unquoted = (column: string) =>
  column.startsWith('"') ? column.slice(1, -1).replace(/\\([^])/gu, '$1') : column;

describe('names', () => {
  test('names of any characters survive a select, an order and the columns of an insert', () => {
    fc.assert(
      fc.property(name, (column) => {
        expect(readQuery(db.from('t').select().order(column).toRequest().url).order).toEqual([
          { column, ascending: true, nulls: null },
        ]);
        expect(
          readQuery(
            db
              .from('t')
              .insert([{ [column]: 1 }])
              .toRequest().url,
          ).columns,
        ).toEqual([column]);
      }),
      { numRuns: propertyRuns(200, 800) },
    );
  });

  test('names of tables are percent-encoded', () => {
    expect(db.from('a/b ?ü').select().toRequest().url).toBe(
      'https://p.test/rest/v1/a%2Fb%20%3F%C3%BC?select=*',
    );
  });
});

describe('patterns', () => {
  /** PostgreSQL's LIKE, as an independent reference. */
  const likeMatches = (pattern: string, value: string) =>
    new RegExp(
      `^${pattern.replace(/\\([^])|[^]/gu, (found, escaped: string | undefined) =>
        found === '%'
          ? '[^]*'
          : found === '_'
            ? '[^]'
            : (escaped ?? found).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'),
      )}$`,
      'u',
    ).test(value);

  test('patterns with an asterisk mean the same as a regular expression', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.', '%', '_', '(') });
    fc.assert(
      fc.property(word, word, (pattern, value) => {
        fc.pre(pattern.includes('*'));
        const found = only(loose(like('c', pattern)));
        expect(found.operator).toBe('match');
        expect(new RegExp(found.value as string, 's').test(value)).toBe(likeMatches(pattern, value));
      }),
      { numRuns: propertyRuns(400, 2000) },
    );
  });

  test('made of literal text match only that text', () => {
    fc.assert(
      fc.property(text, text, (prefix, rest) => {
        fc.pre(!/[*\n]/.test(prefix + rest));
        const found = only(loose(startsWith('c', prefix)));
        expect(likeMatches(found.value as string, prefix + rest)).toBe(true);
        expect(likeMatches(found.value as string, `x${prefix}${rest}`)).toBe(
          `x${prefix}${rest}`.startsWith(prefix),
        );
      }),
    );
  });

  test('patterns that are regular expressions are sent unchanged', () => {
    expect(inTree(loose(match('c', '^a,b$'))).value).toBe('^a,b$');
  });
});

describe('a value from JSON', () => {
  test('is never taken for an operator, a column or a shape', () => {
    const posing = { quantifier: 'any).x', values: ['1'], wire: 'a=eq.1&b', operator: 'is' };
    const found = only(loose(contains('c', posing)));
    expect(found).toMatchObject({ operator: 'cs', quantifier: null });
    expect(JSON.parse(found.value as string)).toEqual(posing);
  });
});

describe('values that cannot be compared are refused before sending', () => {
  const from = db.from('t').select();
  const cases: [string, () => unknown][] = [
    ['undefined', () => from.eq('a', undefined)],
    ['undefined within a list', () => from.in('a', [undefined] as never)],
    ['undefined within an array', () => from.where(contains('a', [undefined]))],
    ['undefined within an object', () => from.where(contains('a', { k: { n: undefined } }))],
    ['undefined within a tree', () => from.where(or(eq('a', 1), eq('b', undefined)))],
    ['undefined among alternatives', () => from.eq('a', anyOf('x', undefined as never))],
    ['null among alternatives', () => from.eq('a', anyOf('x', null as never))],
    ['alternatives of neq', () => from.neq('a', anyOf('x'))],
    ['undefined where null, true and false are meant', () => from.is('a', undefined as never)],
    ['a position in JSON of a related row, read as a key', () => from.order(relatedColumn('r', 'data->0'))],
    ['a hole in an array', () => from.where(contains('a', Array.from({ length: 2 }).fill(1, 1)))],
    ['null where only eq, neq and is mean it', () => from.gt('a', null as never)],
    ['an invalid date within an object', () => from.where(contains('a', { at: new Date(Number.NaN) }))],
    ['a bigint within JSON, where it would be a text', () => from.where(containsJson('a', [1n]))],
    ['an invalid date', () => from.eq('a', new Date(Number.NaN))],
    ['a function', () => from.eq('a', () => 1)],
    ['half a character', () => from.eq('a', '\ud800').toRequest()],
    ['an empty tree', () => from.where(or())],
    ['a fraction of a row', () => from.limit(1.5)],
    ['a range that ends before it starts', () => from.range(3, 1)],
  ];
  test.each(cases)('%s', (_name, build) => {
    expect(build).toThrow(expect.objectContaining({ name: 'RestError', code: 'invalid-query' }));
  });
});
