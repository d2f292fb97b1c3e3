import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OrderOptions } from '../../src/rest-client/index.ts';
import {
  createRestClient,
  expectAffected,
  inChunks,
  maxAffected,
  pages,
  rollback,
} from '../../src/rest-client/index.ts';
import { filterAfter } from '../../src/rest-client/long-reads/pages.ts';
import { type ReadFilter, readQuery, type ReadTree } from './support/grammar.ts';
import { createRecordingClient, createRecordingTab, lineOf, projectUrl } from './support/recording-client.ts';
import { json } from '../support/wire/replies.ts';
import { propertyRuns } from '../support/property-runs.ts';

interface Row {
  readonly id: number;
  readonly rank: number | null;
}

const compareBy =
  ({ ascending = true, nulls = ascending ? 'last' : 'first' }: OrderOptions) =>
  (a: Row, b: Row) => {
    if (a.rank === b.rank) return a.id - b.id;
    if (a.rank === null) return nulls === 'first' ? -1 : 1;
    if (b.rank === null) return nulls === 'first' ? 1 : -1;
    return (ascending ? 1 : -1) * (a.rank - b.rank);
  };

/** Whether a row matches a URL by the rules of SQL: null compares with nothing. */
function fits(row: Row, condition: ReadFilter | ReadTree): boolean {
  if ('terms' in condition) {
    const results = condition.terms.map((term) => fits(row, term));
    return condition.operator === 'or' ? results.some(Boolean) : results.every(Boolean);
  }
  const value = row[condition.column as keyof Row];
  if (condition.operator === 'is') return (value === null) !== condition.not;
  if (value === null) return false;
  const operand = Number(condition.value);
  return { eq: value === operand, gt: value > operand, lt: value < operand }[condition.operator] ?? false;
}

describe('pages by key', () => {
  test('yield all rows once, in order, for any order of nulls, page size and server limit', async () => {
    const orders = fc.record({
      ascending: fc.boolean(),
      nulls: fc.constantFrom('first' as const, 'last' as const),
    });
    const ranks = fc.array(fc.option(fc.integer({ min: 0, max: 3 })), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        ranks,
        orders,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 5 }),
        async (some, order, size, cap) => {
          const rows = some.map((rank, id): Row => ({ id, rank })).toSorted(compareBy(order));
          const { tab } = createRecordingTab();
          const platform = {
            ...tab,
            fetch: async (input: RequestInfo | URL) => {
              const url = new Request(input).url;
              const { conditions } = readQuery(url);
              const found = rows.filter((row) => conditions.every((condition) => fits(row, condition)));
              return json(found.slice(0, Math.min(cap, Number(new URL(url).searchParams.get('limit')))));
            },
          };
          const db = createRestClient<{ public: { Tables: { t: { Row: Row; Insert: Row; Update: Row } } } }>({
            url: projectUrl,
            apiKey: 'k',
            platform,
          });
          const seen: Row[] = [];
          for await (const page of pages(db.from('t').select(), {
            by: [{ column: 'rank', ...order }, 'id'],
            size,
          })) {
            seen.push(...page);
          }
          expect(seen).toEqual(rows);
        },
      ),
      { numRuns: propertyRuns(60, 200) },
    );
  });

  test('yield each remaining row once while others are added and deleted', async () => {
    const changes = fc.array(
      fc.record({ rank: fc.option(fc.integer({ min: 0, max: 3 })), removes: fc.nat({ max: 20 }) }),
      { minLength: 1, maxLength: 8 },
    );
    const order = fc.record({
      ascending: fc.boolean(),
      nulls: fc.constantFrom('first' as const, 'last' as const),
    });
    const ranks = fc.array(fc.option(fc.integer({ min: 0, max: 3 })), { minLength: 6, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(
        ranks,
        order,
        changes,
        fc.integer({ min: 1, max: 4 }),
        async (some, by, later, size) => {
          let rows = some.map((rank, id): Row => ({ id: id * 2, rank })).toSorted(compareBy(by));
          const gone = new Set<number>();
          let requests = 0;
          const { tab } = createRecordingTab();
          const fetch = async (input: RequestInfo | URL) => {
            const { conditions } = readQuery(new Request(input).url);
            const page = rows.filter((row) => conditions.every((condition) => fits(row, condition)));
            const change = later[requests++];
            if (change) {
              gone.add(change.removes * 2);
              rows = [...rows, { id: change.removes * 2 + 1 + requests * 100, rank: change.rank }]
                .filter(({ id }) => !gone.has(id))
                .toSorted(compareBy(by));
            }
            return json(page.slice(0, size));
          };
          const db = createRestClient<{ public: { Tables: { t: { Row: Row; Insert: Row; Update: Row } } } }>({
            url: projectUrl,
            apiKey: 'k',
            platform: { ...tab, fetch },
          });
          const seen: number[] = [];
          for await (const page of pages(db.from('t').select(), {
            by: [{ column: 'rank', ...by }, 'id'],
            size,
          })) {
            seen.push(...page.map(({ id }) => id));
          }
          expect(new Set(seen).size).toBe(seen.length);
          const stayed = some.map((_rank, id) => id * 2).filter((id) => !gone.has(id));
          expect(seen).toEqual(expect.arrayContaining(stayed));
        },
      ),
      { numRuns: propertyRuns(50, 150) },
    );
  });

  test('refuse rows without a key, or with one that has lost digits', () => {
    expect(() => filterAfter({ id: 1 }, [{ column: 'rank' }])).toThrow(/rank/);
    expect(() => filterAfter({ id: 2 ** 60 }, [{ column: 'id' }])).toThrow(/id/);
    // A date has lost the microseconds of its column: the same row would be returned again.
    expect(() => filterAfter({ at: new Date(0) }, [{ column: 'at' }])).toThrow(/dates/);
  });

  test('refuse an order, limit, range or count of the query', async () => {
    const { db, requests } = createRecordingClient();
    const query = db.from('notes').select('id');
    const write = db.from('notes').update({ title: 'x' }).all().select('id');
    for (const refused of [query.order('id'), query.limit(1), query.range(10, 19), query.count(), write]) {
      await expect(pages(refused, { by: ['id'] }).next()).rejects.toMatchObject({ code: 'invalid-query' });
    }
    expect(requests).toHaveLength(0);
  });

  test('reject where the same page would repeat forever', async () => {
    // The server compares more digits of a numeric than a JavaScript number has, so the row counts as greater than itself.
    const { db, requests } = createRecordingClient([json([{ id: 'a', rating: 0.1234567890123456 }])]);
    const iterator = pages(db.from('notes').select('id, rating'), { by: ['rating', 'id'], size: 1 });
    expect((await iterator.next()).value).toHaveLength(1);
    await expect(iterator.next()).rejects.toMatchObject({
      code: 'invalid-query',
      message: /numeric as text/,
    });
    expect(requests).toHaveLength(2);
  });

  test('end with the signal', async () => {
    const { db } = createRecordingClient([json([{ id: '1' }])]);
    const iterator = pages(db.from('notes').select('id'), { by: ['id'], signal: AbortSignal.abort() });
    await expect(iterator.next()).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('a list in chunks', () => {
  test('is read in parts, and the rows are joined', async () => {
    const { db, requests } = createRecordingClient([json([{ id: 'a' }]), json([{ id: 'b' }])]);
    const query = db.from('notes').select('id').eq('status', 'done').in('id', ['1', '2', '3']);
    expect(await inChunks(query, { size: 2 })).toEqual([{ id: 'a' }, { id: 'b' }]);
    expect(requests.map(lineOf)).toEqual([
      'GET /notes?select=id&status=eq.done&id=in.("1","2")',
      'GET /notes?select=id&status=eq.done&id=in.("3")',
    ]);
  });

  test('finds the row of an empty text that is alone in its request', async () => {
    const { db, requests } = createRecordingClient();
    await inChunks(db.from('notes').select('id').in('title', ['a', 'b', '']), { size: 2 });
    expect(requests.map(lineOf)).toEqual([
      'GET /notes?select=id&title=in.("a","b")',
      'GET /notes?select=id&title=eq.',
    ]);
  });

  test('reads each value once', async () => {
    const { db, requests } = createRecordingClient();
    const dates = [new Date(0), new Date(1), new Date(0)];
    await inChunks(db.from('notes').select('id').in('created_at', dates), { size: 2 });
    expect(requests).toHaveLength(1);
  });

  test('is read in smaller parts where the server limit cuts one', async () => {
    const sent = (ids: string[]) =>
      json(
        ids.map((id) => ({ id })),
        { headers: { 'Content-Range': `0-${ids.length - 1}/*` } },
      );
    const replies = [sent(['a', 'b']), sent(['a']), sent(['b']), sent(['c'])];
    const { db, requests } = createRecordingClient(replies, { maxRows: 2 });
    const query = db.from('notes').select('id').in('id', ['a', 'b', 'c']);
    expect(await inChunks(query, { size: 2 })).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
    expect(requests.map(lineOf)).toEqual([
      'GET /notes?select=id&id=in.("a","b")',
      'GET /notes?select=id&id=in.("a")',
      'GET /notes?select=id&id=in.("b")',
      'GET /notes?select=id&id=in.("c")',
    ]);
    const one = createRecordingClient([sent(['a', 'b'])], { maxRows: 2 }).db;
    await expect(inChunks(one.from('notes').select('id').in('status', ['done']))).rejects.toMatchObject({
      code: 'invalid-query',
      message: /pages\(\)/,
    });
  });

  test('yields more rows than a call may have arguments', async () => {
    const rows = Array.from({ length: 200_000 }, () => 1);
    const { db } = createRecordingClient([json(rows)]);
    expect(await inChunks(db.from('notes').select('id').in('id', ['1']))).toHaveLength(rows.length);
  });

  test.each([0, -1, 1.5, Number.NaN])('is refused in parts of %s', async (size) => {
    const { db, requests } = createRecordingClient();
    const query = db.from('notes').select('id').in('id', ['1', '2']);
    await expect(inChunks(query, { size })).rejects.toMatchObject({ code: 'invalid-query' });
    await expect(pages(query, { by: ['id'], size }).next()).rejects.toMatchObject({ code: 'invalid-query' });
    expect(requests).toHaveLength(0);
  });

  test('refuses an order, limit, count, insert or number of affected rows', async () => {
    const { db, requests } = createRecordingClient();
    const query = db.from('notes').select('id').in('id', ['1']);
    const insert = db.from('notes').insert({ title: 'x' }).select('id');
    const write = db.from('notes').update({ title: 'x' }).in('id', ['1']);
    for (const refused of [
      query.order('id'),
      query.limit(1),
      query.count(),
      insert,
      write.select('id').limit(1),
      write.with(maxAffected(1)).select('id'),
      write.with(expectAffected(1)).select('id'),
      write.with(rollback()).select('id'),
    ]) {
      await expect(inChunks(refused)).rejects.toMatchObject({ code: 'invalid-query' });
    }
    expect(requests).toHaveLength(0);
  });

  test('is updated part by part, and yields the rows of all parts', async () => {
    const { db, requests } = createRecordingClient([json([{ id: '1' }]), json([{ id: '3' }])]);
    const query = db.from('notes').update({ title: 'x' }).in('id', ['1', '2', '3']).select('id');
    expect(await inChunks(query, { size: 2 })).toEqual([{ id: '1' }, { id: '3' }]);
    expect(requests.map(lineOf)).toEqual([
      'PATCH /notes?select=id&id=in.("1","2")',
      'PATCH /notes?select=id&id=in.("3")',
    ]);
    await inChunks(db.from('notes').delete().in('id', ['4']).select('id'));
    expect(requests.map(lineOf).at(-1)).toBe('DELETE /notes?select=id&id=in.("4")');
  });
});
