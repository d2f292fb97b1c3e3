import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { initialScrollBarsState, stepScrollBars } from '../../../src/inbox/app/shell/scroll-bars.ts';

const areHiddenAfter = (...positionsPx: readonly number[]) =>
  positionsPx.reduce(stepScrollBars, initialScrollBarsState).areHidden;

test('the bars of a phone hide when the page scrolls down, and show when it scrolls up', () => {
  expect(areHiddenAfter(100)).toBe(true);
  expect(areHiddenAfter(100, 400)).toBe(true);
  expect(areHiddenAfter(100, 400, 380)).toBe(false);
  expect(areHiddenAfter(100, 400, 380, 400)).toBe(true);
});

test('the bars of a phone follow small steps in one direction, but not a trembling finger', () => {
  expect(areHiddenAfter(100, 400, 395, 390, 385)).toBe(false);
  expect(areHiddenAfter(100, 400, 395, 400, 395, 400)).toBe(true);
});

test('the bars of a phone are shown near the top, whatever the scroll positions before', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5_000)), fc.nat(63), (positionsPx, nearTopPx) => {
      expect(areHiddenAfter(...positionsPx, nearTopPx)).toBe(false);
    }),
  );
});

test('the bars of a phone are hidden after every longer scroll down, and shown after every longer scroll up', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5_000)), fc.integer({ min: 100, max: 5_000 }), (positionsPx, fromPx) => {
      expect(areHiddenAfter(...positionsPx, fromPx, fromPx + 100)).toBe(true);
      expect(areHiddenAfter(...positionsPx, fromPx + 100, fromPx)).toBe(false);
    }),
  );
});
