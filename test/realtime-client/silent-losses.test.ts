import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLiveQuery, type LiveQueryOptions } from '../../src/realtime-client/live-query/live-query.ts';
import { createQuery } from '../support/wire/live-query-scene.ts';
import { createScriptedScene } from '../support/wire/scripted-realtime.ts';

interface Item {
  readonly id: string;
  readonly version: number;
}

type Comparison = 'version' | 'list';

/** The latency of requests and changes. */
const latencyMs = 300;

/** A live query over a table with a counter, whose changes arrive late, or never while the server is `mute`. */
async function openQuery(comparison: Comparison, overrides: Partial<LiveQueryOptions<Item>> = {}) {
  const scene = createScriptedScene({ settings: { heartbeatMs: 3_600_000 } });
  const { world, tab, server } = scene;
  const table = new Map<string, Item>();
  const state = { version: 0, isMute: false, isUnreachable: false, isHanging: false, reads: 0, checks: 0 };
  const respond = async <Value>(read: () => Value): Promise<Value> => {
    if (state.isHanging) return new Promise(() => {});
    await new Promise<void>((resolve) => void tab.clock.setTimer(resolve, latencyMs / 2));
    if (state.isUnreachable) throw new Error('The service is unreachable');
    const value = read();
    await new Promise<void>((resolve) => void tab.clock.setTimer(resolve, latencyMs / 2));
    return value;
  };
  const readVersion = () => {
    state.checks += 1;
    return respond(() => state.version);
  };
  const query = createLiveQuery<Item>({
    channel: scene.client.channel('user:ada'),
    platform: tab,
    query: createQuery<Item>({}, ({ id }) => {
      if (!id) state.reads += 1;
      return respond(() => [...table.values()].filter((row) => id?.includes(row.id) ?? true));
    }),
    key: 'id',
    ...(comparison === 'version' && { readVersion }),
    isEager: false,
    ...overrides,
  });
  const stop = query.start();
  server.open();
  await world.settle();
  server.acceptJoin();
  server.confirm();
  const advance = (ms: number) => world.clock.advance(ms);
  const announce = (change: Readonly<Record<string, unknown>>) => {
    if (state.isMute) return;
    const commit = new Date(world.clock.now()).toISOString();
    tab.clock.setTimer(() => server.change({ commit_timestamp: commit, ...change }), latencyMs);
  };
  const shown = () =>
    query
      .getSnapshot()
      .rows.map(({ id, version }) => `${id}:${version}`)
      .sort();
  const stored = () => [...table.values()].map(({ id, version }) => `${id}:${version}`).sort();
  const stateOf = (id: string, rows: Iterable<Item> = table.values()) =>
    `${id}:${[...rows].find((row) => row.id === id)?.version ?? 'none'}`;
  const endedAtMs = new Map<string, number>();
  const end = (id: string) => endedAtMs.set(stateOf(id), world.clock.now());
  return {
    state,
    query,
    advance,
    shown,
    stored,
    write(id: string) {
      end(id);
      state.version += 1;
      const isNew = !table.has(id);
      const record = { id, version: state.version };
      table.set(id, record);
      announce({ type: isNew ? 'INSERT' : 'UPDATE', record, old_record: { id } });
    },
    remove(id: string) {
      if (!table.has(id)) return;
      end(id);
      table.delete(id);
      state.version += 1;
      announce({ type: 'DELETE', old_record: { id } });
    },
    /** The maximum age of a row's outdated state that the list showed while it reported to be current. */
    async oldestState(forMs: number, act: (atMs: number) => void) {
      let oldestMs = 0;
      for (let atMs = 0; atMs < forMs; atMs += 100) {
        act(atMs);
        const { isCurrent, rows } = query.getSnapshot();
        for (const id of isCurrent ? ['a', 'b', 'c'] : []) {
          const shownState = stateOf(id, rows);
          if (shownState === stateOf(id)) continue;
          oldestMs = Math.max(oldestMs, world.clock.now() - (endedAtMs.get(shownState) ?? 0));
        }
        await advance(100);
      }
      return oldestMs;
    },
    close() {
      stop();
      scene.client.close();
    },
  };
}

/** The second change is lost while the comparison that finds the first one is in flight. */
const lostDuringComparison = [1_000, 24_200].map((atMs) => ({
  atMs,
  id: 'a',
  isRemoval: false,
  isMute: true,
}));

describe.each([
  ['version', 5_000],
  ['list', 30_000],
] as const)('a live query that compares by its %s', (comparison, boundMs) => {
  it(`is current with no row older than ${boundMs} ms while the server loses changes`, async () => {
    const step = fc.record({
      atMs: fc.integer({ min: 10, max: 600 }).map((tenths) => tenths * 100),
      id: fc.constantFrom('a', 'b', 'c'),
      isRemoval: fc.boolean(),
      isMute: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        const scene = await openQuery(comparison);
        await scene.advance(1_000);
        const oldestMs = await scene.oldestState(61_000 + boundMs, (atMs) => {
          for (const { id, isRemoval, isMute } of steps.filter((one) => one.atMs === atMs)) {
            scene.state.isMute = isMute;
            if (isRemoval) scene.remove(id);
            else scene.write(id);
          }
        });
        expect(oldestMs).toBeLessThanOrEqual(boundMs);
        expect([scene.query.getSnapshot().isCurrent, scene.shown()]).toEqual([true, scene.stored()]);
        scene.close();
      }),
      { numRuns: 10, examples: [[lostDuringComparison]] },
    );
  });

  it.each(['isUnreachable', 'isHanging'] as const)(
    'is not current while its comparisons fail: %s',
    async (fault) => {
      const scene = await openQuery(comparison);
      await scene.advance(1_000);
      scene.state[fault] = true;
      scene.state.isMute = true;
      scene.write('a');
      await scene.advance(boundMs);
      expect(scene.query.getSnapshot().isCurrent).toBe(false);
      scene.close();
    },
  );
});

describe('a live query', () => {
  it('reads nothing but its version while every change arrives', async () => {
    const scene = await openQuery('version', { intervalMs: 100_000 });
    await scene.advance(1_000);
    for (let count = 0; count < 20; count += 1) {
      // Both arrive in one frame.
      scene.write(`row-${count}`);
      scene.write(`other-${count}`);
      await scene.advance(700);
    }
    expect([scene.state.reads, scene.shown()]).toEqual([1, scene.stored()]);
    expect(scene.state.checks).toBeLessThanOrEqual(10);
    scene.close();
  });

  it('finds lost changes within 8 s of a stream at the rate limit of the server', async () => {
    const scene = await openQuery('list', { maxEventsPerSecond: 10 });
    await scene.advance(1_000);
    scene.state.isMute = true;
    scene.write('lost');
    scene.state.isMute = false;
    for (let count = 0; count < 80; count += 1) {
      scene.write(`row-${count}`);
      await scene.advance(100);
    }
    expect(scene.shown()).toContain('lost:1');
    scene.close();
  });
});
