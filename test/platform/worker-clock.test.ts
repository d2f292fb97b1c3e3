import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Clock, Platform } from '../../src/platform/platform.ts';
import { createWorkerClock, serveTimers, type TimerWorker } from '../../src/platform/worker-clock.ts';
import { createFakeWorld } from '../support/fake-platform.ts';

afterEach(() => vi.useRealTimers());

/** A page whose timers run after a minute at the earliest while it is hidden, and workers whose timers are exact. */
function createThrottledPage() {
  const world = createFakeWorld();
  const tab = world.openTab();
  const throttled: Clock = {
    now: () => tab.clock.now(),
    monotonicMs: () => tab.clock.monotonicMs(),
    setTimer: (callback, delayMs) =>
      tab.clock.setTimer(callback, tab.page.isVisible() ? delayMs : Math.max(delayMs, 60_000)),
  };
  const page: Pick<Platform, 'clock' | 'page'> = { clock: throttled, page: tab.page };
  const workers: { isRunning: boolean; runsTimers: boolean }[] = [];
  const createWorker = (runsTimers: boolean) => (): TimerWorker => {
    const state = { isRunning: true, runsTimers };
    workers.push(state);
    let listener: (event: { readonly data: unknown }) => void = () => {};
    return {
      addEventListener: (_type, added) => (listener = added),
      postMessage({ id, delayMs }) {
        if (state.runsTimers) tab.clock.setTimer(() => state.isRunning && listener({ data: id }), delayMs);
      },
      terminate: () => (state.isRunning = false),
    };
  };
  /** Hides the page for as long as browsers need to delay timers. */
  const hide = async () => {
    tab.setVisible(false);
    tab.signal('hidden');
    await world.clock.advance(60_000);
  };
  const show = () => {
    tab.setVisible(true);
    tab.signal('visible');
  };
  return { world, page, workers, createWorker, hide, show };
}

describe('timers of a worker clock', () => {
  it('run on time in a hidden page, once', async () => {
    const { world, page, createWorker, hide } = createThrottledPage();
    const clock = createWorkerClock(page, createWorker(true));
    await hide();
    const runsAtMs: number[] = [];
    clock.setTimer(() => runsAtMs.push(world.clock.now()), 25_000);
    const startMs = world.clock.now();
    await world.clock.advance(120_000);
    expect(runsAtMs).toEqual([startMs + 25_000]);
  });

  it('run on time when the page is hidden after they were set', async () => {
    const { world, page, createWorker, hide } = createThrottledPage();
    const late: Clock = {
      ...page.clock,
      setTimer: (callback, delayMs) =>
        page.clock.setTimer(callback, delayMs > 60_000 ? delayMs + 300_000 : delayMs),
    };
    const clock = createWorkerClock({ ...page, clock: late }, createWorker(true));
    const startMs = world.clock.now();
    const runsAtMs: number[] = [];
    clock.setTimer(() => runsAtMs.push(world.clock.now() - startMs), 100_000);
    await world.clock.advance(10_000);
    await hide();
    await world.clock.advance(60_000);
    expect(runsAtMs).toEqual([100_000]);
  });

  it('run by the page when the worker does not respond', async () => {
    const { world, page, createWorker, hide } = createThrottledPage();
    const clock = createWorkerClock(page, createWorker(false));
    await hide();
    const callback = vi.fn<() => void>();
    clock.setTimer(callback, 25_000);
    await world.clock.advance(60_000);
    expect(callback).toHaveBeenCalledTimes(1);
  });

  it('run at their own times beside timers that have run or were canceled', async () => {
    const { world, page, createWorker, hide } = createThrottledPage();
    const clock = createWorkerClock(page, createWorker(true));
    await hide();
    const startMs = world.clock.now();
    const runs: unknown[] = [];
    const set = (name: string, delayMs: number) =>
      clock.setTimer(() => runs.push([name, world.clock.now() - startMs]), delayMs);
    set('first', 5_000);
    set('second', 20_000);
    set('canceled', 10_000).cancel();
    set('third', 30_000);
    await world.clock.advance(6_000);
    set('fourth', 34_000);
    await world.clock.advance(114_000);
    expect(runs).toEqual([
      ['first', 5_000],
      ['second', 20_000],
      ['third', 30_000],
      ['fourth', 40_000],
    ]);
  });

  it('do not run when canceled', async () => {
    const { world, page, createWorker, hide } = createThrottledPage();
    const clock = createWorkerClock(page, createWorker(true));
    await hide();
    const callback = vi.fn<() => void>();
    clock.setTimer(callback, 25_000).cancel();
    await world.clock.advance(120_000);
    expect(callback).not.toHaveBeenCalled();
  });
});

describe('the worker of a worker clock', () => {
  it('exists only while the page is hidden for a minute and the clock is open', async () => {
    const { page, workers, createWorker, hide, show } = createThrottledPage();
    const clock = createWorkerClock(page, createWorker(true));
    const running = () => workers.map(({ isRunning }) => isRunning);
    clock.setTimer(() => {}, 300_000);
    const hiding = hide();
    expect(running()).toEqual([]);
    await hiding;
    expect(running()).toEqual([true]);
    show();
    expect(running()).toEqual([false]);
    await hide();
    clock.close();
    clock.setTimer(() => {}, 25_000);
    expect(running()).toEqual([false, false]);
  });

  it('responds to each timer with its id', async () => {
    vi.useFakeTimers();
    const posted: number[] = [];
    let listener: (event: { readonly data: unknown }) => void = () => {};
    serveTimers({
      addEventListener: (_type, added) => (listener = added),
      postMessage: (id) => posted.push(id),
    });
    listener({ data: { id: 7, delayMs: 25_000 } });
    listener({ data: { id: 8, delayMs: 1_000 } });
    await vi.advanceTimersByTimeAsync(24_999);
    expect(posted).toEqual([8]);
    await vi.advanceTimersByTimeAsync(1);
    expect(posted).toEqual([8, 7]);
  });
});
