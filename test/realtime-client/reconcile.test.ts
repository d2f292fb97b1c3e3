import { describe, expect, it } from 'vitest';
import type { LiveQueryRepair } from '../../src/realtime-client/live-query/live-query.ts';
import { createTableQuery, openLiveQuery, type SceneOptions } from '../support/wire/live-query-scene.ts';

interface Item {
  readonly id: string;
  readonly version: number;
}

/** A live query over a table that the test writes to, with and without announcing the change. */
async function openQuery(overrides: SceneOptions<Item> = {}) {
  const table = new Map<string, Item>();
  const requests = { list: 0 };
  const repairs: LiveQueryRepair[] = [];
  const query = createTableQuery(() => [...table.values()]);
  const scene = await openLiveQuery<Item>({
    key: 'id',
    query,
    read(signal) {
      requests.list += 1;
      return query.execute({ signal });
    },
    onRepaired: (repair) => repairs.push(repair),
    ...overrides,
  });
  await scene.confirm();
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
      record: { id },
    });
  const ids = () => scene.rows().map(({ id }) => id);
  return { ...scene, table, requests, repairs, write, announce, ids };
}

describe('a live query', () => {
  it('repairs changes that the server lost, and reports them', async () => {
    const { advance, requests, write, repairs, ids, query, table } = await openQuery();
    write('a');
    write('gone');
    await advance(1_000);
    write('a', false);
    write('b', false);
    table.delete('gone');
    await advance(25_000);
    expect([ids().sort(), requests.list]).toEqual([['a', 'b'], 2]);
    await advance(2_000);
    expect(repairs).toMatchObject([{ cause: 'interval', added: 1, updated: 1, removed: 1 }]);
    expect(query.getSnapshot().lastRepair).toBe(repairs[0]);
  });

  it('stays current while it reads only because time has passed', async () => {
    const { advance, query } = await openQuery();
    const seen = new Set<boolean>();
    query.subscribe(() => seen.add(query.getSnapshot().isCurrent));
    await advance(100_000);
    expect([...seen]).toEqual([]);
  });

  it('reports a repair also when it reads more often than a change may take', async () => {
    const { advance, write, announce, repairs, query } = await openQuery({ intervalMs: 500 });
    write('lost', false);
    await advance(600);
    write('late', false);
    await advance(600);
    announce('late');
    await advance(5_000);
    expect(repairs).toMatchObject([{ cause: 'interval', added: 1, updated: 0, removed: 0 }]);
    expect(query.getSnapshot().lastRepair).toBe(repairs[0]);
  });

  it('reports nothing for a change that was only late, or that arrived during the read', async () => {
    const { advance, write, announce, repairs } = await openQuery();
    await advance(24_000);
    write('late', false);
    await advance(1_500);
    announce('late');
    write('other');
    await advance(30_000);
    expect(repairs).toEqual([]);
  });

  it('reports nothing for what changed before it was live, or during a gap', async () => {
    const { advance, write, repairs, ids, server } = await openQuery();
    write('missed', false);
    server.confirm();
    await advance(10_000);
    expect([ids(), repairs]).toEqual([['missed'], []]);
  });

  it('reads after a burst near the rate limit of the server, until a read finds nothing new', async () => {
    const { advance, write, repairs, ids, requests } = await openQuery({ maxEventsPerSecond: 10 });
    for (let index = 0; index < 8; index += 1) write(`kept-${index}`);
    write('lost-1', false);
    await advance(5_000);
    // The server averages over a minute: it still loses changes when they are slow again.
    write('lost-2', false);
    await advance(15_000);
    expect(ids()).toContain('lost-2');
    expect(repairs).toMatchObject([
      { cause: 'rate', added: 1 },
      { cause: 'rate', added: 1 },
    ]);
    const { list } = requests;
    await advance(25_000);
    expect(requests.list).toBe(list + 1);
  });

  it('reads the list only for a new version while versions are compared', async () => {
    let changes = 0;
    const { advance, write, requests, ids } = await openQuery({
      readVersion: () => Promise.resolve(changes),
    });
    await advance(60_000);
    expect(requests.list).toBe(1);
    changes += 1;
    write('lost', false);
    await advance(5_000);
    expect([ids(), requests.list]).toEqual([['lost'], 2]);
  });
});
