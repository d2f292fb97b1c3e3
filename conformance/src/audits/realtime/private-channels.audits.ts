import { setTimeout as delay } from 'node:timers/promises';
import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext, AuditUser } from '../../audit/audit-context.ts';
import { requireTable } from '../../schema/product-schema.ts';
import { NotRunError } from '../../target/target.ts';
import { assertStatus, at } from '../../target/wire.ts';
import { join, joinOk, newRoom, settle, withSockets } from './audit-socket.ts';
import { httpWith } from './broadcast-http.ts';
import { isBroadcast, isEvent, isReply, isSystem, type FrameSocket } from './frame-socket.ts';
import { binaryPush } from './frames.audits.ts';

const audit = auditsOf('realtime');
const since = '1.0.0';

/**
 * Runs `task` with a new topic whose private channel users may read and write, for these extensions alone. `task` can
 * restrict those for reading.
 *
 * @throws NotRunError on a target whose database is not the audits' to change.
 */
async function withTopic(
  context: AuditContext,
  { reading, writing }: { readonly reading: readonly string[]; readonly writing: readonly string[] },
  task: (topic: string, restrict: (reading: readonly string[]) => Promise<void>) => Promise<void>,
): Promise<void> {
  if (context.target.createsTables !== true)
    throw new NotRunError('no policies may be created there without --apply-schema');
  const topic = newRoom();
  const condition = (extensions: readonly string[]) =>
    `realtime.topic() = '${topic}' and extension = any ('{${extensions.join()}}')`;
  const policies = [
    ['read', `for select to authenticated using (${condition(reading)})`],
    ['write', `for insert to authenticated with check (${condition(writing)})`],
  ] as const;
  const created: string[] = [];
  try {
    for (const [name, sql] of policies) {
      const policy = `"audit ${name} ${topic}"`;
      await context.query(`create policy ${policy} on realtime.messages ${sql}`).catch((cause: unknown) => {
        throw new NotRunError('no policies of messages can be created there', { cause });
      });
      created.push(policy);
    }
    await task(topic, async (left) => {
      await context.query(
        `alter policy "audit read ${topic}" on realtime.messages using (${condition(left)})`,
      );
    });
  } finally {
    for (const policy of created) await context.query(`drop policy ${policy} on realtime.messages`);
  }
}

const allExtensions = ['broadcast', 'presence'];
const privately = (rest: object = {}) => ({ private: true, broadcast: { ack: true }, ...rest });
const shout = (event: string) => ({ type: 'broadcast', event, payload: { of: event } });
const eventsOf = ({ received }: FrameSocket) =>
  received.filter(isBroadcast).map(({ payload }) => at(payload, 'event'));
const isNamed = (event: string) => (frame: { readonly event: string; readonly payload: unknown }) =>
  frame.event === 'broadcast' && at(frame.payload, 'event') === event;

const rights: readonly Audit[] = [
  audit(
    'RT-398',
    'where policies permit it, users broadcast and track on a private channel, by the socket and by HTTP',
    { source: 'protocol/realtime.md#broadcast', since },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      await withTopic(context, { reading: allExtensions, writing: allExtensions }, (topic) =>
        withSockets(context, async (open) => {
          const [one, two, open3] = [await open(), await open(), await open()];
          await joinOk(one, topic, ada, privately({ presence: { enabled: true, key: 'ada' } }));
          await joinOk(two, topic, grace, privately({ presence: { enabled: true, key: 'grace' } }));
          await joinOk(open3, topic, grace, { broadcast: { ack: true } });
          const state = await two.expect('presence_state', isEvent('presence_state'));
          assert.deepEqual(state.payload, {}, 'the state');
          one.send('1', '5', `realtime:${topic}`, 'broadcast', shout('socket'));
          const reply = await one.expect('the reply', isReply('5'));
          assert.deepEqual(reply.payload, { status: 'ok', response: {} }, 'the payload of the reply');
          one.send('1', '6', `realtime:${topic}`, 'presence', {
            type: 'presence',
            event: 'track',
            payload: { at: 'desk' },
          });
          const tracked = await one.expect('the reply', isReply('6'));
          assert.deepEqual(tracked.payload, { status: 'ok', response: {} }, 'the payload of the reply');
          const diff = await two.expect('presence_diff', isEvent('presence_diff'));
          assert.equal(at(diff.payload, 'joins', 'ada', 'metas', 0, 'at'), 'desk', 'the entry');
          const send = httpWith(context, context.target.anonKey, ada.accessToken);
          const query = { private: 'true' };
          assertStatus(await send(`/broadcast/${topic}/events/single`, { query, body: {} }), 202);
          const message = (event: string) => ({ topic, event, payload: {}, private: true });
          assertStatus(await send('/broadcast', { body: { messages: [message('batch')] } }), 202);
          await two.expect('the last', isNamed('batch'));
          assert.deepEqual(eventsOf(two), ['socket', 'single', 'batch'], 'the events');
          await settle(open3, '9');
          assert.deepEqual(eventsOf(open3), [], 'the events of the public channel');
          const late = await open();
          await joinOk(late, topic, grace, privately({ presence: { enabled: false, key: 'late' } }));
          one.send('1', '7', `realtime:${topic}`, 'presence', { event: 'untrack' });
          await two.expect('the leave', ({ payload }) => at(payload, 'leaves', 'ada') !== undefined);
          await settle(late, '5');
          const isDiff = isEvent('presence_diff');
          assert.equal(late.received.some(isDiff), false, 'a diff before an entry of its own');
          late.send('1', '6', `realtime:${topic}`, 'presence', { event: 'track', payload: {} });
          const own = await late.expect('the own diff', isDiff);
          assert.deepEqual(Object.keys(Object(at(own.payload, 'joins'))), ['late'], 'the own entry');
        }),
      );
    },
  ),
  audit(
    'RT-399',
    'a private channel without the right to presence has none, and one without the right to broadcasts has no broadcasts',
    { source: 'protocol/realtime.md#presence', since },
    async (context) => {
      const user = await context.newUser();
      const presence = { enabled: true, key: 'ada' };
      const track = { type: 'presence', event: 'track', payload: {} };
      await withTopic(context, { reading: ['broadcast'], writing: ['broadcast'] }, (topic) =>
        withSockets(context, async (open) => {
          const [one, two] = [await open(), await open()];
          for (const socket of [one, two]) await joinOk(socket, topic, user, privately({ presence }));
          one.send('1', '5', `realtime:${topic}`, 'presence', track);
          const refused = await one.expect('the reply', isReply('5'));
          assert.deepEqual(refused.payload, { status: 'error', response: {} }, 'the reply to the entry');
          one.send('1', '6', `realtime:${topic}`, 'broadcast', shout('a'));
          await two.expect('the broadcast', isBroadcast);
          const isPresence = ({ event }: { readonly event: string }) => event.startsWith('presence_');
          assert.equal(two.received.some(isPresence), false, 'a message of presence');
        }),
      );
      for (const writing of [['presence'], allExtensions])
        await withTopic(context, { reading: ['presence'], writing }, (topic) =>
          withSockets(context, async (open) => {
            const [one, two] = [await open(), await open()];
            for (const socket of [one, two]) await joinOk(socket, topic, user, privately({ presence }));
            one.send('1', '5', `realtime:${topic}`, 'broadcast', shout('a'));
            one.send('1', '6', `realtime:${topic}`, 'presence', track);
            const accepted = await one.expect('the reply', isReply('6'));
            assert.equal(at(accepted.payload, 'status'), 'ok', 'the status of the reply to the entry');
            await two.expect('presence_diff', isEvent('presence_diff'));
            assert.deepEqual(
              [one.received.some(isReply('5')), eventsOf(two)],
              [writing === allExtensions, []],
              'whether the broadcast has a reply, and its receipt',
            );
            const unreadable = `Unauthorized: You do not have permissions to read from this Channel topic: ${topic}`;
            for (const [ref, config] of [
              ['7', { presence: { enabled: false } }],
              ['8', { presence, broadcast: { replay: { since: 0 } } }],
            ] as const) {
              const reply = await join(await open(), topic, user, privately(config), ref);
              assert.deepEqual(
                reply,
                { status: 'error', response: { reason: unreadable } },
                'the refusal of a join without presence, or with a replay',
              );
            }
          }),
        );
    },
  ),
  audit(
    'RT-408',
    'a pushed token after a right to read was revoked ends the private channel with the reason',
    { source: 'protocol/realtime.md#tokens-of-channels', since },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      for (const [left, reason] of [
        [['presence'], 'You no longer have permission to read'],
        [['broadcast'], 'You no longer have permission to read'],
        [[], 'You do not have permissions to read'],
      ] satisfies readonly (readonly [readonly string[], string])[])
        await withTopic(context, { reading: allExtensions, writing: allExtensions }, (topic, restrict) =>
          withSockets(context, async (open) => {
            const [one, two] = [await open(), await open()];
            await joinOk(one, topic, ada, privately({ presence: { enabled: true, key: 'ada' } }));
            await joinOk(two, topic, ada, privately({ presence: { enabled: false } }));
            await restrict(left);
            for (const socket of [one, two])
              socket.send('1', '5', `realtime:${topic}`, 'access_token', { access_token: grace.accessToken });
            const { payload } = await one.expect('system error', isSystem('error'));
            assert.deepEqual(
              payload,
              {
                channel: topic,
                extension: 'system',
                message: `${reason} from this Channel topic: ${topic}`,
                status: 'error',
              },
              `the payload with the right to ${left.join() || 'nothing'}`,
            );
            const close = await one.expect('phx_close', isEvent('phx_close'));
            assert.equal(close.joinRef, '1', 'the join_ref of the close');
            if (!left.includes('broadcast'))
              return void (await two.expect('phx_close', isEvent('phx_close')));
            // A channel without presence needs no right to it.
            two.send('1', '6', `realtime:${topic}`, 'broadcast', shout('a'));
            const reply = await two.expect('the reply', isReply('6'));
            assert.equal(at(reply.payload, 'status'), 'ok', 'the status of the reply of the other channel');
          }),
        );
    },
  ),
];

const REPLAYED = { broadcast: { replay: { since: 0, limit: 25 } }, private: true };

/** A binary push of a broadcast that asks to be stored. */
const persisting = (topic: string, ref: string, persist: unknown, data: string | Uint8Array = '{"a":1}') =>
  binaryPush(['1', ref], `realtime:${topic}`, `stored-${ref}`, data, JSON.stringify({ persist }));

/** @throws NotRunError if the service stores no broadcasts of clients, as versions before it do. */
async function requirePersistence(socket: FrameSocket, user: AuditUser): Promise<void> {
  const name = newRoom();
  await joinOk(socket, name, user, { broadcast: { ack: true } }, '8');
  socket.sendBytes(binaryPush(['8', '80'], `realtime:${name}`, 'a', '{}', JSON.stringify({ persist: true })));
  const { payload } = await socket.expect('the reply', isReply('80'));
  if (at(payload, 'status') === 'ok') throw new NotRunError('the service stores no broadcasts of clients');
  assert.deepEqual(
    payload,
    { status: 'error', response: { error: 'persist_requires_private_channel' } },
    'the payload of the reply on a public channel',
  );
}

const stored: readonly Audit[] = [
  audit(
    'RT-400',
    'a private broadcast that asks for it is stored for replay, of the socket and of HTTP, and delivered once',
    { source: 'protocol/realtime.md#broadcasts-of-the-database', level: 'SHOULD', since },
    async (context) => {
      const user = await context.newUser();
      await withTopic(context, { reading: allExtensions, writing: allExtensions }, (topic) =>
        withSockets(context, async (open) => {
          const [one, two, late] = [await open(), await open(), await open()];
          await requirePersistence(one, user);
          for (const socket of [one, two]) await joinOk(socket, topic, user, privately());
          for (const [index, persist] of [
            true,
            'true',
            {},
            { ttl: 60 },
            false,
            'no',
            null,
            { ttl: 1 },
          ].entries())
            one.sendBytes(persisting(topic, String(index + 10), persist));
          one.sendBytes(persisting(topic, '20', true, new Uint8Array([1, 2, 255])));
          await one.expect('the reply to the last', isReply('20'));
          const send = httpWith(context, context.target.anonKey, user.accessToken);
          const post = (event: string, query: Readonly<Record<string, string>>) =>
            send(`/broadcast/${topic}/events/${event}`, { query, body: { b: 2 } });
          assertStatus(await post('http', { private: 'true', persist: 'true' }), 202);
          assertStatus(await post('kept', { private: 'true', 'persist[ttl]': '60' }), 202);
          assertStatus(await post('brief', { private: 'true', 'persist[ttl]': '1' }), 202);
          for (const ttl of ['1.5', '0', '-1', 'x', ''])
            assertStatus(await post('unsound', { private: 'true', 'persist[ttl]': ttl }), 202);
          assertStatus(await post('plain', { private: 'true' }), 202);
          assertStatus(await post('public', { persist: 'true' }), 422);
          await two.expect('the last', isNamed('plain'));
          const live = two.received.filter(isBroadcast).map(({ payload }) => payload);
          await delay(2500);
          await joinOk(late, topic, user, REPLAYED);
          await late.expect('the last', isNamed('kept'));
          await settle(late, '9');
          const names = ['stored-10', 'stored-11', 'stored-12', 'stored-13', 'stored-20', 'http', 'kept'];
          assert.deepEqual(eventsOf(late), names, 'the replayed events');
          const ids = (payloads: readonly unknown[]) =>
            names.map((name) => {
              const found = payloads.find((payload) => at(payload, 'event') === name);
              return at(found, 'meta', 'id');
            });
          const replayed = late.received.filter(isBroadcast).map(({ payload }) => payload);
          assert.deepEqual(ids(live), ids(replayed), 'the ids of both deliveries');
          assert.deepEqual(
            [at(replayed[0], 'payload'), at(replayed[5], 'payload')],
            [{ a: 1 }, { b: 2 }],
            'the replayed payloads',
          );
          assert.equal(live.length, 18, 'the number of deliveries');
        }),
      );
    },
  ),
];

const held: readonly Audit[] = [
  audit(
    'RT-401',
    'a join that waits for its subscription is refused where the binding is invalid, and replied to once it is live',
    { source: 'protocol/realtime.md#joins', level: 'SHOULD', since },
    async (context) => {
      await requireTable(context, 'notifications');
      const user = await context.newUser();
      await withSockets(context, async (open) => {
        const [one, two] = [await open(), await open()];
        const config = (binding: object) => ({
          postgres_changes: [binding],
          postgres_changes_options: { wait: true },
        });
        const refused = await join(one, 'held', user, config({ event: '*' }));
        if (at(refused, 'status') === 'ok') throw new NotRunError('the service holds no replies');
        const reason =
          'RealtimeDisabledForConfiguration: No subscription params provided. Please provide at least a `schema` or `table` to subscribe to: %{"event" => "*"}';
        assert.deepEqual(refused, { status: 'error', response: { reason } }, 'the refusal');
        const binding = { event: '*', schema: 'public', table: 'notifications' };
        const reply = await join(two, 'held', user, config(binding));
        assert.equal(at(reply, 'status'), 'ok', 'the status of the reply');
        await two.expect('system ok', isEvent('system'));
      });
    },
  ),
];

/** Private channels by policies of `realtime.messages`, and settings of later versions. */
export const realtimePrivateAudits: readonly Audit[] = [...rights, ...stored, ...held];
