import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { createOutboxStorage } from '../../../../src/inbox/features/outbox/outbox-storage.ts';
import { createOutbox } from '../../../../src/inbox/features/outbox/outbox.ts';
import type { OutboxEntry } from '../../../../src/inbox/features/outbox/outbox-state.ts';
import type { OutboxOutcome } from '../../../../src/inbox/shared/outbox/outbox.ts';
import { createFakeWorld } from '../../../support/fake-platform.ts';
import type { FakeWorld } from '../../../support/fake-platform.ts';
import { createMemoryStorage } from '../../../support/memory-outbox-storage.ts';

class Unreachable extends Error {}
class Refused extends Error {}

interface Server {
  readonly received: string[];
  problem: Error | null;
  outcome: OutboxOutcome;
  answerMs: number;
}

function createDevice(world: FakeWorld = createFakeWorld()) {
  const storage = createMemoryStorage();
  const server: Server = { received: [], problem: null, outcome: 'sent', answerMs: 50 };
  const openTab = () => {
    const tab = world.openTab();
    const settled: string[] = [];
    const outbox = createOutbox({
      userId: 'ada',
      storage,
      isRetryable: (problem) => problem instanceof Unreachable,
      platform: tab,
      senders: {
        notifications: {
          parse: (payload) => (typeof payload === 'string' ? payload : null),
          send: (payload) =>
            new Promise((resolve, reject) => {
              tab.clock.setTimer(() => {
                if (server.problem) return reject(server.problem);
                server.received.push(String(payload));
                resolve(server.outcome);
              }, server.answerMs);
            }),
        },
      },
    });
    outbox.onSettled((entry, outcome) => settled.push(`${String(entry.payload)} ${outcome}`));
    return {
      ...tab,
      tab,
      outbox,
      settled,
      add: (name: string, delayMs = 0) => outbox.add('notifications', name, name, delayMs),
    };
  };
  return { world, server, storage, openTab };
}

const names = (entries: readonly OutboxEntry[]) => entries.map(({ payload }) => payload);

describe('the outbox', () => {
  test('stores offline changes and sends them in order when online', async () => {
    const { world, server, openTab } = createDevice();
    const { tab, outbox, settled, add } = openTab();
    tab.setOnline(false);
    for (const name of ['one', 'two', 'three']) await add(name);
    await world.clock.advance(60_000);
    expect(server.received).toEqual([]);
    expect(names(outbox.getSnapshot())).toEqual(['one', 'two', 'three']);
    tab.setOnline(true);
    await world.clock.advance(1_000);
    expect(server.received).toEqual(['one', 'two', 'three']);
    expect(outbox.getSnapshot()).toEqual([]);
    expect(settled).toEqual(['one sent', 'two sent', 'three sent']);
  });

  test('sends the changes of an earlier visit', async () => {
    const { world, server, openTab } = createDevice();
    const earlier = openTab();
    earlier.tab.setOnline(false);
    await earlier.add('one');
    earlier.tab.crash();
    const later = openTab();
    await later.outbox.start();
    expect(names(later.outbox.getSnapshot())).toEqual(['one']);
    await world.clock.advance(1_000);
    expect(server.received).toEqual(['one']);
  });

  test('is equal in all tabs and sent by one of them', async () => {
    const { world, server, openTab } = createDevice();
    const tabs = [openTab(), openTab(), openTab()] as const;
    for (const { tab } of tabs) tab.setOnline(false);
    await tabs[0].add('one');
    await tabs[1].add('two');
    await world.settle();
    for (const { outbox } of tabs) expect(names(outbox.getSnapshot())).toEqual(['one', 'two']);
    for (const { tab } of tabs) tab.setOnline(true);
    await world.clock.advance(5_000);
    expect(server.received).toEqual(['one', 'two']);
    for (const { outbox, settled } of tabs) {
      expect(outbox.getSnapshot()).toEqual([]);
      expect(settled).toEqual(['one sent', 'two sent']);
    }
  });

  test('is taken over by another tab when the sending one crashes', async () => {
    const { world, server, openTab } = createDevice();
    const [first, second] = [openTab(), openTab()] as const;
    for (const { tab } of [first, second]) tab.setOnline(false);
    await first.add('one');
    await world.settle();
    for (const { tab } of [first, second]) tab.setOnline(true);
    await world.settle();
    first.tab.crash();
    await world.clock.advance(1_000);
    expect(server.received).toEqual(['one']);
    expect(second.outbox.getSnapshot()).toEqual([]);
  });

  test('retries with backoff while the server is unreachable, in order', async () => {
    const { world, server, openTab } = createDevice();
    const { outbox, add } = openTab();
    server.problem = new Unreachable();
    await add('one');
    await add('two');
    await world.clock.advance(30_000);
    expect(names(outbox.getSnapshot())).toEqual(['one', 'two']);
    server.problem = null;
    await world.clock.advance(90_000);
    expect(server.received).toEqual(['one', 'two']);
  });

  test('drops refused changes and reports conflicts', async () => {
    const { world, server, openTab } = createDevice();
    const { settled, add, reported } = openTab();
    server.problem = new Refused();
    await add('refused');
    await world.clock.advance(100);
    server.problem = null;
    server.outcome = 'changed';
    await add('conflicting');
    await world.clock.advance(100);
    expect(settled).toEqual(['refused refused', 'conflicting changed']);
    expect(reported).toEqual([expect.any(Refused)]);
  });

  test('holds back a change that can still be undone, which later ones overtake', async () => {
    const { world, server, openTab } = createDevice();
    const { outbox, add } = openTab();
    await add('undoable', 10_000);
    await add('after it');
    expect(outbox.isBusy()).toBe(true);
    await world.clock.advance(9_000);
    expect(server.received).toEqual(['after it']);
    expect(outbox.isBusy()).toBe(false);
    expect(await outbox.withdraw('undoable')).toBe(true);
    await world.clock.advance(2_000);
    expect(server.received).toEqual(['after it']);
    await add('kept', 10_000);
    await outbox.release('kept');
    await world.clock.advance(100);
    expect(server.received).toEqual(['after it', 'kept']);
  });

  test('sends a held change from another tab when its own has crashed', async () => {
    const { world, server, openTab } = createDevice();
    const [own, other] = [openTab(), openTab()] as const;
    await own.add('undoable', 10_000);
    await world.settle();
    own.tab.crash();
    await world.clock.advance(9_000);
    expect(server.received).toEqual([]);
    await world.clock.advance(2_000);
    expect(server.received).toEqual(['undoable']);
    expect(other.settled).toEqual(['undoable sent']);
  });

  test('does not wait for the old time when the clock is set back', async () => {
    const { world, server, openTab } = createDevice();
    const { add, tab } = openTab();
    await add('undoable', 10_000);
    world.clock.jump(-86_400_000);
    await world.clock.advance(11_000);
    expect(server.received).toEqual(['undoable']);

    server.problem = new Unreachable();
    await add('retried');
    await world.clock.advance(100);
    server.problem = null;
    world.clock.jump(-86_400_000);
    await world.clock.advance(10_000);
    expect(server.received).toEqual(['undoable', 'retried']);
    expect(tab.reported).toHaveLength(1);
  });

  test('forgets a change that another request has sent, in every tab', async () => {
    const { world, server, openTab } = createDevice();
    const [own, other] = [openTab(), openTab()] as const;
    await own.add('undoable', 10_000);
    await own.outbox.confirm('undoable');
    await world.clock.advance(20_000);
    expect(server.received).toEqual([]);
    for (const { outbox } of [own, other]) expect(outbox.getSnapshot()).toEqual([]);
  });

  test('discards a change whose requests failed, and sends those after it', async () => {
    const { world, server, openTab } = createDevice();
    const { outbox, add } = openTab();
    server.problem = new Unreachable();
    await add('failing');
    await add('after it');
    await world.clock.advance(1_000);
    expect(await outbox.withdraw('failing')).toBe(false);
    server.problem = null;
    expect(await outbox.discard('failing')).toBe(true);
    await world.clock.advance(100);
    expect(server.received).toEqual(['after it']);
    expect(outbox.getSnapshot()).toEqual([]);
  });

  test('does not discard a change whose request in flight succeeds', async () => {
    const { world, server, openTab } = createDevice();
    const { outbox, settled, add } = openTab();
    await add('one');
    const isDiscarded = outbox.discard('one');
    await world.clock.advance(1_000);
    expect(await isDiscarded).toBe(false);
    expect(server.received).toEqual(['one']);
    expect(settled).toEqual(['one sent']);
  });

  test('does not withdraw a change that is being sent', async () => {
    const { world, server, openTab } = createDevice();
    const { outbox, add } = openTab();
    await add('one');
    await world.settle();
    expect(await outbox.withdraw('one')).toBe(false);
    await world.clock.advance(100);
    expect(server.received).toEqual(['one']);
  });

  test('loses nothing and reorders nothing under random connections, crashes and reloads', async () => {
    const action = fc.constantFrom('add', 'offline', 'online', 'crash', 'open', 'fail', 'heal', 'wait');
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 30 }), fc.nat(1_000), async (actions, seed) => {
        const { world, server, openTab } = createDevice(createFakeWorld({ seed }));
        const tabs = [openTab(), openTab()];
        let added = 0;
        for (const [index, next] of actions.entries()) {
          const at = index % tabs.length;
          const current = tabs[at];
          if (!current) continue;
          if (next === 'add') await current.add(String((added += 1)).padStart(3, '0'));
          if (next === 'offline' || next === 'online')
            for (const { tab } of tabs) tab.setOnline(next === 'online');
          if (next === 'crash') {
            current.tab.crash();
            tabs[at] = openTab();
            await tabs[at]?.outbox.start();
          }
          if (next === 'open' && tabs.length < 4) tabs.push(openTab());
          if (next === 'fail') server.problem = new Unreachable();
          if (next === 'heal') server.problem = null;
          if (next === 'wait') await world.clock.advance(75);
        }
        server.problem = null;
        for (const { tab, outbox } of tabs) {
          tab.setOnline(true);
          await outbox.start();
        }
        await world.clock.advance(200_000);
        // A crash between the answer and its bookkeeping repeats a change, which is idempotent; it never skips one.
        const firstArrivals = [...new Set(server.received)];
        expect(firstArrivals).toEqual(
          Array.from({ length: added }, (_, index) => String(index + 1).padStart(3, '0')),
        );
        expect(server.received).toEqual(server.received.toSorted());
        for (const { outbox } of tabs) expect(outbox.getSnapshot()).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});

describe('the storage of the outbox', () => {
  beforeEach(() => {
    globalThis.indexedDB = new IDBFactory();
  });
  const change = (id: string, userId = 'ada') => ({
    id,
    userId,
    topic: 'notifications',
    payload: { status: 'read' },
    heldUntilMs: 5,
    isClaimed: false,
  });

  test('keeps the changes in order over visits until they are removed', async () => {
    const storage = createOutboxStorage('ada');
    await storage.add(change('one'));
    await storage.add(change('two'));
    const later = createOutboxStorage('ada');
    expect((await later.list()).map(({ id }) => id)).toEqual(['one', 'two']);
    await later.release('one');
    await later.remove('two');
    expect(await storage.list()).toEqual([{ ...change('one'), sequence: 1, heldUntilMs: 0 }]);
  });

  test('deletes the changes of another user', async () => {
    await createOutboxStorage('ada').add(change('one'));
    expect(await createOutboxStorage('grace').list()).toEqual([]);
    expect(await createOutboxStorage('ada').list()).toEqual([]);
  });

  test('withdraws a change unless it is claimed', async () => {
    const storage = createOutboxStorage('ada');
    await storage.add(change('one'));
    await storage.add(change('two'));
    expect(await storage.claim('one')).toBe(true);
    expect(await storage.withdraw('one')).toBe(false);
    expect(await storage.withdraw('two')).toBe(true);
    expect(await storage.claim('two')).toBe(false);
    expect(await storage.withdraw('unknown')).toBe(false);
  });
});
