import { assert } from '../../target/assertion.ts';
import {
  bufferBroadcasts,
  createBroadcast,
  type BroadcastDrop,
  type BroadcastOptions,
} from 'supabase-protocol-clients/realtime-client/broadcast';
import { RealtimeError, type Channel, type RealtimeEvent } from 'supabase-protocol-clients/realtime-client';
import { createPresence, type Presence } from 'supabase-protocol-clients/realtime-client/presence';
import type { Audit } from '../../audit/audit.ts';
import { clientAuditsOf, eventually, refusalOf, type SignedInTab } from '../../clients/client-audit.ts';
import { createBrowser, type Tab } from '../../clients/tab.ts';
import { at } from '../../target/wire.ts';

const audit = clientAuditsOf('realtime-client');
const source = 'protocol/realtime.md#limits';
const quick = { reconnectDelaysMs: [50], leaveGraceMs: 50, timeoutMs: 5_000 };

interface Person {
  readonly name: string;
}

const framesOf = ({ wire }: Tab, event: string) => wire.sent.filter((frame) => frame.event === event);

async function join(...channels: readonly Channel[]): Promise<void> {
  channels.forEach((channel) => channel.join());
  await eventually('live', () => channels.every((channel) => channel.getSnapshot().status === 'live'));
}

/** A presence that logs joining and leaving keys. */
function watch(tab: Tab, name: string, key: string) {
  const channel = tab.realtime.channel(name) as Channel;
  const presence = createPresence<Person>(channel, { key });
  const log: string[] = [];
  presence.onJoin((joined) => log.push(`+${joined}`));
  presence.onLeave((left) => log.push(`-${left}`));
  return { channel, presence, log };
}

const namesOf = (presence: Presence<Person>, key: string) =>
  (presence.getSnapshot().entries.get(key) ?? []).map(({ name }) => name).sort();

function openRoom(tab: Tab, name: string, options: BroadcastOptions<{ chat: { n: number } }> = {}) {
  const channel = tab.realtime.channel(name) as Channel;
  const room = createBroadcast<{ chat: { n: number } }>(channel, options);
  const arrived: number[] = [];
  room.on('chat', ({ payload }) => arrived.push(payload.n));
  return { channel, room, arrived };
}

const presenceAudits: readonly Audit[] = [
  audit(
    'CLIENT-RT-313',
    'several entries of one key count as one key: it joins with the first and leaves with the last',
    { source: 'protocol/realtime.md#presence' },
    async ({ signIn }) => {
      const name = 'audit-313';
      const here = watch(await signIn({ realtime: quick }), name, 'ada');
      const devices: SignedInTab[] = [await signIn({ realtime: quick }), await signIn({ realtime: quick })];
      const [phone, laptop] = devices.map((tab) => watch(tab, name, 'grace'));
      assert.ok(phone && laptop, 'two rooms are open');
      await join(here.channel, phone.channel, laptop.channel);
      phone.presence.track({ name: 'phone' });
      laptop.presence.track({ name: 'laptop' });
      const names = () => namesOf(here.presence, 'grace').join();
      await eventually('both', () => names() === 'laptop,phone');
      phone.channel.leave();
      await eventually('one', () => names() === 'laptop');
      assert.deepEqual(here.log, ['+grace'], 'the joins and leaves');
      // Break the connection, so that the tab ends without a leave.
      devices[1]?.wire.cut();
      await eventually('none', () => names() === '');
      assert.deepEqual(here.log, ['+grace', '-grace'], 'the joins and leaves');
    },
  ),
  audit(
    'CLIENT-RT-314',
    "untracking removes the client's own entry and keeps the channel",
    { source: 'protocol/realtime.md#presence' },
    async ({ signIn }) => {
      const [here, there] = [
        watch(await signIn({ realtime: quick }), 'audit-314', 'ada'),
        watch(await signIn({ realtime: quick }), 'audit-314', 'grace'),
      ];
      await join(here.channel, there.channel);
      there.presence.track({ name: 'Grace' });
      await eventually('there', () => namesOf(here.presence, 'grace').length === 1);
      there.presence.untrack();
      await eventually('gone', () => namesOf(here.presence, 'grace').length === 0);
      assert.deepEqual(
        [here.log, there.channel.getSnapshot().status],
        [['+grace', '-grace'], 'live'],
        'the joins and leaves, and the status of the channel',
      );
    },
  ),
  audit(
    'CLIENT-RT-315',
    'an entry that no policy allows is refused with a typed error that names the missing permission',
    { source: 'protocol/realtime.md#presence' },
    async ({ signIn }) => {
      const tab = await signIn({ realtime: quick });
      const channel = tab.realtime.channel(`user:${tab.user.id}`, { private: true }) as Channel;
      const presence = createPresence<Person>(channel, { key: 'ada' });
      presence.track({ name: 'Ada' });
      await join(channel);
      await eventually('the refusal', () => presence.getSnapshot().error !== null);
      const { error } = presence.getSnapshot();
      assert.equal(error?.code, 'unauthorized', 'the code of the error');
      assert.match(error?.message ?? '', /realtime\.messages.*insert.*presence/, 'the message of the error');
    },
  ),
];

const limitAudits: readonly Audit[] = [
  audit(
    'CLIENT-RT-316',
    'entries that change faster than the server allows are throttled and reported, and the channel stays joined',
    { source },
    async ({ signIn }) => {
      const events: RealtimeEvent[] = [];
      const tab = await signIn({ realtime: quick, onRealtimeEvent: (event) => events.push(event) });
      const { channel, presence, log } = watch(tab, 'audit-316', 'ada');
      await join(channel);
      for (let n = 1; n <= 12; n += 1) presence.track({ name: `${n}` });
      await eventually('the fifth', () => namesOf(presence, 'ada').join() === '5');
      assert.deepEqual(
        [framesOf(tab, 'presence').length, log],
        [5, ['+ada']],
        'the number of presence frames, and the log',
      );
      assert.equal(channel.getSnapshot().status, 'live', 'the status of the channel');
      const throttled = events.find(({ type }) => type === 'throttled');
      assert.ok(
        throttled?.type === 'throttled' && throttled.waitMs > 20_000,
        'a throttling of more than 20 s is announced',
      );
    },
  ),
  audit(
    'CLIENT-RT-317',
    'broadcasts beyond the rate limit wait in order, are reported, and all arrive',
    { source },
    async ({ signIn }) => {
      const events: RealtimeEvent[] = [];
      const limits = { perSecond: 20, buffer: bufferBroadcasts() };
      const tab = await signIn({ realtime: quick, onRealtimeEvent: (event) => events.push(event) });
      const here = openRoom(tab, 'audit-317', limits);
      const there = openRoom(await signIn({ realtime: quick }), 'audit-317');
      await join(here.channel, there.channel);
      const numbers = Array.from({ length: 30 }, (_, index) => index);
      const startedAtMs = performance.now();
      const outcomes = numbers.map((n) => here.room.send('chat', { n }));
      const sent = framesOf(tab, 'broadcast').length;
      const allowed = Math.floor(20 + ((performance.now() - startedAtMs) * limits.perSecond) / 1_000);
      assert.ok(sent >= 20 && sent <= allowed, 'no more are sent than the limit allows', `${sent}`);
      assert.ok(
        (await Promise.all(outcomes)).every(({ status }) => status === 'sent'),
        'every broadcast is sent',
      );
      await eventually('all', () => there.arrived.length === 30);
      assert.deepEqual(there.arrived, numbers, 'the received messages');
      assert.ok(
        events.some(({ type }) => type === 'throttled'),
        'a throttling is announced',
      );
    },
  ),
  audit(
    'CLIENT-RT-318',
    "the client's rate limit holds for all its channels; without a buffer the surplus is dropped and reported",
    { source },
    async ({ signIn }) => {
      const tab = await signIn({ realtime: quick });
      const dropped: BroadcastDrop[] = [];
      const options = { perSecondOfClient: 10, onDropped: (drop: BroadcastDrop) => dropped.push(drop) };
      const rooms = ['audit-318-a', 'audit-318-b'].map((name) => openRoom(tab, name, options));
      await join(...rooms.map(({ channel }) => channel));
      const sends = rooms.flatMap(({ room }) =>
        Array.from({ length: 8 }, (_, n) => room.send('chat', { n })),
      );
      const outcomes = await Promise.all(sends);
      const sent = outcomes.filter(({ status }) => status === 'sent').length;
      assert.equal(framesOf(tab, 'broadcast').length, sent, 'the number of broadcast frames');
      assert.ok(sent >= 10 && sent < 16, 'between 10 and 15 messages are sent', `${sent}`);
      assert.deepEqual(
        new Set(dropped.map(({ reason }) => reason)),
        new Set(['throttled']),
        'the dropped broadcasts',
      );
      assert.equal(dropped.length, 16 - sent, 'the number of dropped broadcasts');
    },
  ),
  audit(
    'CLIENT-RT-319',
    'a broadcast larger than the payload limit is refused before sending',
    { source },
    async ({ signIn }) => {
      const tab = await signIn({ realtime: quick });
      const { channel } = openRoom(tab, 'audit-319');
      const texts = createBroadcast<{ text: string }>(channel);
      await join(channel);
      const refusal = await refusalOf(RealtimeError, texts.send('text', 'x'.repeat(256_001)));
      assert.deepEqual(
        [refusal.code, framesOf(tab, 'broadcast').length],
        ['payload-too-large', 0],
        'the code of the refusal and the number of broadcast frames',
      );
    },
  ),
];

const tabAudits: readonly Audit[] = [
  audit(
    'CLIENT-RT-320',
    'tabs of one browser share a socket: a broadcast reaches the other tab and other devices, each once',
    { source: 'protocol/realtime.md#one-socket-for-all-tabs' },
    async ({ signIn, open }) => {
      const browser = createBrowser();
      const first = await signIn({ browser, isShared: true, realtime: quick });
      const second = await open({ browser, isShared: true, realtime: quick });
      const device = await signIn({ realtime: quick });
      const [one, two, three] = [first, second, device].map((tab) =>
        openRoom(tab, 'audit-320', { ack: true }),
      );
      assert.ok(one && two && three, 'three rooms are open');
      await join(one.channel, two.channel, three.channel);
      assert.equal(
        first.wire.socketUrls.length + second.wire.socketUrls.length,
        1,
        'the number of opened sockets of both tabs',
      );
      for (const [n, { room }] of [one, two, three].entries())
        assert.deepEqual(await room.send('chat', { n }), { status: 'acknowledged' }, 'the result');
      const arrived = () => [one, two, three].map((room) => room.arrived.toSorted((a, b) => a - b));
      await eventually('all', () => arrived().every((numbers) => numbers.length >= 2));
      assert.deepEqual(
        arrived(),
        [
          [1, 2],
          [0, 2],
          [0, 1],
        ],
        'the received messages',
      );
    },
  ),
  audit(
    'CLIENT-RT-321',
    'tabs that share a socket have one presence entry, which leaves with the last tab',
    { source: 'protocol/realtime.md#one-socket-for-all-tabs' },
    async ({ signIn, open }) => {
      const browser = createBrowser();
      const first = await signIn({ browser, isShared: true, realtime: quick });
      const second = await open({ browser, isShared: true, realtime: quick });
      const device = watch(await signIn({ realtime: quick }), 'audit-321', 'phone');
      const [one, two] = [first, second].map((tab) => watch(tab, 'audit-321', 'browser'));
      assert.ok(one && two, 'two rooms are open');
      await join(device.channel, one.channel, two.channel);
      one.presence.track({ name: 'one' });
      await eventually('one', () => namesOf(device.presence, 'browser').join() === 'one');
      two.presence.track({ name: 'two' });
      await eventually('two', () => namesOf(device.presence, 'browser').join() === 'two');
      await eventually('also here', () => namesOf(one.presence, 'browser').join() === 'two');
      // Close the leading tab; the other one takes over.
      first.close();
      await eventually('the other tab', () => two.channel.getSnapshot().status === 'live');
      await eventually('still', () => namesOf(device.presence, 'browser').join() === 'two');
      second.close();
      await eventually('none', () => namesOf(device.presence, 'browser').length === 0);
    },
  ),
];

const joinAudits: readonly Audit[] = [
  audit(
    'CLIENT-RT-322',
    'a changed join payload joins again only if necessary, with its listeners, and announces the gap',
    { source: 'protocol/realtime.md#channels-of-a-client' },
    async ({ signIn }) => {
      const tab = await signIn({ realtime: quick });
      const here = openRoom(tab, 'audit-322');
      const there = openRoom(await signIn({ realtime: quick }), 'audit-322');
      await join(here.channel, there.channel);
      const gaps: string[] = [];
      here.channel.onContinuity(({ reason }) => gaps.push(reason));
      here.channel.updateJoinPayload({ ack: false });
      assert.equal(framesOf(tab, 'phx_join').length, 1, 'the number of phx_join frames');
      here.channel.updateJoinPayload({ ack: true });
      await eventually('the second join', () => framesOf(tab, 'phx_join').length === 2);
      await eventually('live', () => here.channel.getSnapshot().status === 'live');
      assert.equal(
        at(framesOf(tab, 'phx_join')[1]?.payload, 'config', 'broadcast', 'ack'),
        true,
        'config.broadcast.ack of the second join',
      );
      await there.room.send('chat', { n: 1 });
      await eventually('the broadcast', () => here.arrived.length > 0);
      assert.deepEqual([here.arrived, gaps], [[1], ['rejoined']], 'the received messages and the gaps');
    },
  ),
  audit(
    'CLIENT-RT-323',
    'heartbeats cause events with their latency',
    { source: 'protocol/realtime.md#liveness' },
    async ({ signIn }) => {
      const events: RealtimeEvent[] = [];
      const tab = await signIn({
        realtime: { ...quick, heartbeatMs: 100 },
        onRealtimeEvent: (event) => events.push(event),
      });
      await join(openRoom(tab, 'audit-323').channel);
      await eventually('two heartbeats', () => events.filter(({ type }) => type === 'heartbeat').length >= 2);
      const latencies = events.flatMap((event) => (event.type === 'heartbeat' ? [event.latencyMs] : []));
      assert.ok(
        latencies.every((latencyMs) => latencyMs >= 0 && latencyMs < 5_000),
        'each latency is between 0 and 5 s',
      );
    },
  ),
];

/** Presence, rate limits, shared sockets and changes of a join. */
export const clientFlowAudits: readonly Audit[] = [
  ...presenceAudits,
  ...limitAudits,
  ...tabAudits,
  ...joinAudits,
];
