import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import { createDatabaseBroadcast } from '../../src/realtime-client/broadcast/database-broadcast.ts';
import { createRealtimeClient, type RowRecord } from '../../src/realtime-client/index.ts';
import { ada, useLocalSupabase } from '../support/local-supabase.ts';
import { openNodeSocket } from '../support/node-socket.ts';

const getSupabase = useLocalSupabase({ port: 0, realtime: { replicationDelayMs: 700 } });

test('no row that is written after `live` is lost, though the server starts to read messages after the join', async () => {
  const { url, anonKey, database, keys } = getSupabase();
  const client = createRealtimeClient({
    url,
    apiKey: anonKey,
    platform: createPlatform({ openSocket: openNodeSocket }),
    getAccessToken: () =>
      keys.sign({ sub: ada.id, role: 'authenticated', exp: Math.floor(Date.now() / 1_000) + 3_600 }),
  });
  const insert = async () => {
    const id = randomUUID();
    await database.query('insert into public.notifications (id, recipient_id) values ($1, $2)', [id, ada.id]);
    return id;
  };
  const channel = client.channel(`user:${ada.id}`, { private: true });
  const received = new Set<unknown>();
  createDatabaseBroadcast(channel).onChanges<RowRecord>({ table: 'notifications' }, (changes) => {
    for (const change of changes) if (change.type !== 'DELETE') received.add(change.record['id']);
  });
  channel.join();
  await expect.poll(() => channel.getSnapshot().status).toBe('joined');
  const early = await insert();
  await expect.poll(() => channel.getSnapshot().status).toBe('live');
  const later = await insert();
  await expect.poll(() => received.has(later)).toBe(true);
  // Written before `live`: a read after it has this row.
  expect(received.has(early)).toBe(false);
  client.close();
});
