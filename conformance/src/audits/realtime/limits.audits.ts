import { setTimeout as delay } from 'node:timers/promises';
import { assert } from '../../target/assertion.ts';
import type { Frame } from '../../target/frames.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { NotRunError } from '../../target/target.ts';
import { assertStatus, at } from '../../target/wire.ts';
import { joinOk, newRoom, withSocket, withSockets } from './audit-socket.ts';
import { httpWith } from './broadcast-http.ts';
import { binaryPush, bytesPush } from './frames.audits.ts';
import { isBroadcast, isEvent, isReply, isSystem } from './frame-socket.ts';

const audit = auditsOf('realtime');
const source = 'protocol/realtime.md#limits';
const since = '1.0.0';

/** More than the 3,000 kB of any plan, and less than the 5,000,000 bytes of a frame. */
const TOO_LARGE = { text: 'x'.repeat(4_500_000) };
/** Less than the 256 kB of free projects. */
const LARGE = { text: 'x'.repeat(200_000) };

const broadcast = (event: string, payload: object) => ({ type: 'broadcast', event, payload });
const eventsOf = (frames: readonly Frame[]) =>
  frames.filter(isBroadcast).map(({ payload }) => at(payload, 'event'));
const isLast = (frame: Frame) => isBroadcast(frame) && at(frame.payload, 'event') === 'last';

/** The limits of plans and of a local server, in kilobytes of 1,000 bytes. */
const PAYLOAD_LIMITS = [100, 256, 3000];
/** The limit has this many bytes more than its kilobytes. */
const PADDING = 500;
/** The version, and the header of the map, of the key `a` and of its text. */
const OF_TEXT = 1 + 5 + (5 + 1) + 5;

/** Values of JSON, each with its size in Erlang's external term format. */
const SIZES: readonly (readonly [value: unknown, bytes: number])[] = [
  [0, 2],
  [255, 2],
  [256, 5],
  [-1, 5],
  [2 ** 31 - 1, 5],
  [-(2 ** 31), 5],
  [2 ** 31, 7],
  [2 ** 32 - 1, 7],
  [2 ** 32, 8],
  [Number.MAX_SAFE_INTEGER, 10],
  [1.5, 9],
  [true, 6],
  [false, 7],
  [null, 5],
  ['', 5],
  ['größe', 5 + 7],
  [{}, 5],
  [{ b: 0 }, 5 + 6 + 2],
  [[], 1],
  // A list of bytes is a string in this format.
  [[0, 1, 255], 3 + 3],
  [[256], 5 + 5 + 1],
  [[0, -1], 5 + 2 + 5 + 1],
  [['a', [0]], 5 + 6 + 4 + 1],
];

const CHANNELS = 100;

const textOf = (bytes: number) => ({ a: 'x'.repeat(bytes - OF_TEXT) });

/** Broadcasts a payload by HTTP, and returns the status. */
const httpStatusOf =
  (context: AuditContext) =>
  async (payload: object): Promise<number> => {
    const send = httpWith(context, context.target.anonKey);
    return (await send(`/broadcast/${newRoom()}/events/a`, { body: payload })).status;
  };

/** The maximum size of a broadcast in bytes. @throws NotRunError if it is none of the known limits. */
async function findLimit(statusOf: (payload: object) => Promise<number>): Promise<number> {
  for (const kilobytes of PAYLOAD_LIMITS) {
    const bytes = kilobytes * 1000 + PADDING;
    if ((await statusOf(textOf(bytes))) !== 202) break;
    if ((await statusOf(textOf(bytes + 1))) === 422) return bytes;
  }
  throw new NotRunError('the project has a limit of its own');
}

/** The maximum size of a broadcast and of an entry of presence, and of channels. */
export const realtimeLimitAudits: readonly Audit[] = [
  audit(
    'RT-420',
    'a socket with 100 channels is refused another one, and may join it once it has left one',
    { source, level: 'SHOULD', since },
    async (context) => {
      const user = await context.newUser();
      await withSocket(context, async (socket) => {
        const name = newRoom();
        for (let ref = 1; ref <= CHANNELS + 1; ref += 1)
          socket.send(`${ref}`, `${ref}`, `realtime:${name}-${ref}`, 'phx_join', {
            config: {},
            access_token: user.accessToken,
          });
        const { payload } = await socket.expect('the last reply', isReply(`${CHANNELS + 1}`));
        if (at(payload, 'status') === 'ok') throw new NotRunError('the project has a limit of its own');
        assert.deepEqual(
          payload,
          { status: 'error', response: { reason: 'ChannelRateLimitReached: Too many channels' } },
          'the payload of the last reply',
        );
        const accepted = socket.received.filter(
          ({ event, payload: reply }) => event === 'phx_reply' && at(reply, 'status') === 'ok',
        );
        assert.equal(accepted.length, CHANNELS, 'the number of joined channels');
        socket.send('7', '200', `realtime:${name}-7`, 'phx_leave', {});
        await socket.expect('phx_close', isEvent('phx_close'));
        await joinOk(socket, `${name}-last`, user, {}, '201');
      });
    },
  ),
  audit(
    'RT-357',
    'a broadcast by HTTP over the limit is refused with 422 and not sent, alone and in a batch',
    { source, level: 'SHOULD', since },
    async (context) => {
      const user = await context.newUser();
      const topic = newRoom();
      await withSocket(context, async (socket) => {
        await joinOk(socket, topic, user, {});
        const send = httpWith(context, context.target.anonKey);
        const message = (event: string, payload: object) => ({ topic, event, payload });
        const batch = await send('/broadcast', {
          body: { messages: [message('small', {}), message('large', TOO_LARGE)] },
        });
        assertStatus(batch, 422);
        const reason = 'Payload size exceeds tenant limit';
        assert.deepEqual(
          batch.json,
          { errors: { messages: [{}, { payload: [reason] }] } },
          'the body of the refusal',
        );
        const single = await send(`/broadcast/${topic}/events/large`, { body: TOO_LARGE });
        assertStatus(single, 422);
        assert.deepEqual(single.json, { errors: { payload: [reason] } }, 'the body of the single refusal');
        assertStatus(await send('/broadcast', { body: { messages: [message('last', {})] } }), 202);
        await socket.expect('the last broadcast', isLast);
        assert.deepEqual(eventsOf(socket.received), ['last'], 'the events of the broadcasts');
      });
    },
  ),
  audit(
    'RT-358',
    'a broadcast over the limit is not delivered, and refused with ack; the channel stays',
    { source, level: 'SHOULD', since },
    async (context) => {
      const user = await context.newUser();
      const name = newRoom();
      const topic = `realtime:${name}`;
      await withSockets(context, async (open) => {
        const [one, two] = [await open(), await open()];
        await joinOk(one, name, user, { broadcast: { ack: true, self: true } });
        await joinOk(two, name, user, {});
        one.send('1', '5', topic, 'broadcast', broadcast('large', TOO_LARGE));
        const { payload } = await one.expect('the reply', isReply('5'));
        assert.deepEqual(
          payload,
          { status: 'error', response: 'payload_size_exceeded' },
          'the payload of the reply',
        );
        two.send('1', '5', topic, 'broadcast', broadcast('large', TOO_LARGE));
        two.send('1', '6', topic, 'broadcast', broadcast('last', {}));
        await one.expect('the last broadcast', isLast);
        one.send('1', '6', topic, 'broadcast', broadcast('last', {}));
        await two.expect('the last broadcast', isLast);
        assert.deepEqual(eventsOf(two.received), ['last'], 'the events of the broadcasts');
        assert.ok(!eventsOf(one.received).includes('large'), 'the large broadcast is not delivered');
      });
    },
  ),
  audit(
    'RT-359',
    'an entry of presence over the limit ends its channel with a system error and is not announced',
    { source, level: 'SHOULD', since },
    async (context) => {
      const user = await context.newUser();
      const name = newRoom();
      await withSockets(context, async (open) => {
        const [one, two] = [await open(), await open()];
        for (const socket of [one, two])
          await joinOk(socket, name, user, { presence: { enabled: true, key: 'ada' } });
        const track = (payload: object) => ({ type: 'presence', event: 'track', payload });
        two.send('1', '5', `realtime:${name}`, 'presence', track(TOO_LARGE));
        const { payload } = await two.expect('system error', isSystem('error'));
        const message = 'Track message size exceeded';
        assert.deepEqual(
          payload,
          { channel: name, extension: 'system', message, status: 'error' },
          'the payload',
        );
        await two.expect('phx_close', isEvent('phx_close'));
        one.send('1', '5', `realtime:${name}`, 'presence', track({}));
        await one.expect('the reply', isReply('5'));
        await one.expect('the diff', isEvent('presence_diff'));
        assert.equal(one.received.filter(isEvent('presence_diff')).length, 1, 'the number of diffs');
      });
    },
  ),
  audit(
    'RT-360',
    'a broadcast of 200 kB arrives complete, by the socket and by HTTP',
    { source, since },
    async (context) => {
      const user = await context.newUser();
      const name = newRoom();
      await withSockets(context, async (open) => {
        const [one, two] = [await open(), await open()];
        for (const socket of [one, two]) await joinOk(socket, name, user, {});
        two.send('1', '5', `realtime:${name}`, 'broadcast', broadcast('socket', LARGE));
        await one.expect('the broadcast of the socket', isBroadcast);
        const send = httpWith(context, context.target.anonKey);
        const messages = [{ topic: name, event: 'last', payload: LARGE }];
        assertStatus(await send('/broadcast', { body: { messages } }), 202);
        await one.expect('the broadcast by HTTP', isLast);
        assert.deepEqual(
          one.received
            .filter(isBroadcast)
            .map(({ payload }) => [at(payload, 'event'), String(at(payload, 'payload', 'text')).length]),
          [
            ['socket', 200_000],
            ['last', 200_000],
          ],
          'the events and the lengths of the texts',
        );
      });
    },
  ),
  audit(
    'RT-403',
    'each member of a broadcast counts for its size',
    { source, level: 'SHOULD', since },
    async (context) => {
      const send = httpWith(context, context.target.anonKey);
      const post = (payload: object) => send(`/broadcast/${newRoom()}/events/large`, { body: payload });
      const texts = Array(400).fill('x'.repeat(9000));
      assertStatus(await post({ texts }), 422);
      assertStatus(await post({ nested: { list: [{ texts }] } }), 422);
      assertStatus(await post(Object.fromEntries(texts.map((text, index) => [`text-${index}`, text]))), 422);
      assertStatus(
        await post({ texts: texts.slice(0, 4), nested: { list: [{ texts: [] }, null, true, 5] } }),
        202,
      );
    },
  ),
  audit(
    'RT-407',
    'the size of a broadcast is that of its external term, and the limit itself is accepted',
    { source, level: 'SHOULD', since },
    async (context) => {
      const statusOf = httpStatusOf(context);
      const limit = await findLimit(statusOf);
      const sum = SIZES.reduce((total, [, bytes]) => total + bytes, 0);
      const payloadOf = (size: number) => ({
        ...textOf(size - (5 + 1) - (5 + sum + 1)),
        b: SIZES.map(([value]) => value),
      });
      assert.deepEqual(
        [await statusOf(payloadOf(limit)), await statusOf(payloadOf(limit + 1))],
        [202, 422],
        'the statuses at the limit and over it',
      );
    },
  ),
  audit(
    'RT-433',
    'above its messages in a second a project refuses broadcasts by HTTP, and ends the channels that receive others',
    { source, level: 'SHOULD', since },
    async (context) => {
      const send = httpWith(context, context.target.anonKey);
      const name = newRoom();
      const post = (count: number) =>
        send('/broadcast', {
          body: {
            messages: Array.from({ length: count }, () => ({ topic: name, event: 'note', payload: {} })),
          },
        });
      const rateOf = ({ headers }: { headers: Headers }, part: string) =>
        Number(headers.get(`x-rate-${part}`));
      const first = await post(1);
      const limit = rateOf(first, 'limit');
      // It disturbs the other audits of its project.
      if (limit !== 10) throw new NotRunError('it needs a project with a limit of 10 messages in a second');
      if (first.status === 429) throw new NotRunError('the project is above its limit of messages');
      const refused = await post(limit + 1);
      assert.deepEqual(
        [refused.status, refused.json],
        [429, { message: 'Too many messages to broadcast, please reduce the batch size' }],
        'the status and body of the refusal of a large batch',
      );
      const user = await context.newUser();
      await withSockets(context, async (open) => {
        const [one, two] = [await open(), await open()];
        for (const socket of [one, two]) await joinOk(socket, name, user, {});
        const exceeded = { message: 'You have exceeded your rate limit' };
        let response = await post(1);
        // The average counts at the end of a tick. Just below the limit a batch is refused for its size.
        for (let round = 0; at(response.json, 'message') !== exceeded.message && round < 100; round += 1) {
          for (let sent = 0; sent < 50; sent += 1)
            two.send('1', '3', `realtime:${name}`, 'broadcast', broadcast('note', {}));
          await delay(250);
          response = await post(1);
          const [rolling, remaining] = [rateOf(response, 'rolling'), rateOf(response, 'limit-remaining')];
          assert.equal(rolling + remaining, limit, 'the sum of x-rate-rolling and x-rate-limit-remaining');
        }
        assert.deepEqual(
          [response.status, response.json],
          [429, exceeded],
          'the status and body of the refusal of a broadcast',
        );
        const single = await send(`/broadcast/${name}/events/note`, { body: {} });
        assert.deepEqual(
          [single.status, single.json],
          [429, exceeded],
          'the status and body of the refusal of a single broadcast',
        );
        two.send('1', '4', `realtime:${name}`, 'broadcast', broadcast('last', {}));
        const { payload } = await one.expect('system error', isSystem('error'));
        const message = 'Too many messages per second';
        assert.deepEqual(
          payload,
          { channel: name, extension: 'system', message, status: 'error' },
          'the payload of the system error',
        );
        await one.expect('phx_close', isEvent('phx_close'));
      });
    },
  ),
  audit(
    'RT-430',
    'the size of a broadcast in bytes is that of its external term, with its event and metadata',
    { source, level: 'SHOULD', since },
    async (context) => {
      const limit = await findLimit(httpStatusOf(context));
      const user = await context.newUser();
      const name = newRoom();
      const topic = `realtime:${name}`;
      await withSocket(context, async (socket) => {
        await joinOk(socket, name, user, { broadcast: { ack: true } });
        // The version, a tuple, its atoms, and the headers of its other members.
        const ofBytes = 1 + 2 + (2 + 6) + 5;
        const ofUser = ofBytes + (5 + 1) + 5;
        const pushes = [
          (ref: string, over: number) =>
            bytesPush(['1', ref], topic, 'broadcast', Buffer.alloc(limit - ofBytes + over, 1)),
          (ref: string, over: number) =>
            binaryPush(['1', ref], topic, 'e', Buffer.alloc(limit - ofUser + over, 1)),
          (ref: string, over: number) =>
            binaryPush(['1', ref], topic, 'e', 'x'.repeat(limit - (ofUser - 2) + over)),
          (ref: string, over: number) =>
            binaryPush(['1', ref], topic, 'e', Buffer.alloc(limit - (ofUser + 6 + 2) + over, 1), '{"a":0}'),
        ];
        for (const [index, push] of pushes.entries())
          for (const over of [0, 1]) {
            const ref = `${index}-${over}`;
            socket.sendBytes(push(ref, over));
            const { payload } = await socket.expect(`the reply to ${ref}`, isReply(ref));
            assert.equal(at(payload, 'status'), over === 0 ? 'ok' : 'error', `status of the reply to ${ref}`);
          }
      });
    },
  ),
];
