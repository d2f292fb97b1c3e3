import { expect, it } from 'vitest';
import { createRateCounter } from '../../src/services/realtime/rate-counter.ts';

it('a burst exceeds the limit from the next tick on, with the average since the first use', () => {
  let nowMs = 0;
  const counter = createRateCounter(
    () => nowMs,
    () => 2,
  );
  // The time before the first use must not count.
  nowMs = 3_600_000;
  counter.start();
  counter.add(30);
  expect(counter.isExceeded).toBe(false);
  nowMs += 5_000;
  expect([counter.average, counter.isExceeded]).toEqual([3, true]);
  nowMs += 5_000;
  expect([counter.average, counter.isExceeded]).toEqual([2, true]);
  nowMs += 5_000;
  expect([counter.average, counter.isExceeded]).toEqual([1.5, false]);
});

it('a counter that was idle starts again', () => {
  let nowMs = 0;
  const counter = createRateCounter(
    () => nowMs,
    () => 2,
  );
  counter.add();
  nowMs = 600_000;
  counter.add(30);
  nowMs += 5_000;
  expect(counter.average).toBe(3);
});
