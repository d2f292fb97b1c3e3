import { describe, expect, it, test, vi } from 'vitest';
import { createHealWatch, type LiveQueryHeal } from '../../src/realtime-client/live-query/heal-watch.ts';
import { createListVersion } from '../../src/realtime-client/live-query/list-version.ts';
import { createReconciler, type ReconcilerOptions } from '../../src/realtime-client/live-query/live-query.ts';
import { createFakeWorld } from '../support/fake-platform.ts';

type Comparison = NonNullable<ReconcilerOptions['differs']>;

const same: Comparison = async () => false;
const different: Comparison = async () => true;
const silent: Comparison = () => new Promise<boolean>(() => {});
const keys = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);

/** A started reconciler whose comparisons are those given, in turn; the last one stays. */
function openScene(comparisons: readonly Comparison[] = [same], overrides: Partial<ReconcilerOptions> = {}) {
  const world = createFakeWorld();
  const { clock, page, ...tab } = world.openTab();
  const reported: unknown[] = [];
  const causes: string[] = [];
  const signals: AbortSignal[] = [];
  const left = [...comparisons];
  let isCurrent = true;
  const reconciler = createReconciler({
    platform: { clock, page, report: (problem) => void reported.push(problem) },
    intervalMs: 60_000,
    isCurrent: () => isCurrent,
    async differs(signal) {
      signals.push(signal);
      const [next = same] = left.length > 1 ? left.splice(0, 1) : left;
      return next(signal);
    },
    onReadAgain: (cause) => void causes.push(cause),
    ...overrides,
  });
  reconciler.start();
  return {
    ...tab,
    advance: world.clock.advance,
    timers: () => world.clock.pendingTimers,
    reconciler,
    reported,
    causes,
    comparisons: () => signals.length,
    signals,
    setCurrent: (value: boolean) => (isCurrent = value),
  };
}

describe('a comparison of a list with its table', () => {
  it('leads to a read where none is given, and to none where they agree', async () => {
    const { advance, causes } = openScene([], { differs: undefined });
    await advance(60_000);
    expect(causes).toEqual(['interval']);
    const agreeing = openScene([same]);
    await agreeing.advance(180_000);
    expect([agreeing.comparisons(), agreeing.causes, agreeing.reported]).toEqual([3, [], []]);
  });

  it('is repeated after two seconds, and leads to a read if it finds the difference again', async () => {
    const { advance, causes, comparisons } = openScene([different]);
    await advance(61_999);
    expect([comparisons(), causes]).toEqual([1, []]);
    await advance(1);
    expect([comparisons(), causes]).toEqual([2, ['interval']]);
    const late = openScene([different, same]);
    await late.advance(70_000);
    expect([late.comparisons(), late.causes]).toEqual([2, []]);
  });

  it('is aborted without an answer after five seconds, and leads to a read', async () => {
    const { advance, causes, reported, signals } = openScene([silent]);
    await advance(64_999);
    expect(causes).toEqual([]);
    await advance(1);
    expect([causes, signals[0]?.aborted]).toEqual([['interval'], true]);
    expect(reported).toMatchObject([{ message: 'The comparison of the list was not answered in time' }]);
  });

  it('leads to a read where it fails', async () => {
    const problem = new Error('503');
    const { advance, causes, reported } = openScene([() => Promise.reject(problem)]);
    await advance(60_000);
    expect([causes, reported]).toEqual([['interval'], [problem]]);
  });

  it.each([
    [2_900, 2],
    [4_000, 1],
  ])(
    'that is answered after %i ms is made %i times before the read after five seconds',
    async (ms, count) => {
      let answer: (differs: boolean) => void = () => {};
      const slow: Comparison = () => new Promise<boolean>((resolve) => void (answer = resolve));
      const { advance, causes, comparisons } = openScene([slow, different]);
      await advance(60_000 + ms);
      answer(true);
      await advance(5_000 - ms - 101);
      expect(causes).toEqual([]);
      await advance(101);
      expect([comparisons(), causes]).toEqual([count, ['interval']]);
    },
  );

  it('is left out while the list does not claim to be current', async () => {
    const { advance, comparisons, setCurrent } = openScene();
    setCurrent(false);
    await advance(120_000);
    expect(comparisons()).toBe(0);
    setCurrent(true);
    await advance(60_000);
    expect(comparisons()).toBe(1);
  });

  it('says nothing any more where the list is read again meanwhile', async () => {
    let answer: (differs: boolean) => void = () => {};
    const { advance, causes, setCurrent } = openScene([
      () => new Promise<boolean>((resolve) => void (answer = resolve)),
    ]);
    await advance(60_000);
    setCurrent(false);
    answer(true);
    await advance(5_000);
    expect(causes).toEqual([]);
  });
});

describe('a burst of changes', () => {
  it.each([
    [[79], 0],
    [[80], 1],
    [[40, 40], 0],
    [[40, 0, 40], 1],
  ])('of %j within whole seconds leads to %i comparisons', async (counts, compared) => {
    const { advance, reconciler, comparisons } = openScene();
    for (const count of counts) {
      if (count > 0) reconciler.noteChanges(keys(count));
      await advance(counts.length > 2 ? 400 : 1_000);
    }
    await advance(2_000);
    expect(comparisons()).toBe(compared);
  });

  it('that goes on puts its comparison not off', async () => {
    const { advance, reconciler, comparisons } = openScene();
    for (let tenth = 0; tenth < 25; tenth += 1) {
      reconciler.noteChanges(keys(40));
      await advance(100);
    }
    expect(comparisons()).toBe(1);
  });

  it('is compared again after losses that it caused, and after no others', async () => {
    const { advance, reconciler, comparisons } = openScene();
    reconciler.noteLosses('interval');
    await advance(10_000);
    expect(comparisons()).toBe(0);
    reconciler.noteLosses('rate');
    await advance(2_000);
    expect(comparisons()).toBe(1);
  });
});

describe('a write of this tab', () => {
  it('whose change does not come back within five seconds leads to a comparison, without a repetition', async () => {
    const { advance, causes, reconciler, comparisons } = openScene([different]);
    reconciler.noteOwnWrites(['a', 'b']);
    reconciler.noteChanges(['a']);
    await advance(4_999);
    expect(comparisons()).toBe(0);
    await advance(1);
    expect([comparisons(), causes]).toEqual([1, ['no-echo']]);
  });

  it('whose change comes back leads to none', async () => {
    const { advance, reconciler, comparisons } = openScene();
    reconciler.noteOwnWrites(['a', 'b']);
    reconciler.noteChanges(['b', 'a']);
    await advance(10_000);
    expect(comparisons()).toBe(0);
  });

  it('takes the place of a comparison that is under way, which is no fault', async () => {
    const { advance, reconciler, comparisons, reported, signals, causes } = openScene([silent, same]);
    await advance(56_000);
    reconciler.noteOwnWrites(['a']);
    await advance(5_000);
    expect([comparisons(), signals[0]?.aborted, reported]).toEqual([2, true, []]);
    await advance(10_000);
    expect([causes, reported]).toEqual([[], []]);
  });

  it('is not waited for without comparisons, or before the start', async () => {
    const off = openScene([same], { intervalMs: 0 });
    off.reconciler.noteOwnWrites(['a']);
    expect(off.timers()).toBe(0);
    const { reconciler, timers } = openScene();
    reconciler.stop();
    reconciler.noteOwnWrites(['a']);
    reconciler.noteLosses('rate');
    reconciler.noteChanges(keys(100));
    expect(timers()).toBe(0);
  });
});

describe('a page', () => {
  it('that is hidden compares once when it is shown, and at no other signal', async () => {
    const { advance, comparisons, setVisible, signal } = openScene();
    setVisible(false);
    await advance(180_000);
    signal('online');
    await advance(0);
    expect(comparisons()).toBe(0);
    setVisible(true);
    await advance(0);
    signal('visible');
    await advance(0);
    expect(comparisons()).toBe(1);
  });

  it('without visibility is always shown', async () => {
    const world = createFakeWorld();
    const { clock, report } = world.openTab();
    const onReadAgain = vi.fn<(cause: string) => void>();
    const options = { platform: { clock, report }, intervalMs: 1_000, isCurrent: () => true, onReadAgain };
    createReconciler(options).start();
    await world.clock.advance(1_000);
    expect(onReadAgain).toHaveBeenCalledWith('interval');
  });
});

test('a reconciler that is stopped, also if it was started twice, leaves no timer and says nothing', async () => {
  const { advance, reconciler, timers, causes, signals, reported } = openScene([silent]);
  reconciler.start();
  await advance(60_000);
  reconciler.noteOwnWrites(['a']);
  reconciler.noteLosses('rate');
  reconciler.stop();
  await advance(120_000);
  expect([timers(), causes, reported, signals.map(({ aborted }) => aborted)]).toEqual([0, [], [], [true]]);
});

describe('the version of a list', () => {
  const open = () => {
    const world = createFakeWorld();
    const server = { version: 7 };
    const readVersion = vi.fn<() => Promise<number>>(async () => server.version);
    const { signal } = new AbortController();
    const version = createListVersion(readVersion, world.openTab().clock);
    return { server, readVersion, signal, version, advance: world.clock.advance };
  };

  it('is that of the read and the changes since', async () => {
    const { server, signal, version, advance } = open();
    await version.read(signal);
    await advance(500);
    version.noteChanges(2);
    server.version = 9;
    expect(await version.differs(signal)).toBe(false);
    server.version = 10;
    expect(await version.differs(signal)).toBe(true);
  });

  it.each([
    ['during the read', -1],
    ['right after it', 0],
    ['within half a second', 499],
  ])('is unknown after a change %s, which it may contain, until the next read', async (_name, afterMs) => {
    const { server, readVersion, signal, version, advance } = open();
    const reading = version.read(signal);
    if (afterMs < 0) version.noteChanges(1);
    await reading;
    await advance(Math.max(0, afterMs));
    if (afterMs >= 0) version.noteChanges(1);
    server.version = 8;
    expect(await version.differs(signal)).toBe(true);
    expect(readVersion).toHaveBeenCalledTimes(1);
    await version.read(signal);
    expect(await version.differs(signal)).toBe(false);
  });
});

describe('the watch of repairs', () => {
  const rows = (...entries: readonly (readonly [string, number])[]) => new Map(entries);
  const open = () => {
    const world = createFakeWorld();
    const heals: LiveQueryHeal[] = [];
    return {
      world,
      heals,
      watch: createHealWatch<number>(world.openTab().clock, (heal) => void heals.push(heal)),
    };
  };

  it('reports what was lost, by kind, without the rows whose changes arrive within two seconds', async () => {
    const { world, heals, watch } = open();
    const atMs = world.clock.now();
    watch.compare(rows(['a', 1], ['b', 1], ['c', 1]), rows(['a', 2], ['b', 1], ['d', 1], ['e', 1]), 'rate');
    watch.noteChanges(['e']);
    await world.clock.advance(1_999);
    expect(heals).toEqual([]);
    await world.clock.advance(1);
    expect(heals).toEqual([{ atMs, cause: 'rate', added: 1, updated: 1, removed: 1 }]);
  });

  it('reports nothing where all changes arrive, nothing differs, or it is stopped', async () => {
    const { world, heals, watch } = open();
    watch.compare(rows(['a', 1]), rows(['a', 1]), 'interval');
    expect(world.clock.pendingTimers).toBe(0);
    watch.compare(rows(), rows(['a', 1]), 'interval');
    watch.noteChanges(['a']);
    await world.clock.advance(2_000);
    watch.compare(rows(), rows(['b', 1]), 'interval');
    watch.stop();
    expect(world.clock.pendingTimers).toBe(0);
    await world.clock.advance(2_000);
    expect(heals).toEqual([]);
  });
});
