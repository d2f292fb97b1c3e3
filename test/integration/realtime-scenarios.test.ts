import { REALTIME_SUBSCRIBE_STATES, RealtimeClient as VendorClient } from '@supabase/realtime-js';
import type { RealtimePostgresChangesPayload } from '@supabase/realtime-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import { createPostgresChanges } from '../../src/realtime-client/changes/postgres-changes.ts';
import { createRealtimeClient, type Change, type RowRecord } from '../../src/realtime-client/index.ts';
import { realisticTiming } from 'local-supabase';
import { ADA, createRealtimeWorld } from 'local-supabase/testing';
import type { RealtimeWorld } from 'local-supabase/testing';
import { openNodeSocket } from '../support/node-socket.ts';

/** A client's observable events, in a form common to both clients. */
interface ReceivedEvents {
  readonly states: ('joined' | 'live' | 'refused' | 'ended')[];
  readonly changes: {
    readonly of: string;
    readonly type: string;
    readonly row: RowRecord;
    readonly at: string;
  }[];
  message: string;
}

interface Opened extends ReceivedEvents {
  leave(): Promise<unknown> | undefined;
  joinAgain(): void;
}

interface Binding {
  readonly event?: 'DELETE';
  readonly table: string;
  readonly filter?: string;
}

let world: RealtimeWorld;
let token: string;
const closers: (() => unknown)[] = [];
/** The service's clock runs four times as fast as the true one, so that polls and delays take less time. */
const CLOCK_STEP_MS = 40;
const TRUE_STEP_MS = 10;
let clock: NodeJS.Timeout;
beforeAll(async () => {
  world = await createRealtimeWorld({ ...realisticTiming, coldStartMs: 0 });
  clock = setInterval(() => world.timers.advance(CLOCK_STEP_MS), TRUE_STEP_MS);
  token = await world.tokenOf(ADA);
});
afterAll(() => {
  clearInterval(clock);
  return world.close();
});
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
  await query('truncate notes, open_notes');
});

const createReceived = (): ReceivedEvents => ({ states: [], changes: [], message: '' });
const labelOf = ({ table, filter = '' }: Binding) => `${table} ${filter}`.trim();

function openOurs(bindings: readonly Binding[]): Opened {
  const received = createReceived();
  const client = createRealtimeClient({
    url: world.url,
    apiKey: world.keys.anonKey,
    platform: createPlatform({ openSocket: openNodeSocket }),
    getAccessToken: () => Promise.resolve(token),
  });
  closers.push(() => client.close());
  const channel = client.channel('scene');
  for (const binding of bindings)
    createPostgresChanges(channel).on(binding, (change: Change<RowRecord>) => {
      const row = change.type === 'DELETE' ? change.oldRecord : change.record;
      received.changes.push({ of: labelOf(binding), type: change.type, row, at: change.commitTimestamp });
    });
  const words = {
    joined: 'joined',
    live: 'live',
    failed: 'refused',
    recovering: 'ended',
    closed: 'ended',
  } as const;
  channel.subscribe(() => {
    const { status, error } = channel.getSnapshot();
    if (status !== 'connecting') received.states.push(words[status]);
    received.message = error?.message ?? '';
  });
  channel.join();
  return {
    ...received,
    get message() {
      return received.message;
    },
    leave() {
      channel.leave();
      return undefined;
    },
    joinAgain: channel.join,
  };
}

async function openTheirs(bindings: readonly Binding[]): Promise<Opened> {
  const received = createReceived();
  const client = new VendorClient(`${world.url.replace('http', 'ws')}/realtime/v1`, {
    params: { apikey: world.keys.anonKey },
    transport: WebSocket as unknown as typeof globalThis.WebSocket,
  });
  closers.push(() => client.disconnect());
  // The vendor's first join does not wait for an asynchronous `accessToken`.
  await client.setAuth(token);
  const open = () => {
    const channel = client.channel('scene');
    for (const binding of bindings)
      channel.on(
        'postgres_changes',
        { event: '*', schema: 'public', ...binding } as { event: '*'; schema: string },
        (change: RealtimePostgresChangesPayload<Record<string, unknown>>) => {
          const row = change.eventType === 'DELETE' ? change.old : change.new;
          received.changes.push({
            of: labelOf(binding),
            type: change.eventType,
            row,
            at: change.commit_timestamp,
          });
        },
      );
    channel.on('system', {}, ({ status, message }: { status: string; message: string }) => {
      if (status === 'ok') received.states.push('live');
      else if (message.startsWith('Unable')) received.states.push('refused');
      received.message = message;
    });
    channel.subscribe((status) => {
      if (status === REALTIME_SUBSCRIBE_STATES.SUBSCRIBED) received.states.push('joined');
      if (status === REALTIME_SUBSCRIBE_STATES.CLOSED) received.states.push('ended');
    });
    return channel;
  };
  let channel = open();
  return {
    ...received,
    get message() {
      return received.message;
    },
    leave: () => client.removeChannel(channel),
    joinAgain: () => void (channel = open()),
  };
}

const query = (text: string) => world.database.exec(text);
const isLive = (opened: Opened, times = 1) =>
  expect.poll(() => opened.states.filter((state) => state === 'live').length).toBe(times);
let markers = 0;
/** Collects all events up to a row that every client receives. */
async function received({ changes }: Opened) {
  const id = 1_000_000 + (markers += 1);
  await query(`insert into open_notes values (${id})`);
  await expect.poll(() => changes.at(-1)?.row['id']).toBe(id);
  return changes.splice(0).slice(0, -1);
}
const marker: Binding = { table: 'open_notes' };
const ownNotes: Binding = { table: 'notes', filter: `owner=eq.${ADA}` };

describe.each([
  {
    name: 'this client',
    open: (bindings: readonly Binding[]) => Promise.resolve(openOurs(bindings)),
    afterExpiry: ['ended', 'live'],
  },
  { name: 'the vendor’s client', open: openTheirs, afterExpiry: ['ended'] },
])('$name', ({ open, afterExpiry }) => {
  it('receives the reply first and the confirmation second', async () => {
    const opened = await open([ownNotes]);
    await isLive(opened);
    expect(opened.states).toEqual(['joined', 'live']);
  });

  it('is joined and then refused with the server’s message for an unknown column', async () => {
    const opened = await open([{ table: 'notes', filter: 'nope=eq.1' }]);
    await expect.poll(() => opened.states).toEqual(['joined', 'refused']);
    expect(opened.message).toContain('invalid column for filter nope');
  });

  it('keeps its socket when its token expires; only this client joins again', async () => {
    const opened = await open([ownNotes]);
    await isLive(opened);
    const { sockets, joins } = world.service.statistics;
    world.service.faults.expireTokens();
    await expect.poll(() => opened.states).toEqual(['joined', 'live', ...afterExpiry]);
    expect(world.service.statistics).toMatchObject({ sockets, joins: joins + afterExpiry.length - 1 });
  });

  it('receives nothing after a leave, and changes again after joining the same topic', async () => {
    const opened = await open([ownNotes, marker]);
    await isLive(opened);
    await opened.leave();
    await expect.poll(() => world.service.statistics.subscribers).toBe(0);
    await query(`insert into notes (owner, body) values ('${ADA}', 'missed')`);
    await world.service.settled();
    opened.joinAgain();
    await isLive(opened, 2);
    expect(await received(opened)).toEqual([]);
    expect(opened.states.filter((state) => state === 'ended')).toHaveLength(1);
  });
});

it('this client ignores the late close of its previous join after leaving and joining at once', async () => {
  const opened = openOurs([ownNotes, marker]);
  await isLive(opened);
  void opened.leave();
  opened.joinAgain();
  await isLive(opened, 2);
  await query(`insert into notes (owner, body) values ('${ADA}', 'after')`);
  expect((await received(opened)).map(({ row }) => row['body'])).toEqual(['after']);
  expect(opened.states.at(-1)).toBe('live');
});
