import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { assertStatus, at } from '../../target/wire.ts';
import { joinOk, newRoom, settle, withSocket, withSockets } from './audit-socket.ts';
import type { Frame } from '../../target/frames.ts';
import { httpWith } from './broadcast-http.ts';
import { indexOf, isBroadcast, isEvent, isReply, type FrameSocket } from './frame-socket.ts';

const audit = auditsOf('realtime');

const shout = { type: 'broadcast', event: 'shout', payload: { text: 'hello' } };
const isShout = (frame: Frame) => frame.event === 'broadcast' && at(frame.payload, 'event') === 'shout';

/** Two sockets that have joined the same new topic. */
async function withRoom(
  context: AuditContext,
  config: object,
  task: (one: FrameSocket, two: FrameSocket, room: string) => Promise<void>,
) {
  const user = await context.newUser();
  const room = `room-${user.id}`;
  await withSockets(context, async (open) => {
    const [one, two] = [await open(), await open()];
    for (const socket of [one, two]) await joinOk(socket, room, user, config);
    await task(one, two, `realtime:${room}`);
  });
}

/** Broadcast and presence in public channels, and the refusal of a private one. */
export const realtimeBroadcastAudits: readonly Audit[] = [
  audit(
    'RT-181',
    'a broadcast reaches the other channels of the topic, and not its sender',
    { source: 'protocol/realtime.md#broadcast', level: 'SHOULD' },
    (context) =>
      withRoom(context, { broadcast: { ack: false, self: false } }, async (one, two, room) => {
        one.send('1', '5', room, 'broadcast', shout);
        assert.deepEqual(
          at((await two.expect('the broadcast', isShout)).payload, 'payload'),
          {
            text: 'hello',
          },
          'payload of the broadcast',
        );
        await settle(one, '79');
        assert.equal(indexOf(one, isShout), -1, 'the position of the frame');
      }),
  ),
  audit(
    'RT-182',
    'with self a broadcast also reaches its sender',
    { source: 'protocol/realtime.md#broadcast', level: 'SHOULD' },
    (context) =>
      withRoom(context, { broadcast: { ack: false, self: true } }, async (one, _two, room) => {
        one.send('1', '5', room, 'broadcast', shout);
        await one.expect('the broadcast', isShout);
      }),
  ),
  audit(
    'RT-183',
    'with ack a broadcast gets a reply',
    { source: 'protocol/realtime.md#broadcast', level: 'SHOULD' },
    (context) =>
      withRoom(context, { broadcast: { ack: true, self: false } }, async (one, _two, room) => {
        one.send('1', '5', room, 'broadcast', shout);
        assert.equal(
          at((await one.expect('the reply', isReply('5'))).payload, 'status'),
          'ok',
          'status of the payload of the received frame',
        );
      }),
  ),
  audit(
    'RT-184',
    'a broadcast by HTTP responds 202 and is delivered',
    { source: 'protocol/realtime.md#broadcast', level: 'SHOULD' },
    (context) =>
      withRoom(context, {}, async (one, _two, room) => {
        const message = { topic: room.replace('realtime:', ''), ...shout };
        const send = httpWith(context, context.target.anonKey);
        assertStatus(await send('/broadcast', { body: { messages: [message] } }), 202);
        await one.expect('the broadcast', isShout);
      }),
  ),
  audit(
    'RT-324',
    'a private broadcast does not reach the public channel of the same name',
    { source: 'protocol/realtime.md#broadcast', needs: ['service-key'], since: '1.0.0' },
    (context) =>
      withRoom(context, {}, async (one, _two, room) => {
        const send = httpWith(context, context.target.serviceKey ?? '');
        const topic = room.replace('realtime:', '');
        for (const message of [{ ...shout, event: 'secret', private: true }, shout])
          assertStatus(await send('/broadcast', { body: { messages: [{ topic, ...message }] } }), 202);
        await one.expect('the public broadcast', isShout);
        const events = one.received.filter(isBroadcast).map(({ payload }) => at(payload, 'event'));
        assert.deepEqual(events, ['shout'], 'the events of the received broadcasts');
      }),
  ),
  audit(
    'RT-361',
    'a broadcast arrives with each member of its payload, and with neither ref nor join_ref',
    { source: 'protocol/realtime.md#broadcast', since: '1.0.0' },
    (context) =>
      withRoom(context, {}, async (one, two, room) => {
        const sent = {
          ...shout,
          payload: { list: [1, null, { deep: true }], text: 'größe' },
          more: { n: 1.5 },
        };
        one.send('1', '5', room, 'broadcast', sent);
        const { joinRef, ref, topic, payload } = await two.expect('the broadcast', isShout);
        assert.deepEqual(
          [joinRef, ref, topic],
          [null, null, room],
          'join_ref, ref and topic of the broadcast',
        );
        assert.deepEqual(payload, sent, 'the payload of the broadcast');
      }),
  ),
  audit(
    'RT-362',
    'broadcasts arrive once and in their order, at no other topic',
    { source: 'protocol/realtime.md#broadcast', since: '1.0.0' },
    (context) =>
      withRoom(context, {}, async (one, two, room) => {
        const user = await context.newUser();
        const names = ['2', '-more', ':1'].map((end) => `${room.replace('realtime:', '')}${end}`);
        for (const [index, name] of names.entries()) await joinOk(two, name, user, {}, `${index + 2}`);
        for (const n of [1, 2, 3, 4, 5]) one.send('1', `${n + 4}`, room, 'broadcast', { ...shout, n });
        await two.expect('the last broadcast', ({ payload }) => at(payload, 'n') === 5);
        await settle(two, '79');
        assert.deepEqual(
          two.received.filter(isBroadcast).map(({ topic, payload }) => [topic, at(payload, 'n')]),
          [1, 2, 3, 4, 5].map((n) => [room, n]),
          'the topics and the numbers of the broadcasts',
        );
      }),
  ),
  audit(
    'RT-421',
    'a broadcast that is not an object ends its channel with phx_error if another one would receive it, and is not sent',
    { source: 'protocol/realtime.md#broadcast', level: 'SHOULD', since: '1.0.0' },
    async (context) => {
      const user = await context.newUser();
      for (const [index, payload] of ['text', [1], null, 5, true].entries())
        await withSockets(context, async (open) => {
          const [one, two] = [await open(), await open()];
          const name = `${newRoom()}-${index}`;
          const room = `realtime:${name}`;
          await joinOk(one, name, user, { broadcast: { ack: true } });
          one.send('1', '5', room, 'broadcast', payload);
          const alone = await one.expect('the reply without another channel', isReply('5'));
          assert.deepEqual(alone.payload, { status: 'ok', response: {} }, 'the payload of the reply');
          await joinOk(two, name, user, {});
          one.send('1', '6', room, 'broadcast', payload);
          const { joinRef } = await one.expect('phx_error', isEvent('phx_error'));
          assert.equal(joinRef, '1', 'join_ref of phx_error');
          await settle(two, '7');
          assert.equal(two.received.some(isBroadcast), false, 'a received broadcast');
        });
    },
  ),
  audit(
    'RT-185',
    'a join is followed by the presence state',
    { source: 'protocol/realtime.md#presence', level: 'SHOULD' },
    (context) =>
      withRoom(context, { presence: { enabled: true, key: 'p' } }, async (one) => {
        await one.expect('presence_state', isEvent('presence_state'));
      }),
  ),
  audit(
    'RT-186',
    'a join and a leave of presence reach the other channels',
    { source: 'protocol/realtime.md#presence', level: 'SHOULD' },
    (context) =>
      withRoom(context, { presence: { enabled: true, key: 'p' } }, async (one, two, room) => {
        two.send('1', '6', room, 'presence', {
          type: 'presence',
          event: 'track',
          payload: { mood: 'well' },
        });
        const joined = (frame: Frame) =>
          frame.event === 'presence_diff' && at(frame.payload, 'joins', 'p', 'metas', 0, 'mood') === 'well';
        await one.expect('the arrival', joined);
        two.send('1', '7', room, 'phx_leave', {});
        await one.expect(
          'the leaving',
          (frame) => frame.event === 'presence_diff' && at(frame.payload, 'leaves', 'p') !== undefined,
        );
      }),
  ),
  audit(
    'RT-187',
    'a private channel without a policy for reading is refused as Unauthorized',
    { source: 'protocol/realtime.md#refused-joins' },
    async (context) => {
      const { id, accessToken } = await context.newUser();
      await withSocket(context, async (socket) => {
        const payload = { config: { private: true }, access_token: accessToken };
        socket.send('1', '1', `realtime:private-${id}`, 'phx_join', payload);
        const { payload: reply } = await socket.expect('the reply', isReply('1'));
        assert.equal(at(reply, 'status'), 'error', 'status of the reply');
        assert.match(String(at(reply, 'response', 'reason')), /Unauthorized/, 'response.reason of the reply');
      });
    },
  ),
];
