import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import type { Frame } from './frames.ts';
import type { AuditContext, AuditUser } from '../audit-context.ts';
import { auditsOf, type Audit } from '../audit.ts';
import { at } from '../wire.ts';
import { settle, withSocket } from './audit-socket.ts';
import { isReply, isSystem, openFrameSocket, type FrameSocket } from './frame-socket.ts';

const audit = auditsOf('realtime');
const source = 'protocol/realtime.md#presence';

const isBroadcast = (frame: Frame) => frame.event === 'broadcast';
const isDiff = (frame: Frame) => frame.event === 'presence_diff';
const fieldsOf = (frames: readonly Frame[], ...path: string[]) =>
  frames.map(({ payload }) => at(payload, 'payload', ...path));

/** Joins and returns the payload of the reply. */
async function join(
  socket: FrameSocket,
  name: string,
  user: AuditUser,
  config: object,
): Promise<Frame['payload']> {
  const payload = { config, access_token: user.accessToken };
  socket.send('1', '1', `realtime:${name}`, 'phx_join', payload);
  return (await socket.expect('the reply', isReply('1'))).payload;
}

async function joinOk(socket: FrameSocket, name: string, user: AuditUser, config: object): Promise<void> {
  const reply = await join(socket, name, user, config);
  assert.equal(at(reply, 'status'), 'ok', JSON.stringify(reply));
}

/** The user's own private channel, which she may read and not write. */
const inboxOf = ({ id }: AuditUser) => `user:${id}`;
const replaying = (since: unknown, limit: unknown) => ({
  private: true,
  broadcast: { replay: { since, limit } },
});

/** Broadcasts from the database to a private topic, each in a transaction of its own. */
async function sendFromDatabase({ query }: AuditContext, name: string, from: number, to: number) {
  for (let n = from; n <= to; n += 1)
    await query("select realtime.send(jsonb_build_object('n', $1::int), 'note', $2, true)", [n, name]);
}

const database: readonly Audit[] = [
  audit(
    'RT-201',
    'a broadcast of the database reaches the private channel of its topic with an id',
    { source: 'protocol/realtime.md#broadcasts-of-the-database', needs: ['database'] },
    async (context) => {
      const ada = await context.newUser();
      await withSocket(context, async (socket) => {
        await joinOk(socket, inboxOf(ada), ada, { private: true });
        await sendFromDatabase(context, inboxOf(ada), 1, 2);
        await socket.expect('both', () => socket.received.filter(isBroadcast).length === 2);
        const notes = socket.received.filter(isBroadcast);
        assert.deepEqual(fieldsOf(notes, 'n'), [1, 2]);
        const ids = notes.map(({ payload }) => at(payload, 'meta', 'id'));
        assert.ok(ids.every((id) => typeof id === 'string') && new Set(ids).size === 2, 'an id each');
      });
    },
  ),
  audit(
    'RT-202',
    'realtime.broadcast_changes sends the operation, the table and both records',
    { source: 'protocol/realtime.md#broadcasts-of-the-database', needs: ['database'] },
    async (context) => {
      const ada = await context.newUser();
      await withSocket(context, async (socket) => {
        await joinOk(socket, inboxOf(ada), ada, { private: true });
        await context.query(
          `select realtime.broadcast_changes($1, 'UPDATE', 'UPDATE', 'users', 'auth', u, u)
           from (select id, email::text from auth.users where id = $2::uuid) u`,
          [inboxOf(ada), ada.id],
        );
        const { payload } = await socket.expect('the change', isBroadcast);
        assert.equal(at(payload, 'event'), 'UPDATE');
        const change = at(payload, 'payload');
        const row = { id: ada.id, email: ada.email };
        assert.deepEqual(
          ['operation', 'schema', 'table', 'record', 'old_record'].map((field) => at(change, field)),
          ['UPDATE', 'auth', 'users', row, row],
        );
      });
    },
  ),
  audit(
    'RT-203',
    'a join with replay delivers the stored broadcasts since a time after the reply, oldest first, marked as replayed',
    { source: 'protocol/realtime.md#broadcasts-of-the-database', needs: ['database'] },
    async (context) => {
      const ada = await context.newUser();
      await sendFromDatabase(context, inboxOf(ada), 1, 3);
      await withSocket(context, async (socket) => {
        await joinOk(socket, inboxOf(ada), ada, replaying(Date.now() - 60_000, 10));
        await socket.expect('three', () => socket.received.filter(isBroadcast).length === 3);
        const notes = socket.received.filter(isBroadcast);
        assert.deepEqual(fieldsOf(notes, 'n'), [1, 2, 3]);
        assert.ok(notes.every(({ payload }) => at(payload, 'meta', 'replayed') === true));
        assert.equal(socket.received[0]?.event, 'phx_reply');
      });
    },
  ),
  audit(
    'RT-204',
    'replay delivers the latest broadcasts up to its limit, and at most 25',
    { source: 'protocol/realtime.md#broadcasts-of-the-database', needs: ['database'] },
    async (context) => {
      const ada = await context.newUser();
      await sendFromDatabase(context, inboxOf(ada), 1, 27);
      const replayed = async (limit: number) => {
        let numbers: readonly unknown[] = [];
        await withSocket(context, async (socket) => {
          await joinOk(socket, inboxOf(ada), ada, replaying(0, limit));
          await settle(socket, '9');
          numbers = fieldsOf(socket.received.filter(isBroadcast), 'n');
        });
        return numbers;
      };
      assert.deepEqual(await replayed(2), [26, 27]);
      assert.deepEqual(
        await replayed(1_000),
        Array.from({ length: 25 }, (_, index) => index + 3),
      );
    },
  ),
  audit(
    'RT-205',
    'replay delivers nothing from before its time',
    { source: 'protocol/realtime.md#broadcasts-of-the-database', needs: ['database'] },
    async (context) => {
      const ada = await context.newUser();
      await sendFromDatabase(context, inboxOf(ada), 1, 1);
      await withSocket(context, async (socket) => {
        await joinOk(socket, inboxOf(ada), ada, replaying(Date.now() + 60_000, 10));
        await settle(socket, '9');
        assert.equal(socket.received.filter(isBroadcast).length, 0);
      });
    },
  ),
];

const replay: readonly Audit[] = [
  audit(
    'RT-206',
    'replay on a public channel is refused',
    { source: 'protocol/realtime.md#broadcasts-of-the-database' },
    async (context) => {
      const ada = await context.newUser();
      await withSocket(context, async (socket) => {
        const reply = await join(socket, `public-${ada.id}`, ada, { ...replaying(0, 10), private: false });
        assert.equal(at(reply, 'status'), 'error');
        assert.match(String(at(reply, 'response', 'reason')), /UnableToReplayMessages.*public channels/);
      });
    },
  ),
  audit(
    'RT-207',
    'replay with a time that is not valid is refused',
    { source: 'protocol/realtime.md#broadcasts-of-the-database' },
    async (context) => {
      const ada = await context.newUser();
      await withSocket(context, async (socket) => {
        const reply = await join(socket, inboxOf(ada), ada, replaying('yesterday', 10));
        assert.equal(at(reply, 'status'), 'error');
        assert.match(String(at(reply, 'response', 'reason')), /UnableToReplayMessages/);
      });
    },
  ),
];

const rights: readonly Audit[] = [
  audit(
    'RT-208',
    'a private broadcast without a policy for writing is neither answered nor delivered',
    { source: 'protocol/realtime.md#broadcast' },
    async (context) => {
      const ada = await context.newUser();
      await withSocket(context, async (socket) => {
        await joinOk(socket, inboxOf(ada), ada, { private: true, broadcast: { ack: true, self: true } });
        const shout = { type: 'broadcast', event: 'shout', payload: {} };
        socket.send('1', '5', `realtime:${inboxOf(ada)}`, 'broadcast', shout);
        // The second frame of the channel is handled after the first one.
        socket.send('1', '6', `realtime:${inboxOf(ada)}`, 'phx_leave', {});
        await socket.expect('the reply to the leave', isReply('6'));
        assert.equal(
          socket.received.some((frame) => isReply('5')(frame) || isBroadcast(frame)),
          false,
        );
      });
    },
  ),
  audit(
    'RT-209',
    'tracking on a private channel without a policy for writing is answered with an error without a reason',
    { source },
    async (context) => {
      const ada = await context.newUser();
      await withSocket(context, async (socket) => {
        await joinOk(socket, inboxOf(ada), ada, { private: true, presence: { enabled: true, key: 'ada' } });
        const track = { type: 'presence', event: 'track', payload: {} };
        socket.send('1', '5', `realtime:${inboxOf(ada)}`, 'presence', track);
        const { payload } = await socket.expect('the reply', isReply('5'));
        assert.deepEqual(payload, { status: 'error', response: {} });
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

/** Two sockets with one presence key in a new public topic. */
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
          assert.equal(at((await socket.expect('the reply', isReply(ref))).payload, 'status'), 'ok');
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
    'several entries of one key are listed under it, and one that leaves takes only itself away',
    { source },
    (context) =>
      withPresence(context, async ({ one, two, topic, track }) => {
        await track(one, '5', { mood: 'calm' });
        await track(two, '5', { mood: 'busy' });
        two.send('1', '6', topic, 'phx_leave', {});
        const left = (frame: Frame) => isDiff(frame) && moodsOf(frame.payload, 'leaves').length > 0;
        const { payload } = await one.expect('the leave', left);
        assert.deepEqual(moodsOf(payload, 'leaves'), ['busy']);
        await withSocket(context, async (three) => {
          const grace = await context.newUser();
          const config = { presence: { enabled: true, key: 'grace' } };
          await joinOk(three, topic.replace('realtime:', ''), grace, config);
          const state = await three.expect('the state', ({ event }) => event === 'presence_state');
          assert.deepEqual(at(state.payload, 'ada', 'metas', 0, 'mood'), 'calm');
          assert.equal(at(state.payload, 'ada', 'metas', 1), undefined);
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
        assert.deepEqual(moodsOf(payload, 'leaves'), ['busy']);
        const refOf = (member: string, field: string) => at(payload, member, 'ada', 'metas', 0, field);
        assert.notEqual(refOf('joins', 'phx_ref'), refOf('leaves', 'phx_ref'));
        assert.equal(refOf('joins', 'phx_ref_prev'), refOf('leaves', 'phx_ref'));
      }),
  ),
  audit('RT-213', 'untracking leaves the presence and not the channel', { source }, (context) =>
    withPresence(context, async ({ one, two, topic, track }) => {
      await track(two, '5', { mood: 'busy' });
      two.send('1', '6', topic, 'presence', { type: 'presence', event: 'untrack' });
      await one.expect('the leave', (frame) => moodsOf(frame.payload, 'leaves').includes('busy'));
      await track(one, '5', { mood: 'calm' });
      await two.expect('the other', (frame) => moodsOf(frame.payload, 'joins').includes('calm'));
    }),
  ),
  audit('RT-214', 'tracking the same entry again is answered and not announced', { source }, (context) =>
    withPresence(context, async ({ one, two, track }) => {
      await track(two, '5', { mood: 'busy' });
      await track(two, '6', { mood: 'busy' });
      await track(two, '7', { mood: 'calm' });
      await one.expect('the change', (frame) => moodsOf(frame.payload, 'joins').includes('calm'));
      const announced = one.received.filter((frame) => moodsOf(frame.payload, 'joins').includes('busy'));
      assert.equal(announced.length, 1);
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
        assert.equal(at(payload, 'message'), 'Client presence rate limit exceeded');
        await two.expect('phx_close', ({ event }) => event === 'phx_close');
      }),
  ),
  audit('RT-216', 'an entry that is no object is refused with a reason', { source }, (context) =>
    withPresence(context, async ({ two, topic }) => {
      two.send('1', '5', topic, 'presence', { type: 'presence', event: 'track', payload: 'text' });
      const { payload } = await two.expect('the reply', isReply('5'));
      assert.deepEqual(payload, {
        status: 'error',
        response: { reason: 'Presence track payload must be a map' },
      });
    }),
  ),
];

/** Replay, broadcasts of the database, rights to send and track, entries of presence. */
export const realtimeFeatureAudits: readonly Audit[] = [...database, ...replay, ...rights, ...presence];
