import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RealtimeFaults } from 'local-supabase';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import { createRealtimeClient } from '../../src/realtime-client/index.ts';
import { createDatabaseBroadcast } from '../../src/realtime-client/broadcast/database-broadcast.ts';
import { createTableQuery } from '../support/wire/live-query-scene.ts';
import { createLiveQuery } from '../../src/realtime-client/live-query/live-query.ts';
import { ADA, createRealtimeWorld, type RealtimeWorld } from 'local-supabase/testing';
import { openNodeSocket } from '../support/node-socket.ts';

interface Note {
  readonly id: number;
}

const intervalMs = 250;

let world: RealtimeWorld;
const closers: (() => unknown)[] = [];
beforeAll(async () => {
  world = await createRealtimeWorld();
  await world.database.exec(`
    grant usage on schema realtime to authenticated;
    create policy reads on realtime.messages for select to authenticated using (extension = 'broadcast');
    create function tell() returns trigger language plpgsql as $$ begin
      perform realtime.broadcast_changes('notes', tg_op, tg_op, tg_table_name, tg_table_schema, new, old);
      return null;
    end $$;
    create trigger tell after insert on open_notes for each row execute function tell();`);
});
afterAll(async () => world.close());
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
  await world.service.faults.setDatabaseAvailable(true);
  await world.service.faults.setSlot('available');
  world.service.faults.limitEvents(null);
  world.service.faults.setMessageReplication(true);
  await world.database.exec('truncate open_notes');
});

/** A list of the notes that compares itself with the table often. */
async function openList(everyMs = intervalMs, usesBroadcasts = false) {
  const token = await world.tokenOf(ADA);
  const platform = createPlatform({ openSocket: openNodeSocket });
  const client = createRealtimeClient({
    url: world.url,
    apiKey: world.keys.anonKey,
    platform,
    getAccessToken: () => Promise.resolve(token),
  });
  const channel = client.channel('notes', { private: usesBroadcasts });
  const list = createLiveQuery<Note>({
    channel,
    ...(usesBroadcasts && { source: createDatabaseBroadcast(channel) }),
    platform,
    query: createTableQuery(async () => world.database.query<Note>('select id from open_notes'), {
      path: 'open_notes',
    }),
    key: 'id',
    intervalMs: everyMs,
  });
  const stop = list.start();
  channel.join();
  closers.push(() => {
    stop();
    client.close();
  });
  await expect.poll(() => list.getSnapshot().isCurrent).toBe(true);
  return {
    channel,
    ids: () =>
      list
        .getSnapshot()
        .rows.map(({ id }) => id)
        .toSorted((a, b) => a - b),
    list,
  };
}

const insert = async (...ids: number[]) =>
  world.database.exec(`insert into open_notes values ${ids.map((id) => `(${id})`).join(', ')}`);

/** Faults by which the server loses changes while the socket stays open and no client is notified. */
const silent: readonly (readonly [
  string,
  (faults: RealtimeFaults) => Promise<void> | void,
  readonly number[],
])[] = [
  ['the poller ends', (faults) => faults.setSlot('ended'), [1]],
  ['the replication slot cannot be created', (faults) => faults.setSlot('refused'), [1]],
  ['the slot waits for a transaction that was open at the start', (faults) => faults.setSlot('waiting'), [1]],
  [
    'changes exceed the limit of events',
    (faults) => faults.limitEvents(1),
    Array.from({ length: 150 }, (_, i) => i),
  ],
];

describe('a live list, when the server loses changes silently', () => {
  it.each(silent)('is repaired by its comparison: %s', async (_name, fail, ids) => {
    const { channel, ids: shown } = await openList();
    await fail(world.service.faults);
    for (const id of ids) await insert(id);
    await expect.poll(shown).toEqual(ids);
    expect(channel.getSnapshot().status).toBe('live');
  });

  it('is repaired by its comparison: the replication of broadcasts ends', async () => {
    const { channel, ids } = await openList(intervalMs, true);
    await insert(1);
    await expect.poll(ids).toEqual([1]);
    world.service.faults.setMessageReplication(false);
    await insert(2);
    await expect.poll(ids).toEqual([1, 2]);
    expect(channel.getSnapshot().status).toBe('live');
  });

  it('follows the table again when the poller is back', async () => {
    const { ids } = await openList(0);
    await world.service.faults.setSlot('ended');
    await insert(1);
    await world.service.faults.setSlot('available');
    await insert(2);
    await expect.poll(ids).toEqual([1, 2]);
  });
});

describe('a live list, when PostgreSQL restarts', () => {
  it('is complete after the restart, without a comparison', async () => {
    const { ids } = await openList(0);
    await world.service.faults.setDatabaseAvailable(false);
    await insert(1);
    await world.service.faults.setDatabaseAvailable(true);
    await insert(2);
    await expect.poll(ids).toEqual([1, 2]);
  });
});
