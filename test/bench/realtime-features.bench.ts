/**
 * Broadcast and presence of this client beside the vendor's, in one process over sockets without a network: the CPU time
 * of 10,000 broadcasts in and out, and of 100 changes of a presence of 1,000 people. Rounds alternate; prints medians in
 * milliseconds and their ratio as JSON. Run: `npx tsx test/bench/realtime-features.bench.ts`
 */
import { REALTIME_SUBSCRIBE_STATES, RealtimeClient as VendorClient } from '@supabase/realtime-js';
import { createBrowserPlatform } from '../../src/platform/browser-platform.ts';
import type { Socket } from '../../src/platform/platform.ts';
import { createBroadcast } from '../../src/realtime-client/broadcast/broadcast.ts';
import { createRealtimeClient } from '../../src/realtime-client/index.ts';
import { createPresence } from '../../src/realtime-client/presence/presence.ts';

const broadcasts = 10_000;
const people = 1_000;
const changes = 100;
const rounds = 9;
const topic = 'realtime:room';

/** A client that has joined, and the frames that reach it. */
interface Subject {
  receive(frame: string): void;
  send(index: number): void;
  /** How many broadcasts were delivered, sent, and how many keys are present. */
  counts(): { readonly heard: number; readonly sent: number; readonly present: number };
  close(): void;
}

const replyTo = (data: unknown): string | null => {
  if (typeof data !== 'string') return null;
  const [joinRef, ref, to, event] = JSON.parse(data) as [string, string, string, string];
  return event === 'phx_join'
    ? JSON.stringify([joinRef, ref, to, 'phx_reply', { status: 'ok', response: { postgres_changes: [] } }])
    : null;
};

async function openOurs(): Promise<Subject> {
  let socket: Socket | undefined;
  let sent = -1;
  let heard = 0;
  const client = createRealtimeClient({
    url: 'https://project.test',
    apiKey: 'key',
    platform: createBrowserPlatform({
      openSocket() {
        const opened: Socket = {
          bufferedAmount: 0,
          onOpen: null,
          onMessage: null,
          onClose: null,
          close() {},
          send(data) {
            sent += 1;
            const reply = sent === 0 ? replyTo(data) : null;
            if (reply) queueMicrotask(() => opened.onMessage?.(reply));
          },
        };
        socket = opened;
        queueMicrotask(() => opened.onOpen?.());
        return opened;
      },
    }),
  });
  const channel = client.channel('room');
  const room = createBroadcast<{ note: { index: number } }>(channel, {
    perSecond: 1e9,
    perSecondOfClient: 1e9,
  });
  const presence = createPresence(channel, { key: 'self' });
  let present = 0;
  presence.subscribe(() => (present = presence.getSnapshot().entries.size));
  room.on('note', () => (heard += 1));
  channel.join();
  while (channel.getSnapshot().status !== 'live') await new Promise((resolve) => setTimeout(resolve, 1));
  return {
    receive: (frame) => socket?.onMessage?.(frame),
    send: (index) => void room.send('note', { index }),
    counts: () => ({ heard, sent, present }),
    close: () => client.close(),
  };
}

async function openTheirs(): Promise<Subject> {
  let heard = 0;
  let present = 0;
  let sent = -1;
  let receive = (_frame: string) => {};
  class Transport {
    readyState = 0;
    binaryType = 'arraybuffer';
    bufferedAmount = 0;
    onopen: (() => void) | null = null;
    onmessage: ((event: { data: unknown }) => void) | null = null;
    onclose: (() => void) | null = null;
    onerror: (() => void) | null = null;
    constructor() {
      receive = (data) => this.onmessage?.({ data });
      queueMicrotask(() => {
        this.readyState = 1;
        this.onopen?.();
      });
    }
    send(data: unknown) {
      sent += 1;
      const reply = sent === 0 ? replyTo(data) : null;
      if (reply) queueMicrotask(() => receive(reply));
    }
    close() {}
  }
  const client = new VendorClient('wss://project.test/realtime/v1', {
    params: { apikey: 'key' },
    transport: Transport as unknown as typeof WebSocket,
  });
  const channel = client.channel('room', { config: { presence: { key: 'self', enabled: true } } });
  channel.on('broadcast', { event: 'note' }, () => (heard += 1));
  channel.on('presence', { event: 'sync' }, () => (present = Object.keys(channel.presenceState()).length));
  await new Promise<void>((resolve) => {
    channel.subscribe((status) => {
      if (status === REALTIME_SUBSCRIBE_STATES.SUBSCRIBED) resolve();
    });
  });
  return {
    receive: (frame) => receive(frame),
    send: (index) => void channel.send({ type: 'broadcast', event: 'note', payload: { index } }),
    counts: () => ({ heard, sent, present }),
    close: () => void client.disconnect(),
  };
}

const note = (index: number) =>
  JSON.stringify([null, null, topic, 'broadcast', { type: 'broadcast', event: 'note', payload: { index } }]);
const metas = (ref: string) => ({ metas: [{ phx_ref: ref, name: `Name ${ref}` }] });
const state = JSON.stringify([
  null,
  null,
  topic,
  'presence_state',
  Object.fromEntries(Array.from({ length: people }, (_, index) => [`key-${index}`, metas(`${index}`)])),
]);
const diff = (index: number) =>
  JSON.stringify([
    null,
    null,
    topic,
    'presence_diff',
    {
      joins: { [`new-${index}`]: metas(`n${index}`) },
      leaves: { [`key-${index}`]: metas(`${index}`) },
    },
  ]);

async function measure(work: () => void): Promise<number> {
  const before = process.cpuUsage();
  work();
  await new Promise((resolve) => setTimeout(resolve, 5));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function runRound(subject: Subject) {
  const incoming = Array.from({ length: broadcasts }, (_, index) => note(index));
  const diffs = Array.from({ length: changes }, (_, index) => diff(index));
  const receiveMs = await measure(() => incoming.forEach(subject.receive));
  const sendMs = await measure(() => incoming.forEach((_frame, index) => subject.send(index)));
  subject.receive(state);
  const presenceMs = await measure(() => diffs.forEach(subject.receive));
  await new Promise((resolve) => setTimeout(resolve, 20));
  const { heard, sent, present } = subject.counts();
  if (heard !== broadcasts || sent < broadcasts || present !== people)
    throw new Error(`Not everything arrived: ${JSON.stringify(subject.counts())}`);
  subject.close();
  return { receiveMs, sendMs, presenceMs };
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
type Round = Awaited<ReturnType<typeof runRound>>;
const results: Record<'ours' | 'theirs', Round[]> = { ours: [], theirs: [] };
for (let round = 0; round < rounds; round += 1) {
  const order = round % 2 ? (['ours', 'theirs'] as const) : (['theirs', 'ours'] as const);
  for (const who of order)
    results[who].push(await runRound(await (who === 'ours' ? openOurs() : openTheirs())));
}
const table = Object.fromEntries(
  (['receiveMs', 'sendMs', 'presenceMs'] as const).map((what) => {
    // The first round warms up.
    const [ours, theirs] = [results.ours, results.theirs].map((all) =>
      median(all.slice(1).map((one) => one[what])),
    );
    return [what, { ours, theirs, ratio: Number(((ours ?? 0) / (theirs || 1)).toFixed(2)) }];
  }),
);
console.log(JSON.stringify(table, null, 2));
process.exit(0);
