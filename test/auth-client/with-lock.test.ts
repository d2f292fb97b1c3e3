import { describe, expect, it } from 'vitest';
import { withLock } from '../../src/auth-client/session/with-lock.ts';
import { createRealmLocks } from '../../src/platform/realm-locks.ts';
import { createFakeWorld } from '../support/fake-platform.ts';
import { deferred, sessionReply } from '../support/wire/replies.ts';
import { STORAGE_KEY, createHarness } from './support/harness.ts';

/** A tab, and another one that holds the lock until `release` is called. */
function createBusyLock() {
  const world = createFakeWorld();
  const tab = world.openTab();
  const { promise, resolve } = deferred<string>();
  const holding = world.openTab().locks.hold('lock', () => promise);
  const release = () => {
    resolve('released');
    return holding;
  };
  return { world, tab, release };
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
    expect(tab.reported).toEqual([]);
  });

  it('steals a lock that stays busy, and reports the lock, its holder and the start of the wait', async () => {
    const { world, tab, release } = createBusyLock();
    let runs = 0;
    const run = () => withLock(tab, 'lock', 1_000, () => Promise.resolve((runs += 1)));
    const done = run();
    await world.clock.advance(999);
    expect(runs).toBe(0);
    await world.clock.advance(1);
    expect(await done).toBe(1);
    expect(tab.reported).toMatchObject([
      {
        name: 'AuthError',
        code: 'timeout',
        message:
          'The lock lock was taken from the client tab-2, which had held it since 2026-01-01T00:00:00.000Z or longer',
      },
    ]);
    // The next task does not wait, although the earlier holder still hangs; that one keeps its result.
    expect(await run()).toBe(2);
    expect(await release()).toBe('released');
  });

  it('steals a busy lock among the callers of one realm, for which later callers wait', async () => {
    const locks = createRealmLocks();
    const tab = createFakeWorld().openTab({ locks });
    void locks.hold('lock', () => new Promise(() => {}));
    const taken = deferred<string>();
    const steps: string[] = [];
    const first = locks.hold('lock', () => taken.promise, { steal: true }).then((step) => steps.push(step));
    const second = withLock(tab, 'lock', 1_000, () => Promise.resolve(steps.push('second')));
    taken.resolve('first');
    await Promise.all([first, second]);
    expect(steps).toEqual(['first', 'second']);
  });

  it('runs once and rejects with its own failure', async () => {
    const world = createFakeWorld();
    let runs = 0;
    const failure = new Error('Failed');
    const done = withLock(world.openTab(), 'lock', 1_000, () => {
      runs += 1;
      expect(world.heldLocks.has('lock')).toBe(true);
      return Promise.reject(failure);
    });
    await expect(done).rejects.toBe(failure);
    expect(runs).toBe(1);
    expect(world.heldLocks.has('lock')).toBe(false);
  });
});

describe('a lock that another program never releases', () => {
  it('delays the operations on storage once, and no later sign-in', async () => {
    const { open, server, world } = createHarness();
    const { client } = open();
    void world.openTab().locks.hold(`lock:${STORAGE_KEY}:store`, () => new Promise(() => {}));
    const started = client.start();
    await world.clock.advance(5_000);
    expect(await started).toMatchObject({ status: 'signed-out', storageProblem: null });
    server.next(Response.json(sessionReply('ada', 1)));
    await client.signInWithPassword({ email: 'ada@example.com', password: 'correct horse' });
    expect(client.getSnapshot().user?.id).toBe('ada');
    client.close();
  });

  it('does not end a refresh', async () => {
    const { signedIn, server, world } = createHarness();
    const { client } = await signedIn();
    void world.openTab().locks.hold(`lock:${STORAGE_KEY}:refresh`, () => new Promise(() => {}));
    server.next(Response.json(sessionReply('ada', 2)));
    const refreshed = client.refreshSession();
    await world.clock.advance(20_000);
    expect((await refreshed).accessToken).toBe(sessionReply('ada', 2).access_token);
    client.close();
  });

  it('does not delay a sign-in by link', async () => {
    const { open, server, world } = createHarness();
    const { client } = open();
    await client.start();
    void world.openTab().locks.hold(`lock:${STORAGE_KEY}:flows`, () => new Promise(() => {}));
    server.next(Response.json({}));
    const sent = client.signInWithOtp({ email: 'ada@example.com' });
    await world.clock.advance(5_000);
    await sent;
    expect(server.lines).toEqual(['POST /otp']);
    client.close();
  });

  it('keeps the session of a later refresh when its holder continues', async () => {
    const { signedIn, open, server, world, stored } = createHarness();
    const tab = world.openTab({ fetch: server.fetch });
    // The timers of a tab that hangs never run, so that its request has no deadline.
    const clock = { ...tab.clock, setTimer: () => ({ cancel() {} }) };
    const hanging = await signedIn({ platform: { ...tab, clock } });
    const late = deferred<Response>();
    const serials = [2, 3].map((serial) => Response.json(sessionReply('ada', serial)));
    server.next(() => late.promise, ...serials);
    const first = hanging.client.refreshSession();
    const other = open();
    await other.client.start();
    const second = other.client.refreshSession();
    await world.clock.advance(19_999);
    expect(server.lines).toHaveLength(2);
    await world.clock.advance(1);
    await second;
    await other.client.refreshSession();
    late.resolve(Response.json(sessionReply('ada', 2)));
    expect((await first).accessToken).toBe(sessionReply('ada', 3).access_token);
    expect(await stored()).toMatchObject({ refresh_token: 'refresh-ada-3' });
    hanging.client.close();
    other.client.close();
  });
});
