import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import { clientAuditsOf, createGate, eventually } from '../../clients/client-audit.ts';
import { notifyOnce } from '../rest/notifications.ts';
import { createPreferences } from '../rest/inbox.ts';
import { at } from '../../target/wire.ts';
import { watchInbox, type WatchedInbox } from './watched-inbox.ts';
import { createPostgresChanges } from 'supabase-protocol-clients/realtime-client/postgres-changes';

const audit = clientAuditsOf('realtime-client');

/** A comparable summary of rows. */
const digest = (rows: readonly { readonly id: string; readonly status: string }[]) =>
  rows
    .map(({ id, status }) => `${id} ${status}`)
    .toSorted()
    .join('\n');

async function assertShowsTable({ table }: WatchedInbox, list: ReturnType<WatchedInbox['watch']>) {
  const expected = digest(await table());
  await eventually('the list is the table', () => {
    const { rows, isCurrent } = list.getSnapshot();
    return isCurrent && digest(rows) === expected;
  });
}

export const clientChangeAudits: readonly Audit[] = [
  audit(
    'CLIENT-RT-101',
    'an insert and an update arrive in order, each with the fields of its type',
    { source: 'protocol/realtime.md#changes' },
    async (context) => {
      const inbox = await watchInbox(context);
      inbox.channel.join();
      await inbox.live();
      const id = await inbox.notify();
      await eventually('the insert', () => inbox.changes.length === 1);
      await inbox.setStatus('read');
      await eventually('the update', () => inbox.changes.length === 2);
      const [inserted, updated] = inbox.changes;
      assert.ok(
        inserted?.type === 'INSERT' && updated?.type === 'UPDATE',
        'an INSERT and an UPDATE are delivered in this order',
      );
      assert.deepEqual(
        [inserted.record.id, inserted.record.status, inserted.record.recipient_id, inserted.table],
        [id, 'unread', inbox.tab.user.id, 'notifications'],
        'id, status, recipient_id and table of the inserted row',
      );
      assert.deepEqual(
        [updated.record.id, updated.record.status],
        [id, 'read'],
        'id and status of the updated row',
      );
      for (const { commitTimestamp } of inbox.changes)
        assert.ok(Date.parse(commitTimestamp) > 0, 'the commit timestamp is a date');
    },
  ),
  audit(
    'CLIENT-RT-102',
    'a listener of one type receives only that type',
    { source: 'protocol/realtime.md#changes' },
    async (context) => {
      const inbox = await watchInbox(context, { binding: { event: 'INSERT' } });
      inbox.channel.join();
      await inbox.live();
      await inbox.notify();
      await inbox.setStatus('read');
      await inbox.notify();
      await eventually('both inserts', () => inbox.changes.length === 2);
      assert.deepEqual(
        inbox.changes.map(({ type }) => type),
        ['INSERT', 'INSERT'],
        'the changes of the inbox',
      );
    },
  ),
  audit(
    'CLIENT-RT-103',
    "another user's rows never arrive, even without a filter",
    { source: 'protocol/realtime.md#changes-and-policies' },
    async (context) => {
      const { server } = context;
      // The server sends the key of a DELETE to every subscriber.
      const binding = { event: ['INSERT', 'UPDATE'], filter: 'status=eq.unread' } as const;
      const inbox = await watchInbox(context, { binding });
      inbox.channel.join();
      await inbox.live();
      const stranger = await server.newUser();
      await notifyOnce(server, inbox.tab.user, stranger);
      const id = await inbox.notify();
      await eventually('the own row', () => inbox.changes.length > 0);
      assert.deepEqual(
        inbox.changes.map((change) => change.type === 'INSERT' && change.record.id),
        [id],
        'the changes of the inbox',
      );
    },
  ),
  audit(
    'CLIENT-RT-104',
    'one channel serves several tables, each with its listener',
    { source: 'protocol/realtime.md#channels-of-a-client' },
    async (context) => {
      const { server } = context;
      const inbox = await watchInbox(context);
      const preferences: string[] = [];
      const { user } = inbox.tab;
      createPostgresChanges(inbox.channel).on(
        { table: 'notification_preferences', filter: `user_id=eq.${user.id}` },
        ({ table, type }) => preferences.push(`${table} ${type}`),
      );
      inbox.channel.join();
      await inbox.live();
      await createPreferences(server, user);
      await inbox.notify();
      await eventually('both changes', () => inbox.changes.length > 0 && preferences.length > 0);
      assert.deepEqual(preferences, ['notification_preferences INSERT'], 'the preferences');
      assert.equal(inbox.changes.length, 1, 'the number of changes of the inbox');
      assert.equal(inbox.sent('phx_join').length, 1, 'the number of sent phx_join frames');
    },
  ),
  audit(
    'CLIENT-RT-105',
    'a live list equals the table after writes during its read',
    { source: 'protocol/realtime.md#gaps' },
    async (context) => {
      const inbox = await watchInbox(context);
      await inbox.notify();
      const list = inbox.watch();
      const stop = list.start();
      await inbox.notify();
      await inbox.setStatus('read');
      await inbox.live();
      await inbox.notify();
      await assertShowsTable(inbox, list);
      assert.equal(list.getSnapshot().rows.length, 3, 'the number of rows of the live query');
      // The read's response is older than a change that arrives before it.
      const { wire } = inbox.tab;
      const changed = createGate();
      const responded = createGate();
      wire.scriptResponse('/rest/v1/notifications', async () => {
        const rows = await inbox.table();
        responded.open();
        await changed.opened;
        return Response.json(rows);
      });
      list.refresh();
      await responded.opened;
      const late = await inbox.notify();
      await eventually('the insert', () =>
        inbox.changes.some((change) => change.type === 'INSERT' && change.record.id === late),
      );
      changed.open();
      await assertShowsTable(inbox, list);
      assert.equal(list.getSnapshot().rows.length, 4, 'the number of rows of the live query');
      stop();
    },
  ),
  audit(
    'CLIENT-RT-106',
    'after a lost socket the channel recovers and announces a gap, and a live list closes it',
    { source: 'protocol/realtime.md#gaps' },
    async (context) => {
      const inbox = await watchInbox(context);
      const list = inbox.watch();
      const stop = list.start();
      await inbox.live();
      const kept = await inbox.notify();
      inbox.tab.wire.cut();
      await eventually('recovering', () => inbox.channel.getSnapshot().status === 'recovering');
      assert.equal(list.getSnapshot().isCurrent, false, 'isCurrent of the live query');
      await inbox.notify();
      await inbox.remove(kept);
      inbox.tab.wire.mend();
      await inbox.live();
      assert.deepEqual(
        inbox.losses.map(({ continuity, reason }) => [continuity, reason]),
        [['lost', 'rejoined']],
        'the losses of the inbox',
      );
      await assertShowsTable(inbox, list);
      stop();
    },
  ),
  audit(
    'CLIENT-RT-107',
    'a silent open socket is detected by its heartbeat and replaced',
    { source: 'protocol/realtime.md#liveness' },
    async (context) => {
      const inbox = await watchInbox(context, { settings: { heartbeatMs: 250, timeoutMs: 2_000 } });
      inbox.channel.join();
      await inbox.live();
      const { wire } = inbox.tab;
      await eventually('a heartbeat', () => wire.sent.some(({ event }) => event === 'heartbeat'));
      assert.equal(wire.socketUrls.length, 1, 'the number of opened sockets');
      wire.silence();
      await eventually('another socket', () => wire.socketUrls.length === 2);
      await inbox.live();
      const id = await inbox.notify();
      await eventually('the insert', () => inbox.changes.length > 0);
      const [change] = inbox.changes;
      assert.equal(change?.type === 'INSERT' && change.record.id, id, 'the id of the changed row');
      assert.deepEqual(
        at(
          wire.sent.find(({ event }) => event === 'heartbeat'),
          'payload',
        ),
        {},
        'payload of the heartbeat',
      );
    },
  ),
];
