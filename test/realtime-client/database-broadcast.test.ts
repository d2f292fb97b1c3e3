import { describe, expect, it } from 'vitest';
import { createDatabaseBroadcast } from '../../src/realtime-client/broadcast/database-broadcast.ts';
import { createTableQuery } from '../support/wire/live-query-scene.ts';
import { createLiveQuery } from '../../src/realtime-client/live-query/live-query.ts';
import { createScriptedScene, topic } from '../support/wire/scripted-realtime.ts';

interface Item {
  readonly id: string;
  readonly version: number;
}

async function openScene() {
  const scene = createScriptedScene();
  const channel = scene.client.channel('user:ada', { private: true });
  const source = createDatabaseBroadcast(channel);
  let serial = 0;
  const send = async (
    payload: { readonly id: string; readonly operation: string } & Record<string, unknown>,
  ) => {
    const { id, operation: event } = payload;
    scene.server.send(null, null, topic, 'broadcast', { event, payload, meta: { id } });
    await scene.world.clock.advance(16);
  };
  return {
    send,
    ...scene,
    channel,
    source,
    async join() {
      scene.server.open();
      await scene.world.settle();
      scene.server.acceptJoin();
      await scene.world.settle();
    },
    async confirm() {
      scene.server.system('ok', 'Replication connection established', 'system');
      await scene.world.settle();
    },
    async open() {
      await this.join();
      await this.confirm();
    },
    async change(operation: string, record: object | null, oldRecord: object | null = null, table = 'items') {
      const id = `${(serial += 1)}`;
      await send({ id, operation, schema: 'public', table, record, old_record: oldRecord });
    },
  };
}

describe('changes that the database broadcasts', () => {
  it('join a private channel without bindings and arrive typed, by table and type', async () => {
    const { source, channel, change, server, ...scene } = await openScene();
    const seen: string[] = [];
    source.onChanges<Item>({ table: 'items', event: ['INSERT', 'DELETE'] }, (changes) =>
      seen.push(
        ...changes.map(
          (one) => `${one.type} ${one.type === 'DELETE' ? (one.oldRecord.id ?? '') : one.record.id}`,
        ),
      ),
    );
    channel.join();
    await scene.open();
    expect(server.lastJoin().payload['config']).toMatchObject({ private: true, postgres_changes: [] });
    await change('INSERT', { id: 'a', version: 1 });
    await change('UPDATE', { id: 'a', version: 2 }, { id: 'a', version: 1 });
    await change('INSERT', { id: 'x' }, null, 'others');
    await change('DELETE', null, { id: 'a', version: 2 });
    expect(seen).toEqual(['INSERT a', 'DELETE a']);
  });

  it('arrive together where one message lists the rows of a statement', async () => {
    const { source, channel, send, ...scene } = await openScene();
    const seen: unknown[] = [];
    source.onChanges<Item>({ table: 'items' }, (changes) =>
      seen.push(changes.map((one) => [one.type, one.type === 'DELETE' ? one.oldRecord.id : one.record])),
    );
    channel.join();
    await scene.open();
    const table = { schema: 'public', table: 'items' };
    const [a, b] = [
      { id: 'a', version: 1 },
      { id: 'b', version: 1 },
    ];
    await send({ id: '1', operation: 'INSERT', ...table, records: [a, b] });
    await send({ id: '2', operation: 'UPDATE', ...table, records: [a, b] });
    await send({ id: '3', operation: 'DELETE', ...table, old_records: [{ id: 'a' }, { id: 'b' }] });
    expect(seen).toEqual([
      [
        ['INSERT', a],
        ['INSERT', b],
      ],
      [
        ['UPDATE', a],
        ['UPDATE', b],
      ],
      [
        ['DELETE', 'a'],
        ['DELETE', 'b'],
      ],
    ]);
  });

  it('are reported as lost by a message of the table without rows', async () => {
    const { source, channel, send, ...scene } = await openScene();
    const losses: string[] = [];
    source.onContinuity(({ reason }) => losses.push(reason));
    source.onChanges({ table: 'items' }, () => {});
    channel.join();
    await scene.open();
    await send({ id: '1', operation: 'UPDATE', schema: 'public', table: 'others' });
    await send({ id: '2', operation: 'UPDATE', schema: 'public', table: 'items' });
    expect(losses).toEqual(['truncated']);
  });

  it('are live once the server receives them: those committed before would be missing', async () => {
    const { channel, server, join, confirm } = await openScene();
    channel.join();
    await join();
    expect(server.lastJoin().payload['config']).toMatchObject({ broadcast: { replication_ready: true } });
    expect(channel.getSnapshot().status).toBe('joined');
    await confirm();
    expect(channel.getSnapshot().status).toBe('live');
  });

  it('are live after ten seconds on an older server, which sends no confirmation; a late confirmation is a gap', async () => {
    const { channel, server, world, join, confirm } = await openScene();
    let losses = 0;
    channel.onContinuity(() => (losses += 1));
    channel.join();
    await join();
    await world.clock.advance(9_999);
    expect(channel.getSnapshot().status).toBe('joined');
    await world.clock.advance(1);
    server.acknowledgeHeartbeat();
    expect(channel.getSnapshot().status).toBe('live');
    expect(losses).toBe(0);
    await confirm();
    expect(losses).toBe(1);
  });

  it('are not live again until the server confirms it, when it confirmed it before', async () => {
    const { channel, server, world, join, confirm } = await openScene();
    channel.join();
    await join();
    await confirm();
    server.endChannel();
    await world.clock.advance(1_250);
    await join();
    await world.clock.advance(15_000);
    expect(channel.getSnapshot().status).toBe('recovering');
    await confirm();
    expect(channel.getSnapshot().status).toBe('live');
  });

  it('are the source of a live query with the same guarantees', async () => {
    const { source, channel, change, tab, server, world, ...scene } = await openScene();
    const table: Item[] = [{ id: 'a', version: 1 }];
    const query = createLiveQuery<Item>({
      channel,
      source,
      platform: tab,
      query: createTableQuery(() => [...table], { path: 'items' }),
      key: 'id',
    });
    query.start();
    await scene.open();
    expect(query.getSnapshot()).toMatchObject({ isCurrent: true, rows: [{ id: 'a' }] });
    await change('INSERT', { id: 'b', version: 1 });
    table[0] = { id: 'a', version: 2 };
    await change('UPDATE', { id: 'a', version: 2 }, { id: 'a', version: 1 });
    await change('DELETE', null, { id: 'b', version: 1 });
    await world.clock.advance(200);
    expect(query.getSnapshot().rows).toEqual([{ id: 'a', version: 2 }]);
    table.push({ id: 'missed', version: 3 });
    server.endChannel('phx_error');
    await world.clock.advance(1_300);
    server.acceptJoin();
    await scene.confirm();
    expect(query.getSnapshot().rows.map(({ id }) => id)).toContain('missed');
  });

  it('are delivered once when they repeat, and announced as a gap when they are invalid', async () => {
    const { source, channel, change, server, ...scene } = await openScene();
    const seen: unknown[] = [];
    source.onContinuity(({ reason }) => seen.push(reason));
    source.onChanges<Item>(
      {
        table: 'items',
        parseRow(record) {
          if (record['version'] === 0) throw new Error('no version');
          return record as unknown as Item;
        },
      },
      (changes) => seen.push(...changes.map(({ type }) => type)),
    );
    channel.join();
    await scene.open();
    await change('INSERT', { id: 'a', version: 1 });
    const repeated = { operation: 'INSERT', schema: 'public', table: 'items', record: { id: 'a' } };
    server.send(null, null, topic, 'broadcast', { event: 'INSERT', payload: repeated, meta: { id: '1' } });
    await change('INSERT', { id: 'b', version: 0 });
    expect(seen).toEqual(['INSERT', 'invalid']);
  });
});
