import { describe, expect, it } from 'vitest';
import {
  createLiveQuery,
  type LiveQueryHeal,
  type LiveQueryOptions,
} from '../../src/realtime-client/live-query/live-query.ts';
import { binding, createScriptedScene } from '../support/wire/scripted-realtime.ts';

interface Item {
  readonly id: string;
  readonly version: number;
}

/** A live query over a table that the test writes to, with and without announcing the change. */
async function openQuery({
  hasSummary = true,
  ...overrides
}: Partial<LiveQueryOptions<Item>> & { readonly hasSummary?: boolean } = {}) {
  const scene = createScriptedScene({ settings: { heartbeatMs: 3_600_000 } });
  const table = new Map<string, Item>();
  const requests = { reads: 0, summaries: 0 };
  const heals: LiveQueryHeal[] = [];
  const summarize = () => {
    requests.summaries += 1;
    const versions = [...table.values()].map(({ version }) => version);
    return Promise.resolve({
      count: table.size,
      newestVersion: versions.length > 0 ? Math.max(...versions) : null,
    });
  };
  const query = createLiveQuery<Item>({
    channel: scene.client.channel('user:ada'),
    binding,
    platform: scene.tab,
    key: ({ id }) => String(id),
    version: ({ version }) => version,
    read() {
      requests.reads += 1;
      return Promise.resolve([...table.values()]);
    },
    ...(hasSummary && { summarize }),
    onHealed: (heal) => heals.push(heal),
    isEager: false,
    ...overrides,
  });
  const stop = query.start();
  scene.server.open();
  await scene.world.settle();
  scene.server.acceptJoin();
  scene.server.confirm();
  await scene.world.settle();
  let version = 0;
  const write = (id: string, isAnnounced = true) => {
    version += 1;
    table.set(id, { id, version });
    if (isAnnounced) announce(id);
  };
  const announce = (id: string) =>
    scene.server.change({
      type: 'INSERT',
      commit_timestamp: new Date(scene.world.clock.now()).toISOString(),
      record: { id, version: table.get(id)?.version },
    });
  return {
    ...scene,
    table,
    requests,
    heals,
    query,
    stop,
    write,
    announce,
    advance: (ms: number) => scene.world.clock.advance(ms),
    ids: () => query.getSnapshot().rows.map(({ id }) => id),
  };
}

describe('a live query', () => {
  it('compares the list with a summary every 25 s and reads nothing while they agree', async () => {
    const { advance, requests, write, heals } = await openQuery();
    write('a');
    await advance(100_000);
    expect([requests, heals]).toEqual([{ reads: 1, summaries: 4 }, []]);
  });

  it('repairs changes that the server lost, and reports them', async () => {
    const { advance, requests, write, heals, ids, query, table } = await openQuery();
    write('a');
    write('gone');
    await advance(100);
    write('a', false);
    write('b', false);
    table.delete('gone');
    await advance(25_000 + 2_000);
    expect([...ids()].sort()).toEqual(['a', 'b']);
    expect(requests.reads).toBe(2);
    await advance(2_000);
    expect(heals).toMatchObject([{ cause: 'interval', added: 1, updated: 1, removed: 1 }]);
    expect(query.getSnapshot().lastHeal).toBe(heals[0]);
  });

  it('reports a repair also when it compares more often than a change may take', async () => {
    const { advance, write, announce, heals, query } = await openQuery({
      reconcileMs: 500,
      hasSummary: false,
    });
    write('lost', false);
    await advance(600);
    write('late', false);
    await advance(600);
    announce('late');
    await advance(5_000);
    expect(heals).toMatchObject([{ cause: 'interval', added: 1, updated: 0, removed: 0 }]);
    expect(query.getSnapshot().lastHeal).toBe(heals[0]);
  });

  it('reports nothing for a change that was only late', async () => {
    const { advance, write, announce, heals, requests } = await openQuery();
    await advance(24_000);
    write('late', false);
    await advance(1_500);
    announce('late');
    await advance(10_000);
    expect([heals, requests.reads]).toEqual([[], 1]);
  });

  it('compares after a burst near the rate limit of the server', async () => {
    const { advance, write, heals, ids } = await openQuery({ maxEventsPerSecond: 10 });
    for (let index = 0; index < 8; index += 1) write(`kept-${index}`);
    for (let index = 0; index < 5; index += 1) write(`lost-${index}`, false);
    await advance(8_000);
    expect(ids()).toHaveLength(13);
    expect(heals).toMatchObject([{ cause: 'rate', added: 5 }]);
  });

  it('goes on comparing after such a burst until a comparison finds nothing new', async () => {
    const { advance, write, heals, ids, requests } = await openQuery({ maxEventsPerSecond: 10 });
    for (let index = 0; index < 8; index += 1) write(`kept-${index}`);
    write('lost-1', false);
    await advance(5_000);
    // The server averages over a minute: it still loses changes when they come slowly again.
    write('lost-2', false);
    await advance(15_000);
    expect(ids()).toContain('lost-2');
    expect(heals).toMatchObject([
      { cause: 'rate', added: 1 },
      { cause: 'rate', added: 1 },
    ]);
    const { summaries } = requests;
    await advance(25_000);
    expect(requests.summaries).toBe(summaries + 1);
  });

  it('compares when an own write does not come back as a change', async () => {
    const { advance, write, heals, query, requests } = await openQuery();
    write('other', false);
    query.upsert([{ id: 'own', version: 9 }]);
    await advance(8_000);
    expect(requests.summaries).toBe(1);
    expect(heals).toMatchObject([{ cause: 'no-echo', added: 1 }]);
  });

  it('takes the change of another row for no echo of its own write', async () => {
    const { advance, write, query, requests } = await openQuery();
    query.upsert([{ id: 'own', version: 9 }]);
    write('other');
    await advance(8_000);
    expect(requests.summaries).toBe(1);
  });

  it('takes the greatest version of its rows for the newest, in whatever order they were written', async () => {
    const { advance, announce, table, requests } = await openQuery();
    await advance(25_000);
    for (const [id, version] of [
      ['a', 2],
      ['b', 9],
      ['c', 4],
    ] as const) {
      table.set(id, { id, version });
      announce(id);
    }
    await advance(50_000);
    expect(requests).toEqual({ reads: 1, summaries: 3 });
    // As many rows, and another version.
    table.set('b', { id: 'b', version: 10 });
    await advance(27_000);
    expect(requests).toEqual({ reads: 2, summaries: 5 });
  });

  it('notices a lost deletion that leaves the newest version as it was', async () => {
    const { advance, write, table, ids } = await openQuery();
    write('a');
    write('b');
    await advance(100);
    table.delete('a');
    await advance(27_000);
    expect(ids()).toEqual(['b']);
  });

  it('reads at once by default, and is current only once the channel is live', async () => {
    const scene = createScriptedScene({});
    const reads: string[] = [];
    const query = createLiveQuery<Item>({
      channel: scene.client.channel('user:ada'),
      binding,
      platform: scene.tab,
      key: ({ id }) => String(id),
      read: async () => [{ id: `read ${reads.push('read')}`, version: 1 }],
    });
    expect(query.getSnapshot()).toMatchObject({ rows: [], isLoaded: false, isCurrent: false });
    query.start();
    await scene.world.settle();
    expect(query.getSnapshot()).toMatchObject({ rows: [{ id: 'read 1' }], isLoaded: true, isCurrent: false });
    scene.server.open();
    await scene.world.settle();
    scene.server.acceptJoin();
    scene.server.confirm();
    await scene.world.settle();
    expect(query.getSnapshot()).toMatchObject({ rows: [{ id: 'read 2' }], isCurrent: true });
  });

  it('reads the list at every tenth comparison alone, counted from the last difference', async () => {
    const { advance, write, requests } = await openQuery();
    await advance(9 * 25_000);
    expect(requests).toEqual({ reads: 1, summaries: 9 });
    await advance(25_000);
    expect(requests).toEqual({ reads: 2, summaries: 9 });
    await advance(8 * 25_000);
    write('lost', false);
    await advance(27_000);
    expect(requests).toEqual({ reads: 3, summaries: 19 });
    await advance(23_000 + 8 * 25_000);
    expect(requests).toEqual({ reads: 3, summaries: 28 });
  });

  it('reads nothing once it is stopped, and says that it is not current', async () => {
    const { query, stop, requests, world } = await openQuery();
    expect(query.getSnapshot().isCurrent).toBe(true);
    stop();
    query.refresh();
    await world.settle();
    expect([query.getSnapshot().isCurrent, requests.reads]).toEqual([false, 1]);
  });

  it('applies a change of the version that it has, and none of an earlier one', async () => {
    const { server, world, query, write, advance } = await openQuery();
    write('a');
    await advance(100);
    const send = async (record: object) => {
      server.change({
        type: 'UPDATE',
        commit_timestamp: new Date(world.clock.now() + 1).toISOString(),
        record: { id: 'a', ...record },
        old_record: { id: 'a' },
      });
      await advance(100);
      return query.getSnapshot().rows;
    };
    expect(await send({ version: 1, title: 'same' })).toEqual([{ id: 'a', version: 1, title: 'same' }]);
    expect(await send({ version: 0, title: 'older' })).toEqual([{ id: 'a', version: 1, title: 'same' }]);
  });

  it('compares nothing in a hidden page, and at once when it is shown', async () => {
    const { advance, tab, requests } = await openQuery();
    tab.setVisible(false);
    await advance(300_000);
    expect(requests.summaries).toBe(0);
    tab.setVisible(true);
    await advance(0);
    expect(requests.summaries).toBe(1);
  });

  it('leaves no timer behind when it is stopped', async () => {
    const { client, stop, world, query, advance } = await openQuery();
    query.upsert([{ id: 'own', version: 9 }]);
    stop();
    client.close();
    await advance(2_000);
    expect(world.clock.pendingTimers).toBe(0);
  });
});
