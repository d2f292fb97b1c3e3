import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { createBrowserPlatform } from '../../src/platform/browser-platform.ts';
import { createDatabaseBroadcast } from '../../src/realtime-client/broadcast/database-broadcast.ts';
import { createRealtimeClient } from '../../src/realtime-client/index.ts';
import type { Change, RowRecord } from '../../src/realtime-client/index.ts';
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

const enable = (isEnabled: boolean) =>
  getSupabase().database.query('select private.broadcast_notifications($1)', [isEnabled]);
const insert = async (user: { id: string }, id: string = randomUUID()) => {
  await getSupabase().database.query('insert into public.notifications (id, recipient_id) values ($1, $2)', [
    id,
    user.id,
  ]);
  return id;
};

function openList(user: { id: string }, owner = user) {
  const { url, anonKey, database, keys } = getSupabase();
  const platform = createBrowserPlatform({ openSocket: openNodeSocket });
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
    binding: { table: 'notifications' },
    platform,
    key: ({ id }) => String(id),
    version: (row) => row.updated_at,
    read: () =>
      database.query<NotificationRow>(
        "select to_jsonb(n) ->> 'id' as id, recipient_id, status, to_jsonb(n) ->> 'updated_at' as updated_at from public.notifications n where recipient_id = $1",
        [user.id],
      ),
    reconcileMs: 0,
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
    row: (id: string) => query.getSnapshot().rows.find((one) => one.id === id),
    isCurrent: () => query.getSnapshot().isCurrent,
  };
}

describe('broadcasts of notifications', () => {
  it('are off by default', async () => {
    const list = openList(ada);
    await expect.poll(list.isCurrent).toBe(true);
    const id = await insert(ada);
    // Messages keep their order: one of the earlier insert would arrive before that of the later one.
    await enable(true);
    const later = await insert(ada);
    await expect.poll(() => list.row(later)).toBeDefined();
    expect(list.row(id)).toBeUndefined();
    await enable(false);
  });

  it('keep a live list current once they are on, for the own rows only', async () => {
    await enable(true);
    const list = openList(ada);
    await expect.poll(list.isCurrent).toBe(true);
    const id = await insert(ada);
    await insert(grace);
    await expect.poll(() => list.row(id)?.status).toBe('unread');
    await getSupabase().database.query("update public.notifications set status = 'read' where id = $1", [id]);
    await expect.poll(() => list.row(id)?.status).toBe('read');
    await getSupabase().database.query('delete from public.notifications where id = $1', [id]);
    await expect.poll(() => list.row(id)).toBeUndefined();
    await enable(false);
  });

  it('have times in UTC, whatever the time zone of the request, because versions are compared as text', async () => {
    await enable(true);
    const list = openList(ada);
    await expect.poll(list.isCurrent).toBe(true);
    const id = randomUUID();
    await getSupabase().database.transaction(async (sql) => {
      await sql.query("select set_config('timezone', 'Asia/Tokyo', true)");
      await sql.query('insert into public.notifications (id, recipient_id) values ($1, $2)', [id, ada.id]);
    });
    await expect.poll(() => list.row(id)?.updated_at).toMatch(/\+00:00$/);
    await enable(false);
  });

  it('include changes of the own preferences', async () => {
    await enable(true);
    const { database } = getSupabase();
    const list = openList(ada);
    await expect.poll(list.isCurrent).toBe(true);
    await database.query('insert into notification_preferences (user_id) values ($1), ($2)', [
      ada.id,
      grace.id,
    ]);
    await database.exec('update notification_preferences set email_edits = true');
    await database.exec('delete from notification_preferences');
    await expect.poll(() => list.preferences.map(({ type }) => type)).toContain('DELETE');
    const owners = list.preferences.map((change) =>
      change.type === 'DELETE' ? change.oldRecord['user_id'] : change.record['user_id'],
    );
    expect(new Set(owners)).toEqual(new Set([ada.id]));
    await enable(false);
  });

  it('are refused to another user', async () => {
    const { channel } = openList(grace, ada);
    await expect.poll(() => channel.getSnapshot().error?.code).toBe('unauthorized');
  });
});
