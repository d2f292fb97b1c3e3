import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRealmLocks } from '../../../../src/platform/realm-locks.ts';
import { createFakeWorld, type FakeWorld } from '../../../support/fake-platform.ts';
import { createDevice, names, Unreachable } from './outbox-device.ts';

test('several tabs show the same, and each sends its own', async () => {
  const { world, server, openTab } = createDevice();
  const tabs = [openTab(), openTab(), openTab()] as const;
  for (const { tab } of tabs) tab.setOnline(false);
  tabs[0].add('a:1');
  await world.settle();
  tabs[1].add('a:2');
  await world.settle();
  for (const { shown } of tabs) expect(shown).toEqual(['a:1', 'a:2']);
  // The tab of the later action comes online first, and waits for the earlier one on its row.
  for (const { tab } of tabs.toReversed()) tab.setOnline(true);
  await world.clock.advance(5_000);
  expect(server.received).toEqual(['a:1', 'a:2']);
  for (const { settled } of tabs) expect(settled).toEqual(['a:1 sent', 'a:2 sent']);
});

test('several tabs leave the actions of a tab that crashes to exactly one of the others', async () => {
  const { world, server, openTab } = createDevice();
  const [first, second, third] = [openTab(), openTab(), openTab()] as const;
  server.hangs = true;
  first.add('a:1');
  await world.settle();
  server.hangs = false;
  first.tab.crash();
  await world.clock.advance(1_000);
  expect(server.received).toEqual(['a:1']);
  expect([...second.settled, ...third.settled]).toContain('a:1 sent');
  expect([second.shown, third.shown]).toEqual([[], []]);
});

const waitFor = ({ openTab }: FakeWorld, ms: number) =>
  new Promise<void>((resolve) => openTab().clock.setTimer(resolve, ms));

/** A channel to the other tabs whose messages arrive too late: the stored actions have to suffice. */
const lateMessages = { openTabChannel: () => ({ post() {}, subscribe: () => () => {}, close() {} }) };

test('several tabs send an action of a crashed tab once, although their messages to each other are late', async () => {
  const { world, server, storage, openTab } = createDevice();
  const first = openTab();
  server.hangs = true;
  first.add('a:1');
  await world.settle();
  server.hangs = false;
  const { put } = storage;
  storage.put = async (action) => {
    await waitFor(world, 200);
    await put(action);
  };
  const others = [openTab(lateMessages), openTab(lateMessages)];
  await world.settle();
  first.tab.crash();
  await world.clock.advance(1_000);
  expect(server.received).toEqual(['a:1']);
  expect(others.map(({ shown }) => shown)).toContainEqual([]);
});

test('several tabs leave an action alone whose removal is still being stored by the tab that sent it', async () => {
  const { world, server, storage, openTab } = createDevice();
  const first = openTab();
  first.add('a:1');
  await world.settle();
  openTab(lateMessages);
  await world.settle();
  const { remove } = storage;
  storage.remove = async (ids) => {
    await waitFor(world, 500);
    await remove(ids);
  };
  await world.clock.advance(5_000);
  expect(server.received).toEqual(['a:1']);
});

test('several tabs do not send an action of a closed tab that is no longer stored', async () => {
  const { world, server, storage, openTab } = createDevice();
  const [first, second] = [openTab(), openTab()] as const;
  server.hangs = true;
  first.add('a:1');
  await world.settle();
  storage.evict();
  first.tab.crash();
  server.hangs = false;
  await world.clock.advance(1_000);
  expect(server.received).toEqual([]);
  expect(second.settled).toEqual(['a:1 undone']);
});

test('several tabs discard an action of another tab, with later ones on its row', async () => {
  const { world, server, openTab } = createDevice();
  const [first, second] = [openTab(), openTab()] as const;
  for (const { tab } of [first, second]) tab.setOnline(false);
  for (const payload of ['a:1', 'b:2', 'a:3']) first.add(payload);
  await world.settle();
  await second.outbox.discard(
    second.outbox
      .getSnapshot()
      .slice(0, 1)
      .map(({ id }) => id),
  );
  await world.settle();
  expect([first.shown, second.shown]).toEqual([['b:2'], ['b:2']]);
  for (const { tab } of [first, second]) tab.setOnline(true);
  await world.clock.advance(1_000);
  expect(server.received).toEqual(['b:2']);
});

test('several tabs without common locks leave the actions of each other alone', async () => {
  const { world, server, openTab } = createDevice();
  const [first, second] = [
    openTab({ locks: createRealmLocks() }),
    openTab({ locks: createRealmLocks() }),
  ] as const;
  const undoable = first.add('a:1', 'undoable');
  await world.clock.advance(1_000);
  expect([second.shown, server.requests]).toEqual([[], []]);
  undoable.undo();
  second.add('b:2');
  await world.clock.advance(1_000);
  expect([server.received, first.settled, second.settled]).toEqual([['b:2'], ['a:1 undone'], ['b:2 sent']]);
});

test('several tabs exchange no responses', async () => {
  const { world, openTab } = createDevice();
  const [first, second] = [openTab(), openTab()] as const;
  first.add('a:1');
  await world.clock.advance(1_000);
  expect(second.settled).toEqual(['a:1 sent']);
  expect(JSON.stringify(world.broadcasts)).not.toContain('content');
});

type Tab = ReturnType<ReturnType<typeof createDevice>['openTab']>;

const step = fc.oneof(
  fc.constantFrom('a', 'b').map((row) => ({ type: 'add', row }) as const),
  fc.constantFrom('a', 'b', '*').map((row) => ({ type: 'add-undoable', row }) as const),
  fc
    .constantFrom('offline', 'online', 'crash', 'open', 'fail', 'heal', 'wait')
    .map((type) => ({ type }) as const),
);

test('loses nothing, and reorders nothing on a row, under random connections, crashes and reloads', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.nat(1_000), async (steps, seed) => {
      const { world, server, storage, openTab } = createDevice(createFakeWorld({ seed }));
      const tabs: Tab[] = [openTab(), openTab()];
      const added: string[] = [];
      for (const [index, next] of steps.entries()) {
        const at = index % tabs.length;
        const current = tabs[at];
        if (!current) continue;
        if (next.type === 'add' || next.type === 'add-undoable') {
          const payload = `${next.row}:${String(added.length).padStart(3, '0')}`;
          added.push(payload);
          current.add(payload, next.type === 'add' ? undefined : 'undoable');
        }
        if (next.type === 'offline' || next.type === 'online')
          for (const { tab } of tabs) tab.setOnline(next.type === 'online');
        if (next.type === 'open' && tabs.length < 4) tabs.push(openTab());
        if (next.type === 'fail') server.problem = new Unreachable();
        if (next.type === 'heal') server.problem = null;
        await world.settle();
        if (next.type === 'crash') {
          current.tab.crash();
          tabs[at] = openTab();
        }
        if (next.type === 'wait') await world.clock.advance(75);
        await world.settle();
        // After each step: an action has reached the server, or is stored; and all tabs show what is pending.
        const stored = names(await storage.list());
        for (const payload of added) expect([...server.received, ...stored]).toContain(payload);
        const shown = tabs.map((tab) => tab.shown.toSorted());
        for (const each of shown) expect(each).toEqual(stored.map(String).toSorted());
      }
      server.problem = null;
      for (const { tab } of tabs) tab.setOnline(true);
      await world.clock.advance(200_000);
      for (const row of ['a', 'b']) {
        // A crash between the response and its bookkeeping repeats an action, which changes nothing; it never skips one.
        const ofRow = server.received.filter((payload) => payload.startsWith(row) || payload.startsWith('*'));
        const expected = added.filter((payload) => payload.startsWith(row));
        expect([...new Set(ofRow)].filter((payload) => payload.startsWith(row))).toEqual(expected);
      }
      expect([...new Set(server.received)].toSorted()).toEqual(added.toSorted());
      for (const { shown, outbox } of tabs) expect([shown, outbox.getSnapshot()]).toEqual([[], []]);
    }),
    { numRuns: 60 },
  );
}, 60_000);

/** Delays what the storage reads, as a slow IndexedDB does: its response is older than the messages that overtake it. */
function delayLists(
  storage: ReturnType<typeof createDevice>['storage'],
  clock: ReturnType<ReturnType<typeof createDevice>['openTab']>['clock'],
): () => void {
  const { list } = storage;
  storage.list = async () => {
    const stored = await list();
    await new Promise<void>((resolve) => clock.setTimer(resolve, 100));
    return stored;
  };
  return () => void (storage.list = list);
}

test('a tab that opens while another tab ends an action neither shows nor undoes it', async () => {
  const { world, server, storage, openTab } = createDevice();
  const first = openTab();
  await world.settle();
  first.add('a:1');
  await world.clock.advance(20);
  const restore = delayLists(storage, first.clock);
  const second = openTab();
  await world.clock.advance(20);
  restore();
  // The first tab keeps its lock by an action that gets no response.
  server.hangs = true;
  first.add('b:1');
  await world.clock.advance(2_000);
  expect(server.received).toEqual(['a:1']);
  expect(second.shown).toEqual(['b:1']);
  expect(second.settled).toEqual([]);
  server.hangs = false;
  second.add('a:2');
  await world.clock.advance(1_000);
  expect(server.received).toEqual(['a:1', 'a:2']);
});

test('an action that is added after the outbox was closed is neither stored nor sent', async () => {
  const { world, server, storage, openTab } = createDevice();
  const { outbox, add } = openTab();
  await world.settle();
  outbox.close();
  const action = add('a:1');
  await world.clock.advance(1_000);
  await expect(action.settled).resolves.toEqual({ type: 'undone' });
  expect(await storage.list()).toEqual([]);
  expect(server.requests).toEqual([]);
});

test('an outbox that is closed while it reads the actions of a closed tab takes none of them over', async () => {
  const { world, server, storage, openTab } = createDevice();
  const first = openTab();
  server.hangs = true;
  first.add('a:1');
  const second = openTab();
  await world.settle();
  const left = await storage.list();
  const restore = delayLists(storage, second.clock);
  first.tab.crash();
  await world.settle();
  second.outbox.close();
  await world.clock.advance(1_000);
  restore();
  expect(await storage.list()).toEqual(left);
  expect(server.requests).toEqual(['a:1']);
});
