import { beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../src/inbox/database.types.ts';
import { sendAction } from '../../src/inbox/features/notifications/data/send-action.ts';
import { createNotificationsApi } from '../../src/inbox/features/notifications/data/notifications-api.ts';
import type { NotificationStatus } from '../../src/inbox/features/notifications/model/notification.ts';
import type { NotificationAction } from '../../src/inbox/features/notifications/model/notification-operation.ts';
import {
  createStoredAction,
  parseStoredAction,
} from '../../src/inbox/features/notifications/model/notification-operation.ts';
import type { StoredAction } from '../../src/inbox/features/notifications/model/notification-operation.ts';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import { createRestClient } from '../../src/rest-client/index.ts';
import { ada, signIn, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();
let ids: readonly [string, string, string];

beforeEach(async () => {
  await supabase().database.exec('delete from notifications');
  const rows = await supabase().database.query<{ id: string }>(
    `insert into notifications (recipient_id, content)
     select $1, '{"type":"system"}' from generate_series(1, 3) returning id`,
    [ada.id],
  );
  ids = rows.map(({ id }) => id) as unknown as typeof ids;
});

/** Sends a stored action. */
async function createSend() {
  const token = await signIn(supabase(), ada.email);
  const rest = createRestClient<Database, 'public'>({
    url: supabase().url,
    apiKey: supabase().anonKey,
    platform: { ...createPlatform(), fetch: supabase().fetch },
    getAccessToken: () => Promise.resolve(token),
  });
  const api = createNotificationsApi(rest, ada.id, () => undefined, Date.now);
  return async (action: Omit<StoredAction, 'format'>) =>
    (await sendAction(api, { format: 2, ...action })).type;
}

const before = (status: NotificationStatus) => Object.fromEntries(ids.map((id) => [id, status]));
const archive = (...of: readonly string[]): NotificationAction => ({
  type: 'status',
  ids: of,
  status: 'archived',
});
const statuses = async () => {
  const rows = await supabase().database.query<{ id: string; status: string }>(
    'select id, status from notifications',
  );
  const byId = new Map(rows.map(({ id, status }) => [id, status]));
  return ids.map((id) => byId.get(id) ?? 'deleted');
};
const elsewhere = (sql: string, id: string) => supabase().database.query(sql, [id]);

describe('sending pending actions', () => {
  test('applies a change of status once, also after a lost response', async () => {
    const send = await createSend();
    const action = { action: archive(ids[0], ids[1]), before: before('unread') };
    expect(await send(action)).toBe('sent');
    expect(await statuses()).toEqual(['archived', 'archived', 'unread']);
    expect(await send(action)).toBe('sent');
    expect(await statuses()).toEqual(['archived', 'archived', 'unread']);
  });

  test('keeps newer changes of another device, and applies the rest', async () => {
    const send = await createSend();
    await elsewhere(`update notifications set status = 'read' where id = $1`, ids[0]);
    expect(await send({ action: archive(...ids), before: before('unread') })).toBe('changed');
    expect(await statuses()).toEqual(['read', 'archived', 'archived']);
  });

  test('snoozes a row once, and keeps one that another device has archived', async () => {
    const send = await createSend();
    const untilMs = Date.now() + 3_600_000;
    const snooze = (id: string): Omit<StoredAction, 'format'> => ({
      action: { type: 'snooze', ids: [id], untilMs, nowMs: Date.now() },
      before: before('unread'),
    });
    expect(await send(snooze(ids[0]))).toBe('sent');
    expect(await send(snooze(ids[0]))).toBe('sent');
    await elsewhere(`update notifications set status = 'archived' where id = $1`, ids[1]);
    expect(await send(snooze(ids[1]))).toBe('changed');
    const rows = await supabase().database.query<{ id: string }>(
      'select id from notifications where snoozed_until is not null',
    );
    expect(rows).toEqual([{ id: ids[0] }]);
  });

  test('reports that a notification was deleted in the meantime', async () => {
    const send = await createSend();
    await elsewhere('delete from notifications where id = $1', ids[0]);
    expect(await send({ action: archive(ids[0]), before: before('unread') })).toBe('deleted');
  });

  test('deletes unchanged rows and keeps changed ones', async () => {
    const send = await createSend();
    await elsewhere(`update notifications set status = 'archived' where id = $1`, ids[0]);
    await elsewhere('delete from notifications where id = $1', ids[2]);
    const action = { action: { type: 'remove', ids } as const, before: before('unread') };
    expect(await send(action)).toBe('changed');
    expect(await statuses()).toEqual(['archived', 'deleted', 'deleted']);
    expect(await send({ ...action, action: { ...action.action, ids: [ids[1]] } })).toBe('sent');
  });

  test("marks all as read up to the newest seen, within the action's kind and list", async () => {
    const send = await createSend();
    const [row] = await supabase().database.query<{ at: string }>(
      'select max(created_at)::text as at from notifications',
    );
    const createdAt = row?.at ?? '';
    await supabase().database.query(
      `insert into notifications (recipient_id, content, created_at) values ($1, '{}', now() + interval '1 hour')`,
      [ada.id],
    );
    const newest = { id: ids[0], createdAt, createdAtMs: Date.parse(createdAt) };
    const all = { type: 'read-all', kind: null, unread: 3, newest } as const;
    expect(await send({ action: all, before: {} })).toBe('sent');
    expect(await statuses()).toEqual(['read', 'read', 'read']);
    const [late] = await supabase().database.query<{ count: number }>(
      `select count(*)::int as count from notifications where status = 'unread'`,
    );
    expect(late?.count).toBe(1);
  });

  test('discards changes stored by another version of the application', () => {
    const action = createStoredAction({ rows: new Map(), operations: [] }, archive('one'));
    expect(parseStoredAction(structuredClone(action))).toEqual(action);
    expect(parseStoredAction({ ...action, format: 0 })).toBeNull();
    expect(parseStoredAction('nonsense')).toBeNull();
  });
});
