import { assert } from '../../target/assertion.ts';
import { randomUUID } from 'node:crypto';
import {
  type BroadcastDrop,
  createBroadcast,
  createDatabaseBroadcast,
} from 'supabase-protocol-clients/realtime-client/broadcast';
import type { Channel } from 'supabase-protocol-clients/realtime-client';
import { createLiveQuery, type LiveSource } from 'supabase-protocol-clients/realtime-client/live-query';
import type { Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import {
  clientAuditsOf,
  eventually,
  type ClientContext,
  type SignedInTab,
} from '../../clients/client-audit.ts';

const audit = clientAuditsOf('realtime-client');
const source = 'protocol/realtime.md#gaps';
const needs = ['database'] as const;
const quick = { reconnectDelaysMs: [50], leaveGraceMs: 50, timeoutMs: 5_000 };

/** A query of the table `notes` with the rows of `read`. */
const queryOf = (read: () => readonly Note[]): LiveSource<Note> => ({
  plan: { path: 'notes', filters: [], order: [] },
  execute: () => Promise.resolve(read()),
  in: (_column: string, ids: readonly unknown[]) =>
    queryOf(() => read().filter(({ id }) => ids.includes(id))),
});

interface Inbox {
  readonly tab: SignedInTab;
  readonly channel: Channel;
  readonly name: string;
}

/** A user's own private channel, in a tab. */
async function openInbox({ signIn }: Pick<ClientContext, 'signIn'>): Promise<Inbox> {
  const tab = await signIn({ realtime: quick });
  const name = `user:${tab.user.id}`;
  return { tab, name, channel: tab.realtime.channel(name, { private: true }) };
}

async function joinLive({ channel }: Inbox): Promise<void> {
  channel.join();
  await eventually('live', () => channel.getSnapshot().status === 'live');
}

/** Breaks the connection, runs `task`, and waits until the channel is live again. */
async function interrupt({ tab, channel }: Inbox, task: () => Promise<void>): Promise<void> {
  tab.wire.cut();
  await eventually('recovering', () => channel.getSnapshot().status === 'recovering');
  await task();
  tab.wire.mend();
  await eventually('live again', () => channel.getSnapshot().status === 'live');
}

async function send({ query }: AuditContext, name: string, ...numbers: readonly number[]): Promise<void> {
  for (const n of numbers)
    await query("select realtime.send(jsonb_build_object('n', $1::int), 'note', $2, true)", [n, name]);
}

interface Note {
  readonly id: string;
  readonly title: string;
  readonly version: number;
}

/** Broadcasts a change of a row that exists in the audit only. */
const notify = (
  { query }: AuditContext,
  name: string,
  operation: string,
  row: Note,
  old: Note | null = null,
) =>
  query(
    `select realtime.broadcast_changes($1, $2, $2, 'notes', 'public', new_row, old_row)
     from jsonb_to_record($3::jsonb) as new_row (id text, title text, version int8)
     left join jsonb_to_record($4::jsonb) as old_row (id text, title text, version int8) on $4::jsonb is not null`,
    [name, operation, JSON.stringify(row), old && JSON.stringify(old)],
  );

/** Replay of broadcasts, and changes that the database broadcasts. */
export const clientReplayAudits: readonly Audit[] = [
  audit(
    'CLIENT-RT-308',
    'with replay, database broadcasts from before the join arrive marked as replayed, then new ones',
    { source: 'protocol/realtime.md#broadcasts-of-the-database', needs },
    async (context) => {
      const inbox = await openInbox(context);
      const room = createBroadcast<{ note: { n: number } }>(inbox.channel, {
        replay: { sinceMs: Date.now() - 60_000, limit: 10 },
      });
      const arrived: unknown[] = [];
      room.on('note', ({ payload, isReplayed, id }) => arrived.push([payload.n, isReplayed, id !== null]));
      await send(context.server, inbox.name, 1, 2);
      await joinLive(inbox);
      await send(context.server, inbox.name, 3);
      await eventually('three', () => arrived.length === 3);
      assert.deepEqual(
        arrived,
        [
          [1, true, true],
          [2, true, true],
          [3, false, true],
        ],
        'the received messages',
      );
    },
  ),
  audit(
    'CLIENT-RT-309',
    'replay closes the gap of an interruption: each missed broadcast arrives once, in order',
    { source, needs },
    async (context) => {
      const inbox = await openInbox(context);
      const dropped: BroadcastDrop[] = [];
      const room = createBroadcast<{ note: { n: number } }>(inbox.channel, {
        replay: { sinceMs: Date.now(), limit: 25 },
        onDropped: (drop) => dropped.push(drop),
      });
      const arrived: number[] = [];
      room.on('note', ({ payload }) => arrived.push(payload.n));
      await joinLive(inbox);
      await send(context.server, inbox.name, 1, 2);
      await eventually('two', () => arrived.length === 2);
      await interrupt(inbox, () => send(context.server, inbox.name, 3, 4));
      await send(context.server, inbox.name, 5);
      await eventually('five', () => arrived.length >= 5);
      assert.deepEqual([arrived, dropped], [[1, 2, 3, 4, 5], []], 'the received messages and the drops');
    },
  ),
  audit(
    'CLIENT-RT-310',
    'a replay that reaches its limit is reported, because more may be missing',
    { source, needs },
    async (context) => {
      const inbox = await openInbox(context);
      const dropped: BroadcastDrop[] = [];
      const room = createBroadcast<{ note: { n: number } }>(inbox.channel, {
        replay: { sinceMs: Date.now(), limit: 2 },
        onDropped: (drop) => dropped.push(drop),
      });
      const arrived: number[] = [];
      room.on('note', ({ payload }) => arrived.push(payload.n));
      await joinLive(inbox);
      await interrupt(inbox, () => send(context.server, inbox.name, 1, 2, 3));
      await eventually('the replay', () => arrived.length === 2);
      assert.deepEqual(
        [arrived, dropped],
        [[2, 3], [{ event: '*', reason: 'replay-limit' }]],
        'the received messages and the drops',
      );
    },
  ),
  audit(
    'CLIENT-RT-311',
    'changes that the database broadcasts arrive by type, with exact integers',
    { source: 'protocol/realtime.md#broadcasts-of-the-database', needs },
    async (context) => {
      const inbox = await openInbox(context);
      const changes = createDatabaseBroadcast(inbox.channel);
      const arrived: unknown[] = [];
      const binding = { table: 'notes', event: ['INSERT', 'UPDATE'], primaryKey: ['none'] } as const;
      changes.onChanges<Note>(binding, (list) =>
        arrived.push(
          ...list.map((change) => [change.type, change.type !== 'DELETE' && change.record.version]),
        ),
      );
      await joinLive(inbox);
      const note = { id: randomUUID(), title: 'one', version: 1 };
      const { query } = context.server;
      await notify(context.server, inbox.name, 'INSERT', note);
      await query(
        `select realtime.broadcast_changes($1, 'UPDATE', 'UPDATE', 'notes', 'public', r, r)
         from (select 'x' as id, 'two' as title, 9007199254740993::int8 as version) r`,
        [inbox.name],
      );
      await eventually('both', () => arrived.length === 2);
      assert.deepEqual(
        arrived,
        [
          ['INSERT', 1],
          ['UPDATE', '9007199254740993'],
        ],
        'the received messages',
      );
    },
  ),
  audit(
    'CLIENT-RT-312',
    'a live list with broadcasts as its source equals its rows, even after a lost socket',
    { source, needs },
    async (context) => {
      const inbox = await openInbox(context);
      const rows = new Map<string, Note>();
      const list = createLiveQuery<Note>({
        channel: inbox.channel,
        source: createDatabaseBroadcast(inbox.channel),
        platform: inbox.tab.platform,
        query: queryOf(() => [...rows.values()]),
        key: 'id',
        intervalMs: 0,
      });
      const write = async (id: string, title: string, version: number, isAnnounced = true) => {
        const row = { id, title, version };
        rows.set(id, row);
        if (isAnnounced) await notify(context.server, inbox.name, 'INSERT', row);
      };
      const stop = list.start();
      const { channel } = inbox;
      const isEqual = () => {
        const { rows: shown, isCurrent } = list.getSnapshot();
        const titles = (notes: Iterable<Note>) => Array.from(notes, ({ title }) => title).sort();
        return isCurrent && titles(shown).join() === titles(rows.values()).join();
      };
      await eventually('live', () => channel.getSnapshot().status === 'live' && isEqual());
      await write('a', 'first', 1);
      await eventually('the first', isEqual);
      await interrupt(inbox, () => write('b', 'missed', 2));
      await eventually('the missed one', isEqual);
      await write('a', 'changed', 3);
      await eventually('the changed one', isEqual);
      assert.equal(list.getSnapshot().rows.length, 2, 'the number of rows of the live query');
      stop();
    },
  ),
];
