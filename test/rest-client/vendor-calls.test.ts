import { describe, expect, test } from 'vitest';
import {
  and,
  by,
  contains,
  createRestClient,
  embed,
  eq,
  expectAffected,
  explain,
  json as path,
  like,
  matches,
  maxAffected,
  not,
  or,
  type Query,
  RestError,
  rowCount,
  shape,
  viaGet,
} from '../../src/rest-client/index.ts';
import { createRecordingClient, createRecordingTab, lineOf, projectUrl } from './support/recording-client.ts';
import { json } from '../support/wire/replies.ts';

const { db } = createRecordingClient();
const notes = db.from('notes');
const loose = createRestClient({ url: projectUrl, apiKey: 'k', platform: createRecordingTab().tab });
const t = loose.from('t');

/** The calls of PROTOCOL.md that scenarios.test.ts lacks, which were recorded with the vendor's builder, made with this one. */
describe('the measured calls', () => {
  test('1: a select of all columns sends *', () => {
    expect(notes.select().toRequest()).toEqual({
      method: 'GET',
      url: `${projectUrl}/rest/v1/notes?select=*`,
      headers: { accept: 'application/json' },
    });
  });

  test('2: a count alone is a HEAD with the kind of count', () => {
    const request = notes.count().toRequest();
    expect([request.method, request.headers['prefer']]).toEqual(['HEAD', 'count=exact']);
  });

  const lines: readonly (readonly [call: string, query: Query<unknown>, line: string])[] = [
    [
      '3: embedded columns go without whitespace',
      t.select(shape({ id: true, a: { b: true } })),
      'select=id,a(b)',
    ],
    ['3: columns go without whitespace', t.select(' id,\n  status '), 'select=id,status'],
    [
      '4: equality with null is sent as is.null',
      t.select().eq('a', null).neq('b', null),
      'select=*&a=is.null&b=not.is.null',
    ],
    [
      '5: a date is sent as ISO 8601',
      t.select().eq('a', new Date(0)),
      'select=*&a=eq.1970-01-01T00:00:00.000Z',
    ],
    [
      '9: a condition on embedded rows carries their path',
      t.select(shape({ u: embed({ a: true }, { where: [or(eq('a', 1))] }) })),
      'u.or=(a.eq.1)&select=u(a)',
    ],
    [
      '10: a pattern with a literal asterisk is sent as a regular expression',
      t.select().where(like('a', '%x*_')),
      String.raw`select=*&a=match.^.*x\*.$`,
    ],
    [
      '13: containment of an object is sent as JSON',
      t.select().where(contains('a', { k: 1 })),
      'select=*&a=cs.{"k":1}',
    ],
    [
      '15: a second order is appended to the first',
      t.select().order('a', { ascending: false, nulls: 'first' }).order('b'),
      'select=*&order=a.desc.nullsfirst,b.asc',
    ],
    ['16: a range is an offset and a limit', t.select().range(10, 19), 'select=*&offset=10&limit=10'],
  ];
  test.each(lines)('%s', (_call, query, line) => {
    expect(lineOf(query.toRequest())).toBe(`GET /t?${line}`);
  });

  test('17: single() requests an object', () => {
    expect(notes.select().single().toRequest().headers['accept']).toBe('application/vnd.pgrst.object+json');
  });

  test('18: maybeSingle() requests at most two rows, or at most one written row', () => {
    expect(lineOf(notes.select().maybeSingle().toRequest())).toBe('GET /notes?select=*&limit=2');
    const write = notes.update({ title: 'x' }).eq('id', '1').select().maybeSingle().toRequest();
    expect(write.headers['prefer']).toBe('return=representation,handling=strict,max-affected=1');
  });

  test('19: an insert sends JSON, with a bigint as text, and no preference', () => {
    expect(t.insert({ a: 1, d: 10n }).toRequest()).toEqual({
      method: 'POST',
      url: `${projectUrl}/rest/v1/t`,
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: '{"a":1,"d":"10"}',
    });
  });

  test('21: an upsert names its conflict columns and the handling of duplicates', () => {
    const request = t.upsert({ a: 1 }, { onConflict: ['a', 'b'], ignoreDuplicates: true }).toRequest();
    expect(lineOf(request)).toBe('POST /t?on_conflict=a,b');
    expect(request.headers['prefer']).toBe('resolution=ignore-duplicates');
  });

  test('22: a limit on affected rows is strict', () => {
    const request = t.update({ a: 1 }).eq('id', 1).with(maxAffected(1)).toRequest();
    expect(request.headers['prefer']).toBe('handling=strict,max-affected=1');
  });

  test('23: a missing value never deletes all rows', () => {
    expect(() => t.delete().where(...matches({ id: undefined }))).toThrow(RestError);
    expect(() => t.delete().where().toRequest()).toThrow(/without a filter/);
    expect(lineOf(t.delete().all().toRequest())).toBe('DELETE /t?pg_typeof=not.is.null');
    expect(
      lineOf(
        t
          .delete()
          .where(...matches({ a: 1, b: null }))
          .toRequest(),
      ),
    ).toBe('DELETE /t?a=eq.1&b=is.null');
  });

  test('24: a function is called by POST, and by GET only with arguments that GET can carry', () => {
    expect(lineOf(loose.rpc('f', { e: 1, s: 'x' }).with(viaGet()).toRequest())).toBe('GET /rpc/f?e=1&s=x');
    const object = loose.rpc('f', { e: {} }).with(viaGet()).toRequest();
    expect(lineOf(object)).toBe('GET /rpc/f?e={}');
    for (const unsafe of [
      { e: 'eq.1' },
      { e: 'not.x' },
      { e: 'in.x' },
      { e: null },
      { select: 'a' },
      // A list is encoded differently for an array than for JSON.
      { e: [1, 2] },
      { 'x.order': 'a' },
    ]) {
      expect(loose.rpc('f', unsafe).with(viaGet()).toRequest().method).toBe('POST');
    }
    const counted = loose.rpc('f', { e: 'is.null' }).as(rowCount()).toRequest();
    expect([counted.method, counted.headers['prefer']]).toEqual(['POST', 'count=exact,return=minimal']);
    expect(loose.rpc('f', {}).as(rowCount()).toRequest().method).toBe('HEAD');
  });

  test('25: a plan is requested by its media type', () => {
    expect(
      t
        .select()
        .as(explain({ analyze: true }))
        .toRequest().headers['accept'],
    ).toBe('application/vnd.pgrst.plan+json; for="application/json"; options=analyze;');
  });
});

describe('a profile', () => {
  test('is named by Accept-Profile when reading and by Content-Profile when writing', () => {
    const archive = db.schema('archive').from('old_notes');
    expect(archive.select().toRequest().headers['accept-profile']).toBe('archive');
    expect(archive.count().toRequest().headers['accept-profile']).toBe('archive');
    expect(archive.insert({ id: 1 }).toRequest().headers['content-profile']).toBe('archive');
    expect(archive.delete().eq('id', 1).toRequest().headers['content-profile']).toBe('archive');
  });
});

describe('embedded rows', () => {
  test('have their conditions, order and limits, under their alias', () => {
    const query = t.select(
      shape({
        id: true,
        writer: embed(
          { name: true, books: embed({ title: true }, { limit: 3, offset: 1, order: [by('title')] }) },
          { of: 'people', hint: 'author_id', inner: true, where: [eq('name', 'A,b'), not(and(eq('x', 1)))] },
        ),
        '...place': { city: 'name' },
      }),
    );
    expect(lineOf(query.toRequest())).toBe(
      'GET /t?writer.name=eq.A,b&writer.not.and=(x.eq.1)&writer.books.order=title.asc&writer.books.offset=1&writer.books.limit=3' +
        '&select=id,writer:people!author_id!inner(name,books(title)),...place(city:name)',
    );
  });
});

describe('an embedded relation', () => {
  const select = (columns: ReturnType<typeof shape>) => lineOf(t.select(columns as never).toRequest());

  test('is spread by the name of its relation', () => {
    const spread = shape({ '...a': embed({ n: true }, { of: 'people', where: [eq('n', 1)] }) });
    expect(select(spread)).toBe('GET /t?people.n=eq.1&select=...people(n)');
  });

  test('quotes a hint that begins like a join', () => {
    for (const hint of ['left_id', 'inner']) {
      expect(select(shape({ a: embed({ n: true }, { hint }) }))).toBe(`GET /t?select=a!"${hint}"(n)`);
    }
    expect(select(shape({ a: embed({ n: true }, { hint: 'is left' }) }))).toBe('GET /t?select=a!is left(n)');
  });

  test('gets a cast when it ends in a JSON position, which the server reads as a key', () => {
    const line = select(
      shape({ rel: { k: path('a', 'k'), first: path('items', 0) }, other: { n: true, last: 'items->>-1' } }),
    );
    expect(line).toBe('GET /t?select=rel(k:a->k,first:items->0::json),other(n,last:items->>-1::text)');
    expect(select(shape({ rel: { first: path('items', 0), n: true } }))).toBe(
      'GET /t?select=rel(first:items->0,n)',
    );
  });
});

describe('an expected number of affected rows', () => {
  test('rejects when fewer rows changed', async () => {
    const { db } = createRecordingClient([
      new Response(null, { status: 204, headers: { 'Content-Range': '*/*' } }),
    ]);
    await expect(
      db.from('notes').update({ title: 'x' }).eq('id', '1').with(expectAffected(1)),
    ).rejects.toMatchObject({
      code: 'affected-rows',
    });
  });

  test('resolves when that many rows changed', async () => {
    const { db } = createRecordingClient([json([{ id: '1' }])]);
    const rows = await db
      .from('notes')
      .update({ title: 'x' })
      .eq('id', '1')
      .select('id')
      .with(expectAffected(1));
    expect(rows).toEqual([{ id: '1' }]);
  });
});
