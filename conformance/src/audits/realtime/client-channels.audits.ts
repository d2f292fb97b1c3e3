import { assert } from '../../target/assertion.ts';
import { nextTokenSecond } from '../../audit/audit-context.ts';
import type { Audit } from '../../audit/audit.ts';
import { ageToken, EXPIRED_MS } from '../../clients/tab.ts';
import { clientAuditsOf, eventually } from '../../clients/client-audit.ts';
import { isSystem } from './frame-socket.ts';
import { at } from '../../target/wire.ts';
import { watchInbox } from './watched-inbox.ts';
import { createPostgresChanges } from 'supabase-protocol-clients/realtime-client/postgres-changes';

const audit = clientAuditsOf('realtime-client');
const source = 'protocol/realtime.md#channels-of-a-client';

export const clientChannelAudits: readonly Audit[] = [
  audit(
    'CLIENT-RT-201',
    'a channel is live only after the confirmation of the server',
    { source },
    async (context) => {
      const { channel, tab, statuses, live } = await watchInbox(context);
      let isConfirmed = false;
      channel.subscribe(() => {
        if (channel.getSnapshot().status === 'live') isConfirmed = tab.wire.received.some(isSystem('ok'));
      });
      channel.join();
      await live();
      assert.equal(isConfirmed, true, 'the confirmation');
      assert.deepEqual(statuses.slice(-3), ['connecting', 'joined', 'live'], 'the statuses');
    },
  ),
  audit(
    'CLIENT-RT-202',
    "the join carries the user's token and the bindings; the socket's URL carries the public key only",
    { source: 'protocol/realtime.md#handshake' },
    async (context) => {
      const { channel, tab, sent, live } = await watchInbox(context);
      channel.join();
      await live();
      const [join] = sent('phx_join');
      assert.equal(
        at(join?.payload, 'access_token'),
        await tab.auth.getAccessToken(),
        'access_token of the join',
      );
      assert.deepEqual(
        at(join?.payload, 'config', 'postgres_changes'),
        [
          {
            event: '*',
            schema: 'public',
            table: 'notifications',
            filter: `recipient_id=eq.${tab.user.id}`,
          },
        ],
        'config.postgres_changes of the join',
      );
      const { searchParams } = new URL(tab.wire.socketUrls[0] ?? '');
      assert.deepEqual(
        Object.fromEntries(searchParams),
        { apikey: tab.apiKey, vsn: '2.0.0' },
        'the search params',
      );
    },
  ),
  audit('CLIENT-RT-203', 'an expired token is refreshed before the join', { source }, async (context) => {
    const { channel, tab, sent, live } = await watchInbox(context);
    const old = await tab.auth.getAccessToken();
    await nextTokenSecond();
    ageToken(tab, EXPIRED_MS);
    channel.join();
    await live();
    const tokens = sent('phx_join').map(({ payload }) => at(payload, 'access_token'));
    assert.deepEqual(tokens, [await tab.auth.getAccessToken()], 'the tokens');
    assert.ok(!tokens.includes(old), 'the expired token is sent to no channel');
  }),
  audit(
    'CLIENT-RT-204',
    'a new token is pushed to a joined channel, which stays live without another join',
    { source },
    async (context) => {
      const { channel, tab, sent, live, notify, changes } = await watchInbox(context);
      channel.join();
      await live();
      await nextTokenSecond();
      const { accessToken } = await tab.auth.refreshSession();
      await eventually('the push', () => sent('access_token').length > 0);
      assert.deepEqual(
        sent('access_token').map(({ payload }) => payload),
        [{ access_token: accessToken }],
        'the sent frames',
      );
      await notify();
      await eventually('the insert', () => changes.length === 1);
      assert.equal(sent('phx_join').length, 1, 'the number of sent frames');
    },
  ),
  audit(
    'CLIENT-RT-210',
    'a token with other claims, which the server may hold for ten seconds, is sent with a new join',
    { source },
    async (context) => {
      const { channel, tab, sent, live, notify, changes } = await watchInbox(context);
      channel.join();
      await live();
      await nextTokenSecond();
      await tab.auth.refreshSession();
      await eventually('the push', () => sent('access_token').length === 1);
      await tab.auth.updateUser({ data: { team: 'red' } });
      const { accessToken } = await tab.auth.refreshSession();
      await eventually('the join', () => sent('phx_join').length === 2);
      assert.equal(
        at(sent('phx_join')[1]?.payload, 'access_token'),
        accessToken,
        'access_token of the second join',
      );
      await live();
      await notify();
      await eventually('the insert', () => changes.length === 1);
    },
  ),
  audit(
    'CLIENT-RT-205',
    'after a sign-out the channel is left with a typed reason and delivers nothing',
    { source },
    async (context) => {
      const inbox = await watchInbox(context);
      inbox.channel.join();
      await inbox.live();
      await inbox.tab.auth.signOut({ scope: 'local' });
      await eventually('the failure', () => inbox.channel.getSnapshot().error?.code === 'signed-out');
      assert.equal(inbox.sent('phx_leave').length, 1, 'the number of sent phx_leave frames');
      const elsewhere = await context.signIn({ user: inbox.tab.user });
      const arrived: unknown[] = [];
      const other = elsewhere.realtime.channel('inbox');
      createPostgresChanges(other).on({ event: 'INSERT', table: 'notifications' }, (change) =>
        arrived.push(change),
      );
      other.join();
      await eventually('live elsewhere', () => other.getSnapshot().status === 'live');
      await inbox.notify();
      await eventually('the insert elsewhere', () => arrived.length === 1);
      assert.deepEqual(inbox.changes, [], 'the changes of the inbox');
    },
  ),
  audit(
    'CLIENT-RT-206',
    'a refused subscription is a typed failure and is not retried',
    { source },
    async (context) => {
      const { tab, channel, live } = await watchInbox(context);
      const refused = tab.realtime.channel('refused');
      createPostgresChanges(refused).on({ table: 'no_such_table' }, () => {});
      refused.join();
      await eventually('the failure', () => refused.getSnapshot().status === 'failed');
      assert.equal(
        refused.getSnapshot().error?.code,
        'subscription-refused',
        'the code of the error of the snapshot',
      );
      channel.join();
      await live();
      const joins = tab.wire.sent.filter(
        ({ event, topic }) => event === 'phx_join' && topic.endsWith('refused'),
      );
      assert.equal(joins.length, 1, 'the number of joins');
    },
  ),
  audit(
    'CLIENT-RT-207',
    'unmounting and remounting at once, as in StrictMode, sends one join and no leave',
    { source },
    async (context) => {
      const { channel, sent, live, notify, changes } = await watchInbox(context);
      const leave = channel.join();
      leave();
      const leaveAgain = channel.join();
      await live();
      leaveAgain();
      channel.join();
      await notify();
      await eventually('the insert', () => changes.length > 0);
      assert.deepEqual(
        [sent('phx_join').length, sent('phx_leave').length, changes.length],
        [1, 0, 1],
        'the numbers of joins, leaves and changes',
      );
    },
  ),
  audit(
    'CLIENT-RT-208',
    'ending the last use leaves the channel; a later join receives changes again',
    { source },
    async (context) => {
      const settings = { leaveGraceMs: 0 };
      const { channel, tab, sent, live, notify, changes } = await watchInbox(context, { settings });
      const [first, second] = [channel.join(), channel.join()];
      await live();
      first();
      first();
      await notify();
      await eventually('the insert', () => changes.length === 1);
      second();
      await eventually('the leave', () => channel.getSnapshot().status === 'closed');
      assert.equal(sent('phx_leave').length, 1, 'the number of sent frames');
      await notify();
      channel.join();
      await live();
      const id = await notify();
      const ids = () => changes.map((change) => (change.type === 'INSERT' ? change.record.id : null));
      // The real server may still deliver a change that was committed while the channel was leaving.
      await eventually('the next insert', () => ids().includes(id));
      assert.equal(new Set(ids()).size, changes.length, 'the number of ids');
      assert.ok(tab.wire.socketUrls.length <= 2, 'at most two sockets are opened');
    },
  ),
  audit('CLIENT-RT-209', 'all channels of a tab share one socket', { source }, async (context) => {
    const { channel, tab, live } = await watchInbox(context);
    const other = tab.realtime.channel('other');
    createPostgresChanges(other).on({ table: 'notification_preferences' }, () => {});
    channel.join();
    other.join();
    await live();
    await eventually('the other one', () => other.getSnapshot().status === 'live');
    assert.equal(tab.wire.socketUrls.length, 1, 'the number of opened sockets');
  }),
];
