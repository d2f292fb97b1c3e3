import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backoffDelayMs, doublingDelaysMs } from '../../src/platform/backoff.ts';
import { parseRetryAfterSeconds, retry, type RetryPolicy } from '../../src/platform/retry.ts';
import { createFakeWorld } from '../support/fake-platform.ts';

describe('backoff', () => {
  test('doubles as often as the longest delay allows', () => {
    expect(doublingDelaysMs(200, 25_600)).toEqual([200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600]);
  });

  test('doubles up to the longest delay, which repeats', () => {
    const delaysMs = doublingDelaysMs(300, 2_000);
    expect([1, 2, 3, 4, 5, 9].map((attempt) => backoffDelayMs(attempt, { delaysMs }, 0.5))).toEqual([
      300, 600, 1_200, 2_000, 2_000, 2_000,
    ]);
  });

  test.each([
    [0, 1_000],
    [2_000, 1_000],
    [1_000, 1_000],
  ])('ends with a base of %i and a limit of %i', (baseDelayMs, maxDelayMs) => {
    const delaysMs = doublingDelaysMs(baseDelayMs, maxDelayMs);
    expect(backoffDelayMs(3, { delaysMs }, 0)).toBe(baseDelayMs && maxDelayMs);
  });

  test('takes the random part of the delay, or adds the random part of a share', () => {
    const delaysMs = [100];
    expect(backoffDelayMs(1, { delaysMs, jitter: 'full' }, 0.5)).toBe(50);
    expect(backoffDelayMs(1, { delaysMs, jitter: 0.4 }, 0.5)).toBe(120);
  });

  test('keeps full jitter below the delay, and a share above it', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(random, fc.integer({ min: 1, max: 20 }), (number, attempt) => {
        const delaysMs = [100, 200, 400];
        const delayMs = backoffDelayMs(attempt, { delaysMs }, number);
        const full = backoffDelayMs(attempt, { delaysMs, jitter: 'full' }, number);
        const shared = backoffDelayMs(attempt, { delaysMs, jitter: 0.25 }, number);
        expect([full >= 0, full <= delayMs, shared >= delayMs, shared <= delayMs * 1.25]).not.toContain(
          false,
        );
      }),
    );
  });
});

describe('retry', () => {
  class Busy extends Error {
    readonly retryAfterSeconds: number | null;
    constructor(retryAfterSeconds: number | null = null) {
      super('busy');
      this.retryAfterSeconds = retryAfterSeconds;
    }
  }
  const policy: RetryPolicy = {
    limit: 3,
    backoff: { delaysMs: [100, 200] },
    isRetryable: (problem) => problem instanceof Busy,
  };

  function start(problems: readonly Error[], rules: Partial<RetryPolicy> = {}, signal?: AbortSignal) {
    const world = createFakeWorld();
    const tab = world.openTab();
    const startedMs = tab.clock.monotonicMs();
    const timesMs: number[] = [];
    const result = retry(
      tab,
      { ...policy, ...rules },
      async (number) => {
        timesMs.push(tab.clock.monotonicMs() - startedMs);
        const problem = problems[number - 1];
        if (problem) throw problem;
        return `attempt ${number}`;
      },
      signal,
    ).catch((problem: unknown) => problem);
    return { world, timesMs, result };
  }

  test('waits between attempts and returns the first success', async () => {
    const { world, timesMs, result } = start([new Busy(), new Busy()]);
    await world.clock.advance(1_000);
    expect(await result).toBe('attempt 3');
    expect(timesMs).toEqual([0, 100, 300]);
    expect(world.clock.pendingTimers).toBe(0);
  });

  test('waits exactly as long as the server asks', async () => {
    const { world, timesMs, result } = start([new Busy(7)]);
    await world.clock.advance(7_000);
    expect(await result).toBe('attempt 2');
    expect(timesMs).toEqual([0, 7_000]);
  });

  test('ends with the last failure after the limit', async () => {
    const problems = [new Busy(), new Busy(), new Busy(), new Busy(), new Busy()];
    const { world, timesMs, result } = start(problems);
    await world.clock.advance(10_000);
    expect(await result).toBe(problems[3]);
    expect(timesMs).toHaveLength(4);
  });

  test('fails at once when a failure is definitive', async () => {
    const problem = new Error('refused');
    const { result, timesMs } = start([problem]);
    expect(await result).toBe(problem);
    expect(timesMs).toHaveLength(1);
  });

  test('fails at once when the wait would pass the limit of time', async () => {
    const problem = new Busy(31);
    const { result } = start([problem], { maxElapsedMs: 30_000 });
    expect(await result).toBe(problem);
  });

  test('begins no attempt at the limit of time itself, whatever time the clock starts at', async () => {
    const problem = new Busy(30);
    const { result, timesMs } = start([problem], { maxElapsedMs: 30_000 });
    expect(await result).toBe(problem);
    expect(timesMs).toEqual([0]);
    const later = start([new Busy(29)], { maxElapsedMs: 30_000 });
    await later.world.clock.advance(29_000);
    expect(await later.result).toBe('attempt 2');
  });

  test.each([
    ['a failure that is no Error', { retryAfterSeconds: 7 }],
    ['a failure whose time is no number', Object.assign(new Busy(), { retryAfterSeconds: '7' })],
    ['a failure without a time', new Error('reset')],
    ['nothing', undefined],
  ])('waits as its backoff says after %s', async (_, problem) => {
    const world = createFakeWorld();
    const tab = world.openTab();
    await world.clock.advance(60_000);
    let attempts = 0;
    const result = retry(tab, { ...policy, maxElapsedMs: 1_000, isRetryable: () => true }, () => {
      attempts += 1;
      return attempts === 1 ? Promise.reject(problem) : Promise.resolve('done');
    });
    await world.clock.advance(100);
    expect([attempts, await result]).toEqual([2, 'done']);
  });

  test("ends the wait with the signal's reason", async () => {
    const controller = new AbortController();
    const { world, result } = start([new Busy()], {}, controller.signal);
    await world.settle();
    controller.abort('left');
    expect(await result).toBe('left');
    expect(world.clock.pendingTimers).toBe(0);
  });
});

describe('a Retry-After header', () => {
  const nowMs = Date.UTC(2026, 0, 1);
  test.each([
    ['7', 7],
    ['0', 0],
    [' 12 ', 12],
    ['7s', null],
    ['a7', null],
    [new Date(nowMs + 4_000).toUTCString(), 4],
    [new Date(nowMs - 4_000).toUTCString(), 0],
    ['soon', null],
    ['', null],
    [null, null],
  ])('%s is %s seconds', (header, seconds) => {
    expect(parseRetryAfterSeconds(header, nowMs)).toBe(seconds);
  });
});
