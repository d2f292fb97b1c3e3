import { describe, expect, it } from 'vitest';
import { createLiveReads, watchGaps } from '../../src/realtime-client/live-query/live-reads.ts';
import { createFakeWorld } from '../support/fake-platform.ts';
import { createScriptedScene } from '../support/wire/scripted-realtime.ts';

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
  it('resolves a refresh once the further read of a call during it has ended', async () => {
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
    expect([isDone, reads.getSnapshot()]).toEqual([true, { isLoaded: true, isPending: false, error: null }]);
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
    expect(reads.getSnapshot()).toEqual({ isLoaded: true, isPending: false, error: null });
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

  it('aborts its read on stop, and ignores its late answer after a new refresh', async () => {
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

  it('sends nothing after a stop in the same task, nor the retry of a failure', async () => {
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
});

describe('the gaps of a channel', () => {
  it('are announced when it is live, at once if it is live already, and after an interruption', async () => {
    const scene = createScriptedScene();
    const channel = scene.client.channel('user:ada');
    const seen: string[] = [];
    const stop = watchGaps(channel, () => seen.push('early'));
    await scene.openLiveChannel();
    await scene.world.settle();
    expect(seen).toEqual(['early']);
    stop();
    watchGaps(channel, () => seen.push('late'));
    expect(seen).toEqual(['early', 'late']);
    scene.server.confirm();
    await scene.world.settle();
    expect(seen).toEqual(['early', 'late', 'late']);
  });
});
