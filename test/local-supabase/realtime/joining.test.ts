import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADA, createRealtimeWorld } from './realtime-world.ts';
import type { RealtimeWorld } from './realtime-world.ts';

const TOPIC = 'realtime:user:ada';
const OWN_NOTES = { event: '*', schema: 'public', table: 'notes', filter: `owner=eq.${ADA}` };

let world: RealtimeWorld;
beforeAll(async () => {
  world = await createRealtimeWorld();
});
afterAll(() => world.close());

describe('a join', () => {
  test('is answered with its bindings and their ids, and then the subscription is announced', async () => {
    const client = await world.connect();
    client.join(TOPIC, { changes: [OWN_NOTES], token: await world.tokenOf(ADA) });
    expect(await client.next()).toEqual({
      joinRef: '1',
      ref: '1',
      topic: TOPIC,
      event: 'phx_reply',
      payload: { status: 'ok', response: { postgres_changes: [{ ...OWN_NOTES, id: expect.any(Number) }] } },
    });
    expect(await client.next()).toEqual({
      joinRef: '1',
      ref: null,
      topic: TOPIC,
      event: 'system',
      payload: {
        extension: 'postgres_changes',
        status: 'ok',
        message: 'Subscribed to PostgreSQL',
        channel: 'user:ada',
      },
    });
  });

  test('brings inserts, updates and deletes that pass its filter', async () => {
    const client = await world.connect();
    await client.joinLive(TOPIC, { changes: [OWN_NOTES], token: await world.tokenOf(ADA) });
    await world.database.query('insert into notes (id, owner, body) values (1, $1, $2)', [ADA, 'hello']);
    await world.database.query(`update notes set done = true where id = 1`);
    await world.service.settled();
    const frames = await client.flush();
    expect(frames.map(({ payload }) => payload['data'])).toEqual([
      {
        schema: 'public',
        table: 'notes',
        type: 'INSERT',
        commit_timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        columns: [
          { name: 'id', type: 'int8' },
          { name: 'owner', type: 'uuid' },
          { name: 'body', type: 'text' },
          { name: 'done', type: 'bool' },
        ],
        record: { id: 1, owner: ADA, body: 'hello', done: false },
        errors: null,
      },
      expect.objectContaining({
        type: 'UPDATE',
        record: { id: 1, owner: ADA, body: 'hello', done: true },
        old_record: { id: 1 },
      }),
    ]);
  });
});
