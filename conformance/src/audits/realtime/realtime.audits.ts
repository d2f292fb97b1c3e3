import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { notifyOnce } from '../rest/notifications.ts';
import { withSettingsUnchanged } from '../rest/setting-window.ts';
import { assertStatus, at } from '../../target/wire.ts';
import { inboxOf, joinLive, topic, withSocket } from './audit-socket.ts';
import { isChange, isReply, isSystem, joinPayload } from './frame-socket.ts';

const audit = auditsOf('realtime');
const source = 'protocol/realtime.md#joins';

/** The websocket protocol (Phoenix channels, vsn 2.0.0) and postgres_changes. */
export const realtimeAudits: readonly Audit[] = [
  audit('RT-101', 'a heartbeat gets the reply ok', { source: 'protocol/realtime.md#frames' }, (context) =>
    withSocket(context, async (socket) => {
      socket.send(null, '7', 'phoenix', 'heartbeat', {});
      const reply = await socket.expect('the reply to the heartbeat', isReply('7'));
      assert.equal(reply.topic, 'phoenix', 'the topic of the reply');
      assert.deepEqual(reply.payload, { status: 'ok', response: {} }, 'the payload of the reply');
    }),
  ),
  audit(
    'RT-102',
    'the reply to a join contains the bindings, each with an id',
    { source },
    async (context) => {
      const user = await context.newUser();
      await withSocket(context, async (socket) => {
        socket.send('1', '1', topic, 'phx_join', joinPayload(user.accessToken, [inboxOf(user)]));
        const reply = await socket.expect('the reply to the join', isReply('1'));
        assert.equal(reply.joinRef, '1', 'the join ref of the reply');
        assert.equal(at(reply.payload, 'status'), 'ok', 'status of the payload of the reply');
        const binding = at(reply.payload, 'response', 'postgres_changes', 0);
        assert.equal(typeof at(binding, 'id'), 'number', 'the type of the id of the binding');
        assert.equal(at(binding, 'table'), 'notifications', 'table of the binding');
      });
    },
  ),
  audit(
    'RT-103',
    'the reply comes before the system message of the live subscription',
    { source },
    async (context) => {
      const user = await context.newUser();
      await withSocket(context, async (socket) => {
        await joinLive(socket, user.accessToken, [inboxOf(user)]);
        const order = socket.received
          .filter(({ event }) => event === 'phx_reply' || event === 'system')
          .map(({ event }) => event);
        assert.deepEqual(order.slice(0, 2), ['phx_reply', 'system'], 'the order');
        const system = socket.received.find(isSystem('ok'));
        assert.equal(at(system?.payload, 'extension'), 'postgres_changes', 'extension of the system message');
      });
    },
  ),
  audit(
    'RT-104',
    'an insert arrives with its record and the ids of the bindings',
    { source: 'protocol/realtime.md#changes' },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      await withSocket(context, async (socket) => {
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        const id = await notifyOnce(context, grace, ada);
        const { payload } = await socket.expect('the insert', isChange('INSERT'));
        assert.equal(at(payload, 'data', 'record', 'id'), id, 'data.record.id of the payload');
        assert.equal(at(payload, 'data', 'table'), 'notifications', 'data.table of the payload');
        assert.equal(at(payload, 'data', 'old_record'), undefined, 'data.old_record of the payload');
        assert.equal(
          typeof at(payload, 'data', 'commit_timestamp'),
          'string',
          'the type of data.commit_timestamp of the payload',
        );
        const bound = socket.received.find(isReply('1'));
        assert.ok(
          (at(payload, 'ids') as unknown[]).includes(
            at(bound?.payload, 'response', 'postgres_changes', 0, 'id'),
          ),
          'the change names the binding of the reply to the join',
        );
      });
    },
  ),
  audit(
    'RT-105',
    'an update arrives with the new record and the key of the old one',
    { source: 'protocol/realtime.md#changes' },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      const id = await notifyOnce(context, grace, ada);
      await withSocket(context, async (socket) => {
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        await context.rest.send('PATCH', '/notifications', {
          token: ada.accessToken,
          query: { id: `eq.${id}` },
          body: { status: 'read' },
        });
        const { payload } = await socket.expect('the update', isChange('UPDATE'));
        assert.equal(at(payload, 'data', 'record', 'status'), 'read', 'data.record.status of the payload');
        assert.equal(at(payload, 'data', 'old_record', 'id'), id, 'data.old_record.id of the payload');
      });
    },
  ),
  audit(
    'RT-106',
    'a delete does not arrive if the publication excludes deletions',
    { source: 'protocol/product.md#notifications' },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      const id = await notifyOnce(context, grace, ada);
      await withSettingsUnchanged(context, () =>
        withSocket(context, async (socket) => {
          // A deletion contains only the primary key, so a filter by another column would exclude it.
          const deletions = { event: 'DELETE', schema: 'public', table: 'notifications' };
          await joinLive(socket, ada.accessToken, [inboxOf(ada), deletions]);
          assertStatus(
            await context.rest.send('DELETE', '/notifications', {
              token: ada.accessToken,
              query: { id: `eq.${id}` },
            }),
            204,
          );
          await notifyOnce(context, grace, ada);
          await socket.expect('a later insert', isChange('INSERT'));
          assert.equal(socket.received.filter(isChange('DELETE')).length, 0, 'the number of received frames');
        }),
      );
    },
  ),
  audit(
    'RT-107',
    "another user's inserts do not arrive, even with a filter for them",
    { source: 'protocol/product.md#notifications' },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      await withSocket(context, async (socket) => {
        await joinLive(socket, grace.accessToken, [inboxOf(ada), inboxOf(grace)]);
        await notifyOnce(context, grace, ada);
        await notifyOnce(context, ada, grace);
        const { payload } = await socket.expect("grace's own insert", isChange('INSERT'));
        assert.equal(
          at(payload, 'data', 'record', 'recipient_id'),
          grace.id,
          'data.record.recipient_id of the payload',
        );
        assert.equal(socket.received.filter(isChange('INSERT')).length, 1, 'the number of received frames');
      });
    },
  ),
  audit(
    'RT-108',
    'a binding to a column that does not exist is joined, then reported as a system error',
    { source },
    async (context) => {
      const user = await context.newUser();
      await withSocket(context, async (socket) => {
        socket.send(
          '1',
          '1',
          topic,
          'phx_join',
          joinPayload(user.accessToken, [
            { event: '*', schema: 'public', table: 'notifications', filter: 'no_such_column=eq.1' },
          ]),
        );
        assert.equal(
          at((await socket.expect('the reply', isReply('1'))).payload, 'status'),
          'ok',
          'status of the payload of the received frame',
        );
        await socket.expect('system error', isSystem('error'));
      });
    },
  ),
  audit(
    'RT-109',
    'a leave gets the reply ok, then the channel closes',
    { source: 'protocol/realtime.md#leaving' },
    async (context) => {
      const user = await context.newUser();
      await withSocket(context, async (socket) => {
        await joinLive(socket, user.accessToken, [inboxOf(user)]);
        socket.send('1', '8', topic, 'phx_leave', {});
        assert.equal(
          at((await socket.expect('the reply to the leave', isReply('8'))).payload, 'status'),
          'ok',
          'status of the payload of the received frame',
        );
        await socket.expect('phx_close', ({ event }) => event === 'phx_close');
      });
    },
  ),
  audit(
    'RT-110',
    'a push to a topic without a channel is refused as unmatched topic',
    { source: 'protocol/realtime.md#frames' },
    (context) =>
      withSocket(context, async (socket) => {
        socket.send('5', '5', 'realtime:nowhere', 'access_token', { access_token: 'x' });
        socket.send('5', '6', 'realtime:nowhere', 'broadcast', {});
        const reply = await socket.expect(
          'the refusal',
          ({ event, payload }) => event === 'phx_reply' && at(payload, 'status') === 'error',
        );
        assert.equal(
          at(reply.payload, 'response', 'reason'),
          'unmatched topic',
          'response.reason of the payload of the reply',
        );
      }),
  ),
  audit(
    'RT-111',
    'a join with a token that is not a JWT is refused',
    { source: 'protocol/realtime.md#refused-joins' },
    (context) =>
      withSocket(context, async (socket) => {
        socket.send('1', '1', topic, 'phx_join', joinPayload('not-a-jwt', []));
        assert.equal(
          at((await socket.expect('the refusal', isReply('1'))).payload, 'status'),
          'error',
          'status of the payload of the received frame',
        );
      }),
  ),
  audit('RT-112', 'joining a topic again replaces the channel', { source }, async (context) => {
    const user = await context.newUser();
    await withSocket(context, async (socket) => {
      await joinLive(socket, user.accessToken, [inboxOf(user)]);
      socket.send('9', '9', topic, 'phx_join', joinPayload(user.accessToken, [inboxOf(user)]));
      assert.equal(
        at((await socket.expect('the second reply', isReply('9'))).payload, 'status'),
        'ok',
        'status of the payload of the received frame',
      );
      await socket.expect(
        'the close of the first channel',
        ({ event, joinRef }) => event === 'phx_close' && joinRef === '1',
      );
    });
  }),
  audit(
    'RT-113',
    'rows of one transaction arrive in order with one commit timestamp',
    { source: 'protocol/realtime.md#changes' },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      await withSocket(context, async (socket) => {
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        const body = [0, 1, 2].map((index) => ({
          recipient_id: ada.id,
          content: JSON.stringify({ type: 'comment', entity_id: `n-${index}` }),
        }));
        assertStatus(
          await context.rest.send('POST', '/notifications', { token: grace.accessToken, body }),
          201,
        );
        await socket.expect(
          'the third insert',
          () => socket.received.filter(isChange('INSERT')).length === 3,
        );
        const changes = socket.received.filter(isChange('INSERT')).map(({ payload }) => payload);
        assert.deepEqual(
          changes.map((change) => /n-\d/.exec(String(at(change, 'data', 'record', 'content')))?.[0]),
          ['n-0', 'n-1', 'n-2'],
          'the changes',
        );
        assert.equal(
          new Set(changes.map((change) => at(change, 'data', 'commit_timestamp'))).size,
          1,
          'the number of changes',
        );
      });
    },
  ),
  audit(
    'RT-114',
    'changes of preferences arrive for their user',
    { source: 'protocol/product.md#preferences' },
    async (context) => {
      const user = await context.newUser();
      await withSocket(context, async (socket) => {
        await joinLive(socket, user.accessToken, [
          {
            event: '*',
            schema: 'public',
            table: 'notification_preferences',
            filter: `user_id=eq.${user.id}`,
          },
        ]);
        await context.rest.send('POST', '/notification_preferences', {
          token: user.accessToken,
          body: { user_id: user.id },
        });
        await socket.expect('the insert', isChange('INSERT'));
        await context.rest.send('PATCH', '/notification_preferences', {
          token: user.accessToken,
          query: { user_id: `eq.${user.id}` },
          body: { email_edits: true },
        });
        await socket.expect('the update', isChange('UPDATE'));
      });
    },
  ),
  audit(
    'RT-115',
    'a binding for one event type receives no other',
    { source: 'protocol/realtime.md#changes' },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      await withSocket(context, async (socket) => {
        await joinLive(socket, ada.accessToken, [{ ...inboxOf(ada), event: 'UPDATE' }]);
        const id = await notifyOnce(context, grace, ada);
        await context.rest.send('PATCH', '/notifications', {
          token: ada.accessToken,
          query: { id: `eq.${id}` },
          body: { status: 'read' },
        });
        await socket.expect('the update', isChange('UPDATE'));
        assert.equal(socket.received.filter(isChange('INSERT')).length, 0, 'the number of received frames');
      });
    },
  ),
  audit(
    'RT-116',
    'a pushed token keeps the subscription alive',
    { source: 'protocol/realtime.md#tokens-of-channels' },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      const next = await context.signIn(ada.email, ada.password);
      await withSocket(context, async (socket) => {
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        socket.send('1', '4', topic, 'access_token', { access_token: String(at(next.json, 'access_token')) });
        await socket.expect('a second system ok', () => socket.received.filter(isSystem('ok')).length === 2);
        await notifyOnce(context, grace, ada);
        await socket.expect('the insert', isChange('INSERT'));
      });
    },
  ),
];
