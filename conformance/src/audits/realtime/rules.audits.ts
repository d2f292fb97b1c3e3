import { assert } from '../../target/assertion.ts';
import { WebSocket } from 'ws';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { at } from '../../target/wire.ts';
import { join, joinOk, settle, topic, withSocket, NO_CLAUSE } from './audit-socket.ts';
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

const KEYWORDS = 'the Access module supports only keyword lists (with atom keys), got: ';
/** Payloads of a join that the service cannot read, with the reason. */
const MALFORMED: readonly (readonly [payload: unknown, reason: string])[] = [
  ['text', 'expected params to be a :map, got: `"text"`'],
  [[1, 'a', null], 'expected params to be a :map, got: `[1, "a", nil]`'],
  [{ config: [] }, `${KEYWORDS}"broadcast"`],
  [{ config: 'x' }, NO_CLAUSE],
  [{ config: { broadcast: [] } }, `${KEYWORDS}"replication_ready"`],
  [{ config: { broadcast: 5 } }, NO_CLAUSE],
  [{ config: { postgres_changes: [5] } }, 'expected a map, got: 5'],
  [
    { config: { postgres_changes: [[1.5, 'a', true, { b: [], a: {} }]] } },
    'expected a map, got: [1.5, "a", true, %{"a" => %{}, "b" => []}]',
  ],
];

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
  ...MALFORMED.map(([payload, reason], index) =>
    audit(
      `RT-${386 + index}`,
      `the refusal of the join payload ${JSON.stringify(payload)} says what was expected`,
      { source, level: 'SHOULD', since: '1.0.0' },
      async (context) => {
        const { accessToken } = await context.newUser();
        await withSocket(context, async (socket) => {
          const isObject = typeof payload === 'object' && !Array.isArray(payload);
          socket.send(
            '1',
            '1',
            topic,
            'phx_join',
            isObject ? { ...payload, access_token: accessToken } : payload,
          );
          const reply = await socket.expect('the reply', isReply('1'));
          assert.equal(at(reply.payload, 'status'), 'error', 'status of the reply');
          const found = String(at(reply.payload, 'response', 'reason'));
          // Releases of the service break lines at other places, and some add advice.
          const line = found.replaceAll(/\s+/g, ' ').slice(0, `UnknownErrorOnChannel: ${reason}`.length);
          assert.equal(line, `UnknownErrorOnChannel: ${reason}`, 'the reason of the reply');
        });
      },
    ),
  ),
  audit(
    'RT-394',
    'a setting of a channel that has another type counts as absent',
    { source, level: 'SHOULD', since: '1.0.0' },
    async (context) => {
      const { accessToken } = await context.newUser();
      await withSocket(context, async (socket) => {
        const settings = [
          { postgres_changes: 'x' },
          { postgres_changes: [null] },
          { presence: [] },
          { presence: { key: 5, enabled: 'no' } },
          { private: 1 },
          { broadcast: { ack: 1, self: 'yes' } },
        ];
        for (const [index, config] of settings.entries()) {
          const ref = String(index + 1);
          const reply = await join(socket, `other-types-${ref}`, { accessToken }, config, ref);
          const accepted = { status: 'ok', response: { postgres_changes: [] } };
          assert.deepEqual(reply, accepted, `the reply to ${JSON.stringify(config)}`);
        }
        socket.send('6', '7', 'realtime:other-types-6', 'broadcast', shout);
        await settle(socket, '8');
        assert.equal(socket.received.some(isReply('7')), false, 'a reply to the broadcast');
      });
    },
  ),
  audit(
    'RT-395',
    'a flag of a channel may be a text in any case',
    { source, level: 'SHOULD', since: '1.0.0' },
    async (context) => {
      const { accessToken } = await context.newUser();
      await withSocket(context, async (socket) => {
        const broadcast = { ack: 'True', self: 'TRUE' };
        await joinOk(socket, 'audit', { accessToken }, { broadcast, private: 'False' }, '1');
        socket.send('1', '2', topic, 'broadcast', shout);
        assert.equal(await statusOf(socket, '2'), 'ok', 'the status');
        await socket.expect('the own broadcast', ({ event }) => event === 'broadcast');
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
