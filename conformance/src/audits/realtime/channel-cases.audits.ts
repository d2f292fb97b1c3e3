import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import { assert, showValue } from '../../target/assertion.ts';
import type { Frame } from '../../target/frames.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext, AuditUser } from '../../audit/audit-context.ts';
import { notifyOnce } from '../rest/notifications.ts';
import { NotRunError } from '../../target/target.ts';
import { assertStatus, at, createWire, parseJson } from '../../target/wire.ts';
import { join, joinLive, joinOk, settle, withSocket } from './audit-socket.ts';
import { isChange, isReply, isSystem, openFrameSocket, type FrameSocket } from './frame-socket.ts';

const audit = auditsOf('realtime');
const since = '1.0.0';

const shout = { type: 'broadcast', event: 'shout', payload: { text: 'hello' } };
const acknowledged = { broadcast: { ack: true } };
const isEvent = (event: string) => (frame: Frame) => frame.event === event;
const isBroadcast = isEvent('broadcast');
const isDiff = isEvent('presence_diff');
const newName = () => `room-${randomUUID()}`;
/** The user's private channel, which she can read but not write. */
const inboxOf = ({ id }: AuditUser) => `user:${id}`;

/** Closes the sockets that `task` opened. */
async function withSockets(
  context: AuditContext,
  task: (open: () => Promise<FrameSocket>) => Promise<void>,
): Promise<void> {
  const opened: FrameSocket[] = [];
  try {
    await task(async () => {
      const socket = await openFrameSocket(context);
      opened.push(socket);
      return socket;
    });
  } finally {
    for (const socket of opened) socket.close();
  }
}

/** A binary push of a broadcast (kind 3). */
function binaryPush(
  refs: readonly [string, string],
  topic: string,
  event: string,
  data: string | Uint8Array,
) {
  const parts = [...refs, topic, event, ''].map((part) => Buffer.from(part));
  const head = [3, ...parts.map(({ length }) => length), typeof data === 'string' ? 1 : 0];
  return Buffer.concat([Buffer.from(head), ...parts, Buffer.from(data)]);
}

const frames: readonly Audit[] = [
  audit(
    'RT-339',
    'each channel of a socket replies with its topic, its join_ref and the ref of the push, and only if it owes a reply',
    { source: 'protocol/realtime.md#frames', since },
    async (context) => {
      const user = await context.newUser();
      const [first, second, silent] = [newName(), newName(), newName()];
      await withSocket(context, async (socket) => {
        await joinOk(socket, first, user, acknowledged, '1');
        await joinOk(socket, second, user, acknowledged, '2');
        await joinOk(socket, silent, user, {}, '3');
        socket.send('1', '11', `realtime:${first}`, 'broadcast', shout);
        socket.send('2', '12', `realtime:${second}`, 'broadcast', shout);
        socket.send('2', '13', `realtime:${second}`, 'presence', {});
        socket.send('3', '14', `realtime:${silent}`, 'broadcast', shout);
        socket.send('3', '15', `realtime:${silent}`, 'no_such_event', {});
        socket.send('3', '16', `realtime:${silent}`, 'phx_leave', {});
        for (const [ref, joinRef, name] of [
          ['11', '1', first],
          ['12', '2', second],
          ['13', '2', second],
          ['16', '3', silent],
        ] as const) {
          const reply = await socket.expect(`the reply to ${ref}`, isReply(ref));
          assert.deepEqual(
            [reply.joinRef, reply.topic, reply.payload],
            [joinRef, `realtime:${name}`, { status: 'ok', response: {} }],
            `join_ref, topic and payload of the reply to ${ref}`,
          );
        }
        const close = await socket.expect('phx_close', isEvent('phx_close'));
        assert.deepEqual(
          [close.joinRef, close.ref, close.topic],
          ['3', '3', `realtime:${silent}`],
          'join_ref, ref and topic of the close',
        );
        const others = ['14', '15'].filter((ref) => socket.received.some(isReply(ref)));
        assert.deepEqual(others, [], 'the other replies');
        assert.equal(socket.received.some(isBroadcast), false, 'a received broadcast');
      });
    },
  ),
  audit(
    'RT-340',
    'a leave without a channel gets ok, a join of another topic or of no name is refused',
    { source: 'protocol/realtime.md#frames', since },
    async (context) => {
      const user = await context.newUser();
      await withSocket(context, async (socket) => {
        const payload = { config: {}, access_token: user.accessToken };
        socket.send('1', '1', 'realtime:nowhere', 'phx_leave', {});
        socket.send('2', '2', 'elsewhere', 'phx_join', payload);
        socket.send('3', '3', 'realtime:', 'phx_join', payload);
        const replyTo = async (ref: string) => (await socket.expect('the reply', isReply(ref))).payload;
        assert.equal(at(await replyTo('1'), 'status'), 'ok', 'status of the reply to the leave');
        assert.equal(at(await replyTo('2'), 'response', 'reason'), 'unmatched topic', 'the reason');
        assert.match(
          String(at(await replyTo('3'), 'response', 'reason')),
          /^TopicNameRequired: /,
          'the reason',
        );
      });
    },
  ),
  audit(
    'RT-341',
    'a binary push arrives at the others as the same bytes or the same JSON, and gets a reply with ack',
    { source: 'protocol/realtime.md#frames', since },
    async (context) => {
      const user = await context.newUser();
      const name = newName();
      await withSockets(context, async (open) => {
        const [one, two] = [await open(), await open()];
        await joinOk(one, name, user, acknowledged);
        await joinOk(two, name, user, {});
        const bytes = Uint8Array.from([0, 1, 2, 128, 255]);
        one.sendBytes(binaryPush(['1', '5'], `realtime:${name}`, 'größe', bytes));
        one.sendBytes(binaryPush(['1', '6'], `realtime:${name}`, 'json', '{"n":[1,"ü"]}'));
        for (const ref of ['5', '6']) {
          const reply = await one.expect('the reply', isReply(ref));
          assert.deepEqual([reply.joinRef, at(reply.payload, 'status')], ['1', 'ok'], 'the reply');
        }
        await two.expect('both', () => two.received.filter(isBroadcast).length === 2);
        const [binary, json] = two.received.filter(isBroadcast);
        assert.equal(binary?.topic, `realtime:${name}`, 'the topic of the broadcast');
        assert.equal(at(binary?.payload, 'event'), 'größe', 'event of the broadcast');
        const data = at(binary?.payload, 'payload');
        assert.ok(data instanceof Uint8Array, 'the payload is bytes', showValue(data));
        assert.deepEqual([...data], [...bytes], 'the bytes of the broadcast');
        assert.equal(at(json?.payload, 'event'), 'json', 'event of the broadcast');
        assert.deepEqual(at(json?.payload, 'payload'), { n: [1, 'ü'] }, 'payload of the broadcast');
      });
    },
  ),
  audit(
    'RT-342',
    'with vsn 1.0.0 replies and broadcasts are objects without join_ref, and bytes are dropped',
    { source: 'protocol/realtime.md#frames', level: 'SHOULD', since },
    async (context) => {
      const { target } = context;
      if (target.realtimeUrl === null) throw new NotRunError('the target has no realtime service');
      const user = await context.newUser();
      const topic = `realtime:${newName()}`;
      const older = new WebSocket(
        `${target.realtimeUrl}?apikey=${encodeURIComponent(target.anonKey)}&vsn=1.0.0`,
      );
      const received: unknown[] = [];
      older.on('message', (data) => received.push(parseJson((data as Buffer).toString())));
      try {
        await new Promise((resolve, reject) => older.once('open', resolve).once('error', reject));
        await withSocket(context, async (socket) => {
          const payload = { config: {}, access_token: user.accessToken };
          older.send(JSON.stringify({ topic, event: 'phx_join', payload, ref: '4' }));
          await joinOk(socket, topic.replace('realtime:', ''), user, acknowledged);
          await untilReceived(received, 1);
          socket.send('1', '5', topic, 'broadcast', shout);
          socket.sendBytes(binaryPush(['1', '6'], topic, 'bytes', Uint8Array.from([0, 255])));
          socket.sendBytes(binaryPush(['1', '7'], topic, 'json', '{"n":1}'));
          await untilReceived(received, 3);
        });
        assert.deepEqual(
          received.slice(0, 3),
          [
            {
              topic,
              event: 'phx_reply',
              payload: { status: 'ok', response: { postgres_changes: [] } },
              ref: '4',
            },
            { topic, event: 'broadcast', payload: shout, ref: null },
            { topic, event: 'broadcast', payload: { ...shout, event: 'json', payload: { n: 1 } }, ref: null },
          ],
          'the received frames',
        );
      } finally {
        older.terminate();
      }
    },
  ),
];

/** Waits up to ten seconds for a number of frames. */
async function untilReceived(received: readonly unknown[], count: number): Promise<void> {
  for (let tries = 0; received.length < count; tries += 1) {
    if (tries > 200) assert.fail(`${count} frames arrive`, `${received.length} arrived`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const moodsOf = (payload: unknown, member: string, key: string) =>
  ((at(payload, member, key, 'metas') ?? []) as readonly unknown[]).map((meta) => at(meta, 'mood'));

const track = (socket: FrameSocket, ref: string, topic: string, payload: object) => {
  socket.send('1', ref, topic, 'presence', { type: 'presence', event: 'track', payload });
  return socket.expect('the reply', isReply(ref));
};

const presence: readonly Audit[] = [
  audit(
    'RT-343',
    'a diff lists only the entry that came or left, and reaches the channel of the entry, too',
    { source: 'protocol/realtime.md#presence', since },
    async (context) => {
      const user = await context.newUser();
      const name = newName();
      const topic = `realtime:${name}`;
      await withSockets(context, async (open) => {
        const [one, two] = [await open(), await open()];
        for (const socket of [one, two])
          await joinOk(socket, name, user, { presence: { enabled: true, key: 'ada' } });
        await track(one, '5', topic, { mood: 'calm' });
        await track(two, '5', topic, { mood: 'busy' });
        two.send('1', '6', topic, 'presence', { type: 'presence', event: 'untrack' });
        await track(two, '7', topic, { mood: 'back' });
        for (const socket of [one, two]) {
          await socket.expect('four diffs', () => socket.received.filter(isDiff).length === 4);
          assert.deepEqual(
            socket.received
              .filter(isDiff)
              .map(({ payload }) => [moodsOf(payload, 'joins', 'ada'), moodsOf(payload, 'leaves', 'ada')]),
            [
              [['calm'], []],
              [['busy'], []],
              [[], ['busy']],
              [['back'], []],
            ],
            'the moods that came and left',
          );
        }
      });
    },
  ),
  audit(
    'RT-344',
    'the state lists each key with the references of its entries, and a join without a key has a new one',
    { source: 'protocol/realtime.md#presence', since },
    async (context) => {
      const user = await context.newUser();
      const name = newName();
      const topic = `realtime:${name}`;
      await withSockets(context, async (open) => {
        const [one, two, three, four] = [await open(), await open(), await open(), await open()];
        await joinOk(one, name, user, { presence: { enabled: true, key: 'ada' } });
        await joinOk(two, name, user, { presence: { enabled: true, key: 'bob' } });
        await joinOk(three, name, user, { presence: { enabled: true, key: '' } });
        await track(one, '5', topic, { mood: 'calm' });
        await track(two, '5', topic, { mood: 'busy' });
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
    { source: 'protocol/realtime.md#presence', level: 'SHOULD', since },
    async (context) => {
      const user = await context.newUser();
      const name = newName();
      await withSocket(context, async (socket) => {
        await joinOk(socket, name, user, { presence: { enabled: false, key: 'ada' } });
        const { payload } = await track(socket, '5', `realtime:${name}`, { mood: 'calm' });
        assert.equal(at(payload, 'status'), 'ok', 'status of the reply');
        await socket.expect('the diff', isDiff);
        assert.equal(socket.received.some(isEvent('presence_state')), false, 'a received state');
      });
    },
  ),
];

/** The HTTP interface with a key, which is the token, too, unless it is of the newer form. */
function httpWith({ target }: AuditContext, key: string) {
  if (target.realtimeUrl === null) throw new NotRunError('the target has no realtime service');
  const url = target.realtimeUrl.replace(/^ws/, 'http').replace(/\/websocket$/, '/api');
  const token = key.startsWith('sb_') ? {} : { token: key };
  const wire = createWire(url, key, target.fetch);
  return (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    wire.send('POST', path, { ...token, headers, body });
}

const broadcasts: readonly Audit[] = [
  audit(
    'RT-346',
    'the messages of a batch arrive at their topics in their order',
    { source: 'protocol/realtime.md#broadcast', since },
    async (context) => {
      const user = await context.newUser();
      const [first, second] = [newName(), newName()];
      await withSocket(context, async (socket) => {
        await joinOk(socket, first, user, {}, '1');
        await joinOk(socket, second, user, {}, '2');
        const message = (topic: string, event: string) => ({ topic, event, payload: { of: event } });
        const messages = [message(first, 'one'), message(second, 'two'), message(first, 'three')];
        assertStatus(await httpWith(context, context.target.anonKey)('/broadcast', { messages }), 202);
        await socket.expect('the messages', () => socket.received.filter(isBroadcast).length === 3);
        const received = (name: string) =>
          socket.received
            .filter((frame) => isBroadcast(frame) && frame.topic === `realtime:${name}`)
            .map(({ payload }) => payload);
        const expected = (event: string) => ({ type: 'broadcast', event, payload: { of: event } });
        assert.deepEqual(received(first), [expected('one'), expected('three')], 'the first payloads');
        assert.deepEqual(received(second), [expected('two')], 'the second payloads');
      });
    },
  ),
  audit(
    'RT-347',
    'the refusal of a batch names the invalid fields of each message, and sends none',
    { source: 'protocol/realtime.md#broadcast', since },
    async (context) => {
      const user = await context.newUser();
      const name = newName();
      await withSocket(context, async (socket) => {
        await joinOk(socket, name, user, {});
        const send = httpWith(context, context.target.anonKey);
        const good = { topic: name, event: 'shout', payload: {} };
        const refused = await send('/broadcast', {
          messages: [good, { topic: ' ', payload: 'text' }, { ...good, private: 'maybe', payload: null }],
        });
        assertStatus(refused, 422);
        assert.deepEqual(
          at(refused.json, 'errors', 'messages'),
          [
            {},
            { topic: ["can't be blank"], event: ["can't be blank"], payload: ['is invalid'] },
            { payload: ["can't be blank"], private: ['is invalid'] },
          ],
          'errors.messages of the refusal',
        );
        assertStatus(await send('/broadcast', { messages: [{ ...good, event: 'last' }] }), 202);
        await socket.expect('the last', isBroadcast);
        const events = socket.received.filter(isBroadcast).map(({ payload }) => at(payload, 'event'));
        assert.deepEqual(events, ['last'], 'the events of the broadcasts');
      });
    },
  ),
  audit(
    'RT-348',
    'a single broadcast by HTTP arrives at its topic as JSON or as bytes, and its names are decoded',
    { source: 'protocol/realtime.md#broadcast', since },
    async (context) => {
      const user = await context.newUser();
      const name = `${newName()} größe`;
      const path = `/broadcast/${encodeURIComponent(name)}/events/${encodeURIComponent('an event')}`;
      await withSocket(context, async (socket) => {
        await joinOk(socket, name, user, {});
        const send = httpWith(context, context.target.anonKey);
        assertStatus(await send(path, { text: 'größer', list: [1, null] }), 202);
        assertStatus(await send(path, 'abc', { 'Content-Type': 'application/octet-stream' }), 202);
        await socket.expect('both', () => socket.received.filter(isBroadcast).length === 2);
        const [json, bytes] = socket.received.filter(isBroadcast);
        assert.deepEqual(
          [json?.topic, at(json?.payload, 'event')],
          [`realtime:${name}`, 'an event'],
          'the names',
        );
        assert.deepEqual(at(json?.payload, 'payload'), { text: 'größer', list: [1, null] }, 'the payload');
        assert.equal(String(at(bytes?.payload, 'payload')), 'abc', 'the text of the bytes');
      });
    },
  ),
  audit(
    'RT-349',
    'a private broadcast by HTTP reaches the private channel, and one without the right is dropped',
    { source: 'protocol/realtime.md#broadcast', needs: ['service-key'], since },
    async (context) => {
      const user = await context.newUser();
      await withSocket(context, async (socket) => {
        await joinOk(socket, inboxOf(user), user, { private: true });
        const message = (event: string, isPrivate: boolean) => ({
          messages: [{ topic: inboxOf(user), event, payload: {}, private: isPrivate }],
        });
        const asService = httpWith(context, context.target.serviceKey ?? '');
        assertStatus(
          await httpWith(context, context.target.anonKey)('/broadcast', message('forged', true)),
          202,
        );
        assertStatus(await asService('/broadcast', message('public', false)), 202);
        assertStatus(await asService(`/broadcast/${inboxOf(user)}/events/single?private=true`, {}), 202);
        assertStatus(await asService('/broadcast', message('last', true)), 202);
        await socket.expect('the last', (frame) => at(frame.payload, 'event') === 'last');
        const events = socket.received.filter(isBroadcast).map(({ payload }) => at(payload, 'event'));
        assert.deepEqual(events, ['single', 'last'], 'the events of the broadcasts');
      });
    },
  ),
  audit(
    'RT-350',
    'a broadcast by HTTP with a token that is not valid is refused with 401',
    { source: 'protocol/realtime.md#broadcast', since },
    async (context) => {
      const send = httpWith(context, context.target.anonKey);
      const headers = { Authorization: 'Bearer not-a-jwt' };
      const batch = { messages: [{ topic: newName(), event: 'shout', payload: {} }] };
      assertStatus(await send('/broadcast', batch, headers), 401);
      assertStatus(await send('/broadcast/a/events/b', {}, headers), 401);
    },
  ),
  audit(
    'RT-351',
    "the database's broadcast of a written row reaches the private channel of its user once",
    { source: 'protocol/product.md#calls-of-the-application', since },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      await withSocket(context, async (socket) => {
        const config = { private: true, broadcast: { replication_ready: true } };
        await joinOk(socket, inboxOf(ada), ada, config, '1');
        await joinOk(socket, `other:${ada.id}`, ada, {}, '2');
        await socket.expect('the replication', isSystem('ok'));
        const id = await notifyOnce(context, grace, ada);
        const isInsert = (frame: Frame) => isBroadcast(frame) && at(frame.payload, 'event') === 'INSERT';
        const { topic, payload } = await socket.expect('the insert', isInsert);
        assert.equal(topic, `realtime:${inboxOf(ada)}`, 'the topic of the broadcast');
        const change = at(payload, 'payload');
        assert.deepEqual(
          ['schema', 'table', 'operation'].map((member) => at(change, member)),
          ['public', 'notifications', 'INSERT'],
          'schema, table and operation of the payload',
        );
        assert.equal(at(change, 'records', 0, 'id'), id, 'records.0.id of the payload');
        await settle(socket, '20');
        assert.equal(socket.received.filter(isInsert).length, 1, 'the number of broadcasts');
      });
    },
  ),
  audit(
    'RT-352',
    'a join that asks for it receives a message when the replication of broadcasts is established',
    { source: 'protocol/realtime.md#joins', level: 'SHOULD', since },
    async (context) => {
      const user = await context.newUser();
      await withSocket(context, async (socket) => {
        await joinOk(socket, 'silent', user, {}, '1');
        await joinOk(socket, 'told', user, { broadcast: { replication_ready: true } }, '2');
        const { joinRef, payload } = await socket.expect('system ok', isSystem('ok'));
        assert.equal(joinRef, '2', 'the join_ref of the message');
        assert.deepEqual(
          ['channel', 'message'].map((member) => at(payload, member)),
          ['told', 'Replication connection established'],
          'channel and message of the payload',
        );
        await settle(socket, '20');
        assert.equal(socket.received.filter(isSystem('ok')).length, 1, 'the number of messages');
      });
    },
  ),
];

/** Refused tokens: what they are, how they are made, and the reason. */
const refusedTokens: readonly (readonly [
  string,
  (context: AuditContext, ada: AuditUser, grace: AuditUser) => string,
  RegExp,
])[] = [
  ['no token', () => 'not-a-jwt', /^MalformedJWT: The token provided is not a valid JWT$/],
  [
    'an expired one',
    (context, ada) => context.signAgain(ada.accessToken, { exp: Math.floor(Date.now() / 1000) - 100 }),
    /^InvalidJWTToken: Token has expired 1\d\d seconds ago$/,
  ],
  [
    'one without a role',
    (context, ada) => context.signAgain(ada.accessToken, { role: undefined }),
    /^InvalidJWTToken: Fields `role` and `exp` are required in JWT$/,
  ],
  [
    'one without an end',
    (context, ada) => context.signAgain(ada.accessToken, { exp: undefined }),
    /^InvalidJWTToken: Fields `role` and `exp` are required in JWT$/,
  ],
  [
    'one with the signature of another',
    (_context, ada, grace) =>
      [...ada.accessToken.split('.').slice(0, 2), grace.accessToken.split('.')[2]].join('.'),
    /^JwtSignatureError: Failed to validate JWT signature$/,
  ],
];

const tokens: readonly Audit[] = [
  audit(
    'RT-353',
    'the reason of a refused token begins with its code and says what is wrong',
    { source: 'protocol/realtime.md#refused-joins', level: 'SHOULD', since },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      await Promise.all(
        refusedTokens.map(([what, tokenOf, reason]) =>
          withSocket(context, async (socket) => {
            const reply = await join(socket, 'audit', { accessToken: tokenOf(context, ada, grace) }, {});
            assert.equal(at(reply, 'status'), 'error', `status of the reply to ${what}`);
            assert.match(
              String(at(reply, 'response', 'reason')),
              reason,
              `response.reason of the reply to ${what}`,
            );
          }),
        ),
      );
    },
  ),
  audit(
    'RT-354',
    'a join without a token has the rights of its API key, and user_token comes before access_token',
    { source: 'protocol/realtime.md#joins', since },
    async (context) => {
      const ada = await context.newUser();
      const joinsWith = async (name: string, isPrivate: boolean, sent: object) => {
        let status: unknown;
        await withSocket(context, async (socket) => {
          socket.send('1', '1', `realtime:${name}`, 'phx_join', { config: { private: isPrivate }, ...sent });
          status = at((await socket.expect('the reply', isReply('1'))).payload, 'status');
        });
        return status;
      };
      const statuses = await Promise.all([
        joinsWith('audit', false, {}),
        joinsWith('audit', false, { access_token: null }),
        joinsWith('audit', false, { access_token: 'sb_publishable_x' }),
        joinsWith(inboxOf(ada), true, {}),
        joinsWith(inboxOf(ada), true, { user_token: ada.accessToken }),
        joinsWith(inboxOf(ada), true, { user_token: ada.accessToken, access_token: 'not-a-jwt' }),
      ]);
      assert.deepEqual(statuses, ['ok', 'ok', 'ok', 'error', 'ok', 'ok'], 'the statuses of the replies');
    },
  ),
  audit(
    'RT-355',
    "after another user's token a channel receives that user's rows",
    { source: 'protocol/realtime.md#tokens-of-channels', since },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      await withSocket(context, async (socket) => {
        const inserts = { event: 'INSERT', schema: 'public', table: 'notifications' };
        await joinLive(socket, ada.accessToken, [inserts]);
        socket.send('1', '4', 'realtime:audit', 'access_token', { access_token: grace.accessToken });
        await socket.expect('a second system ok', () => socket.received.filter(isSystem('ok')).length === 2);
        await notifyOnce(context, grace, ada);
        const id = await notifyOnce(context, ada, grace);
        await socket.expect('the insert', isChange('INSERT'));
        await settle(socket, '78');
        assert.deepEqual(
          socket.received
            .filter(isChange('INSERT'))
            .map(({ payload }) => at(payload, 'data', 'record', 'id')),
          [id],
          'the ids of the received rows',
        );
      });
    },
  ),
  audit(
    'RT-356',
    'a pushed token without the right to read a private channel ends it with a system error that says so',
    { source: 'protocol/realtime.md#tokens-of-channels', since },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      await withSocket(context, async (socket) => {
        await joinOk(socket, inboxOf(ada), ada, { private: true }, '1');
        await joinOk(socket, 'audit', ada, acknowledged, '2');
        socket.send('1', '4', `realtime:${inboxOf(ada)}`, 'access_token', {
          access_token: grace.accessToken,
        });
        const { topic, payload } = await socket.expect('system error', isSystem('error'));
        assert.equal(topic, `realtime:${inboxOf(ada)}`, 'the topic of the message');
        assert.match(
          String(at(payload, 'message')),
          /permissions? to read from this Channel topic/,
          'message',
        );
        const close = await socket.expect('phx_close', isEvent('phx_close'));
        assert.equal(close.joinRef, '1', 'the join_ref of the close');
        socket.send('2', '5', 'realtime:audit', 'broadcast', shout);
        assert.equal(
          at((await socket.expect('the reply', isReply('5'))).payload, 'status'),
          'ok',
          'status of the reply of the other channel',
        );
      });
    },
  ),
];

/** Channels, presence and broadcasts in cases that one channel, one entry or one message does not show. */
export const realtimeChannelCaseAudits: readonly Audit[] = [...frames, ...presence, ...broadcasts, ...tokens];
