import { beforeEach, expect, test } from 'vitest';
import {
  matchesFilter,
  unfiltered,
  type NotificationFilter,
} from '../../../../src/inbox/features/notifications/model/notification-filter.ts';
import {
  contentText,
  notificationKinds,
} from '../../../../src/inbox/features/notifications/model/notification.ts';
import { createNotificationsApi } from '../../../../src/inbox/features/notifications/data/notifications-api.ts';
import { createPlatform } from '../../../../src/platform/browser-platform.ts';
import { createRestClient } from '../../../../src/rest-client/index.ts';
import type { Database } from '../../../../src/inbox/database.types.ts';
import { ada, grace, signIn, useLocalSupabase } from '../../../support/local-supabase.ts';

const local = useLocalSupabase();

async function openApi(
  user: { readonly id: string; readonly email: string } = ada,
  intercept: (request: Request) => Response | null = () => null,
) {
  const supabase = local();
  const token = await signIn(supabase, user.email);
  const requests: Request[] = [];
  const reported: unknown[] = [];
  const rest = createRestClient<Database>({
    url: supabase.url,
    apiKey: supabase.anonKey,
    getAccessToken: () => Promise.resolve(token),
    platform: createPlatform({
      fetch(input, init) {
        const request = new Request(input, init);
        requests.push(request.clone());
        const intercepted = intercept(request);
        return intercepted ? Promise.resolve(intercepted) : supabase.fetch(request);
      },
    }),
  });
  const api = createNotificationsApi(rest, user.id, (problem) => reported.push(problem), Date.now);
  return { api, requests, reported };
}

const contents = [
  ...notificationKinds.map((type) => JSON.stringify({ type })),
  '{ "type" : "mentions" }',
  '{"type":"poke"}',
  null,
  'no JSON',
];

beforeEach(async () => {
  await local().database.exec('truncate public.notifications');
  for (const [at, content] of contents.entries())
    await local().database.query(
      `insert into public.notifications (recipient_id, content, created_at)
       values ($1, $2, '2026-01-01T00:00:00.000001Z'::timestamptz + $3 * interval '1 microsecond')`,
      [ada.id, content, Math.floor(at / 2)],
    );
});

test('the notifications API pages through rows of the same time without loss or repetition', async () => {
  const { api } = await openApi();
  const ids: string[] = [];
  for (let isLast = false, after = null; !isLast;) {
    const page: Awaited<ReturnType<typeof api.list>> = await api.list(unfiltered, { after, limit: 2 });
    ids.push(...page.notifications.map(({ id }) => id));
    ({ isLast } = page);
    after = page.notifications.at(-1) ?? after;
  }
  const rows = await local().database.query<{ id: string }>(
    'select id from public.notifications order by created_at desc, id desc',
  );
  expect(ids).toEqual(rows.map(({ id }) => id));
});

test('the notifications API sends the specified requests', async () => {
  const { api, requests } = await openApi();
  await api.list(unfiltered, { after: null, limit: 30 });
  const { pathname, searchParams } = new URL(requests[0]?.url ?? 'none:');
  expect(pathname).toBe('/rest/v1/notifications');
  expect(searchParams.get('recipient_id')).toBe(`eq.${ada.id}`);
  expect(searchParams.get('status')).toBe('neq.archived');
  expect(searchParams.get('order')).toMatch(/^created_at\.desc/);
});

test('the notifications API filters by the kinds that the list shows', async () => {
  const { api } = await openApi();
  for (const kind of notificationKinds) {
    const { notifications } = await api.list({ tab: 'all', kind }, { after: null, limit: 30 });
    expect(notifications.map((notification) => notification.kind)).toEqual(
      Array(kind === 'mention' ? 2 : kind === 'system' ? 3 : 1).fill(kind),
    );
  }
  const { notifications } = await api.list(unfiltered, { after: null, limit: 30 });
  expect(notifications.filter(({ kind }) => kind === 'other')).toHaveLength(1);
});

test('the notifications API narrows a list and a search by person, place and what needs the user', async () => {
  const { api } = await openApi();
  const put = (sender: string | null, content: object) =>
    local().database.query(
      'insert into public.notifications (recipient_id, sender_id, content) values ($1, $2, $3)',
      [ada.id, sender, JSON.stringify({ entity_type: 'document', ...content })],
    );
  await put(grace.id, { type: 'edit', entity_id: '7', data: { entity_name: 'Plan A' } });
  await put(grace.id, { type: 'mention', entity_id: '8', data: { entity_name: 'Plan B' } });
  await put(null, { type: 'edit', entity_id: 7, data: { entity_name: 'Plan C', important: true } });
  const found = async (filter: Partial<NotificationFilter>) => {
    const { notifications } = await api.list({ ...unfiltered, ...filter }, { after: null, limit: 90 });
    // The server and the page agree on what is in the list.
    for (const row of notifications) expect(matchesFilter(row, { ...unfiltered, ...filter })).toBe(true);
    const names = notifications.flatMap((row) => contentText(row, 'entity_name') ?? []);
    return names.toSorted((one, other) => one.localeCompare(other));
  };
  for (const query of [undefined, 'plan']) {
    expect(await found({ query, person: grace.id })).toEqual(['Plan A', 'Plan B']);
    expect(await found({ query, place: 'document/7' })).toEqual(['Plan A', 'Plan C']);
    expect(await found({ query, tab: 'needs-you' })).toEqual(['Plan B', 'Plan C']);
    expect(await found({ query, person: grace.id, place: 'document/7', kind: 'edit' })).toEqual(['Plan A']);
  }
});

test('the notifications API counts every kind and list in one request', async () => {
  const { api, requests } = await openApi();
  const { notifications } = await api.list(unfiltered, { after: null, limit: 30 });
  await api.setStatus([notifications[0]?.id ?? ''], 'archived');
  const { totals } = await api.changes(null);
  expect(totals).toMatchObject({ all: 8, unread: 8, archived: 1 });
  expect(Object.values(totals.kinds).reduce((sum, count) => sum + count, 0)).toBe(8);
  expect(requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual([
    'GET /rest/v1/notifications',
    'PATCH /rest/v1/notifications',
    'POST /rest/v1/rpc/notification_changes',
  ]);
});

test('the notifications API returns changed and deleted rows since an earlier response', async () => {
  const { api } = await openApi();
  const { asOf } = await api.changes(null);
  const { notifications } = await api.list(unfiltered, { after: null, limit: 2 });
  const [row, other] = notifications;
  await api.setStatus([row?.id ?? ''], 'read');
  await api.remove([other?.id ?? '']);
  const update = await api.changes(asOf);
  expect(update).toMatchObject({ isReset: false, totals: { all: 8 } });
  expect(update.changes).toContainEqual({ type: 'remove', id: other?.id });
  expect(update.changes).toContainEqual({
    type: 'update',
    notification: expect.objectContaining({ id: row?.id, status: 'read' }),
  });
});

test('the notifications API works on a table without the functions of the migrations', async () => {
  const { api, requests } = await openApi(ada, (request) =>
    request.url.includes('/rpc/')
      ? Response.json({ code: 'PGRST202', message: 'Could not find the function' }, { status: 404 })
      : null,
  );
  expect(await api.changes(null)).toMatchObject({
    asOf: null,
    isReset: true,
    totals: { all: 9, unread: 9 },
  });
  await api.changes(null);
  expect(requests.filter(({ url }) => url.includes('/rpc/'))).toHaveLength(1);
});

test('the notifications API marks many as read by the function that announces a bulk change', async () => {
  const { api, requests } = await openApi();
  await api.markAllRead('mention', 5_000, null);
  expect(new URL(requests[0]?.url ?? 'none:').pathname).toBe('/rest/v1/rpc/mark_all_notifications_read');
  expect((await api.changes(null)).totals.unread).toBe(7);
});

test('the notifications API changes a list of many rows in parts', async () => {
  const isBulk = ({ url }: Request) => /rpc\/(mark_all|archive|delete)_notifications/.test(url);
  let isFirst = true;
  const { api, requests } = await openApi(ada, (request) => {
    if (!isBulk(request) || !isFirst) return null;
    isFirst = false;
    return Response.json(5_000);
  });
  const bodies = () => Promise.all(requests.splice(0).map((request) => request.json()));
  await api.archiveAll(unfiltered, null);
  expect(await bodies()).toEqual(Array.from({ length: 2 }, () => ({ tab: 'all', most: 5_000 })));
  expect((await api.changes(null)).totals).toMatchObject({ all: 0, archived: 9 });
  await bodies();
  await api.removeAll({ tab: 'archived', kind: null }, null);
  expect(await bodies()).toEqual([{ tab: 'archived', most: 5_000 }]);
});

test('the notifications API changes one row, returns its new state, and ignores missing rows', async () => {
  const { api } = await openApi();
  const { notifications } = await api.list(unfiltered, { after: null, limit: 2 });
  const [row, other] = notifications;
  const changed = await api.setStatus([row?.id ?? '', '00000000-0000-4000-8000-000000000000'], 'read');
  expect(changed).toMatchObject([{ id: row?.id, status: 'read' }]);
  expect(String(changed[0]?.version) > String(row?.version)).toBe(true);
  const again = await api.list(unfiltered, { after: null, limit: 30 });
  expect(again.notifications.find(({ id }) => id === other?.id)?.status).toBe('unread');
});

test('the notifications API marks all as read, of one kind or of every kind', async () => {
  const { api } = await openApi();
  await api.markAllRead('mention', 2, null);
  expect((await api.changes(null)).totals.unread).toBe(7);
  await api.markAllRead(null, 9, null);
  expect((await api.changes(null)).totals.unread).toBe(0);
});

test('the notifications API leaves snoozed notifications alone when a whole list is marked as read or archived', async () => {
  const { api } = await openApi();
  const { notifications } = await api.list(unfiltered, { after: null, limit: 2 });
  const ids = notifications.map(({ id }) => id);
  await api.snooze(ids, Date.now() + 3_600_000);
  await api.markAllRead(null, 7, null);
  expect((await api.changes(null)).totals).toMatchObject({ unread: 0, snoozed: 2 });
  await api.archiveAll(unfiltered, null);
  expect((await api.changes(null)).totals).toMatchObject({ all: 0, archived: 7, snoozed: 2 });
  await api.archiveAll({ tab: 'snoozed', kind: null }, null);
  expect((await api.changes(null)).totals).toMatchObject({ archived: 9, snoozed: 0 });
});

test('the notifications API deletes more rows than one URL can name', async () => {
  const { api, requests } = await openApi();
  await local().database.query(
    `insert into public.notifications (recipient_id) select $1 from generate_series(1, 250)`,
    [ada.id],
  );
  const { notifications } = await api.list(unfiltered, { after: null, limit: 990 });
  await api.remove(notifications.map(({ id }) => id));
  expect((await api.changes(null)).totals.all).toBe(0);
  expect(Math.max(...requests.map(({ url }) => url.length))).toBeLessThan(8_000);
});

test('the notifications API leaves newer notifications unchanged when all are marked read or deleted', async () => {
  const { api } = await openApi();
  const { notifications } = await api.list(unfiltered, { after: null, limit: 30 });
  const upTo = notifications[3]?.createdAt ?? null;
  await api.markAllRead(null, 9, upTo);
  expect((await api.changes(null)).totals.unread).toBe(3);
  await api.archiveAll(unfiltered, upTo);
  const archived = (await api.changes(null)).totals.archived;
  expect((await api.changes(null)).totals).toMatchObject({ all: 3, unread: 3 });
  expect(archived).toBeGreaterThanOrEqual(6);
  await api.removeAll({ tab: 'archived', kind: null }, upTo);
  expect((await api.changes(null)).totals).toMatchObject({ all: 3, archived: 0 });
  await api.removeAll({ tab: 'unread', kind: 'invite' }, null);
  await api.removeAll({ tab: 'unread', kind: null }, null);
  expect((await api.changes(null)).totals.all).toBe(0);
});

test('the notifications API completes requests when the page closes', async () => {
  const { api, requests } = await openApi();
  await api.setStatus([crypto.randomUUID()], 'read');
  await api.markAllRead(null, 9, null);
  await api.remove([crypto.randomUUID()]);
  expect(requests.map(({ method, keepalive }) => [method, keepalive])).toEqual([
    ['PATCH', true],
    ['PATCH', true],
    ['DELETE', true],
  ]);
});

test("the notifications API never changes another user's rows", async () => {
  const mine = await openApi();
  const { notifications } = await mine.api.list(unfiltered, { after: null, limit: 30 });
  const ids = notifications.map(({ id }) => id);
  const { api } = await openApi(grace);
  expect(await api.list(unfiltered, { after: null, limit: 30 })).toEqual({
    notifications: [],
    isLast: true,
  });
  expect(await api.setStatus(ids, 'read')).toEqual([]);
  await api.remove(ids);
  await api.markAllRead(null, 9, null);
  expect((await mine.api.changes(null)).totals.unread).toBe(9);
});
