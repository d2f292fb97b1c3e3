import { describe, expect, test } from 'vitest';
import {
  asBigint,
  csv,
  explain,
  expectAffected,
  explainText,
  geojson,
  header,
  location,
  prefer,
  RestError,
  rollback,
  shape,
  stripNulls,
  timezone,
} from '../../src/rest-client/index.ts';
import { createRecordingClient } from './support/recording-client.ts';
import { json, refusal } from '../support/wire/replies.ts';

const respondWith = (...replies: Response[]) => createRecordingClient(replies).db.from('notes');
const ranged = (range: string, body: unknown = [], status = 200) =>
  json(body, { status, headers: { 'Content-Range': range } });

describe('rows', () => {
  test('are returned as the server sends them', async () => {
    expect(await respondWith(json([{ id: '1', title: 'a' }])).select('id, title')).toEqual([
      { id: '1', title: 'a' },
    ]);
  });

  test('are one row for single()', async () => {
    expect(
      await respondWith(json({ id: '1' }))
        .select('id')
        .single(),
    ).toEqual({ id: '1' });
  });

  test('reject with not-one-row when single() finds none', async () => {
    const refused = refusal(406, 'PGRST116', { details: 'The result contains 0 rows' });
    await expect(respondWith(refused).select().single()).rejects.toMatchObject({
      code: 'not-one-row',
      serverCode: 'PGRST116',
      details: 'The result contains 0 rows',
    });
  });

  test('are null, one row or an error for maybeSingle()', async () => {
    expect(await respondWith(json([])).select('id').maybeSingle()).toBeNull();
    expect(
      await respondWith(json([{ id: '1' }]))
        .select('id')
        .maybeSingle(),
    ).toEqual({ id: '1' });
    await expect(
      respondWith(json([{}, {}]))
        .select('id')
        .maybeSingle(),
    ).rejects.toMatchObject({ code: 'not-one-row' });
  });

  test('have their count for withCount()', async () => {
    const query = respondWith(ranged('0-0/57', [{ id: '1' }], 206))
      .select('id')
      .limit(1)
      .withCount();
    expect(await query).toEqual({ rows: [{ id: '1' }], count: 57, truncated: false });
  });

  test('reject when the server omits the requested count', async () => {
    await expect(respondWith(json([])).select('id').withCount()).rejects.toMatchObject({
      code: 'not-the-service',
    });
  });

  test('keep the count with single(), and lose it in other forms', async () => {
    const counted = () =>
      respondWith(ranged('0-0/1', { id: '1' }))
        .select('id')
        .withCount();
    expect(await counted().single()).toEqual({ rows: { id: '1' }, count: 1, truncated: false });
    const text = respondWith(new Response('id\n1', { headers: { 'Content-Range': '0-0/1' } }));
    expect(await text.select('id').withCount().as(csv())).toBe('id\n1');
  });

  test('reject with not-the-service for an empty body', async () => {
    for (const nothing of [new Response(''), new Response(null, { status: 204 })]) {
      await expect(respondWith(nothing.clone()).select()).rejects.toMatchObject({ code: 'not-the-service' });
      await expect(respondWith(nothing.clone()).select().single()).rejects.toMatchObject({
        code: 'not-the-service',
      });
    }
  });

  test('have the count, status and headers in response()', async () => {
    const response = await respondWith(ranged('0-0/57', [{ id: '1' }], 206))
      .select('id')
      .limit(1)
      .count()
      .response();
    expect(response).toMatchObject({ data: [{ id: '1' }], count: 57, status: 206, truncated: false });
    expect(response.headers.get('content-range')).toBe('0-0/57');
  });

  test('hold bigints, also in related rows, in spread rows and with stripNulls()', async () => {
    const select = shape({
      n: asBigint('rating'),
      people: { big: asBigint('id') },
      '...owners': { other: asBigint('id') },
    });
    const query = respondWith(json([{ n: '9007199254740993', people: { big: '1' }, other: '2' }, {}])).select(
      select,
    );
    expect(await query.with(stripNulls())).toEqual([
      { n: 9007199254740993n, people: { big: 1n }, other: 2n },
      {},
    ]);
    const many = respondWith(json([{ other: ['1', null] }])).select(select);
    expect(await many).toMatchObject([{ other: [1n, null] }]);
  });

  test('reject with invalid-row and the status when they cannot be decoded', async () => {
    const query = respondWith(json([{ n: '1.5' }])).select(shape({ n: asBigint('rating') }));
    await expect(query).rejects.toMatchObject({ code: 'invalid-row', status: 200 });
  });

  test('refuse maybeSingle() of an insert of several rows', () => {
    const written = respondWith()
      .insert([{ title: 'x' }, { title: 'y' }])
      .select();
    expect(() => written.maybeSingle()).toThrow(/several rows/);
  });

  test('reject with not-the-service for a body that is not JSON', async () => {
    await expect(respondWith(new Response('<html>')).select()).rejects.toMatchObject({
      code: 'not-the-service',
      status: 200,
    });
  });
});

describe('truncated', () => {
  const rows = (length: number) => Array.from({ length }, () => ({}));
  const truncated = async (
    response: Response,
    change: (q: ReturnType<typeof select>) => ReturnType<typeof select>,
  ) => (await change(select(response)).response()).truncated;
  const select = (response: Response) => respondWith(response).select('id');

  test('is true when the exact count exceeds the rows', async () => {
    expect(await truncated(ranged('0-999/1500', rows(1000), 206), (q) => q.count())).toBe(true);
    expect(await truncated(ranged('0-999/1500', rows(1000), 206), (q) => q.count().limit(1000))).toBe(false);
    expect(
      await truncated(ranged('1000-1499/1500', rows(500), 206), (q) => q.count().range(1000, 2999)),
    ).toBe(false);
    expect(await truncated(ranged('*/0'), (q) => q.count())).toBe(false);
  });

  test('ignores an estimated count', async () => {
    expect(await truncated(ranged('0-0/50', rows(1), 206), (q) => q.count('planned'))).toBe(false);
    expect(await truncated(ranged('0-999/900', rows(1000)), (q) => q.count('estimated'))).toBe(true);
  });

  test('is true without a count when exactly maxRows rows arrive', async () => {
    expect(await truncated(ranged('0-999/*', rows(1000)), (q) => q)).toBe(true);
    expect(await truncated(ranged('0-999/*', rows(1000)), (q) => q.limit(1000))).toBe(false);
    expect(await truncated(ranged('0-998/*', rows(999)), (q) => q)).toBe(false);
  });

  test('is true for rows of a function, and never for written rows', async () => {
    const full = () => createRecordingClient([ranged('0-999/*', rows(1000))]).db;
    expect((await full().rpc('recent').response()).truncated).toBe(true);
    expect((await full().from('notes').update({ title: 'x' }).all().select('id').response()).truncated).toBe(
      false,
    );
    const counted = createRecordingClient([ranged('*/2', [{}, {}], 201)]).db;
    const written = counted
      .from('notes')
      .insert([{ title: 'x' }, { title: 'y' }])
      .select('id')
      .count();
    expect((await written.response()).truncated).toBe(false);
  });
});

describe('a write', () => {
  const done = (range: string) => new Response(null, { status: 204, headers: { 'Content-Range': range } });

  test('yields the number of changed rows', async () => {
    expect(await respondWith(done('0-2/*')).update({ title: 'x' }).all()).toBe(3);
    expect(await respondWith(done('*/*')).update({ title: 'x' }).all()).toBe(0);
    expect(await respondWith(done('*/2')).delete().eq('id', '1')).toBe(2);
    expect(
      await respondWith(new Response(null, { status: 204 }))
        .delete()
        .all(),
    ).toBeNull();
  });

  test('rejects when another number of rows than expected changed', async () => {
    const created = (range: string, body: unknown = null, rows = [{ title: 'x' }, { title: 'y' }]) =>
      respondWith(
        new Response(body === null ? null : JSON.stringify(body), {
          status: 201,
          headers: { 'Content-Range': range },
        }),
      ).insert(rows);
    const request = created('*/2').with(expectAffected(2)).toRequest();
    expect(request.headers['prefer']).toBe('count=exact');
    expect(await created('*/2').with(expectAffected(2))).toBeUndefined();
    await expect(created('*/1').with(expectAffected(2))).rejects.toMatchObject({ code: 'affected-rows' });
    // For an insert, `*/*` has no meaning.
    const one = created('*/*', { id: '1' }, [{ title: 'x' }]);
    expect(await one.select('id').single().with(expectAffected(1))).toEqual({ id: '1' });
    const updated = (range: string) => respondWith(done(range)).update({ title: 'x' }).eq('id', '1');
    expect(await updated('0-0/*').with(expectAffected(1))).toBe(1);
    await expect(updated('*/*').with(expectAffected(1))).rejects.toMatchObject({ code: 'affected-rows' });
  });

  test('yields the written rows with select()', async () => {
    expect(
      await respondWith(json([{ id: '1' }], { status: 201 }))
        .insert({ title: 'x' })
        .select('id'),
    ).toEqual([{ id: '1' }]);
  });

  test('yields undefined for an insert', async () => {
    expect(await respondWith(new Response(null, { status: 201 })).insert({ title: 'x' })).toBeUndefined();
  });

  test('yields the address of the new row with location()', async () => {
    const created = new Response(null, { status: 201, headers: { Location: '/notes?id=eq.1' } });
    expect(await respondWith(created).insert({ title: 'x' }).as(location())).toBe('/notes?id=eq.1');
  });
});

describe('a count', () => {
  test('is a number', async () => {
    expect(await respondWith(new Response(null, { headers: { 'Content-Range': '*/0' } })).count()).toBe(0);
    expect(await respondWith(new Response(null, { headers: { 'Content-Range': '0-9/4711' } })).count()).toBe(
      4711,
    );
  });

  test('rejects when the server sends none', async () => {
    await expect(respondWith(new Response(null)).count()).rejects.toMatchObject({ code: 'not-the-service' });
  });
});

describe('other forms', () => {
  const typed = (type: string, body: string) => new Response(body, { headers: { 'Content-Type': type } });

  test('CSV and GeoJSON are returned as text and as an object', async () => {
    expect(await respondWith(typed('text/csv; charset=utf-8', 'id\n1')).select('id').as(csv())).toBe('id\n1');
    const features = { type: 'FeatureCollection', features: [] };
    const geo = typed('application/geo+json; charset=utf-8', JSON.stringify(features));
    expect(await respondWith(geo).select('id').as(geojson())).toEqual(features);
  });

  test('plans are returned as JSON and as text', async () => {
    const plan = [{ Plan: { 'Node Type': 'Seq Scan' } }];
    const planned = (format: string, body: string) =>
      respondWith(typed(`application/vnd.pgrst.plan+${format}; for="application/json"`, body)).select('id');
    expect(await planned('json', JSON.stringify(plan)).as(explain())).toEqual(plan);
    expect(await planned('text', 'Seq Scan').as(explainText())).toBe('Seq Scan');
    const { headers } = respondWith()
      .select('id')
      .single()
      .as(explainText({ verbose: true, wal: true }))
      .toRequest();
    expect(headers['accept']).toBe(
      'application/vnd.pgrst.plan+text; for="application/vnd.pgrst.object+json"; options=verbose|wal;',
    );
  });

  test('a refused plan names the setting that allows it, and other failures stay unchanged', async () => {
    const sql = "alter role authenticator set pgrst.db_plan_enabled to 'true'; notify pgrst, 'reload config'";
    const message = 'None of these media types are available: application/vnd.pgrst.plan+json';
    const refused = respondWith(json({ code: 'PGRST107', message }, { status: 406 }));
    const fields = { code: 'invalid-request', status: 406, serverCode: 'PGRST107' };
    await expect(refused.select('id').as(explain())).rejects.toMatchObject({
      ...fields,
      message: `${message}. Allow plans: ${sql}`,
      hint: `Allow plans: ${sql}`,
    });
    await expect(refused.select('id').as(csv())).rejects.toMatchObject({ ...fields, message, hint: null });
    const missing = respondWith(json({ code: 'PGRST205', message: 'No such table' }, { status: 404 }));
    await expect(missing.select('id').as(explain())).rejects.toMatchObject({ message: 'No such table' });
  });

  test('GeoJSON that is refused says that it needs PostGIS', async () => {
    const message = 'function st_asgeojson(record) does not exist';
    const refused = respondWith(json({ code: '42883', message }, { status: 404 }));
    await expect(refused.select('id').as(geojson())).rejects.toMatchObject({
      code: 'not-found',
      message: `${message}. GeoJSON needs PostGIS: create extension postgis`,
      hint: 'GeoJSON needs PostGIS: create extension postgis',
    });
  });

  test('are requested by Accept and Prefer', () => {
    const query = respondWith().select('id');
    const headers = (changed: { toRequest(): { headers: unknown } }) => changed.toRequest().headers;
    expect(headers(query.as(csv()))).toEqual({ accept: 'text/csv' });
    expect(headers(query.as(geojson()))).toEqual({ accept: 'application/geo+json' });
    expect(headers(query.with(stripNulls()))).toEqual({
      accept: 'application/vnd.pgrst.array+json;nulls=stripped',
    });
    expect(headers(query.single().with(stripNulls()))).toEqual({
      accept: 'application/vnd.pgrst.object+json;nulls=stripped',
    });
    expect(
      headers(query.with(rollback(), timezone('Europe/Berlin'), prefer({ missing: 'default' }))),
    ).toEqual({
      accept: 'application/json',
      prefer: 'tx=rollback,timezone=Europe/Berlin,missing=default',
    });
    expect(headers(query.with(header('X-Trace', 'a')))).toEqual({
      accept: 'application/json',
      'x-trace': 'a',
    });
  });

  test('send a header once in any case, and every preference', () => {
    const { db } = createRecordingClient(undefined, { headers: { PREFER: 'tx=rollback', 'X-Trace': 'a' } });
    const { headers } = db
      .from('notes')
      .insert({ title: 'x' })
      .select('id')
      .with(header('ACCEPT', 'text/csv'), header('x-TRACE', 'b'))
      .toRequest();
    expect(headers).toEqual({
      accept: 'text/csv',
      'content-type': 'application/json',
      prefer: 'return=representation,tx=rollback',
      'x-trace': 'b',
    });
    const stripped = db.from('notes').select('id').with(header('Accept', 'text/csv'), stripNulls());
    expect(stripped.toRequest().headers['accept']).toBe('text/csv;nulls=stripped');
  });
});

describe('an error', () => {
  const errorOf = async (response: Response): Promise<RestError> => {
    const problem: unknown = await respondWith(response)
      .select()
      .catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(RestError);
    expect(problem).toBeInstanceOf(Error);
    return problem as RestError;
  };

  test.each([
    [409, '23505', 'unique-violation'],
    [409, '23503', 'foreign-key-violation'],
    [400, '23502', 'not-null-violation'],
    [400, '23514', 'check-violation'],
    [400, '23P01', 'constraint-violation'],
    [403, '42501', 'denied'],
    [401, '42501', 'denied'],
    [401, 'PGRST301', 'unauthenticated'],
    [401, 'PGRST302', 'unauthenticated'],
    [406, 'PGRST116', 'not-one-row'],
    [400, 'PGRST124', 'affected-rows'],
    [416, 'PGRST103', 'out-of-range'],
    [404, 'PGRST205', 'not-found'],
    [404, 'PGRST202', 'not-found'],
    [404, '42P01', 'not-found'],
    [404, '42883', 'not-found'],
    [400, '42703', 'not-found'],
    [406, 'PGRST106', 'invalid-request'],
    [400, 'PGRST118', 'invalid-request'],
    [400, 'PGRST120', 'invalid-request'],
    [400, 'PGRST123', 'invalid-request'],
    [400, 'PGRST204', 'invalid-request'],
    [405, '25006', 'invalid-request'],
    [300, 'PGRST201', 'invalid-request'],
    [500, '57014', 'statement-timeout'],
    [500, '40001', 'serialization'],
    [402, 'PT402', 'raised'],
    [400, 'P0001', 'raised'],
    [503, '53300', 'unavailable'],
    [503, 'PGRST001', 'unavailable'],
    [500, 'XX000', 'server'],
  ])('an error of status %i and code %s is %s', async (status, serverCode, code) => {
    const { db } = createRecordingClient([refusal(status, serverCode)], { retry: { limit: 0 } });
    await expect(db.from('notes').insert({ title: 'x' })).rejects.toMatchObject({
      code,
      status,
      serverCode,
      message: `Refused with ${serverCode}`,
    });
  });

  test.each(['constructor', 'toString', '__proto__'])(
    'has a code by its status for the server code %s',
    async (serverCode) => {
      expect(await errorOf(refusal(400, serverCode))).toMatchObject({ code: 'invalid-request', serverCode });
    },
  );

  test('has details of any type, and the hint', async () => {
    const details = [{ relationship: 'a' }];
    const error = await errorOf(refusal(300, 'PGRST201', { details, hint: 'Try a!b' }));
    expect([error.details, error.hint]).toEqual([details, 'Try a!b']);
  });

  test('has null for details and hint that the server omits', async () => {
    const error = await errorOf(json({ code: 'PGRST100', message: 'no' }, { status: 400 }));
    expect([error.details, error.hint]).toEqual([null, null]);
  });

  test('names the violated constraint', async () => {
    const message = 'duplicate key value violates unique constraint "people_name_key"';
    expect((await errorOf(refusal(409, '23505', { message }))).constraint).toBe('people_name_key');
  });

  test('is not-found for an empty 404', async () => {
    expect(await errorOf(new Response(null, { status: 404 }))).toMatchObject({
      code: 'not-found',
      status: 404,
    });
  });

  test('is not-the-service for a page of HTML', async () => {
    expect(await errorOf(new Response('<html>', { status: 400 }))).toMatchObject({
      code: 'not-the-service',
      status: 400,
    });
  });

  test('has a code by its status where a gateway responds with JSON', async () => {
    const error = await errorOf(json({ message: 'No API key found' }, { status: 401 }));
    expect([error.code, error.message]).toEqual(['unauthenticated', 'No API key found']);
  });
});
