/**
 * The realtime client compared with the vendor's, in one process over sockets without a network: the CPU time of 10,000
 * broadcasts in and out, of 100 changes of a presence of 1,000 people, and of 5,000 changes of rows that a listener
 * applies to a map. Rounds alternate. Run: `npm run bench realtime-features`
 */
import { REALTIME_SUBSCRIBE_STATES, RealtimeClient as VendorClient } from '@supabase/realtime-js';
import type * as BrowserPlatform from '../../src/platform/browser-platform.ts';
import type { Socket } from '../../src/platform/platform.ts';
import type * as Broadcast from '../../src/realtime-client/broadcast/broadcast.ts';
import type * as PostgresChanges from '../../src/realtime-client/changes/postgres-changes.ts';
import type * as Realtime from '../../src/realtime-client/index.ts';
import type * as Presence from '../../src/realtime-client/presence/presence.ts';
import { bundle } from './bundle.ts';
import { reportMetric } from './report.ts';

const { createPlatform, createBroadcast, createPostgresChanges, createPresence, createRealtimeClient } =
  (await import(
    await bundle(
      'realtime',
      `export { createPlatform } from './src/platform/browser-platform.ts';
       export { createBroadcast } from './src/realtime-client/broadcast/broadcast.ts';
       export { createPostgresChanges } from './src/realtime-client/changes/postgres-changes.ts';
       export { createPresence } from './src/realtime-client/presence/presence.ts';
       export { createRealtimeClient } from './src/realtime-client/index.ts';`,
    )
  )) as typeof BrowserPlatform &
    typeof Broadcast &
    typeof PostgresChanges &
    typeof Presence &
    typeof Realtime;

const broadcasts = 10_000;
const people = 1_000;
const diffs = 100;
const changes = 5_000;
const rounds = 17;
const topic = 'realtime:room';

/** A client that has joined, and the frames that reach it. */
interface Subject {
  receive(frame: string): void;
  send(index: number): void;
  /** How many broadcasts were delivered, sent, how many keys are present, and how many rows are known. */
  counts(): {
    readonly received: number;
    readonly sent: number;
    readonly present: number;
    readonly rows: number;
  };
  close(): void;
}

const binding = { event: '*', schema: 'public', table: 'notes' } as const;
const subscribed = JSON.stringify([
  null,
  null,
  topic,
  'system',
  { extension: 'postgres_changes', status: 'ok', message: 'Subscribed to PostgreSQL', channel: 'room' },
]);
const replyTo = (data: unknown): string | null => {
  if (typeof data !== 'string') return null;
  const [joinRef, ref, to, event] = JSON.parse(data) as [string, string, string, string];
  return event === 'phx_join'
    ? JSON.stringify([
        joinRef,
        ref,
        to,
        'phx_reply',
        { status: 'ok', response: { postgres_changes: [{ ...binding, id: 1 }] } },
      ])
    : null;
};

async function openOurs(): Promise<Subject> {
  let socket: Socket | undefined;
  let sent = -1;
  let received = 0;
  const client = createRealtimeClient({
    url: 'https://project.test',
    apiKey: 'key',
    platform: createPlatform({
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
            if (!reply) return;
            queueMicrotask(() => {
              opened.onMessage?.(reply);
              opened.onMessage?.(subscribed);
            });
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
  room.on('note', () => (received += 1));
  const rows = new Map<unknown, unknown>();
  createPostgresChanges(channel).on(binding, (change) => {
    if (change.type !== 'DELETE') rows.set(change.record['id'], change.record);
  });
  channel.join();
  while (channel.getSnapshot().status !== 'live') await new Promise((resolve) => setTimeout(resolve, 1));
  return {
    receive: (frame) => socket?.onMessage?.(frame),
    send: (index) => void room.send('note', { index }),
    counts: () => ({ received, sent, present, rows: rows.size }),
    close: () => client.close(),
  };
}

async function openTheirs(): Promise<Subject> {
  let received = 0;
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
      if (!reply) return;
      queueMicrotask(() => {
        receive(reply);
        receive(subscribed);
      });
    }
    close() {}
  }
  const client = new VendorClient('wss://project.test/realtime/v1', {
    params: { apikey: 'key' },
    transport: Transport as unknown as typeof WebSocket,
  });
  const channel = client.channel('room', { config: { presence: { key: 'self', enabled: true } } });
  channel.on('broadcast', { event: 'note' }, () => (received += 1));
  const rows = new Map<unknown, unknown>();
  channel.on<{ id: string }>('postgres_changes', binding, (change) => {
    if (change.eventType !== 'DELETE') rows.set(change.new.id, change.new);
  });
  channel.on('presence', { event: 'sync' }, () => (present = Object.keys(channel.presenceState()).length));
  await new Promise<void>((resolve) => {
    channel.subscribe((status) => {
      if (status === REALTIME_SUBSCRIBE_STATES.SUBSCRIBED) resolve();
    });
  });
  return {
    receive: (frame) => receive(frame),
    send: (index) => void channel.send({ type: 'broadcast', event: 'note', payload: { index } }),
    counts: () => ({ received, sent, present, rows: rows.size }),
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

const columns = [
  { name: 'id', type: 'uuid' },
  { name: 'owner', type: 'uuid' },
  { name: 'status', type: 'text' },
  { name: 'content', type: 'text' },
  { name: 'created_at', type: 'timestamptz' },
];
const change = (index: number) =>
  JSON.stringify([
    null,
    null,
    topic,
    'postgres_changes',
    {
      ids: [1],
      data: {
        schema: 'public',
        table: 'notes',
        type: 'INSERT',
        commit_timestamp: '2026-01-01T00:00:00.000Z',
        columns,
        errors: null,
        record: {
          id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
          owner: 'ada00000-0000-4000-8000-000000000001',
          status: 'unread',
          content: '{"type":"mention","metadata":{}}',
          created_at: '2026-01-01T00:00:00.000Z',
        },
      },
    },
  ]);

async function measure(work: () => void): Promise<number> {
  const before = process.cpuUsage();
  work();
  // Wait longer than a frame, because what the next one delivers counts too.
  await new Promise((resolve) => setTimeout(resolve, 25));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function runRound(subject: Subject) {
  const incoming = Array.from({ length: broadcasts }, (_, index) => note(index));
  const presenceDiffs = Array.from({ length: diffs }, (_, index) => diff(index));
  const receiveMs = await measure(() => incoming.forEach(subject.receive));
  const sendMs = await measure(() => incoming.forEach((_frame, index) => subject.send(index)));
  subject.receive(state);
  const presenceMs = await measure(() => presenceDiffs.forEach(subject.receive));
  const incomingChanges = Array.from({ length: changes }, (_, index) => change(index));
  const changesMs = await measure(() => incomingChanges.forEach(subject.receive));
  const { received, sent, present, rows } = subject.counts();
  if (received !== broadcasts || sent < broadcasts || present !== people || rows !== changes)
    throw new Error(`Not everything arrived: ${JSON.stringify(subject.counts())}`);
  subject.close();
  return { receiveMs, sendMs, presenceMs, changesMs };
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
type Round = Awaited<ReturnType<typeof runRound>>;
const results: Record<'ours' | 'theirs', Round[]> = { ours: [], theirs: [] };
for (let round = 0; round < rounds; round += 1) {
  const order = round % 2 ? (['ours', 'theirs'] as const) : (['theirs', 'ours'] as const);
  for (const who of order)
    results[who].push(await runRound(await (who === 'ours' ? openOurs() : openTheirs())));
}
const names: Readonly<Record<keyof Round, string>> = {
  receiveMs: `receive ${broadcasts} broadcasts`,
  sendMs: `send ${broadcasts} broadcasts`,
  presenceMs: `${diffs} changes of a presence of ${people}`,
  changesMs: `${changes} changes of rows applied`,
};
for (const [what, name] of Object.entries(names) as [keyof Round, string][]) {
  // The first round warms up.
  const medianOf = (rounds: readonly Round[]) => median(rounds.slice(1).map((round) => round[what]));
  const [ours, peer] = [medianOf(results.ours), medianOf(results.theirs)];
  reportMetric({ name: `realtime: ${name}`, ours, peer, unit: 'ms', goal: 1 });
}
process.exit(0);
