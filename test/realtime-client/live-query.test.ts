import { describe, expect, it } from 'vitest';
import { createLiveQuery, type LiveQueryOptions } from '../../src/realtime-client/live-query/live-query.ts';
import { binding, createScriptedScene } from '../support/wire/scripted-realtime.ts';

interface Item {
  readonly id: string;
  readonly version: number;
  readonly status?: string;
}

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;

async function openQuery(overrides: Partial<LiveQueryOptions<Item>> = {}) {
  const scene = createScriptedScene();
  const reads: {
    resolve: (rows: Item[]) => void;
    reject: (problem: unknown) => void;
    signal: AbortSignal;
  }[] = [];
  const channel = scene.client.channel('user:ada');
  const query = createLiveQuery<Item>({
    channel,
    binding,
    platform: scene.tab,
    key: ({ id }) => String(id),
    version: ({ version }) => version,
    read: (signal) => new Promise((resolve, reject) => reads.push({ resolve, reject, signal })),
    isEager: false,
    ...overrides,
  });
  const stop = query.start();
  scene.server.open();
  await scene.world.settle();
  const confirm = async () => {
    scene.server.acceptJoin();
    scene.server.confirm();
    await scene.world.settle();
  };
  return {
    ...scene,
    channel,
    query,
    reads,
    stop,
    confirm,
    rows: () => query.getSnapshot().rows,
    async answer(rows: Item[]) {
      reads.at(-1)?.resolve(rows);
      await scene.world.settle();
    },
    async change(data: Readonly<Record<string, unknown>>) {
      scene.server.change(data);
      await scene.world.clock.advance(16);
    },
  };
}

describe('a live query', () => {
  it('reads once when the channel is live, and is current afterwards', async () => {
    const { confirm, reads, answer, query } = await openQuery();
    expect(reads).toHaveLength(0);
    await confirm();
    expect([reads.length, query.getSnapshot().isCurrent]).toEqual([1, false]);
    await answer([{ id: 'a', version: 1 }]);
    expect(query.getSnapshot()).toEqual({
      rows: [{ id: 'a', version: 1 }],
      isLoaded: true,
      isCurrent: true,
      error: null,
      lastHeal: null,
    });
  });

  it('reads before the channel is live, and again when it is', async () => {
    const { confirm, reads, answer, query } = await openQuery({ isEager: true });
    await answer([{ id: 'a', version: 1 }]);
    expect([query.getSnapshot().isLoaded, query.getSnapshot().isCurrent]).toEqual([true, false]);
    await confirm();
    await answer([{ id: 'a', version: 1 }]);
    expect([reads.length, query.getSnapshot().isCurrent]).toEqual([2, true]);
  });

  it('replays changes received during the read: newer versions win, deletes stay', async () => {
    const { confirm, change, answer, rows } = await openQuery();
    await confirm();
    await change({ type: 'INSERT', commit_timestamp: at(1), record: { id: 'new', version: 1 } });
    await change({ type: 'UPDATE', commit_timestamp: at(2), record: { id: 'ahead', version: 2 } });
    await change({ type: 'UPDATE', commit_timestamp: at(3), record: { id: 'behind', version: 1 } });
    await change({ type: 'DELETE', commit_timestamp: at(4), old_record: { id: 'gone' } });
    await answer([
      { id: 'ahead', version: 1 },
      { id: 'behind', version: 3 },
      { id: 'gone', version: 1 },
    ]);
    expect(rows()).toEqual([
      { id: 'ahead', version: 2 },
      { id: 'behind', version: 3 },
      { id: 'new', version: 1 },
    ]);
  });

  it('does not restore a deleted row on a late update', async () => {
    const { confirm, change, answer, rows } = await openQuery();
    await confirm();
    await answer([{ id: 'a', version: 1 }]);
    await change({ type: 'DELETE', commit_timestamp: at(5), old_record: { id: 'a' } });
    await change({ type: 'UPDATE', commit_timestamp: at(4), record: { id: 'a', version: 2 } });
    expect(rows()).toEqual([]);
  });

  it('tracks a row by its new primary key only, also in a burst and in a replay', async () => {
    const { confirm, change, answer, rows, query, server, world } = await openQuery();
    await confirm();
    await answer([{ id: 'a', version: 1 }]);
    const rename = { type: 'UPDATE', commit_timestamp: at(1), old_record: { id: 'a' } };
    await change({ ...rename, record: { id: 'b', version: 2 } });
    expect(rows()).toEqual([{ id: 'b', version: 2 }]);
    await change({ type: 'UPDATE', commit_timestamp: at(1), record: { id: 'a', version: 1 } });
    server.change({ ...rename, old_record: { id: 'b' }, record: { id: 'c', version: 3 } });
    server.change({ ...rename, old_record: { id: 'c' }, record: { id: 'c', version: 4 } });
    server.change({ type: 'DELETE', commit_timestamp: at(2), old_record: { id: 'c' } });
    await world.clock.advance(16);
    expect(rows().map(({ id }) => id)).toEqual(['a']);
    query.refresh();
    await world.settle();
    await change({ ...rename, commit_timestamp: at(3), record: { id: 'd', version: 5 } });
    await answer([{ id: 'a', version: 1 }]);
    expect(rows()).toEqual([{ id: 'd', version: 5 }]);
  });

  it('reads again after a truncated change', async () => {
    const { confirm, change, answer, reads } = await openQuery();
    await confirm();
    await answer([]);
    await change({ errors: ['Error 413: Payload Too Large'], record: {} });
    expect(reads).toHaveLength(2);
  });

  it('coalesces simultaneous refreshes, and reads once more for those during a read', async () => {
    const { confirm, answer, reads, query, world } = await openQuery();
    await confirm();
    query.refresh();
    query.refresh();
    await world.settle();
    expect(reads).toHaveLength(1);
    await answer([]);
    expect([reads.length, query.getSnapshot().isCurrent]).toEqual([2, false]);
    await answer([]);
    expect([reads.length, query.getSnapshot().isCurrent]).toEqual([2, true]);
  });

  it('publishes the error of a failed read and retries after a delay', async () => {
    const { confirm, answer, reads, query, world } = await openQuery();
    await confirm();
    const problem = new Error('no network');
    reads.at(-1)?.reject(problem);
    await world.settle();
    expect(query.getSnapshot()).toMatchObject({ error: problem, isCurrent: false });
    await world.clock.advance(1_000);
    await answer([{ id: 'a', version: 1 }]);
    expect(query.getSnapshot()).toMatchObject({ error: null, isCurrent: true, isLoaded: true });
  });

  it('treats a read that throws synchronously as failed', async () => {
    const problem = new Error('bad filter');
    const { confirm, query, world } = await openQuery({
      read: () => {
        throw problem;
      },
    });
    await confirm();
    await world.settle();
    expect(query.getSnapshot()).toMatchObject({ error: problem, isCurrent: false });
  });

  it('stops after a final failure', async () => {
    const { confirm, reads, world } = await openQuery({ shouldRetry: () => false });
    await confirm();
    reads.at(-1)?.reject(new Error('forbidden'));
    await world.clock.advance(20_000);
    expect(reads).toHaveLength(1);
  });

  it('is not current after a final failure until a read succeeds', async () => {
    const { confirm, answer, reads, server, query, world } = await openQuery({ shouldRetry: () => false });
    await confirm();
    await answer([]);
    server.confirm();
    await world.settle();
    reads.at(-1)?.reject(new Error('forbidden'));
    await world.clock.advance(20_000);
    expect([reads.length, query.getSnapshot().isCurrent]).toEqual([2, false]);
    query.refresh();
    await world.settle();
    await answer([]);
    expect(query.getSnapshot()).toMatchObject({ isCurrent: true, error: null, lastHeal: null });
  });

  it('is not current while it is stopped, even on a live channel', async () => {
    const { channel, confirm, answer, query, stop, world } = await openQuery();
    await confirm();
    await answer([]);
    channel.join();
    stop();
    expect([channel.getSnapshot().status, query.getSnapshot().isCurrent]).toEqual(['live', false]);
    query.start();
    await world.settle();
    await answer([]);
    expect(query.getSnapshot().isCurrent).toBe(true);
  });

  it('omits rows outside the filter and keeps the order', async () => {
    const { confirm, change, answer, rows } = await openQuery({
      includes: ({ status }) => status !== 'archived',
      compare: (a, b) => b.version - a.version,
    });
    await confirm();
    await answer([{ id: 'a', version: 1 }]);
    await change({ type: 'INSERT', commit_timestamp: at(1), record: { id: 'b', version: 2 } });
    expect(rows().map(({ id }) => id)).toEqual(['b', 'a']);
    await change({
      type: 'UPDATE',
      commit_timestamp: at(2),
      record: { id: 'b', version: 3, status: 'archived' },
    });
    expect(rows().map(({ id }) => id)).toEqual(['a']);
  });

  it('applies own writes, and their echo has no effect', async () => {
    const { confirm, change, answer, query, rows } = await openQuery();
    await confirm();
    await answer([{ id: 'a', version: 1 }]);
    query.upsert([{ id: 'a', version: 2 }]);
    expect(rows()).toEqual([{ id: 'a', version: 2 }]);
    await change({ type: 'UPDATE', commit_timestamp: at(1), record: { id: 'a', version: 2 } });
    expect(rows()).toEqual([{ id: 'a', version: 2 }]);
    query.remove([{ id: 'a' }]);
    expect(rows()).toEqual([]);
  });

  it('does not restore an own deletion on a delayed update, but on a new row', async () => {
    const { confirm, change, answer, query, rows } = await openQuery();
    await confirm();
    await answer([{ id: 'a', version: 1 }]);
    const late = { type: 'UPDATE', commit_timestamp: at(3), record: { id: 'a', version: 2 } };
    query.remove([{ id: 'a' }]);
    query.remove([{ id: 'a' }]);
    await change(late);
    expect(rows()).toEqual([]);
    await change({ type: 'DELETE', commit_timestamp: at(4), old_record: { id: 'a' } });
    await change({ ...late, record: { id: 'a', version: 3 } });
    expect(rows()).toEqual([]);
    await change({ type: 'INSERT', commit_timestamp: at(5), record: { id: 'a', version: 4 } });
    query.remove([{ id: 'a' }]);
    await change({ type: 'INSERT', commit_timestamp: at(6), record: { id: 'a', version: 5 } });
    expect(rows()).toEqual([{ id: 'a', version: 5 }]);
  });

  it('applies updates of an own deletion after an upsert or a read', async () => {
    const { confirm, change, answer, query, rows, world } = await openQuery();
    await confirm();
    await answer([{ id: 'a', version: 1 }]);
    query.remove([{ id: 'a' }]);
    query.upsert([{ id: 'a', version: 1 }]);
    await change({ type: 'UPDATE', commit_timestamp: at(1), record: { id: 'a', version: 2 } });
    expect(rows()).toEqual([{ id: 'a', version: 2 }]);
    query.remove([{ id: 'a' }]);
    query.refresh();
    await world.settle();
    await answer([{ id: 'a', version: 2 }]);
    await change({ type: 'UPDATE', commit_timestamp: at(2), record: { id: 'a', version: 3 } });
    expect(rows()).toEqual([{ id: 'a', version: 3 }]);
  });

  it('shows a row that was made again after an own deletion during a read', async () => {
    const { confirm, change, answer, query, rows, world } = await openQuery();
    await confirm();
    await answer([]);
    query.refresh();
    await world.settle();
    query.remove([{ id: 'a' }]);
    await change({ type: 'INSERT', commit_timestamp: at(1), record: { id: 'a', version: 1 } });
    await change({ type: 'UPDATE', commit_timestamp: at(2), record: { id: 'a', version: 2 } });
    await answer([{ id: 'a', version: 2 }]);
    expect(rows()).toEqual([{ id: 'a', version: 2 }]);
  });

  it('shows initial rows until the first read, and keeps its snapshot while nothing changes', async () => {
    const { query, confirm, answer } = await openQuery({ initialRows: [{ id: 'cached', version: 1 }] });
    expect(query.getSnapshot()).toMatchObject({ rows: [{ id: 'cached' }], isLoaded: false });
    await confirm();
    await answer([]);
    const snapshot = query.getSnapshot();
    expect(snapshot.rows).toEqual([]);
    expect(query.getSnapshot()).toBe(snapshot);
  });

  it('aborts its read and leaves the channel on the last stop', async () => {
    const { confirm, reads, stop, world, server, query } = await openQuery();
    await confirm();
    const stopToo = query.start();
    stop();
    stop();
    expect(reads.at(-1)?.signal.aborted).toBe(false);
    stopToo();
    expect(reads.at(-1)?.signal.aborted).toBe(true);
    await world.clock.advance(1_000);
    expect(server.sentEvents()).toEqual(['phx_join', 'phx_leave']);
  });

  it('notifies once per frame in a burst', async () => {
    const { confirm, answer, server, query, world } = await openQuery();
    await confirm();
    await answer([]);
    let notified = 0;
    query.subscribe(() => (notified += 1));
    for (let index = 0; index < 1_000; index += 1)
      server.change({ commit_timestamp: at(1), record: { id: `${index}`, version: 1 } });
    await world.clock.advance(16);
    expect([notified, query.getSnapshot().rows.length]).toEqual([1, 1_000]);
  });

  it('reads again every reconcileMs', async () => {
    const { confirm, answer, reads, world } = await openQuery({ reconcileMs: 5_000 });
    await confirm();
    await answer([]);
    await world.clock.advance(5_000);
    expect(reads).toHaveLength(2);
  });
});
