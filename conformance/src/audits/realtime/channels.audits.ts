import { assert } from '../../target/assertion.ts';
import { WebSocket } from 'ws';
import type { Frame } from '../../target/frames.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { at } from '../../target/wire.ts';
import { NotRunError } from '../../target/target.ts';
import { inboxOf, joinLive, settle, topic, withPair, withSocket } from './audit-socket.ts';
import { isChange, isReply, isSystem, joinPayload, type FrameSocket } from './frame-socket.ts';

const audit = auditsOf('realtime');
const source = 'protocol/realtime.md#tokens-of-channels';

const isEvent = (event: string) => (frame: Frame) => frame.event === event;

const indexOf = (socket: FrameSocket, matches: (frame: Frame) => boolean) =>
  socket.received.findIndex(matches);

const life: readonly Audit[] = [
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

const tokens: readonly Audit[] = [
  audit('RT-170', 'a pushed token gets no reply', { source }, (context) =>
    withPair(context, async ({ ada, socket }) => {
      await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
      socket.send('1', '4', topic, 'access_token', { access_token: ada.accessToken });
      await settle(socket, '78');
      assert.equal(indexOf(socket, isReply('4')), -1, 'the position of the frame');
    }),
  ),
  audit('RT-171', 'pushing the same token again changes nothing', { source }, (context) =>
    withPair(context, async ({ ada, socket, notify }) => {
      await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
      socket.send('1', '4', topic, 'access_token', { access_token: ada.accessToken });
      await settle(socket, '78');
      await notify();
      await socket.expect('the insert', isChange('INSERT'));
      assert.equal(indexOf(socket, isEvent('phx_close')), -1, 'the position of the frame');
    }),
  ),
  audit(
    'RT-172',
    'pushing null or an API key of the newer form changes nothing',
    { source, level: 'SHOULD' },
    (context) =>
      withPair(context, async ({ ada, socket, notify }) => {
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        socket.send('1', '4', topic, 'access_token', { access_token: null });
        socket.send('1', '5', topic, 'access_token', { access_token: 'sb_publishable_x' });
        await settle(socket, '78');
        await notify();
        await socket.expect('the insert', isChange('INSERT'));
      }),
  ),
  audit(
    'RT-173',
    'a pushed token that is not a JWT closes the channel and keeps the socket open',
    { source },
    (context) =>
      withPair(context, async ({ ada, socket }) => {
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        socket.send('1', '4', topic, 'access_token', { access_token: 'not.a.jwt' });
        await socket.expect('system error', isSystem('error'));
        await socket.expect('phx_close', isEvent('phx_close'));
        await settle(socket, '78');
      }),
  ),
  audit(
    'RT-177',
    'of several pushed tokens the newest is verified before the current one expires',
    { source },
    (context) =>
      withPair(context, async ({ ada, socket, notify }) => {
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        const exp = Math.floor(Date.now() / 1000) + 4;
        const short = context.signAgain(ada.accessToken, { exp });
        const newest = context.signAgain(ada.accessToken, { jti: 'newest' });
        socket.send('1', '4', topic, 'access_token', { access_token: short });
        socket.send('1', '5', topic, 'access_token', { access_token: newest });
        await new Promise((resolve) => setTimeout(resolve, 1_000 + exp * 1_000 - Date.now()));
        await settle(socket, '78');
        assert.equal(indexOf(socket, isEvent('phx_close')), -1, 'the position of the frame');
        await notify();
        await socket.expect('the insert', isChange('INSERT'));
      }),
  ),
  audit(
    'RT-326',
    'a token that expires ends the channel with a system error and a close, and the socket stays open',
    { source, since: '1.0.0' },
    (context) =>
      withPair(context, async ({ ada, socket }) => {
        // The first subscription of an idle project takes seconds, in which the short token would expire.
        await joinLive(socket, ada.accessToken, [inboxOf(ada)], { name: 'realtime:first', ref: '2' });
        const exp = Math.floor(Date.now() / 1000) + 4;
        await joinLive(socket, context.signAgain(ada.accessToken, { exp }), [inboxOf(ada)]);
        await socket.expect('phx_close', isEvent('phx_close'));
        const message = socket.received.find(isSystem('error'))?.payload;
        assert.match(String(at(message, 'message')), /expired/, 'message of the system error');
        await settle(socket, '78');
      }),
  ),
  audit(
    'RT-174',
    'the refusal of a join names its reason',
    { source: 'protocol/realtime.md#refused-joins' },
    (context) =>
      withSocket(context, async (socket) => {
        socket.send('1', '1', topic, 'phx_join', joinPayload('not.a.jwt', []));
        const { payload } = await socket.expect('the refusal', isReply('1'));
        assert.match(
          String(at(payload, 'response', 'reason')),
          /JWT|Unauthorized/i,
          'response.reason of the payload',
        );
      }),
  ),
  audit(
    'RT-175',
    'a socket without an API key is refused',
    { source: 'protocol/realtime.md#handshake' },
    (context) => isRefused(context, '?vsn=2.0.0'),
  ),
  audit(
    'RT-176',
    'a socket with an invalid API key is refused',
    { source: 'protocol/realtime.md#handshake' },
    (context) => isRefused(context, '?vsn=2.0.0&apikey=no-such-key'),
  ),
];

async function isRefused({ target }: AuditContext, query: string): Promise<void> {
  if (target.realtimeUrl === null) throw new NotRunError('the target has no realtime service');
  const socket = new WebSocket(target.realtimeUrl + query);
  const outcome = await new Promise<string>((resolve) => {
    socket.once('open', () => resolve('opened'));
    socket.once('error', ({ message }) => resolve(message));
  });
  socket.terminate();
  assert.match(outcome, /40[13]/, 'the outcome');
}

const older: readonly Audit[] = [
  audit(
    'RT-180',
    'with vsn 1.0.0 a frame is an object',
    { source: 'protocol/realtime.md#frames', level: 'SHOULD' },
    async ({ target }) => {
      if (target.realtimeUrl === null) throw new NotRunError('the target has no realtime service');
      const socket = new WebSocket(
        `${target.realtimeUrl}?apikey=${encodeURIComponent(target.anonKey)}&vsn=1.0.0`,
      );
      try {
        await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
        const received = new Promise<unknown>((resolve) => {
          socket.once('message', (data) => resolve(JSON.parse((data as Buffer).toString())));
        });
        socket.send(JSON.stringify({ topic: 'phoenix', event: 'heartbeat', payload: {}, ref: '3' }));
        const reply = await received;
        assert.equal(at(reply, 'event'), 'phx_reply', 'event of the reply');
        assert.equal(at(reply, 'ref'), '3', 'ref of the reply');
        assert.equal(at(reply, 'payload', 'status'), 'ok', 'payload.status of the reply');
      } finally {
        socket.terminate();
      }
    },
  ),
];

export const realtimeChannelAudits: readonly Audit[] = [...life, ...tokens, ...older];
