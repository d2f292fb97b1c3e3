import { assert } from '../../target/assertion.ts';
import { randomUUID } from 'node:crypto';
import type { Frame } from '../../target/frames.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { at } from '../../target/wire.ts';
import { inboxTopicOf, joinOk, withSocket, withSockets } from './audit-socket.ts';
import { isBroadcast, isEvent, isReply, isSystem, type FrameSocket } from './frame-socket.ts';

const audit = auditsOf('realtime');
const source = 'protocol/realtime.md#presence';
const since = '1.0.0';

const isDiff = isEvent('presence_diff');

const rights: readonly Audit[] = [
  audit(
    'RT-208',
    'a private broadcast without a policy for writing gets no reply and is not delivered',
    { source: 'protocol/realtime.md#broadcast' },
    async (context) => {
      const ada = await context.newUser();
      await withSocket(context, async (socket) => {
        await joinOk(socket, inboxTopicOf(ada), ada, { private: true, broadcast: { ack: true, self: true } });
        const shout = { type: 'broadcast', event: 'shout', payload: {} };
        socket.send('1', '5', `realtime:${inboxTopicOf(ada)}`, 'broadcast', shout);
        // The server handles the channel's second frame after the first one.
        socket.send('1', '6', `realtime:${inboxTopicOf(ada)}`, 'phx_leave', {});
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
        await joinOk(socket, inboxTopicOf(ada), ada, {
          private: true,
          presence: { enabled: true, key: 'ada' },
        });
        const track = { type: 'presence', event: 'track', payload: {} };
        socket.send('1', '5', `realtime:${inboxTopicOf(ada)}`, 'presence', track);
        const { payload } = await socket.expect('the reply', isReply('5'));
        assert.deepEqual(payload, { status: 'error', response: {} }, 'the payload');
      });
    },
  ),
];

async function track(topic: string, socket: FrameSocket, ref: string, payload: object): Promise<void> {
  socket.send('1', ref, topic, 'presence', { type: 'presence', event: 'track', payload });
  const reply = await socket.expect('the reply', isReply(ref));
  assert.equal(at(reply.payload, 'status'), 'ok', 'status of the payload of the received frame');
}

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
  await withSockets(context, async (open) => {
    const [one, two] = [await open(), await open()];
    for (const socket of [one, two])
      await joinOk(socket, name, ada, { presence: { enabled: true, key: 'ada' } });
    await task({ one, two, topic, track: (...call) => track(topic, ...call) });
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
  audit(
    'RT-343',
    'a diff lists only the entry that came or left, and reaches the channel of the entry, too',
    { source, since },
    (context) =>
      withPresence(context, async ({ one, two, topic, track }) => {
        await track(one, '5', { mood: 'calm' });
        await track(two, '5', { mood: 'busy' });
        two.send('1', '6', topic, 'presence', { type: 'presence', event: 'untrack' });
        await track(two, '7', { mood: 'back' });
        for (const socket of [one, two]) {
          await socket.expect('four diffs', () => socket.received.filter(isDiff).length === 4);
          assert.deepEqual(
            socket.received
              .filter(isDiff)
              .map(({ payload }) => [moodsOf(payload, 'joins'), moodsOf(payload, 'leaves')]),
            [
              [['calm'], []],
              [['busy'], []],
              [[], ['busy']],
              [['back'], []],
            ],
            'the moods that came and left',
          );
        }
      }),
  ),
  audit(
    'RT-344',
    'the state lists each key with the references of its entries, and a join without a key has a new one',
    { source, since },
    async (context) => {
      const user = await context.newUser();
      const name = `room-${randomUUID()}`;
      const topic = `realtime:${name}`;
      await withSockets(context, async (open) => {
        const [one, two, three, four] = [await open(), await open(), await open(), await open()];
        await joinOk(one, name, user, { presence: { enabled: true, key: 'ada' } });
        await joinOk(two, name, user, { presence: { enabled: true, key: 'bob' } });
        await joinOk(three, name, user, { presence: { enabled: true, key: '' } });
        await track(topic, one, '5', { mood: 'calm' });
        await track(topic, two, '5', { mood: 'busy' });
        three.send('1', '5', topic, 'presence', { event: 'TRACK' });
        await three.expect('the reply', isReply('5'));
        await joinOk(four, name, user, { presence: { enabled: true } });
        const { payload } = await four.expect('the state', isEvent('presence_state'));
        assert.deepEqual(at(payload, 'ada', 'metas', 0, 'mood'), 'calm', 'ada.metas.0.mood of the state');
        assert.deepEqual(at(payload, 'bob', 'metas', 0, 'mood'), 'busy', 'bob.metas.0.mood of the state');
        const keys = Object.keys(payload);
        assert.equal(keys.length, 3, 'the number of keys');
        const own = keys.find((key) => key !== 'ada' && key !== 'bob') ?? '';
        assert.ok(own.length > 10, 'the other key is a unique one', own);
        const refs = keys.map((key) => at(payload, key, 'metas', 0, 'phx_ref'));
        assert.ok(
          refs.every((ref) => typeof ref === 'string') && new Set(refs).size === 3,
          'each entry has a reference',
          JSON.stringify(refs),
        );
      });
    },
  ),
  audit(
    'RT-345',
    'a join that does not enable presence gets no state, and can track all the same',
    { source, level: 'SHOULD', since },
    async (context) => {
      const user = await context.newUser();
      const name = `room-${randomUUID()}`;
      await withSocket(context, async (socket) => {
        await joinOk(socket, name, user, { presence: { enabled: false, key: 'ada' } });
        await track(`realtime:${name}`, socket, '5', { mood: 'calm' });
        await socket.expect('the diff', isDiff);
        assert.equal(socket.received.some(isEvent('presence_state')), false, 'a received state');
      });
    },
  ),
  audit(
    'RT-369',
    'the state of a topic without entries is empty, and lists an entry with all of its members',
    { source, since },
    (context) =>
      withPresence(context, async ({ one, topic, track }) => {
        const { payload: empty } = await one.expect('the state', isEvent('presence_state'));
        assert.deepEqual(empty, {}, 'the state without entries');
        const entry = { mood: 'calm', list: [1, null], deep: { text: 'größe' } };
        await track(one, '5', entry);
        await withSocket(context, async (three) => {
          const config = { presence: { enabled: true, key: 'grace' } };
          await joinOk(three, topic.replace('realtime:', ''), await context.newUser(), config);
          const { payload: state } = await three.expect('the state', isEvent('presence_state'));
          const { phx_ref: ref, ...members } = Object(at(state, 'ada', 'metas', 0)) as Record<
            string,
            unknown
          >;
          assert.deepEqual(members, entry, 'the members of the entry');
          one.send('1', '6', topic, 'presence', { type: 'presence', event: 'untrack' });
          const { payload } = await three.expect('the leave', isDiff);
          assert.deepEqual(
            payload,
            { joins: {}, leaves: { ada: { metas: [{ ...entry, phx_ref: ref }] } } },
            'the diff of the leave',
          );
        });
      }),
  ),
  audit(
    'RT-370',
    'an entry that is tracked again after its removal is a new one',
    { source, since },
    (context) =>
      withPresence(context, async ({ one, two, topic, track }) => {
        await track(two, '5', { mood: 'calm' });
        two.send('1', '6', topic, 'presence', { type: 'presence', event: 'untrack' });
        await track(two, '7', { mood: 'calm' });
        await one.expect('three diffs', () => one.received.filter(isDiff).length === 3);
        const [first, , last] = one.received
          .filter(isDiff)
          .map(({ payload }) => at(payload, 'joins', 'ada', 'metas', 0));
        assert.notEqual(at(last, 'phx_ref'), at(first, 'phx_ref'), 'phx_ref of the new entry');
        assert.equal(at(last, 'phx_ref_prev'), undefined, 'phx_ref_prev of the new entry');
      }),
  ),
  audit(
    'RT-371',
    'a topic that is joined again loses the entry of its earlier channel',
    { source, since },
    (context) =>
      withPresence(context, async ({ one, two, topic, track }) => {
        await track(two, '5', { mood: 'busy' });
        const config = { presence: { enabled: true, key: 'ada' } };
        await joinOk(two, topic.replace('realtime:', ''), await context.newUser(), config, '6');
        const { payload } = await one.expect(
          'the leave',
          (frame) => isDiff(frame) && moodsOf(frame.payload, 'leaves').length > 0,
        );
        assert.deepEqual(moodsOf(payload, 'leaves'), ['busy'], 'the moods of the entries that left');
      }),
  ),
  audit(
    'RT-413',
    'a key that is a number or a boolean counts as its text',
    { source, level: 'SHOULD', since },
    async (context) => {
      const user = await context.newUser();
      const name = `room-${randomUUID()}`;
      await withSockets(context, async (open) => {
        for (const key of [5, 1.5, true, false]) {
          const socket = await open();
          await joinOk(socket, name, user, { presence: { enabled: true, key } });
          await track(`realtime:${name}`, socket, '5', {});
          const ofKey = (frame: Frame) =>
            isDiff(frame) && at(frame.payload, 'joins', String(key)) !== undefined;
          await socket.expect(`the diff of ${key}`, ofKey);
        }
      });
    },
  ),
  audit(
    'RT-414',
    'a presence call whose event is not a text ends the channel with phx_error, and the socket stays open',
    { source, level: 'SHOULD', since },
    (context) =>
      withPresence(context, async ({ two, topic }) => {
        two.send('1', '5', topic, 'presence', { type: 'presence', event: 5 });
        const { joinRef, ref } = await two.expect('phx_error', isEvent('phx_error'));
        assert.deepEqual([joinRef, ref], ['1', '1'], 'join_ref and ref');
        two.send('1', '6', topic, 'presence', { type: 'presence', event: 'untrack' });
        const { payload } = await two.expect('the reply', isReply('6'));
        assert.deepEqual(
          payload,
          { status: 'error', response: { reason: 'unmatched topic' } },
          'the payload of the reply to a later call',
        );
      }),
  ),
];

export const realtimePresenceAudits: readonly Audit[] = [...rights, ...presence];
