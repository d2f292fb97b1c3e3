import { describe, expect, it } from 'vitest';
import { withLock, withLockOrUnlocked } from '../../src/auth-client/session/with-lock.ts';
import { createFakeWorld } from '../support/fake-platform.ts';

/** A tab, and another one that holds the lock until `release` is called. */
function createBusyLock() {
  const world = createFakeWorld();
  const tab = world.openTab();
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const holding = world.openTab().locks.hold('lock', () => held);
  return { world, tab, release: () => (release(), holding) };
}

describe('a task under a lock', () => {
  it('waits until another tab releases the lock', async () => {
    const { world, tab, release } = createBusyLock();
    let runs = 0;
    const done = withLock(tab, 'lock', 1_000, () => Promise.resolve((runs += 1)));
    await world.settle();
    expect(runs).toBe(0);
    await release();
    expect(await done).toBe(1);
    expect(world.clock.pendingTimers).toBe(0);
  });

  it('does not run when the lock stays busy', async () => {
    const { world, tab, release } = createBusyLock();
    let runs = 0;
    const done = withLock(tab, 'lock', 1_000, () => Promise.resolve((runs += 1)));
    await Promise.all([
      expect(done).rejects.toMatchObject({ name: 'AuthError', code: 'timeout' }),
      world.clock.advance(1_000),
    ]);
    await release();
    await world.settle();
    expect(runs).toBe(0);
  });
});

describe('a task that may run without the lock', () => {
  it('runs once, and without it, when the lock stays busy', async () => {
    const { world, tab, release } = createBusyLock();
    let runs = 0;
    const done = withLockOrUnlocked(tab, 'lock', 1_000, () => Promise.resolve(void (runs += 1)));
    await world.clock.advance(999);
    expect(runs).toBe(0);
    await world.clock.advance(1);
    await done;
    expect(runs).toBe(1);
    await release();
    await world.settle();
    expect(runs).toBe(1);
  });

  it('runs once under the lock and rejects with its own failure', async () => {
    const world = createFakeWorld();
    let runs = 0;
    const failure = new Error('Failed');
    const done = withLockOrUnlocked(world.openTab(), 'lock', 1_000, () => {
      runs += 1;
      expect(world.heldLocks.has('lock')).toBe(true);
      return Promise.reject(failure);
    });
    await expect(done).rejects.toBe(failure);
    expect(runs).toBe(1);
    expect(world.heldLocks.has('lock')).toBe(false);
  });
});
