import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import {
  asBigint,
  createRestClient,
  embed,
  parsed,
  shape,
  stripNulls,
  type Validate,
} from '../../src/rest-client/index.ts';
import { int8, many, nullableInt8, one, table } from '../../src/rest-client/table.ts';
import { createRecordingTab, lineOf, projectUrl } from './support/recording-client.ts';
import { json } from '../support/wire/replies.ts';

const people = table('people', { columns: { id: z.number(), name: z.string() } });
const notes = table('notes', {
  columns: {
    id: int8(),
    parent: nullableInt8(),
    status: z.enum(['draft', 'done']),
    at: z.pipe(
      z.string(),
      z.transform((text: string) => new Date(text)),
    ),
  },
  relations: { people: one(() => people), readers: many(() => people) },
});

function connect(body: unknown, validate?: Validate) {
  const { tab, requests } = createRecordingTab([json(body)]);
  const db = createRestClient({ url: projectUrl, apiKey: 'k', platform: tab, ...(validate && { validate }) });
  return { db, requests };
}

const row = { id: '9007199254740993', parent: null, status: 'done', at: '2026-01-01T00:00:00Z' };

describe('a table with schemas', () => {
  test('selects its columns by name, an int8 as text', () => {
    const { db } = connect([]);
    expect(lineOf(db.from(notes).select().toRequest())).toBe(
      'GET /notes?select=id:id::text,parent:parent::text,status,at',
    );
    expect(lineOf(db.from(notes).select('status, n:id').toRequest())).toBe(
      'GET /notes?select=status,n:id::text',
    );
  });

  test('decodes and types its rows', async () => {
    const rows: { id: bigint; parent: bigint | null; status: 'draft' | 'done'; at: Date }[] = await connect([
      row,
    ])
      .db.from(notes)
      .select();
    expect(rows).toEqual([
      { id: 9007199254740993n, parent: null, status: 'done', at: new Date('2026-01-01') },
    ]);
  });

  test('validates each part of a row that is selected', async () => {
    expect(
      await connect([{ status: 'done' }])
        .db.from(notes)
        .select('status'),
    ).toEqual([{ status: 'done' }]);
    const query = connect([{ status: 'done' }, { status: 'secret value' }])
      .db.from(notes)
      .select('status');
    await expect(query).rejects.toMatchObject({
      code: 'invalid-row',
      message: expect.stringMatching(/Row 1 .*status/),
    });
    await expect(query).rejects.not.toThrow(/secret value/);
  });

  test('validates related rows, and names the path of an invalid value', async () => {
    const select = shape({
      status: true,
      people: { name: true },
      readers: embed({ id: true }, { limit: 2 }),
    });
    const good = { status: 'done', people: null, readers: [{ id: 1 }, { id: 2 }] };
    expect(await connect([good]).db.from(notes).select(select)).toEqual([good]);
    const bad = { ...good, people: { name: 7 } };
    await expect(connect([bad]).db.from(notes).select(select)).rejects.toThrow(/people\.name/);
  });

  test('decodes and validates spread columns', async () => {
    const select = shape({ status: true, '...people': { name: true } });
    const good = { status: 'done', name: 'Ann' };
    expect(await connect([good]).db.from(notes).select(select)).toEqual([good]);
    expect(
      await connect([{ ...good, name: null }])
        .db.from(notes)
        .select(select),
    ).toEqual([{ ...good, name: null }]);
    await expect(
      connect([{ ...good, name: 7 }])
        .db.from(notes)
        .select(select),
    ).rejects.toThrow(/name/);
    const list = shape({ '...readers': { name: true, n: asBigint('id') } });
    expect(
      await connect([{ name: ['a', 'b'], n: ['1', null] }])
        .db.from(notes)
        .select(list),
    ).toEqual([{ name: ['a', 'b'], n: [1n, null] }]);
    await expect(
      connect([{ name: ['a', 1], n: [] }])
        .db.from(notes)
        .select(list),
    ).rejects.toThrow(/name/);
  });

  test('leaves a missing bigint unchanged', async () => {
    const select = shape({ n: asBigint('status') });
    expect(
      await connect([{ n: null }])
        .db.from(notes)
        .select(select),
    ).toEqual([{ n: null }]);
  });

  test('validates only the first row, or no row, and decodes every row', async () => {
    const rows = [row, { ...row, status: 'unknown' }];
    expect(await connect(rows, 'first').db.from(notes).select()).toMatchObject([
      { status: 'done' },
      { id: 9007199254740993n },
    ]);
    expect(await connect([rows[1]], 'off').db.from(notes).select()).toMatchObject([
      { id: 9007199254740993n, status: 'unknown' },
    ]);
    await expect(connect([rows[1]], 'first').db.from(notes).select()).rejects.toMatchObject({
      code: 'invalid-row',
    });
  });

  test('validates a column that stripNulls() left out as null, and leaves it out', async () => {
    const { id, status, at } = row;
    const stripped = connect([{ id, status, at }]).db.from(notes).select().with(stripNulls());
    expect(await stripped).toEqual([{ id: BigInt(id), status, at: new Date(at) }]);
    await expect(connect([{ id, at }]).db.from(notes).select().with(stripNulls())).rejects.toThrow(/status/);
  });

  test('names a JSON position as the server does', () => {
    const { db } = connect([]);
    expect(
      lineOf(
        db
          .from(notes)
          .select('status->items->0' as 'status')
          .toRequest(),
      ),
    ).toBe('GET /notes?select=items:status->items->0');
  });

  test('refuses a relation that it does not define', () => {
    const { db } = connect([]);
    const select = shape({ nothing: { id: true } }) as never;
    expect(() => db.from(notes).select(select)).toThrow(/No relation "nothing"/);
  });
});

describe('a schema of any library', () => {
  const schemas = {
    'zod/mini': z.object({ id: z.number() }),
    valibot: v.object({ id: v.number() }),
    arktype: type({ id: 'number' }),
    'valibot, asynchronous': v.objectAsync({
      id: v.pipeAsync(
        v.number(),
        v.checkAsync(async (id) => id > 0),
      ),
    }),
  };

  test.each(Object.entries(schemas))('a schema of %s validates rows', async (_name, schema) => {
    const rows: { id: number }[] = await parsed(
      connect([{ id: 1 }])
        .db.from('t')
        .select(),
      schema,
    );
    expect(rows).toEqual([{ id: 1 }]);
    const wrong = parsed(
      connect([{ id: 1 }, { id: 'x' }])
        .db.from('t')
        .select(),
      schema,
    );
    await expect(wrong).rejects.toMatchObject({
      code: 'invalid-row',
      message: expect.stringMatching(/Row 1 .*id/),
    });
  });

  const secrets = {
    'zod/mini': z.object({ status: z.literal('a') }),
    valibot: v.object({ status: v.picklist(['a']) }),
    arktype: type({ status: "'a'" }),
  };

  test.each(Object.entries(secrets))(
    'a schema of %s never quotes a value in the message',
    async (_name, schema) => {
      const query = parsed(
        connect([{ status: 'hunter2' }])
          .db.from('t')
          .select(),
        schema,
      );
      await expect(query).rejects.toMatchObject({
        message: 'Row 0 is invalid: status',
        cause: { length: 1 },
      });
    },
  );

  test('validates one row, and leaves null unchanged', async () => {
    const schema = z.object({ id: z.number() });
    expect(await parsed(connect({ id: 1 }).db.from('t').select().single(), schema)).toEqual({ id: 1 });
    expect(await parsed(connect([]).db.from('t').select().maybeSingle(), schema)).toBeNull();
  });
});
