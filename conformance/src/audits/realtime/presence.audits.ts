import { assert } from '../../target/assertion.ts';
import { randomUUID } from 'node:crypto';
import type { Frame } from '../../target/frames.ts';
import type { AuditContext, AuditUser } from '../../audit/audit-context.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { at } from '../../target/wire.ts';
import { joinOk, withSocket } from './audit-socket.ts';
import { isReply, isSystem, openFrameSocket, type FrameSocket } from './frame-socket.ts';

const audit = auditsOf('realtime');
const source = 'protocol/realtime.md#presence';

const isBroadcast = (frame: Frame) => frame.event === 'broadcast';
const isDiff = (frame: Frame) => frame.event === 'presence_diff';

/** The user's private channel, which she can read but not write. */
const inboxOf = ({ id }: AuditUser) => `user:${id}`;

const rights: readonly Audit[] = [
  audit(
    'RT-208',
    'a private broadcast without a policy for writing gets no reply and is not delivered',
    { source: 'protocol/realtime.md#broadcast' },
    async (context) => {
      const ada = await context.newUser();
      await withSocket(context, async (socket) => {
        await joinOk(socket, inboxOf(ada), ada, { private: true, broadcast: { ack: true, self: true } });
        const shout = { type: 'broadcast', event: 'shout', payload: {} };
        socket.send('1', '5', `realtime:${inboxOf(ada)}`, 'broadcast', shout);
        // The server handles the channel's second frame after the first one.
        socket.send('1', '6', `realtime:${inboxOf(ada)}`, 'phx_leave', {});
        await socket.expect('the reply to the leave', isReply('6'));
        assert.equal(
          socket.received.some((frame) => isReply('5')(frame) || isBroadcast(frame)),
          false,
          'the received frames',
        );
      });
    },
  ),
  audit(
    'RT-209',
    'tracking on a private channel without a policy for writing gets an error without a reason',
    { source },
    async (context) => {
      const ada = await context.newUser();
      await withSocket(context, async (socket) => {
        await joinOk(socket, inboxOf(ada), ada, { private: true, presence: { enabled: true, key: 'ada' } });
        const track = { type: 'presence', event: 'track', payload: {} };
        socket.send('1', '5', `realtime:${inboxOf(ada)}`, 'presence', track);
        const { payload } = await socket.expect('the reply', isReply('5'));
        assert.deepEqual(payload, { status: 'error', response: {} }, 'the payload');
      });
    },
  ),
];

interface Room {
  readonly one: FrameSocket;
  readonly two: FrameSocket;
  readonly topic: string;
  track(socket: FrameSocket, ref: string, payload: object): Promise<void>;
}

/** Two sockets with the same presence key in a new public topic. */
async function withPresence(context: AuditContext, task: (room: Room) => Promise<void>): Promise<void> {
  const ada = await context.newUser();
  const name = `room-${randomUUID()}`;
  const topic = `realtime:${name}`;
  await withSocket(context, async (one) => {
    const two = await openFrameSocket(context);
    try {
      for (const socket of [one, two])
        await joinOk(socket, name, ada, { presence: { enabled: true, key: 'ada' } });
      await task({
        one,
        two,
        topic,
        async track(socket, ref, payload) {
          socket.send('1', ref, topic, 'presence', { type: 'presence', event: 'track', payload });
          assert.equal(
            at((await socket.expect('the reply', isReply(ref))).payload, 'status'),
            'ok',
            'status of the payload of the received frame',
          );
        },
      });
    } finally {
      two.close();
    }
  });
}

const moodsOf = (payload: unknown, member: string) =>
  ((at(payload, member, 'ada', 'metas') ?? []) as readonly unknown[]).map((meta) => at(meta, 'mood'));

const presence: readonly Audit[] = [
  audit(
    'RT-210',
    'several entries of one key are listed under it, and a leave removes only its own entry',
    { source },
    (context) =>
      withPresence(context, async ({ one, two, topic, track }) => {
        await track(one, '5', { mood: 'calm' });
        await track(two, '5', { mood: 'busy' });
        two.send('1', '6', topic, 'phx_leave', {});
        const left = (frame: Frame) => isDiff(frame) && moodsOf(frame.payload, 'leaves').length > 0;
        const { payload } = await one.expect('the leave', left);
        assert.deepEqual(moodsOf(payload, 'leaves'), ['busy'], 'the moods of the presence');
        await withSocket(context, async (three) => {
          const grace = await context.newUser();
          const config = { presence: { enabled: true, key: 'grace' } };
          await joinOk(three, topic.replace('realtime:', ''), grace, config);
          const state = await three.expect('the state', ({ event }) => event === 'presence_state');
          assert.deepEqual(
            at(state.payload, 'ada', 'metas', 0, 'mood'),
            'calm',
            'ada.metas.0.mood of the state',
          );
          assert.equal(at(state.payload, 'ada', 'metas', 1), undefined, 'ada.metas.1 of the state');
        });
      }),
  ),
  audit('RT-211', 'a socket that closes leaves the presence', { source }, (context) =>
    withPresence(context, async ({ one, two, track }) => {
      await track(two, '5', { mood: 'busy' });
      two.close();
      const left = (frame: Frame) => moodsOf(frame.payload, 'leaves').includes('busy');
      await one.expect('the leave', left);
    }),
  ),
  audit(
    'RT-212',
    'a changed entry leaves with its old reference and joins with a new one in one message',
    { source },
    (context) =>
      withPresence(context, async ({ one, two, track }) => {
        await track(two, '5', { mood: 'busy' });
        await track(two, '6', { mood: 'calm' });
        const changed = (frame: Frame) => moodsOf(frame.payload, 'joins').includes('calm');
        const { payload } = await one.expect('the change', changed);
        assert.deepEqual(moodsOf(payload, 'leaves'), ['busy'], 'the moods of the presence');
        const refOf = (member: string, field: string) => at(payload, member, 'ada', 'metas', 0, field);
        assert.notEqual(
          refOf('joins', 'phx_ref'),
          refOf('leaves', 'phx_ref'),
          'the reference of the presence',
        );
        assert.equal(
          refOf('joins', 'phx_ref_prev'),
          refOf('leaves', 'phx_ref'),
          'the reference of the presence',
        );
      }),
  ),
  audit('RT-213', 'untracking leaves the presence but not the channel', { source }, (context) =>
    withPresence(context, async ({ one, two, topic, track }) => {
      await track(two, '5', { mood: 'busy' });
      two.send('1', '6', topic, 'presence', { type: 'presence', event: 'untrack' });
      await one.expect('the leave', (frame) => moodsOf(frame.payload, 'leaves').includes('busy'));
      await track(one, '5', { mood: 'calm' });
      await two.expect('the other', (frame) => moodsOf(frame.payload, 'joins').includes('calm'));
    }),
  ),
  audit('RT-214', 'tracking the same entry again gets a reply and is not announced', { source }, (context) =>
    withPresence(context, async ({ one, two, track }) => {
      await track(two, '5', { mood: 'busy' });
      await track(two, '6', { mood: 'busy' });
      await track(two, '7', { mood: 'calm' });
      await one.expect('the change', (frame) => moodsOf(frame.payload, 'joins').includes('calm'));
      const announced = one.received.filter((frame) => moodsOf(frame.payload, 'joins').includes('busy'));
      assert.equal(announced.length, 1, 'the number of announcements of the calm mood');
    }),
  ),
  audit(
    'RT-215',
    'the sixth presence call of a channel within its window closes it with a system error',
    { source, level: 'SHOULD' },
    (context) =>
      withPresence(context, async ({ two, topic, track }) => {
        for (let call = 0; call < 5; call += 1) await track(two, `${call + 5}`, { mood: `${call}` });
        two.send('1', '20', topic, 'presence', { type: 'presence', event: 'track', payload: {} });
        const { payload } = await two.expect('system error', isSystem('error'));
        assert.equal(at(payload, 'message'), 'Client presence rate limit exceeded', 'message of the payload');
        await two.expect('phx_close', ({ event }) => event === 'phx_close');
      }),
  ),
  audit('RT-216', 'an entry that is not an object is refused with a reason', { source }, (context) =>
    withPresence(context, async ({ two, topic }) => {
      two.send('1', '5', topic, 'presence', { type: 'presence', event: 'track', payload: 'text' });
      const { payload } = await two.expect('the reply', isReply('5'));
      assert.deepEqual(
        payload,
        {
          status: 'error',
          response: { reason: 'Presence track payload must be a map' },
        },
        'the payload',
      );
    }),
  ),
];

export const realtimePresenceAudits: readonly Audit[] = [...rights, ...presence];
