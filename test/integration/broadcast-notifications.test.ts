import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import { createDatabaseBroadcast } from '../../src/realtime-client/broadcast/database-broadcast.ts';
import { createRealtimeClient } from '../../src/realtime-client/index.ts';
import type { Change, RowRecord } from '../../src/realtime-client/index.ts';
import { createTableQuery } from '../support/wire/live-query-scene.ts';
import { createLiveQuery } from '../../src/realtime-client/live-query/live-query.ts';
import { ada, grace, useLocalSupabase } from '../support/local-supabase.ts';
import { openNodeSocket } from '../support/node-socket.ts';

interface NotificationRow {
  readonly id: string;
  readonly recipient_id: string;
  readonly status: string;
  readonly updated_at: string;
}

const getSupabase = useLocalSupabase({ port: 0 });
const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

const insert = async (user: { id: string }, id: string = randomUUID()) => {
  await getSupabase().database.query('insert into public.notifications (id, recipient_id) values ($1, $2)', [
    id,
    user.id,
  ]);
  return id;
};

function openList(user: { id: string }, owner = user) {
  const { url, anonKey, database, keys } = getSupabase();
  const platform = createPlatform({ openSocket: openNodeSocket });
  const client = createRealtimeClient({
    url,
    apiKey: anonKey,
    platform,
    getAccessToken: () =>
      keys.sign({ sub: user.id, role: 'authenticated', exp: Math.floor(Date.now() / 1_000) + 3_600 }),
  });
  const channel = client.channel(`user:${owner.id}`, { private: true });
  const query = createLiveQuery<NotificationRow>({
    channel,
    source: createDatabaseBroadcast(channel),
    platform,
    query: createTableQuery(
      () =>
        database.query<NotificationRow>(
          "select to_jsonb(n) ->> 'id' as id, recipient_id, status, to_jsonb(n) ->> 'updated_at' as updated_at from public.notifications n where recipient_id = $1",
          [user.id],
        ),
      { path: 'notifications' },
    ),
    key: 'id',
    intervalMs: 0,
  });
  const preferences: Change<RowRecord>[] = [];
  createDatabaseBroadcast(channel).onChanges<RowRecord>({ table: 'notification_preferences' }, (changes) =>
    preferences.push(...changes),
  );
  closers.push(query.start(), () => client.close());
  return {
    channel,
    /** The received changes of preferences. */
    preferences,
    size: () => query.getSnapshot().rows.length,
    row: (id: string) => query.getSnapshot().rows.find((one) => one.id === id),
    isCurrent: () => query.getSnapshot().isCurrent,
  };
}

describe('broadcasts of notifications', () => {
  it('keep a live list current, only for the user’s own rows', async () => {
    const list = openList(ada);
    await expect.poll(list.isCurrent).toBe(true);
    const id = await insert(ada);
    await insert(grace);
    await expect.poll(() => list.row(id)?.status).toBe('unread');
    await getSupabase().database.query("update public.notifications set status = 'read' where id = $1", [id]);
    await expect.poll(() => list.row(id)?.status).toBe('read');
    await getSupabase().database.query('delete from public.notifications where id = $1', [id]);
    await expect.poll(() => list.row(id)).toBeUndefined();
  });

  it('keep a live list current after changes of more rows than a message may contain', async () => {
    const { database } = getSupabase();
    const list = openList(ada);
    await expect.poll(list.isCurrent).toBe(true);
    const before = list.size();
    await database.query(
      'insert into public.notifications (recipient_id) select $1 from generate_series(1, 150)',
      [ada.id],
    );
    await expect.poll(list.size).toBe(before + 150);
    await database.query('delete from public.notifications where recipient_id = $1', [ada.id]);
    await expect.poll(list.size).toBe(0);
  });

  it('have times in UTC, whatever the time zone of the request, because versions are compared as text', async () => {
    const list = openList(ada);
    await expect.poll(list.isCurrent).toBe(true);
    const id = randomUUID();
    await getSupabase().database.transaction(async (sql) => {
      await sql.query("select set_config('timezone', 'Asia/Tokyo', true)");
      await sql.query('insert into public.notifications (id, recipient_id) values ($1, $2)', [id, ada.id]);
    });
    await expect.poll(() => list.row(id)?.updated_at).toMatch(/\+00:00$/);
  });

  it('include changes of the user’s own preferences', async () => {
    const { database } = getSupabase();
    const list = openList(ada);
    await expect.poll(list.isCurrent).toBe(true);
    for (const [statement, change] of [
      [`insert into notification_preferences (user_id) values ('${ada.id}'), ('${grace.id}')`, ada.id],
      ['update notification_preferences set email_edits = true', ada.id],
      ['delete from notification_preferences', 'DELETE'],
    ] as const) {
      list.preferences.length = 0;
      await database.exec(statement);
      await expect
        .poll(() => list.preferences.map((one) => (one.type === 'DELETE' ? one.type : one.record['user_id'])))
        .toEqual([change]);
    }
  });

  it('are refused to another user', async () => {
    const { channel } = openList(grace, ada);
    await expect.poll(() => channel.getSnapshot().error?.code).toBe('unauthorized');
  });
});
