import { describe, expect, it } from 'vitest';
import { createListVersion } from '../../src/realtime-client/live-query/list-version.ts';
import {
  createRepairWatch,
  type LiveQueryRepair,
} from '../../src/realtime-client/live-query/repair-watch.ts';
import { createFakeWorld } from '../support/fake-platform.ts';

function openVersion() {
  const world = createFakeWorld();
  const tab = world.openTab();
  const server = { version: 7, isHanging: false, requests: 0 };
  const list = { isCurrent: true, differences: 0 };
  const reported: unknown[] = [];
  const signals: AbortSignal[] = [];
  const version = createListVersion({
    platform: { ...tab, report: (problem) => reported.push(problem) },
    isCurrent: () => list.isCurrent,
    onDifference: () => (list.differences += 1),
    readVersion(signal) {
      signals.push(signal);
      server.requests += 1;
      if (server.isHanging) return new Promise(() => {});
      if (server.version < 0) return Promise.reject(new Error('no network'));
      return Promise.resolve(server.version);
    },
  });
  const { signal } = new AbortController();
  return {
    world,
    tab,
    server,
    list,
    reported,
    signals,
    version,
    advance: world.clock.advance,
    async begin() {
      await version.read(signal);
      await world.clock.advance(500);
      version.start();
      server.requests = 0;
    },
    read: () => version.read(signal),
  };
}

describe('the version of a list', () => {
  it('is compared every 2.5 s with that of the read and the changes since', async () => {
    const { begin, version, server, list, advance } = openVersion();
    await begin();
    version.noteChanges(2);
    server.version = 9;
    await advance(25_000);
    expect(list.differences).toBe(0);
    expect(server.requests).toBeGreaterThanOrEqual(5);
  });

  it('counts as different where a second comparison confirms it', async () => {
    const { begin, server, list, advance, version } = openVersion();
    await begin();
    server.version = 8;
    await advance(2_600);
    version.noteChanges(1);
    await advance(5_000);
    expect(list.differences).toBe(0);
    server.version = 9;
    await advance(5_000);
    expect(list.differences).toBe(1);
  });

  it.each([
    ['fails', -1, false, 4_900],
    ['hangs', 7, true, 5_100],
  ])('counts as different where the comparison %s', async (_name, next, isHanging, afterMs) => {
    const { begin, server, list, advance, reported, signals } = openVersion();
    await begin();
    Object.assign(server, { version: next, isHanging });
    await advance(afterMs);
    expect([list.differences, reported.length]).toEqual([1, 1]);
    expect(signals[1]?.aborted).toBe(isHanging);
  });

  it('is not compared where the list is not current, or not visible', async () => {
    const { begin, server, list, advance, tab } = openVersion();
    await begin();
    server.version = 8;
    list.isCurrent = false;
    await advance(10_000);
    list.isCurrent = true;
    tab.setVisible(false);
    await advance(10_000);
    expect([server.requests, list.differences]).toEqual([0, 0]);
    tab.setVisible(true);
    await advance(5_000);
    expect(list.differences).toBe(1);
  });

  it.each([
    ['during the read', -1],
    ['right after it', 0],
    ['within half a second', 499],
  ])('is unknown after a change %s, which it may contain, until the next read', async (_name, afterMs) => {
    const { version, server, list, advance, read } = openVersion();
    const reading = read();
    if (afterMs < 0) version.noteChanges(1);
    await reading;
    await advance(Math.max(0, afterMs));
    if (afterMs >= 0) version.noteChanges(1);
    server.version = 8;
    version.start();
    await advance(5_000);
    expect(list.differences).toBe(1);
    await read();
    await advance(5_000);
    expect(list.differences).toBe(1);
  });

  it('leaves no timer behind when it is stopped, and reports nothing afterwards', async () => {
    const { begin, version, server, list, advance, reported, world, signals } = openVersion();
    await begin();
    server.isHanging = true;
    await advance(2_600);
    version.stop();
    await advance(20_000);
    expect([list.differences, reported, world.clock.pendingTimers]).toEqual([0, [], 0]);
    expect(signals.at(-1)?.aborted).toBe(true);
  });
});

describe('the watch of repairs', () => {
  const rows = (...entries: readonly (readonly [string, object])[]) => new Map(entries);
  const open = () => {
    const world = createFakeWorld();
    const repairs: LiveQueryRepair[] = [];
    return {
      world,
      repairs,
      watch: createRepairWatch<object>(world.openTab().clock, (repair) => void repairs.push(repair)),
    };
  };

  it('reports what was lost, by kind, without the rows whose changes arrive within two seconds', async () => {
    const { world, repairs, watch } = open();
    const atMs = world.clock.now();
    const at = new Date(0);
    watch.compare(
      rows(['a', { n: 1 }], ['b', { n: [1, { at }] }], ['c', { n: 1n }]),
      rows(['a', { n: 2 }], ['b', { n: [1, { at: new Date(0) }] }], ['d', {}], ['e', {}]),
      'rate',
    );
    watch.noteChanges(['e']);
    await world.clock.advance(1_999);
    expect(repairs).toEqual([]);
    await world.clock.advance(1);
    expect(repairs).toEqual([{ atMs, cause: 'rate', added: 1, updated: 1, removed: 1 }]);
  });

  it('reports nothing where all changes arrive, nothing differs, or it is stopped', async () => {
    const { world, repairs, watch } = open();
    watch.compare(rows(['a', { n: 1 }]), rows(['a', { n: 1 }]), 'interval');
    expect(world.clock.pendingTimers).toBe(0);
    watch.compare(rows(), rows(['a', {}]), 'interval');
    watch.noteChanges(['a']);
    await world.clock.advance(2_000);
    watch.compare(rows(), rows(['b', {}]), 'interval');
    watch.stop();
    expect(world.clock.pendingTimers).toBe(0);
    await world.clock.advance(2_000);
    expect(repairs).toEqual([]);
  });
});
