import { assert } from '../../target/assertion.ts';
import {
  createBroadcast,
  sendBroadcasts,
  type Broadcast,
  type BroadcastOptions,
} from 'supabase-protocol-clients/realtime-client/broadcast';
import { RealtimeError, type Channel } from 'supabase-protocol-clients/realtime-client';
import { createPresence } from 'supabase-protocol-clients/realtime-client/presence';
import type { Audit } from '../../audit/audit.ts';
import { clientAuditsOf, eventually, refusalOf, type SignedInTab } from '../../clients/client-audit.ts';
import { at } from '../../target/wire.ts';

const audit = clientAuditsOf('realtime-client');
const source = 'protocol/realtime.md#broadcast';
const quick = { reconnectDelaysMs: [50], leaveGraceMs: 50, timeoutMs: 1_000 };

interface Events extends Record<string, unknown> {
  readonly chat: { readonly text: string };
}

interface Room {
  readonly tab: SignedInTab;
  readonly channel: Channel;
  readonly room: Broadcast<Events>;
  readonly arrived: string[];
}

/** Joins a channel with broadcasts in a tab. */
function openRoom(
  tab: SignedInTab,
  name: string,
  { isPrivate = false, ...options }: BroadcastOptions<Events> & { isPrivate?: boolean } = {},
): Room {
  const channel = tab.realtime.channel(name, { private: isPrivate }) as Channel;
  const room = createBroadcast<Events>(channel, options);
  const arrived: string[] = [];
  room.on('chat', ({ payload }) => arrived.push(payload.text));
  return { tab, channel, room, arrived };
}

async function join(...rooms: readonly Pick<Room, 'channel'>[]): Promise<void> {
  rooms.forEach(({ channel }) => channel.join());
  await eventually('live', () => rooms.every(({ channel }) => channel.getSnapshot().status === 'live'));
}

const framesOf = ({ tab }: Room, event: string) => tab.wire.sent.filter((frame) => frame.event === event);

export const clientFeatureAudits: readonly Audit[] = [
  audit(
    'CLIENT-RT-301',
    'a broadcast is acknowledged, reaches the other clients once, and not its sender',
    { source },
    async ({ signIn }) => {
      const rooms = [
        openRoom(await signIn({ realtime: quick }), 'audit-301', { ack: true }),
        openRoom(await signIn({ realtime: quick }), 'audit-301'),
      ] as const;
      await join(...rooms);
      assert.deepEqual(
        await rooms[0].room.send('chat', { text: 'one' }),
        { status: 'acknowledged' },
        'the result',
      );
      assert.deepEqual(await rooms[1].room.send('chat', { text: 'two' }), { status: 'sent' }, 'the result');
      await eventually('both', () => rooms[0].arrived.length + rooms[1].arrived.length >= 2);
      assert.deepEqual(
        [rooms[0].arrived, rooms[1].arrived],
        [['two'], ['one']],
        'the received messages of both rooms',
      );
    },
  ),
  audit(
    'CLIENT-RT-302',
    'a broadcast by HTTP reaches a channel although its sender has no socket',
    { source },
    async ({ signIn }) => {
      const listener = openRoom(await signIn({ realtime: quick }), 'audit-302');
      const sender = await signIn({ realtime: quick });
      await join(listener);
      await sendBroadcasts(sender.realtime, [
        { topic: 'audit-302', event: 'chat', payload: { text: 'http' } },
      ]);
      await eventually('the broadcast', () => listener.arrived.length > 0);
      assert.deepEqual(
        [listener.arrived, sender.wire.socketUrls.length],
        [['http'], 0],
        'the received messages and the number of opened sockets',
      );
    },
  ),
  audit(
    'CLIENT-RT-303',
    'a broadcast that cannot be sent is refused before sending, or dropped and reported',
    { source },
    async ({ signIn }) => {
      const dropped: string[] = [];
      const one = openRoom(await signIn({ realtime: quick }), 'audit-303', {
        maxPayloadBytes: 50,
        onDropped: ({ reason }) => dropped.push(reason),
      });
      assert.deepEqual(
        await one.room.send('chat', { text: 'early' }),
        {
          status: 'dropped',
          reason: 'offline',
        },
        'the result',
      );
      await join(one);
      const refusal = await refusalOf(RealtimeError, one.room.send('chat', { text: 'x'.repeat(60) }));
      assert.equal(refusal.code, 'payload-too-large', 'the code of the refusal');
      assert.deepEqual(
        [dropped, framesOf(one, 'broadcast').length],
        [['offline'], 0],
        'the drops and the number of broadcast frames',
      );
    },
  ),
  audit(
    'CLIENT-RT-304',
    'the private channel of another user is refused with the missing permission, and not retried',
    { source: 'protocol/realtime.md#refused-joins' },
    async ({ signIn, server }) => {
      const other = await server.newUser();
      // The real server delays a refusal by five seconds.
      const patient = { ...quick, timeoutMs: 10_000 };
      const one = openRoom(await signIn({ realtime: patient }), `user:${other.id}`, { isPrivate: true });
      one.channel.join();
      await eventually('the refusal', () => one.channel.getSnapshot().status === 'failed');
      const { error } = one.channel.getSnapshot();
      assert.equal(error?.code, 'unauthorized', 'the code of the error');
      assert.match(error?.message ?? '', /select/, 'the message of the error');
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.equal(framesOf(one, 'phx_join').length, 1, 'the number of phx_join frames');
    },
  ),
  audit(
    'CLIENT-RT-305',
    "the user's own private channel is joined; a broadcast that no policy allows ends as unacknowledged",
    { source },
    async ({ signIn }) => {
      const tab = await signIn({ realtime: quick });
      const one = openRoom(tab, `user:${tab.user.id}`, { isPrivate: true, ack: true });
      await join(one);
      assert.equal(
        at(framesOf(one, 'phx_join')[0]?.payload, 'config', 'private'),
        true,
        'config.private of the first join',
      );
      const refusal = await refusalOf(RealtimeError, one.room.send('chat', { text: 'forbidden' }));
      assert.equal(refusal.code, 'push-timeout', 'the code of the refusal');
      assert.match(refusal.message, /insert/, 'the message of the refusal');
    },
  ),
  audit(
    'CLIENT-RT-306',
    'presence is tracked again after a lost socket, and the others receive no second join and no leave',
    { source: 'protocol/realtime.md#presence' },
    async ({ signIn }) => {
      const [ada, grace] = [
        openRoom(await signIn({ realtime: quick }), 'audit-306'),
        openRoom(await signIn({ realtime: quick }), 'audit-306'),
      ];
      const [here, there] = [ada, grace].map(({ channel }, index) =>
        createPresence<{ n: number }>(channel, { key: `key-${index}` }),
      );
      assert.ok(here && there, 'two rooms are open');
      const joined: string[] = [];
      here.onJoin((key) => joined.push(key));
      here.track({ n: 1 });
      there.track({ n: 2 });
      await join(ada, grace);
      const keys = () => [...here.getSnapshot().entries.keys()].sort();
      await eventually('both', () => keys().length === 2);
      ada.tab.wire.cut();
      await eventually('recovering', () => ada.channel.getSnapshot().status === 'recovering');
      ada.tab.wire.mend();
      await eventually('two joins', () => framesOf(ada, 'phx_join').length >= 2);
      await eventually('synced', () => here.getSnapshot().isSynced && keys().length === 2);
      assert.deepEqual(
        [keys(), joined.sort()],
        [
          ['key-0', 'key-1'],
          ['key-0', 'key-1'],
        ],
        'the keys and the joins',
      );
      assert.equal(framesOf(ada, 'presence').length, 2, 'the number of presence frames');
    },
  ),
  audit(
    'CLIENT-RT-307',
    'a broadcast of bytes arrives as the same bytes',
    { source: 'protocol/realtime.md#frames' },
    async ({ signIn }) => {
      const rooms = [
        openRoom(await signIn({ realtime: quick }), 'audit-307'),
        openRoom(await signIn({ realtime: quick }), 'audit-307'),
      ] as const;
      const [one, two] = rooms.map(({ channel }) => createBroadcast<{ file: Uint8Array }>(channel));
      assert.ok(one && two, 'two rooms are open');
      const arrived: unknown[] = [];
      two.on('file', ({ payload }) => arrived.push(payload));
      await join(...rooms);
      const bytes = Uint8Array.from([0, 1, 127, 128, 255]);
      assert.deepEqual(await one.send('file', bytes), { status: 'sent' }, 'the result');
      await eventually('the bytes', () => arrived.length === 1);
      assert.deepEqual(arrived, [bytes], 'the received messages');
    },
  ),
];
