import { describe, expect, test } from 'vitest';
import { createRecordingClient, lineOf } from './support/recording-client.ts';

const created = () => new Response(null, { status: 201 });

describe('a query', () => {
  test('sends nothing until it is awaited', async () => {
    const { db, requests, world } = createRecordingClient();
    const query = db.from('notes').select();
    await world.settle();
    expect(requests).toHaveLength(0);
    await query;
    expect(requests).toHaveLength(1);
  });

  test('writes once however often it is awaited', async () => {
    const { db, requests } = createRecordingClient([created()]);
    const insert = db.from('notes').insert({ title: 'x' });
    await insert;
    await insert;
    await Promise.all([insert, insert.then(() => 1), insert.finally(() => undefined)]);
    expect(requests).toHaveLength(1);
  });

  test('executes again at each call of execute', async () => {
    const { db, requests } = createRecordingClient();
    const query = db.from('notes').select();
    const handle = query.execute();
    await handle;
    await handle;
    await query.execute();
    expect(requests).toHaveLength(2);
  });

  test('does not change when others are built on it', () => {
    const { db } = createRecordingClient();
    const base = db.from('notes').select('id').eq('status', 'done');
    const before = JSON.stringify(base);
    const plan = structuredClone({ ...base.plan, read: null });
    const others = [
      base.eq('id', '1').order('id').limit(3).range(0, 1).single(),
      base.maybeSingle(),
      base.count(),
    ];
    expect(others.map((other) => JSON.stringify(other))).not.toContain(before);
    expect(JSON.stringify(base)).toBe(before);
    expect({ ...base.plan, read: null }).toEqual(plan);
  });

  test('encodes its body at once, before the caller changes the row', async () => {
    const { db, requests } = createRecordingClient([created()]);
    const row = { title: 'x' };
    const args = { name: 'x' };
    const [insert, call] = [db.from('notes').insert(row), db.rpc('greet', args)];
    row.title = 'y';
    args.name = 'y';
    await insert;
    expect([await requests[0]?.text(), call.toRequest().body]).toEqual(['{"title":"x"}', '{"name":"x"}']);
  });

  test('can be part of a cache key: equal queries are equal, others are not', () => {
    const { db } = createRecordingClient();
    const key = (id: string) => JSON.stringify(['notes', db.from('notes').select().eq('id', id)]);
    expect(key('1')).toBe(key('1'));
    expect(key('1')).not.toBe(key('2'));
  });

  test('rejects as a promise does', async () => {
    const { db } = createRecordingClient([new Response(null, { status: 404 })]);
    expect(
      await db
        .from('notes')
        .select()
        .catch(() => 'caught'),
    ).toBe('caught');
  });

  test('refuses a URL that is too long, with the limit and the remedy', async () => {
    const { db, requests } = createRecordingClient();
    const ids = Array.from({ length: 2000 }, (_, index) => `id-${index}`);
    const query = db.from('notes').select().in('id', ids);
    await expect(query).rejects.toMatchObject({ code: 'url-too-long' });
    expect(() => query.toRequest()).toThrow(/8000.*inChunks/);
    expect(requests).toHaveLength(0);
  });

  test('keeps commas, colons and parentheses unencoded in its URL', () => {
    const { db } = createRecordingClient();
    const { url } = db
      .from('notes')
      .select('a:id,b:title' as 'id')
      .in('id', ['a', 'b'])
      .toRequest();
    expect(url).toMatch(/select=a:id,b:title&id=in\.\(%22a%22,%22b%22\)$/);
  });
});

describe('a function', () => {
  test('is called by POST with its arguments as JSON', () => {
    const { db } = createRecordingClient();
    const request = db.rpc('greet', { name: 'eq.x' }).toRequest();
    expect([lineOf(request), request.body]).toEqual(['POST /rpc/greet', '{"name":"eq.x"}']);
    expect(db.rpc('clear_all').toRequest().body).toBe('{}');
  });

  test('a function that returns rows takes filters, order and limit', () => {
    const { db } = createRecordingClient();
    const query = db.rpc('recent', { days: 3 }).eq('title', 'x').order('id').limit(1);
    expect(lineOf(query.toRequest())).toBe('POST /rpc/recent?title=eq.x&order=id.asc&limit=1');
  });

  test('a function that returns nothing yields null', async () => {
    const { db } = createRecordingClient([new Response(null, { status: 204 })]);
    expect(await db.rpc('clear_all')).toBeNull();
  });
});
