import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { ADA, createNotesDatabase, createRealtimeWorld } from './realtime-world.ts';

let database: Database;
beforeAll(async () => {
  database = await createNotesDatabase();
});
afterAll(() => database.close());

test('many sockets that connect, join, listen and close leak no resources', async () => {
  const world = await createRealtimeWorld({}, database);
  const token = await world.tokenOf(ADA);
  const changes = [{ event: '*', schema: 'public', table: 'notes', filter: `owner=eq.${ADA}` }];
  const timersBefore = world.timers.pending;
  for (let round = 0; round < 4; round += 1) {
    const visits = Array.from({ length: 50 }, async (_, visitor) => {
      const client = await world.connect();
      client.join('realtime:t', { changes, token, config: { presence: { enabled: true } } });
      await client.nextOf('system');
      client.send('1', '2', 'realtime:t', 'presence', { event: 'track', payload: { visitor } });
      if (visitor % 3 === 0) client.send('1', '3', 'realtime:t', 'phx_leave', {});
      else if (visitor % 3 === 1)
        client.send('2', '4', 'realtime:t', 'phx_join', { access_token: token, config: {} });
      await client.flush();
      client.terminate();
      await client.closed;
    });
    await Promise.all(visits);
  }
  await expect
    .poll(() => world.service.statistics)
    .toMatchObject({ sockets: 0, channels: 0, subscribers: 0, rooms: 0 });
  expect(world.timers.pending).toBe(timersBefore);
  expect(world.reported).toEqual([]);
  await world.close();
});

test('an error while ending a channel is reported, and the other channels end too', async () => {
  const other = await createRealtimeWorld({}, database);
  const client = await other.connect();
  const failure = new Error('Inside');
  const after = vi.spyOn(other.timers, 'after').mockReturnValueOnce(() => {
    throw failure;
  });
  client.join('realtime:stuck');
  await client.flush();
  client.join('realtime:free');
  await client.flush();
  expect(after.mock.results[0]?.value).toThrow(failure);
  client.terminate();
  await expect.poll(() => other.service.statistics).toMatchObject({ sockets: 0, rooms: 1 });
  expect(other.reported).toEqual([failure]);
  await other.close();
});

test('close() ends every timer, server listener and socket', async () => {
  const other = await createRealtimeWorld({}, database);
  const client = await other.connect();
  await client.joinLive('realtime:t', { changes: [{ table: 'notes' }], token: await other.tokenOf(ADA) });
  await other.close();
  expect((await client.closed).code).toBe(1006);
  expect(other.timers.pending).toBe(0);
  expect(other.reported).toEqual([]);
});
