import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { at } from '../../target/wire.ts';
import { inboxOf, joinLive, settle, topic, withPair, withSocket } from './audit-socket.ts';
import { indexOf, isChange, isEvent, isReply, isSystem, joinPayload } from './frame-socket.ts';

const audit = auditsOf('realtime');

export const realtimeChannelAudits: readonly Audit[] = [
  audit(
    'RT-160',
    'the reply to a join without bindings contains an empty list',
    { source: 'protocol/realtime.md#joins', level: 'SHOULD' },
    async (context) => {
      const user = await context.newUser();
      await withSocket(context, async (socket) => {
        socket.send('1', '1', topic, 'phx_join', joinPayload(user.accessToken, []));
        const { payload } = await socket.expect('the reply', isReply('1'));
        assert.deepEqual(payload, { status: 'ok', response: { postgres_changes: [] } }, 'the payload');
      });
    },
  ),
  audit(
    'RT-161',
    'the message of a live subscription names the channel without its prefix',
    { source: 'protocol/realtime.md#joins' },
    (context) =>
      withPair(context, async ({ ada, socket }) => {
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        const { payload } = await socket.expect('system ok', isSystem('ok'), isSystem('error'));
        assert.equal(at(payload, 'channel'), 'audit', 'channel of the payload');
        assert.equal(at(payload, 'message'), 'Subscribed to PostgreSQL', 'message of the payload');
      }),
  ),
  audit(
    'RT-162',
    'the reply to a leave comes before the close',
    { source: 'protocol/realtime.md#leaving' },
    (context) =>
      withPair(context, async ({ ada, socket }) => {
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        socket.send('1', '8', topic, 'phx_leave', {});
        await socket.expect('phx_close', isEvent('phx_close'));
        assert.ok(
          indexOf(socket, isReply('8')) < indexOf(socket, isEvent('phx_close')),
          'the reply is first',
        );
        assert.ok(indexOf(socket, isReply('8')) >= 0, 'there is a reply');
      }),
  ),
  audit(
    'RT-163',
    'nothing is delivered to a left channel',
    { source: 'protocol/realtime.md#leaving' },
    (context) =>
      withPair(context, async ({ ada, socket, notify }) => {
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        await joinLive(socket, ada.accessToken, [inboxOf(ada)], { name: 'realtime:stays', ref: '2' });
        socket.send('1', '8', topic, 'phx_leave', {});
        await socket.expect('phx_close', isEvent('phx_close'));
        await notify();
        await socket.expect(
          'the insert',
          (frame) => frame.topic === 'realtime:stays' && isChange('INSERT')(frame),
        );
        assert.equal(
          socket.received.filter((frame) => frame.topic === topic && isChange('INSERT')(frame)).length,
          0,
          'the number of received frames',
        );
      }),
  ),
  audit(
    'RT-164',
    'a left channel can be joined again',
    { source: 'protocol/realtime.md#leaving' },
    (context) =>
      withPair(context, async ({ ada, socket, notify }) => {
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        socket.send('1', '8', topic, 'phx_leave', {});
        await socket.expect('phx_close', isEvent('phx_close'));
        socket.send('9', '9', topic, 'phx_join', joinPayload(ada.accessToken, [inboxOf(ada)]));
        await socket.expect('system ok again', () => socket.received.filter(isSystem('ok')).length === 2);
        await notify();
        await socket.expect('the insert', isChange('INSERT'));
      }),
  ),
  audit(
    'RT-165',
    'joining again gets its reply before the old channel is closed',
    { source: 'protocol/realtime.md#joins', level: 'SHOULD' },
    (context) =>
      withPair(context, async ({ ada, socket }) => {
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        socket.send('9', '9', topic, 'phx_join', joinPayload(ada.accessToken, [inboxOf(ada)]));
        await socket.expect('phx_close', isEvent('phx_close'));
        await socket.expect('the reply', isReply('9'));
        assert.ok(
          indexOf(socket, isReply('9')) < indexOf(socket, isEvent('phx_close')),
          'the reply is first',
        );
      }),
  ),
  audit(
    'RT-166',
    'each of several channels receives only the changes of its bindings',
    { source: 'protocol/realtime.md#changes' },
    (context) =>
      withPair(context, async ({ ada, grace, socket, notify }) => {
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        await joinLive(socket, grace.accessToken, [inboxOf(grace)], { name: 'realtime:grace', ref: '2' });
        await notify();
        assert.equal(
          (await socket.expect('the insert', isChange('INSERT'))).topic,
          topic,
          'the topic of the received frame',
        );
        assert.equal(socket.received.filter(isChange('INSERT')).length, 1, 'the number of received frames');
      }),
  ),
  audit(
    'RT-167',
    'a heartbeat gets a reply on a socket with channels, too',
    { source: 'protocol/realtime.md#frames' },
    (context) =>
      withPair(context, async ({ ada, socket }) => {
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        await settle(socket, '77');
      }),
  ),
  audit(
    'RT-168',
    'a socket that closes does not affect the others',
    { source: 'protocol/realtime.md#handshake' },
    (context) =>
      withPair(context, async ({ ada, socket, notify }) => {
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        await withSocket(
          context,
          async (other) => void (await joinLive(other, ada.accessToken, [inboxOf(ada)])),
        );
        await notify();
        await socket.expect('the insert', isChange('INSERT'));
      }),
  ),
  audit(
    'RT-169',
    'two sockets of one user both receive a change',
    { source: 'protocol/realtime.md#changes' },
    (context) =>
      withPair(context, async ({ ada, socket, notify }) => {
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        await withSocket(context, async (other) => {
          await joinLive(other, ada.accessToken, [inboxOf(ada)]);
          await notify();
          await other.expect('the insert there', isChange('INSERT'));
          await socket.expect('the insert here', isChange('INSERT'));
        });
      }),
  ),
];
