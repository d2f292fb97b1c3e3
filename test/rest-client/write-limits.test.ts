import { describe, expect, test } from 'vitest';
import { expectAffected, maxAffected, rollback } from '../../src/rest-client/index.ts';
import { createRecordingClient, lineOf } from './support/recording-client.ts';
import { json, refusal } from '../support/wire/replies.ts';

const created = () => new Response(null, { status: 201 });
const code = (name: string) => expect.objectContaining({ code: name });

describe('a limit of an insert, which the server does not apply', () => {
  const two = [{ title: 'x' }, { title: 'y' }];

  test.each([
    ['maxAffected(1)', maxAffected(1)],
    ['expectAffected(1)', expectAffected(1)],
    ['expectAffected(3)', expectAffected(3)],
  ])('%s refuses two rows before anything is sent', (_name, modifier) => {
    const { db, requests } = createRecordingClient([created()]);
    expect(() => db.from('notes').insert(two).with(modifier)).toThrow(code('affected-rows'));
    expect(() => db.from('notes').upsert(two).with(modifier)).toThrow(code('affected-rows'));
    expect(requests).toHaveLength(0);
  });

  test('sends no preference when the rows fit', async () => {
    const { db, requests } = createRecordingClient([created()]);
    await db.from('notes').insert(two).with(maxAffected(2));
    expect(requests[0]?.headers.get('prefer')).toBeNull();
  });

  test('refuses to expect a number of an upsert that ignores duplicates', () => {
    const { db } = createRecordingClient();
    const upsert = db.from('notes').upsert(two, { ignoreDuplicates: true });
    expect(() => upsert.with(expectAffected(2))).toThrow(code('invalid-query'));
  });
});

describe('maybeSingle() of a function', () => {
  test('requests two rows: a limit of affected rows fails where the function returns one row (PGRST128)', async () => {
    const { db, requests } = createRecordingClient([json({ id: '1', title: 'x' })]);
    expect(await db.rpc('recent').maybeSingle()).toEqual({ id: '1', title: 'x' });
    expect(requests.map(lineOf)).toEqual(['POST /rpc/recent?limit=2']);
    expect(requests[0]?.headers.get('prefer')).toBeNull();
  });

  test('fails for two rows', async () => {
    const { db } = createRecordingClient([json([{ id: '1' }, { id: '2' }])]);
    await expect(db.rpc('recent').maybeSingle()).rejects.toMatchObject({ code: 'not-one-row' });
  });
});

describe('rollback()', () => {
  const applied = { 'Preference-Applied': 'tx=rollback' };

  test('sends a read of no rows before the write, to check whether the server rolls back', async () => {
    const { db, requests } = createRecordingClient([
      json([], { headers: applied }),
      new Response(null, { status: 201, headers: applied }),
    ]);
    await db.from('notes').insert({ title: 'x' }).with(rollback());
    expect(requests.map(lineOf)).toEqual(['GET /notes?limit=0', 'POST /notes']);
    expect(requests.map(({ headers }) => headers.get('prefer'))).toEqual(['tx=rollback', 'tx=rollback']);
  });

  test('sends no write when Preference-Applied lacks tx=rollback', async () => {
    const { db, requests } = createRecordingClient([json([])]);
    const write = db.from('notes').delete().eq('id', '1').with(rollback());
    await expect(write).rejects.toMatchObject({ code: 'not-rolled-back' });
    expect(requests.map(({ method }) => method)).toEqual(['GET']);
  });

  test('sends no write when the check of an earlier rollback() fails', async () => {
    const { db, requests } = createRecordingClient([
      json([]),
      json([], { headers: applied }),
      new Response(null, { status: 201, headers: applied }),
    ]);
    const write = db.from('notes').insert({ title: 'x' }).with(rollback()).with(rollback());
    await expect(write).rejects.toMatchObject({ code: 'not-rolled-back' });
    expect(requests.map(({ method }) => method)).toEqual(['GET']);
  });

  test('rejects with the error of the read before the write', async () => {
    const { db, requests } = createRecordingClient([refusal(404, 'PGRST205')]);
    const write = db.from('notes').insert({ title: 'x' }).with(rollback());
    await expect(write).rejects.toMatchObject({ code: 'not-found' });
    expect(requests).toHaveLength(1);
  });

  test('rollback() of a function rejects when Preference-Applied lacks tx=rollback', async () => {
    const { db, requests } = createRecordingClient([json('hello')]);
    await expect(db.rpc('greet', { name: 'x' }).with(rollback())).rejects.toMatchObject({
      code: 'not-rolled-back',
    });
    expect(requests).toHaveLength(1);
  });

  test('keeps the other conditions of the write', async () => {
    const { db } = createRecordingClient([
      json([], { headers: applied }),
      new Response(null, { status: 204, headers: { ...applied, 'Content-Range': '*/1' } }),
    ]);
    const write = db.from('notes').delete().eq('id', '1').with(expectAffected(2), rollback());
    await expect(write).rejects.toMatchObject({ code: 'affected-rows' });
  });
});
