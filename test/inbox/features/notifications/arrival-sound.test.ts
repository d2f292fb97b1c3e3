import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createArrivals } from '../../../../src/inbox/features/notifications/arrivals/arrivals.ts';
import { soundChoice } from '../../../../src/inbox/features/notifications/arrivals/arrival-choices.ts';
import { createFakeWorld } from '../../../support/fake-platform.ts';
import { createNotification } from './notification-fixtures.ts';

let played = 0;

class FakeNode extends EventTarget {
  readonly gain = { setValueAtTime() {}, exponentialRampToValueAtTime() {} };
  readonly connect = (next: unknown) => next;
  start() {}
  stop() {}
}

class FakeContext {
  readonly currentTime = 0;
  readonly destination = new FakeNode();
  constructor() {
    played += 1;
  }
}

// Loaded on demand, which takes real time; the clock of the test does not wait for it.
beforeAll(() => import('../../../../src/inbox/features/notifications/arrivals/arrival-sound.ts'));

beforeEach(() => {
  played = 0;
  vi.stubGlobal('AudioContext', FakeContext);
  vi.stubGlobal('OscillatorNode', FakeNode);
  vi.stubGlobal('GainNode', FakeNode);
  touchPage(true);
  soundChoice.set(true);
  return () => vi.unstubAllGlobals();
});

function touchPage(hasBeenActive: boolean): void {
  Object.defineProperty(navigator, 'userActivation', { value: { hasBeenActive }, configurable: true });
}

/** Lets this many tabs receive the same arrival. */
async function arrive(tabs: number, isQuiet = false): Promise<void> {
  const world = createFakeWorld();
  const arrivals = Array.from({ length: tabs }, () =>
    createArrivals(world.openTab(), () => Promise.resolve(isQuiet)),
  );
  for (const tab of arrivals) tab.add([createNotification(1)]);
  for (let second = 0; second < 6; second += 1) await world.clock.advance(1_000);
  for (const tab of arrivals) tab.close();
}

test('the arrival sound is played once for any number of tabs', async () => {
  await arrive(3);
  expect(played).toBe(1);
});

test('the arrival sound is silent in quiet hours', async () => {
  await arrive(1, true);
  expect(played).toBe(0);
});

test('the arrival sound is silent unless it was switched on', async () => {
  soundChoice.set(false);
  await arrive(1);
  expect(played).toBe(0);
});

test('the arrival sound is silent in a page without a user gesture', async () => {
  touchPage(false);
  await arrive(1);
  expect(played).toBe(0);
});

test('the switch of the arrival sound applies to the other tabs of the device', () => {
  localStorage.setItem('notification-sound', 'off');
  dispatchEvent(new StorageEvent('storage', { key: 'notification-sound' }));
  expect(soundChoice.getSnapshot()).toBe(false);
});
