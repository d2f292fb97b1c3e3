import { describe, expect, it } from 'vitest';
import { createLiveReads } from '../../src/realtime-client/live-query/live-reads.ts';
import { createFakeWorld } from '../support/fake-platform.ts';

function createReads() {
  const world = createFakeWorld();
  const pending: { resolve: () => void; reject: (problem: unknown) => void; signal: AbortSignal }[] = [];
  const reads = createLiveReads({
    platform: world.openTab(),
    retryDelaysMs: [1_000, 5_000],
    read: (signal) => new Promise((resolve, reject) => pending.push({ resolve, reject, signal })),
  });
  return { world, pending, reads };
}

describe('live reads', () => {
  it('resolves a refresh only after the read of a second refresh that was called during it', async () => {
    const { world, pending, reads } = createReads();
    let isDone = false;
    void reads.refresh().then(() => (isDone = true));
    await world.settle();
    void reads.refresh();
    pending[0]?.resolve();
    await world.settle();
    expect([pending.length, isDone, reads.getSnapshot().isPending]).toEqual([2, false, true]);
    pending[1]?.resolve();
    await world.settle();
    expect([isDone, reads.getSnapshot()]).toMatchObject([
      true,
      { isLoaded: true, isPending: false, error: null },
    ]);
  });

  it('resolves a refresh that fails, and stays pending until the retry succeeds', async () => {
    const { world, pending, reads } = createReads();
    const refreshed = reads.refresh();
    await world.settle();
    pending[0]?.reject('no network');
    await refreshed;
    expect(reads.getSnapshot()).toMatchObject({ isPending: true, error: { cause: 'no network' } });
    await world.clock.advance(1_000);
    pending[1]?.resolve();
    await world.settle();
    expect(reads.getSnapshot()).toMatchObject({ isLoaded: true, isPending: false, error: null });
  });

  it('retries after each delay, and then after the last one for as long as reads fail', async () => {
    const { world, pending, reads } = createReads();
    void reads.refresh();
    await world.settle();
    for (const [index, delayMs] of [1_000, 5_000, 5_000, 5_000].entries()) {
      pending[index]?.reject('no network');
      await world.clock.advance(delayMs - 1);
      expect(pending).toHaveLength(index + 1);
      await world.clock.advance(1);
    }
    expect(pending).toHaveLength(5);
    reads.stop();
  });

  it('begins again with the first delay when a read fails after a success', async () => {
    const { world, pending, reads } = createReads();
    void reads.refresh();
    await world.settle();
    pending[0]?.reject('no network');
    await world.clock.advance(1_000);
    pending[1]?.resolve();
    await world.settle();
    void reads.refresh();
    await world.settle();
    pending[2]?.reject('no network');
    await world.clock.advance(1_000);
    expect(pending).toHaveLength(4);
    reads.stop();
  });

  it('aborts its read on stop, and ignores its late response after a new refresh', async () => {
    const { world, pending, reads } = createReads();
    void reads.refresh();
    await world.settle();
    reads.stop();
    expect(pending[0]?.signal.aborted).toBe(true);
    void reads.refresh();
    await world.settle();
    pending[0]?.resolve();
    await world.settle();
    expect([pending.length, reads.getSnapshot().isLoaded]).toEqual([2, false]);
  });

  it('sends neither a read nor a retry after a stop in the same task', async () => {
    const { world, pending, reads } = createReads();
    void reads.refresh();
    reads.stop();
    await world.settle();
    expect(pending).toHaveLength(0);
    void reads.refresh();
    await world.settle();
    pending[0]?.reject(new Error('no network'));
    await world.settle();
    reads.stop();
    await world.clock.advance(5_000);
    expect(pending).toHaveLength(1);
  });

  it('rechecks without being pending, unless the read takes longer than two seconds or fails', async () => {
    const { world, pending, reads } = createReads();
    void reads.refresh();
    await world.settle();
    pending[0]?.resolve();
    await world.settle();
    const isPending = () => reads.getSnapshot().isPending;
    void reads.recheck();
    await world.clock.advance(1_900);
    expect([pending.length, isPending()]).toEqual([2, false]);
    void reads.recheck();
    pending[1]?.resolve();
    await world.clock.advance(1_900);
    expect([pending.length, isPending()]).toEqual([3, false]);
    await world.clock.advance(100);
    expect(isPending()).toBe(true);
    pending[2]?.resolve();
    await world.settle();
    expect(isPending()).toBe(false);
    void reads.recheck();
    await world.settle();
    pending[3]?.reject(new Error('no network'));
    await world.settle();
    expect(isPending()).toBe(true);
    reads.stop();
    expect(world.clock.pendingTimers).toBe(0);
  });
});
