import { assert } from '../../target/assertion.ts';
import { WebSocket } from 'ws';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { at } from '../../target/wire.ts';
import { join, joinOk, settle, topic, withSocket } from './audit-socket.ts';
import type { Frame } from '../../target/frames.ts';
import { isReply, realtimeUrlOf, type FrameSocket } from './frame-socket.ts';

const audit = auditsOf('realtime');
const source = 'protocol/realtime.md#joins';

const acknowledged = { broadcast: { ack: true } };
const shout = { type: 'broadcast', event: 'shout', payload: { text: 'hello' } };

async function statusOf(socket: FrameSocket, ref: string): Promise<unknown> {
  return at((await socket.expect(`the reply to ${ref}`, isReply(ref))).payload, 'status');
}

const isClose = (frame: Frame) => frame.event === 'phx_close';

/** Rules that were found by differential runs against the real server. */
export const realtimeRuleAudits: readonly Audit[] = [
  audit('RT-188', 'a leave without the join_ref of the channel is ignored', { source }, async (context) => {
    const { accessToken } = await context.newUser();
    await withSocket(context, async (socket) => {
      await joinOk(socket, 'audit', { accessToken }, acknowledged, '1');
      socket.send(null, '2', topic, 'phx_leave', {});
      socket.send('7', '3', topic, 'phx_leave', {});
      socket.send('1', '4', topic, 'broadcast', shout);
      assert.equal(await statusOf(socket, '4'), 'ok', 'the status');
      assert.equal(socket.received.some(isClose), false, 'the received frames');
    });
  }),
  audit(
    'RT-189',
    'a push with the join_ref of an earlier join is handled by the current channel',
    { source, level: 'SHOULD' },
    async (context) => {
      const { accessToken } = await context.newUser();
      await withSocket(context, async (socket) => {
        await joinOk(socket, 'audit', { accessToken }, acknowledged, '1');
        await joinOk(socket, 'audit', { accessToken }, acknowledged, '2');
        socket.send('1', '3', topic, 'broadcast', shout);
        const reply = await socket.expect('the reply', isReply('3'));
        assert.deepEqual(
          [reply.joinRef, at(reply.payload, 'status')],
          ['2', 'ok'],
          'the join ref and status of the reply',
        );
      });
    },
  ),
  audit('RT-190', 'a join with a payload that is not an object is refused', { source }, async (context) => {
    await withSocket(context, async (socket) => {
      socket.send('1', '1', topic, 'phx_join', 'text');
      assert.equal(await statusOf(socket, '1'), 'error', 'the status');
      await settle(socket, '2');
    });
  }),
  audit(
    'RT-328',
    'a join with a binding that is not an object is refused',
    { source, since: '1.0.0' },
    async (context) => {
      const { accessToken } = await context.newUser();
      await withSocket(context, async (socket) => {
        const reply = await join(socket, 'audit', { accessToken }, { postgres_changes: ['notifications'] });
        assert.equal(at(reply, 'status'), 'error', 'status of the reply');
        assert.match(
          String(at(reply, 'response', 'reason')),
          /expected a map/,
          'response.reason of the reply',
        );
      });
    },
  ),
  audit(
    'RT-191',
    'a handshake with an unknown vsn is refused with 403',
    { source: 'protocol/realtime.md#handshake' },
    async ({ target }) => {
      const key = encodeURIComponent(target.anonKey);
      const socket = new WebSocket(`${realtimeUrlOf(target)}?apikey=${key}&vsn=9.0.0`);
      const status = await new Promise((resolve) => {
        socket.once('unexpected-response', (_request, response) => resolve(response.statusCode));
        socket.once('open', () => resolve('open'));
        socket.on('error', () => {});
      });
      socket.terminate();
      assert.equal(status, 403, 'the status');
    },
  ),
  audit(
    'RT-192',
    'a presence message without an event gets ok, one with an unknown event an error',
    { source: 'protocol/realtime.md#presence', level: 'SHOULD' },
    async (context) => {
      const { accessToken } = await context.newUser();
      await withSocket(context, async (socket) => {
        await joinOk(socket, 'audit', { accessToken }, acknowledged, '1');
        socket.send('1', '2', topic, 'presence', {});
        socket.send('1', '3', topic, 'presence', { event: 'unknown' });
        assert.deepEqual(
          [await statusOf(socket, '2'), await statusOf(socket, '3')],
          ['ok', 'error'],
          'the statuses',
        );
      });
    },
  ),
];
