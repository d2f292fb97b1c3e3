import { WebSocket } from 'ws';
import { assert, showValue } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { at, parseJson } from '../../target/wire.ts';
import { requireTable } from '../../schema/product-schema.ts';
import { inboxTopicOf, joinOk, newRoom, settle, withSocket, withSockets } from './audit-socket.ts';
import { isBroadcast, isEvent, isReply, realtimeUrlOf } from './frame-socket.ts';

const audit = auditsOf('realtime');
const since = '1.0.0';

const shout = { type: 'broadcast', event: 'shout', payload: { text: 'hello' } };
const acknowledged = { broadcast: { ack: true } };

const openOlder = ({ target }: AuditContext) =>
  new WebSocket(`${realtimeUrlOf(target)}?apikey=${encodeURIComponent(target.anonKey)}&vsn=1.0.0`);

/** A binary push of a broadcast (kind 3). */
export function binaryPush(
  refs: readonly [string, string],
  topic: string,
  event: string,
  data: string | Uint8Array,
  metadata = '',
) {
  const parts = [...refs, topic, event, metadata].map((part) => Buffer.from(part));
  const head = [3, ...parts.map(({ length }) => length), typeof data === 'string' ? 1 : 0];
  return Buffer.concat([Buffer.from(head), ...parts, Buffer.from(data)]);
}

/** A push of any event whose payload is bytes (kind 0). */
export function bytesPush(
  refs: readonly [string, string],
  topic: string,
  event: string,
  data: string | Uint8Array,
) {
  const parts = [...refs, topic, event].map((part) => Buffer.from(part));
  return Buffer.concat([Buffer.from([0, ...parts.map(({ length }) => length)]), ...parts, Buffer.from(data)]);
}

/** Frames of both versions of the protocol, of text and of bytes. */
export const realtimeFrameAudits: readonly Audit[] = [
  audit(
    'RT-339',
    'each channel of a socket replies with its topic, its join_ref and the ref of the push, and only if it owes a reply',
    { source: 'protocol/realtime.md#frames', since },
    async (context) => {
      const user = await context.newUser();
      const [first, second, silent] = [newRoom(), newRoom(), newRoom()];
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
      const name = newRoom();
      await withSockets(context, async (open) => {
        const [one, two] = [await open(), await open()];
        await joinOk(one, name, user, acknowledged);
        await joinOk(two, name, user, {});
        // The length of a name has one byte.
        const longest = `${'ö'.repeat(127)}x`;
        const bytes = Uint8Array.from([0, 1, 2, 128, 255]);
        one.sendBytes(binaryPush(['1', '5'], `realtime:${name}`, longest, bytes));
        one.sendBytes(binaryPush(['1', '6'], `realtime:${name}`, 'json', '{"n":[1,"ü"]}'));
        for (const ref of ['5', '6']) {
          const reply = await one.expect('the reply', isReply(ref));
          assert.deepEqual([reply.joinRef, at(reply.payload, 'status')], ['1', 'ok'], 'the reply');
        }
        await two.expect('both', () => two.received.filter(isBroadcast).length === 2);
        const [binary, json] = two.received.filter(isBroadcast);
        assert.equal(binary?.topic, `realtime:${name}`, 'the topic of the broadcast');
        assert.equal(at(binary?.payload, 'event'), longest, 'event of the broadcast');
        const data = at(binary?.payload, 'payload');
        assert.ok(data instanceof Uint8Array, 'the payload is bytes', showValue(data));
        assert.deepEqual([...data], [...bytes], 'the bytes of the broadcast');
        assert.equal(at(json?.payload, 'event'), 'json', 'event of the broadcast');
        assert.deepEqual(at(json?.payload, 'payload'), { n: [1, 'ü'] }, 'payload of the broadcast');
      });
    },
  ),
  audit(
    'RT-180',
    'with vsn 1.0.0 a frame is an object',
    { source: 'protocol/realtime.md#frames', level: 'SHOULD' },
    async (context) => {
      const socket = openOlder(context);
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
  audit(
    'RT-342',
    'with vsn 1.0.0 replies and broadcasts are objects without join_ref, and bytes are dropped',
    { source: 'protocol/realtime.md#frames', level: 'SHOULD', since },
    async (context) => {
      const user = await context.newUser();
      const topic = `realtime:${newRoom()}`;
      const older = openOlder(context);
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
          socket.sendBytes(binaryPush(['1', '6'], topic, 'bytes', Buffer.from('{"n":2}')));
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
  audit(
    'RT-365',
    'a handshake may name any patch of a version, and without one it is 1.0.0',
    { source: 'protocol/realtime.md#handshake', level: 'SHOULD', since },
    async (context) => {
      const heartbeat = { topic: 'phoenix', event: 'heartbeat', payload: {}, ref: '3' };
      for (const version of [null, '1.0.7'])
        await withVersion(context, version, async (socket, received) => {
          socket.send(JSON.stringify(heartbeat));
          await untilReceived(received, 1);
          assert.deepEqual(
            [at(received, 0, 'event'), at(received, 0, 'ref')],
            ['phx_reply', '3'],
            `event and ref of the reply with ${version ?? 'no version'}`,
          );
        });
      await withVersion(context, '2.0.7', async (socket, received) => {
        socket.send(JSON.stringify([null, '3', 'phoenix', 'heartbeat', {}]));
        await untilReceived(received, 1);
        const reply = [null, '3', 'phoenix', 'phx_reply', { status: 'ok', response: {} }];
        assert.deepEqual(received[0], reply, 'the reply with 2.0.7');
      });
    },
  ),
  audit(
    'RT-366',
    'with vsn 1.0.0 a channel is left by the join_ref of its join, and by no other',
    { source: 'protocol/realtime.md#frames', level: 'SHOULD', since },
    async (context) => {
      const user = await context.newUser();
      const topic = `realtime:${newRoom()}`;
      await withVersion(context, '1.0.0', async (socket, received) => {
        const send = (ref: string, join_ref: string, event: string, payload: object) =>
          socket.send(JSON.stringify({ topic, event, payload, ref, join_ref }));
        send('1', '1', 'phx_join', { config: {}, access_token: user.accessToken });
        await untilReceived(received, 1);
        send('2', '2', 'phx_leave', {});
        send('3', '1', 'phx_leave', {});
        await untilReceived(received, 3);
        assert.deepEqual(
          received.map((frame) => [at(frame, 'event'), at(frame, 'ref')]),
          [
            ['phx_reply', '1'],
            ['phx_reply', '3'],
            ['phx_close', '1'],
          ],
          'event and ref of the received frames',
        );
      });
    },
  ),
  audit(
    'RT-367',
    'another event of the topic phoenix than a heartbeat is refused as unmatched topic',
    { source: 'protocol/realtime.md#frames', level: 'SHOULD', since },
    (context) =>
      withSocket(context, async (socket) => {
        socket.send(null, '5', 'phoenix', 'beat', {});
        socket.send(null, '6', 'phoenix', 'heartbeat', {});
        await socket.expect('the reply to the heartbeat', isReply('6'));
        const { joinRef, topic, payload } = await socket.expect('the refusal', isReply('5'));
        assert.deepEqual(
          [joinRef, topic, payload],
          [null, 'phoenix', { status: 'error', response: { reason: 'unmatched topic' } }],
          'join_ref, topic and payload of the refusal',
        );
      }),
  ),
  audit(
    'RT-368',
    'a frame that cannot be read gets no reply, and the socket stays open',
    { source: 'protocol/realtime.md#frames', level: 'SHOULD', since },
    (context) =>
      withVersion(context, '2.0.0', async (socket, received) => {
        for (const frame of ['no JSON', '{}', '[]', Buffer.from([9, 9])]) socket.send(frame);
        socket.send(JSON.stringify([null, '7', 'phoenix', 'heartbeat', {}]));
        await untilReceived(received, 1);
        assert.deepEqual(
          received,
          [[null, '7', 'phoenix', 'phx_reply', { status: 'ok', response: {} }]],
          'the received frames',
        );
      }),
  ),
  audit(
    'RT-396',
    'a frame of version 1.0.0 without a topic, an event, a payload or a ref gets no reply',
    { source: 'protocol/realtime.md#frames', level: 'SHOULD', since },
    (context) =>
      withVersion(context, '1.0.0', async (socket, received) => {
        const frame = { topic: 'phoenix', event: 'heartbeat', payload: {}, ref: '1' };
        for (const member of ['topic', 'event', 'payload', 'ref'])
          socket.send(JSON.stringify({ ...frame, [member]: undefined }));
        for (const text of ['[]', '"text"', 'null', JSON.stringify([null, '2', 'phoenix', 'heartbeat', {}])])
          socket.send(text);
        socket.send(Buffer.from([3, 0, 0, 0, 0, 0, 0]));
        socket.send(JSON.stringify({ ...frame, ref: '7' }));
        await untilReceived(received, 1);
        assert.deepEqual(
          received,
          [{ ref: '7', topic: 'phoenix', event: 'phx_reply', payload: { status: 'ok', response: {} } }],
          'the received frames',
        );
      }),
  ),
  audit(
    'RT-397',
    'a broadcast in bytes that is cut off, or has no kind, gets no reply',
    { source: 'protocol/realtime.md#frames', level: 'SHOULD', since },
    async (context) => {
      const user = await context.newUser();
      const name = newRoom();
      await withSocket(context, async (socket) => {
        await joinOk(socket, name, user, { broadcast: { ack: true, self: true } }, '1');
        const sound = binaryPush(['1', '2'], `realtime:${name}`, 'shout', '{}');
        for (const bytes of [
          sound.subarray(0, 6),
          sound.subarray(0, 20),
          Buffer.from([4, ...sound.subarray(1)]),
        ])
          socket.sendBytes(bytes);
        socket.sendBytes(binaryPush(['1', '3'], `realtime:${name}`, 'last', '{}'));
        await socket.expect('the reply to the last', isReply('3'));
        assert.equal(socket.received.some(isReply('2')), false, 'a reply to the others');
        const events = socket.received.filter(isBroadcast).map(({ payload }) => at(payload, 'event'));
        assert.deepEqual(events, ['last'], 'the events');
      });
    },
  ),
  audit(
    'RT-411',
    'a broadcast in bytes without names is refused as unmatched topic, with its empty ref',
    { source: 'protocol/realtime.md#frames', level: 'SHOULD', since },
    (context) =>
      withSocket(context, async (socket) => {
        socket.sendBytes(Buffer.from([3, 0, 0, 0, 0, 0, 0]));
        const { joinRef, topic, payload } = await socket.expect('the refusal', isReply(''));
        assert.deepEqual(
          [joinRef, topic, payload],
          [null, '', { status: 'error', response: { reason: 'unmatched topic' } }],
          'join_ref, topic and payload of the refusal',
        );
      }),
  ),
  audit(
    'RT-427',
    'a broadcast whose payload is bytes arrives as these bytes under its topic, and gets a reply with ack',
    { source: 'protocol/realtime.md#frames', level: 'SHOULD', since },
    async (context) => {
      const user = await context.newUser();
      const name = newRoom();
      const topic = `realtime:${name}`;
      await withSockets(context, async (open) => {
        const [one, two] = [await open(), await open()];
        await joinOk(one, name, user, { broadcast: { ack: true, self: true } });
        await joinOk(two, name, user, {});
        const payloads = [Buffer.from([1, 2, 255]), Buffer.from('{"a":1}'), Buffer.from('')];
        for (const [index, payload] of payloads.entries()) {
          const ref = `${index + 5}`;
          one.sendBytes(bytesPush(['1', ref], topic, 'broadcast', payload));
          const reply = await one.expect('the reply', isReply(ref));
          assert.deepEqual(
            [reply.joinRef, reply.topic, reply.payload],
            ['1', topic, { status: 'ok', response: {} }],
            'the reply',
          );
        }
        two.sendBytes(bytesPush(['1', '9'], topic, 'broadcast', 'last'));
        for (const socket of [one, two]) {
          const count = socket === one ? 4 : 3;
          await socket.expect('the broadcasts', () => socket.received.filter(isBroadcast).length === count);
          assert.deepEqual(
            socket.received
              .filter(isBroadcast)
              .map((frame) => [frame.topic, hexOf(at(frame.payload, 'bytes'))]),
            [...payloads, ...(socket === one ? [Buffer.from('last')] : [])].map((bytes) => [
              topic,
              hexOf(bytes),
            ]),
            'the topics and bytes of the broadcasts',
          );
        }
        assert.equal(two.received.some(isReply('9')), false, 'a reply without ack');
      });
    },
  ),
  audit(
    'RT-428',
    'a push whose payload is bytes is handled by its event, and its bytes are no settings, token or entry of presence',
    { source: 'protocol/realtime.md#frames', level: 'SHOULD', since },
    async (context) => {
      const user = await context.newUser();
      const name = newRoom();
      const topic = `realtime:${name}`;
      await withSockets(context, async (open) => {
        const [one, two] = [await open(), await open()];
        // The refusal of a join may take five seconds, in which its socket sends nothing else.
        one.sendBytes(bytesPush(['1', '1'], topic, 'phx_join', Uint8Array.from([1, 2, 255])));
        await joinOk(two, name, user, acknowledged);
        const sound = bytesPush(['8', '3'], 'phoenix', 'heartbeat', 'x');
        const cut = [1, 4, 5, 9, sound.length - 2].map((length) => sound.subarray(0, length));
        for (const bytes of [...cut, bytesPush(['8', '4'], 'phoenix', 'heartbeat', 'x')])
          two.sendBytes(bytes);
        two.sendBytes(bytesPush(['1', '5'], topic, 'access_token', 'token'));
        two.sendBytes(bytesPush(['1', '6'], topic, 'presence', '{"event":"track"}'));
        two.sendBytes(bytesPush(['1', '7'], `${topic}-other`, 'broadcast', ''));
        two.sendBytes(bytesPush(['2', '8'], topic, 'phx_leave', ''));
        two.sendBytes(bytesPush(['1', '9'], topic, 'phx_leave', ''));
        await two.expect('phx_close', isEvent('phx_close'));
        const done = { status: 'ok', response: {} };
        await settle(two, '99');
        // A channel and its socket reply in any order.
        assert.deepEqual(
          ['2', '3', '4', '5', '6', '7', '8', '9'].flatMap((each) =>
            two.received
              .filter(({ ref }) => ref === each)
              .map(({ joinRef, ref, event, payload }) => [joinRef, ref, event, payload]),
          ),
          [
            [null, '4', 'phx_reply', done],
            ['1', '6', 'phx_reply', done],
            [null, '7', 'phx_reply', { status: 'error', response: { reason: 'unmatched topic' } }],
            ['1', '9', 'phx_reply', done],
          ],
          'the replies',
        );
        const refusal = await one.expect('the refusal of the join', isReply('1'));
        assert.match(
          String(at(refusal.payload, 'response', 'reason')),
          /^UnknownErrorOnChannel: expected params to be a :map, got:\s+`\{:binary, <<1, 2, 255>>\}`/,
          'the reason of the refusal',
        );
      });
    },
  ),
  audit(
    'RT-429',
    'a channel that was joined without a join_ref replies with the ref of its join, and is left by any join_ref',
    { source: 'protocol/realtime.md#frames', level: 'SHOULD', since },
    async (context) => {
      const user = await context.newUser();
      const name = newRoom();
      const topic = `realtime:${name}`;
      await withSocket(context, async (socket) => {
        socket.send(null, '4', topic, 'phx_join', { config: acknowledged, access_token: user.accessToken });
        await socket.expect('the reply to the join', isReply('4'));
        socket.send(null, '5', topic, 'broadcast', shout);
        await socket.expect('the reply to the broadcast', isReply('5'));
        socket.send('9', '6', topic, 'phx_leave', {});
        await socket.expect('phx_close', isEvent('phx_close'));
        assert.deepEqual(
          socket.received.map(({ joinRef, ref, event }) => [joinRef, ref, event]),
          [
            [null, '4', 'phx_reply'],
            ['4', '5', 'phx_reply'],
            ['4', '6', 'phx_reply'],
            [null, null, 'phx_close'],
          ],
          'join_ref, ref and event of the received frames',
        );
      });
    },
  ),
  audit(
    'RT-412',
    'with vsn 1.0.0 a broadcast of the database is an object with its id in meta, live and replayed',
    {
      source: 'protocol/realtime.md#broadcasts-of-the-database',
      level: 'SHOULD',
      needs: ['database'],
      since,
    },
    async (context) => {
      // The policy of the users' topics comes with the tables.
      await requireTable(context, 'notifications');
      const user = await context.newUser();
      const name = inboxTopicOf(user);
      const joinAs = (socket: WebSocket, replay: object) =>
        socket.send(
          JSON.stringify({
            topic: `realtime:${name}`,
            event: 'phx_join',
            payload: {
              config: { private: true, broadcast: { replication_ready: true, ...replay } },
              access_token: user.accessToken,
            },
            ref: '1',
            join_ref: '1',
          }),
        );
      const broadcastOf = (received: readonly unknown[]) =>
        at(
          received.find((frame) => at(frame, 'event') === 'broadcast'),
          'payload',
        );
      const payload = { a: 1, id: 'own' };
      const expected = { type: 'broadcast', event: 'note', payload };
      let id: unknown;
      await withVersion(context, '1.0.0', async (socket, received) => {
        joinAs(socket, {});
        await untilReceived(received, 2);
        for (const call of [`send_binary('\\x01'::bytea`, `send('${JSON.stringify(payload)}'::jsonb`])
          await context.query(`select realtime.${call}, 'note', $1, true)`, [name]);
        await untilReceived(received, 3);
        id = at(broadcastOf(received), 'meta', 'id');
        assert.deepEqual(broadcastOf(received), { ...expected, meta: { id } }, 'the payload');
      });
      await withVersion(context, '1.0.0', async (socket, received) => {
        joinAs(socket, { replay: { since: 0 } });
        await untilReceived(received, 3);
        assert.deepEqual(
          broadcastOf(received),
          { ...expected, meta: { id, replayed: true } },
          'the replayed payload',
        );
      });
    },
  ),
];

const hexOf = (payload: unknown) =>
  payload instanceof Uint8Array ? Buffer.from(payload).toString('hex') : payload;

/** Opens a socket of a version, or without one, for `task`, which also gets the received frames. */
async function withVersion(
  { target }: AuditContext,
  version: string | null,
  task: (socket: WebSocket, received: readonly unknown[]) => Promise<void>,
): Promise<void> {
  const query = version === null ? '' : `&vsn=${version}`;
  const socket = new WebSocket(
    `${realtimeUrlOf(target)}?apikey=${encodeURIComponent(target.anonKey)}${query}`,
  );
  const received: unknown[] = [];
  socket.on('message', (data) => received.push(parseJson((data as Buffer).toString())));
  try {
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    await task(socket, received);
  } finally {
    socket.terminate();
  }
}

/** Waits up to ten seconds for a number of frames. */
async function untilReceived(received: readonly unknown[], count: number): Promise<void> {
  for (let tries = 0; received.length < count; tries += 1) {
    if (tries > 200) assert.fail(`${count} frames arrive`, `${received.length} arrived`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
