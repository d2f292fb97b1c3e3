import { describe, expect, test } from 'vitest';
import {
  and,
  type Columns,
  anyOf,
  contains,
  countRows,
  createRestClient,
  embed,
  eq,
  type Filter,
  hasNoRelated,
  hasRelated,
  is,
  isDistinct,
  json,
  like,
  match,
  maxAffected,
  not,
  oneOf,
  or,
  overlaps,
  type Query,
  rawSelect,
  relatedColumn,
  type RestRequest,
  replacing,
  rowCount,
  shape,
  sum,
  textSearch,
  viaGet,
} from '../../src/rest-client/index.ts';
import { createRecordingTab, lineOf, projectUrl } from './support/recording-client.ts';
import { json as reply, refusal } from '../support/wire/replies.ts';

const { tab } = createRecordingTab();
const db = createRestClient({ url: projectUrl, apiKey: 'k', platform: tab });
const t = db.from('t').select('id');

/**
 * The 40 scenarios in which clients of PostgREST go wrong, as far as the wire shows them: what is sent. The responses
 * of a server are in test/integration/rest-client.test.ts, and by number below where the embedded one differs.
 */
describe('requests', () => {
  const filtered = (filter: Filter) => t.where(filter as Filter<never>);
  const cases: readonly (readonly [scenario: string, query: Query<unknown>, line: string])[] = [
    ['1: a value with marks of the grammar', t.eq('a', 'a,b(c)"'), 'a=eq.a,b(c)"'],
    ['3: a list with marks', t.in('a', [',', '"', '\\', '()']), String.raw`a=in.(",","\"","\\","()")`],
    ['4: an empty list', t.in('a', []), 'a=in.()'],
    ['5: a list of the empty text', t.in('a', ['']), 'a=eq.'],
    ['6: a list with null', t.in('a', ['x', null]), 'or=(a.in.("x"),a.is.null)'],
    ['7: a negated list', filtered(not(oneOf('a', ['x', 'y']))), 'a=not.in.("x","y")'],
    ['7: a negated list with null', filtered(not(oneOf('a', [1, null]))), 'not.or=(a.in.(1),a.is.null)'],
    ['8: not null', t.is('a', 'not_null'), 'a=is.not_null'],
    ['8: not null, as a negation', filtered(not(is('a', null))), 'a=not.is.null'],
    ['9: not distinct', filtered(not(isDistinct('a', 'x'))), 'a=not.isdistinct.x'],
    ['10: a literal asterisk', filtered(like('a', '2*3%')), String.raw`a=match.^2\*3.*$`],
    [
      '11: a regular expression with a comma, in a tree',
      filtered(or(match('a', '^a,b$'), eq('b', 1))),
      'or=(a.match."^a,b$",b.eq.1)',
    ],
    ['12: any of several texts', filtered(like('a', anyOf('O%', 'a,b'))), 'a=like(any).{"O%","a,b"}'],
    [
      '13: words with a language',
      filtered(textSearch('a', 'le chat', { config: 'french', type: 'websearch' })),
      'a=wfts(french).le chat',
    ],
    ['14: containment of a text with a comma', filtered(contains('a', ['a,b'])), 'a=cs.{"a,b"}'],
    [
      '15: an array in a tree',
      filtered(or(contains('a', ['a,b', '"']), eq('b', 1))),
      String.raw`or=(a.cs."{\"a,b\",\"\\\"\"}",b.eq.1)`,
    ],
    ['16: a range in a tree', filtered(or(overlaps('a', '[1,3)'), eq('b', 1))), 'or=(a.ov."[1,3)",b.eq.1)'],
    [
      '17: a negated and within or',
      filtered(or(eq('a', 1), not(and(eq('b', 2), is('c', null))))),
      'or=(a.eq.1,not.and(b.eq.2,c.is.null))',
    ],
    ['19: a column with a dot', t.eq('a.b', 1), '"a.b"=eq.1'],
    [
      '19: a column with the name of a parameter',
      t.eq('order', 1).order('limit'),
      '"order"=eq.1&order="limit".asc',
    ],
    ['20: a column with a space or a dash', t.eq('my col', 1).eq('my-col', 2), 'my col=eq.1&my-col=eq.2'],
    [
      '24: an order by a path into JSON',
      t.order('a->b->>c', { nulls: 'last' }),
      'order=a->b->>c.asc.nullslast',
    ],
    ['25: an order by a related column', t.order(relatedColumn('rel', 'col')), 'order=rel(col).asc'],
  ];
  test.each(cases)('%s', (_scenario, query, line) => {
    expect(lineOf(query.toRequest())).toBe(`GET /t?select=id&${line}`);
  });

  const selects: readonly (readonly [scenario: string, select: Columns, line: string])[] = [
    ['22: a cast', 'id::text', 'select=id::text'],
    ['23: an alias, a path and a cast', 'n:data->>n::int', 'select=n:data->>n::int'],
    [
      '23: the same as a shape',
      shape({ n: json('data', 'n'), k: 'data->>k' }),
      'select=n:data->n,k:data->>k',
    ],
    [
      '29: a relation that is spread',
      shape({ id: true, '...rel': { n: 'name' } }),
      'select=id,...rel(n:name)',
    ],
    [
      '30: aggregates of groups',
      shape({ kind: true, total: sum('n'), rows: countRows() }),
      'select=kind,total:n.sum(),rows:count()',
    ],
    [
      'a cast of several words',
      'a::double precision, at:b::timestamp without time zone',
      'select=a::double precision,at:b::timestamp without time zone',
    ],
    ['a select of the caller', rawSelect('a:b.sum()::text'), 'select=a:b.sum()::text'],
  ];
  test.each(selects)('%s', (_scenario, columns, line) => {
    expect(
      lineOf(
        db
          .from('t')
          .select(columns as '*')
          .toRequest(),
      ),
    ).toBe(`GET /t?${line}`);
  });

  test('2: a plus, a space, an ampersand, a percent sign and an emoji are percent-encoded', () => {
    expect(t.eq('a', '+ &%=#😀').toRequest().url).toBe(
      `${projectUrl}/rest/v1/t?select=id&a=eq.%2B%20%26%25%3D%23%F0%9F%98%80`,
    );
  });

  test('18: a tree without conditions is refused, also within another', () => {
    expect(() => t.where(or())).toThrow(/or\(\) needs a condition/);
    expect(() => t.where(and(eq('a', 1), or()))).toThrow(/or\(\) needs a condition/);
  });

  test('21: a table is percent-encoded in UTF-8', () => {
    expect(db.from('Möbel').select().toRequest().url).toBe(`${projectUrl}/rest/v1/M%C3%B6bel?select=*`);
  });

  test('26, 27: rows with and without related rows', () => {
    const inner = shape({ id: true, rel: embed({ id: true }, { inner: true, where: [eq('kind', 'x')] }) });
    expect(lineOf(db.from('t').select(inner).count().toRequest())).toBe(
      'GET /t?rel.kind=eq.x&select=id,rel!inner(id)',
    );
    const none = db.from('t').select(shape({ id: true, rel: {} }));
    expect(lineOf(none.where(hasNoRelated('rel')).toRequest())).toBe('GET /t?select=id,rel()&rel=is.null');
    expect(lineOf(none.where(hasRelated('rel')).toRequest())).toBe('GET /t?select=id,rel()&rel=not.is.null');
  });

  test('34: rows with different keys name the union of them, one row names none', () => {
    expect(
      lineOf(
        db
          .from('t')
          .insert([{ a: 1 }, { b: 2 }])
          .toRequest(),
      ),
    ).toBe('POST /t?columns="a","b"');
    expect(lineOf(db.from('t').insert({ a: 1 }).toRequest())).toBe('POST /t');
    expect(lineOf(db.from('t').insert([]).toRequest())).toBe('POST /t');
  });

  test('35: a column that one of several rows lacks gets its default, as in a write of that row alone', () => {
    const t = db.from('t');
    const preferencesOf = (query: { toRequest(): RestRequest }) => query.toRequest().headers['prefer'];
    const uneven = [{ id: 1 }, { id: 2, a: 3 }];
    expect(preferencesOf(t.insert(uneven))).toBe('missing=default');
    expect(preferencesOf(t.insert([{ id: 1, a: undefined }, { id: 2 }]))).toBeUndefined();
    expect(preferencesOf(t.insert(uneven, { missing: 'null' }))).toBeUndefined();
    expect(preferencesOf(t.upsert(uneven, { missing: 'default' }))).toBe(
      'resolution=merge-duplicates,missing=default',
    );
    expect(preferencesOf(t.upsert(uneven, { ignoreDuplicates: true }))).toBe(
      'resolution=ignore-duplicates,missing=default',
    );
    expect(() => t.upsert(uneven)).toThrow(/different columns/);
  });

  test.each<readonly [string, () => unknown]>([
    ['NaN', () => db.from('t').insert({ n: NaN })],
    ['an infinite number in a list', () => db.from('t').update({ n: [1, Infinity] })],
    ['an invalid date', () => db.from('t').insert([{ at: new Date(NaN) }])],
    ['a hole in a list', () => db.from('t').insert({ n: [1, undefined] })],
    ['a function in a list', () => db.from('t').insert({ n: [1, () => 2] })],
    ['an argument', () => db.rpc('f', { a: NaN })],
    ['columns of a conflict in one text', () => db.from('t').upsert({ a: 1 }, { onConflict: 'a,b' })],
  ])('%s is refused before a write is sent', (_name, write) => {
    expect(write).toThrow(expect.objectContaining({ code: 'invalid-query' }));
  });

  test('36: a limit on affected rows of a function', () => {
    const request = db.rpc('f').with(maxAffected(1)).toRequest();
    expect(request.headers['prefer']).toBe('handling=strict,max-affected=1');
  });

  test('40: an argument that looks like a filter keeps a call from being a GET', () => {
    const call = (value: unknown) => db.rpc('f', { a: value }).with(viaGet()).toRequest().method;
    expect([call('x'), call(1), call('1.5'), call('')]).toEqual(['GET', 'GET', 'GET', 'GET']);
    for (const value of ['eq.1', 'fts(english).x', 'like(any).{a}', 'not.null', 'isdistinct.1', null]) {
      expect(call(value)).toBe('POST');
    }
  });

  test('replacing() is a PUT with the whole key, and keeps other preferences', () => {
    const put = db
      .from('t')
      .upsert({ id: 1, a: 2 })
      .select()
      .with(replacing(eq('id', 1)));
    expect(lineOf(put.toRequest())).toBe('PUT /t?select=*&id=eq.1');
    expect(put.toRequest().headers['prefer']).toBe('return=representation');
  });
});

describe('responses', () => {
  const connect = (...replies: Response[]) => {
    const recorded = createRecordingTab(replies);
    return createRestClient({ url: projectUrl, apiKey: 'k', platform: recorded.tab });
  };

  test('35: a column with a default is returned with it', async () => {
    const written = reply([{ id: 1, kind: 'plain' }], { status: 201 });
    expect(
      await connect(written)
        .from('t')
        .insert([{ id: 1 }], { missing: 'default' })
        .select('id, kind'),
    ).toEqual([{ id: 1, kind: 'plain' }]);
  });

  test('36: a function that returns nothing cannot be limited', async () => {
    const limited = connect(refusal(400, 'PGRST128')).rpc('f').with(maxAffected(1));
    await expect(limited).rejects.toMatchObject({ code: 'invalid-request', serverCode: 'PGRST128' });
  });

  test('rowCount() counts the rows of a function', async () => {
    const counted = new Response(null, { headers: { 'Content-Range': '0-2/3' } });
    expect(await connect(counted).rpc('f').as(rowCount())).toBe(3);
  });

  test('an expired token and a malformed one have different codes', async () => {
    for (const [serverCode, message, code] of [
      ['PGRST303', 'JWT expired', 'token-expired'],
      ['PGRST301', 'JWT cryptographic operation failed', 'unauthenticated'],
    ] as const) {
      const refused = connect(refusal(401, serverCode, { message }))
        .from('t')
        .select();
      await expect(refused).rejects.toMatchObject({ code });
    }
  });
});
