import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import { createRealmLocks } from '../../src/platform/realm-locks.ts';
import { createRealmBroadcast } from '../support/realm-broadcast.ts';
import { createPostgresChanges } from '../../src/realtime-client/changes/postgres-changes.ts';
import { createRealtimeClient, type RealtimeClientOptions } from '../../src/realtime-client/index.ts';
import { createTableQuery } from '../support/wire/live-query-scene.ts';
import { createLiveQuery } from '../../src/realtime-client/live-query/live-query.ts';
import { shareSocket } from '../../src/realtime-client/tabs/shared-socket.ts';
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
// A project that publishes deletions, which the service filters by their owner.
beforeAll(() =>
  getSupabase().database.exec("alter publication supabase_realtime set (publish = 'insert, update, delete')"),
);
afterEach(() => closers.splice(0).forEach((close) => close()));

/** Locks and broadcast channels shared by the tabs of one browser. */
const browser = {
  locks: { ...createRealmLocks(), scope: 'origin' as const },
  openTabChannel: createRealmBroadcast,
};

const tokenOf = (user: { id: string }, lifetimeSeconds = 3_600) =>
  getSupabase().keys.sign({
    sub: user.id,
    role: 'authenticated',
    aud: 'authenticated',
    iat: Math.floor(Date.now() / 1_000),
    exp: Math.floor(Date.now() / 1_000) + lifetimeSeconds,
  });

function openTab(user: { id: string }, overrides: Partial<RealtimeClientOptions> = {}) {
  const { url, anonKey, database } = getSupabase();
  const reported: unknown[] = [];
  const platform = createPlatform({
    ...browser,
    openSocket: openNodeSocket,
    report: (problem) => reported.push(problem),
  });
  const client = createRealtimeClient({
    url,
    apiKey: anonKey,
    platform,
    getAccessToken: () => tokenOf(user),
    ...overrides,
  });
  closers.push(() => client.close());
  const channel = client.channel(`user:${user.id}`);
  const query = createLiveQuery<NotificationRow>({
    channel,
    platform,
    query: createTableQuery(
      () =>
        database.query<NotificationRow>(
          "select to_jsonb(n) ->> 'id' as id, recipient_id, status, to_jsonb(n) ->> 'updated_at' as updated_at from public.notifications n where recipient_id = $1",
          [user.id],
        ),
      { path: 'notifications', filters: [{ column: 'recipient_id', operator: 'eq', operand: user.id }] },
    ),
    key: 'id',
    immutableColumns: ['recipient_id'],
  });
  closers.push(query.start());
  return {
    client,
    channel,
    query,
    reported,
    status: () => channel.getSnapshot().status,
    ids: () =>
      query
        .getSnapshot()
        .rows.map(({ id }) => id)
        .sort(),
  };
}

const insert = async (user: { id: string }, id: string = randomUUID()) => {
  await getSupabase().database.query('insert into public.notifications (id, recipient_id) values ($1, $2)', [
    id,
    user.id,
  ]);
  return id;
};
const idsOf = async (user: { id: string }) =>
  (
    await getSupabase().database.query<{ id: string }>(
      'select id from public.notifications where recipient_id = $1',
      [user.id],
    )
  )
    .map(({ id }) => id)
    .sort();
const live = (tab: ReturnType<typeof openTab>) =>
  expect.poll(() => [tab.status(), tab.query.getSnapshot().isCurrent]).toEqual(['live', true]);
const equalToTable = (tab: ReturnType<typeof openTab>, user: { id: string }) =>
  vi.waitFor(async () => expect(tab.ids()).toEqual(await idsOf(user)), 60_000);

describe('the realtime client against the embedded server', () => {
  it('follows inserts, updates and deletes of only the user’s own rows', async () => {
    const tab = openTab(ada);
    await live(tab);
    const id = await insert(ada);
    await insert(grace);
    await expect.poll(() => tab.ids()).toContain(id);
    await getSupabase().database.query("update public.notifications set status = 'read' where id = $1", [id]);
    await expect
      .poll(() => tab.query.getSnapshot().rows.find((row) => row.id === id))
      .toMatchObject({ status: 'read' });
    await getSupabase().database.query('delete from public.notifications where id = $1', [id]);
    await equalToTable(tab, ada);
    expect(tab.query.getSnapshot().rows.every((row) => row.recipient_id === ada.id)).toBe(true);
    expect(tab.reported).toEqual([]);
  });

  it('joins again for a binding of another table without losing a change', async () => {
    const tab = openTab(ada);
    await live(tab);
    const seen: unknown[] = [];
    createPostgresChanges(tab.channel).onChanges(
      { table: 'notification_preferences', filter: `user_id=eq.${ada.id}` },
      (changes) => seen.push(...changes),
    );
    const id = await insert(ada);
    await live(tab);
    await getSupabase().database.query(
      'insert into public.notification_preferences (user_id) values ($1) on conflict (user_id) do update set updated_at = now()',
      [ada.id],
    );
    await expect.poll(() => seen).toHaveLength(1);
    expect(tab.ids()).toContain(id);
  });

  it('renews an expired token and receives the changes in between', async () => {
    const tab = openTab(ada);
    await live(tab);
    const statuses: string[] = [];
    tab.channel.subscribe(() => statuses.push(tab.status()));
    getSupabase().realtime.faults.expireTokens();
    const id = await insert(ada);
    await expect.poll(() => statuses).toEqual(['recovering', 'live']);
    await expect.poll(() => tab.ids()).toContain(id);
  });

  it('fails with signed-out when there is no other token', async () => {
    let token: string | null = await tokenOf(ada);
    const tab = openTab(ada, { getAccessToken: () => Promise.resolve(token) });
    await live(tab);
    token = null;
    getSupabase().realtime.faults.expireTokens();
    await expect
      .poll(() => tab.channel.getSnapshot())
      .toMatchObject({ status: 'failed', error: { code: 'signed-out' } });
  });

  it.each([
    ['its channel crashed', () => getSupabase().realtime.faults.crashChannels()],
    ['its socket was cut', () => getSupabase().realtime.faults.dropSockets()],
    ['the server requested a disconnect', () => getSupabase().realtime.faults.requestDisconnect()],
    ['its socket fell silent', () => getSupabase().realtime.faults.swallowFrames()],
  ])('equals the table again after %s', async (_title, fault) => {
    const tab = openTab(ada, { settings: { heartbeatMs: 100, timeoutMs: 200, reconnectDelaysMs: [20] } });
    await live(tab);
    fault();
    await insert(ada);
    await equalToTable(tab, ada);
    await live(tab);
    expect(tab.reported).toEqual([]);
  });

  it(
    'equals the table after the server crashed and recovered during 200 writes',
    { timeout: 60_000 },
    async () => {
      const tabs = [
        openTab(ada, { settings: { reconnectDelaysMs: [20] } }),
        openTab(grace, { settings: { reconnectDelaysMs: [20] } }),
      ];
      await Promise.all(tabs.map(live));
      const { realtime, database } = getSupabase();
      for (let change = 0; change < 200; change += 1) {
        if (change === 60) await realtime.faults.kill();
        if (change === 140) await realtime.faults.recover();
        const user = change % 2 ? ada : grace;
        if (change % 5 === 4)
          await database.query(
            'delete from public.notifications where id = (select id from public.notifications where recipient_id = $1 limit 1)',
            [user.id],
          );
        else await insert(user);
      }
      for (const [index, user] of [ada, grace].entries()) {
        const tab = tabs[index];
        if (!tab) throw new Error('A tab is missing');
        await equalToTable(tab, user);
        await live(tab);
        expect(tab.ids()).toEqual(await idsOf(user));
      }
    },
  );

  it(
    'serves five tabs over one websocket, and over another within 5 s of a closed leader',
    { timeout: 30_000 },
    async () => {
      await expect.poll(() => getSupabase().realtime.statistics.sockets).toBe(0);
      const tabs = Array.from({ length: 5 }, () => openTab(ada, { share: shareSocket }));
      await Promise.all(tabs.map(live));
      expect(getSupabase().realtime.statistics.sockets).toBe(1);
      const [leader, ...others] = tabs;
      leader?.client.close();
      const id = await insert(ada);
      await Promise.all(others.map((tab) => expect.poll(() => tab.ids()).toContain(id)));
      await Promise.all(others.map(live));
      expect(getSupabase().realtime.statistics.sockets).toBe(1);
    },
  );

  it('says that the public key is wrong instead of connecting forever', async () => {
    const { channel } = openTab(ada, { apiKey: 'wrong', settings: { reconnectDelaysMs: [20] } });
    await expect.poll(() => channel.getSnapshot().error?.code).toBe('key-refused');
  });

  it('supports protocol version 1.0.0', async () => {
    const tab = openTab(ada, { vsn: '1.0.0' });
    await live(tab);
    const id = await insert(ada);
    await expect.poll(() => tab.ids()).toContain(id);
  });
});
