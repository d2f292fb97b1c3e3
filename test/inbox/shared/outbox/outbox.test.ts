import { expect, test } from 'vitest';
import { createDevice, names, Refused, Unreachable } from './outbox-device.ts';

test('an action online is sent before its write has ended, and shown at once', async () => {
  const { world, server, openTab } = createDevice();
  const { add, shown, outbox } = openTab();
  const { settled } = add('a:read');
  expect(server.requests).toEqual(['a:read']);
  expect(shown).toEqual(['a:read']);
  expect(outbox.getSnapshot(), 'it does not wait for anything').toEqual([]);
  await world.clock.advance(100);
  expect(await settled).toEqual({ type: 'sent', response: 'content' });
  expect(shown).toEqual([]);
});

test('an action online leaves nothing stored after its response', async () => {
  const { world, storage, openTab } = createDevice();
  openTab().add('a:read');
  await world.settle();
  expect(names(await storage.list())).toEqual(['a:read']);
  await world.clock.advance(100);
  expect(await storage.list()).toEqual([]);
});

test('an action online follows an earlier one on its row and no other one', async () => {
  const { world, server, openTab } = createDevice();
  const { add } = openTab();
  for (const payload of ['a:read', 'b:read', 'a:unread']) add(payload);
  expect(server.requests).toEqual(['a:read', 'b:read']);
  await world.clock.advance(200);
  expect(server.received).toEqual(['a:read', 'b:read', 'a:unread']);
});

test('an action online that is refused is undone with a notice that repeats it', async () => {
  const { world, server, notices, openTab } = createDevice();
  const { add, settled, reported } = openTab();
  server.problem = new Refused();
  add('a:read');
  await world.clock.advance(100);
  expect(settled).toEqual(['a:read refused']);
  expect(reported).toEqual([expect.any(Refused)]);
  server.problem = null;
  for (const notice of notices) if (notice.type === 'refused') notice.repeat();
  await world.clock.advance(100);
  expect(server.received).toEqual(['a:read']);
});

test.each(['changed', 'deleted'] as const)(
  'an action online on a row that was %s is dropped with a notice',
  async (type) => {
    const { world, server, notices, openTab } = createDevice();
    const { add, settled } = openTab();
    server.outcome = type;
    add('a:read');
    await world.clock.advance(100);
    expect(settled).toEqual([`a:read ${type}`]);
    expect(notices).toMatchObject([{ type }]);
  },
);

test('an action offline is stored, counted as pending, and sent in its order when online', async () => {
  const { world, server, openTab } = createDevice();
  const { tab, outbox, add } = openTab();
  tab.setOnline(false);
  for (const payload of ['a:1', 'b:2', 'a:3']) add(payload);
  await world.clock.advance(60_000);
  expect(server.requests).toEqual([]);
  expect(names(outbox.getSnapshot())).toEqual(['a:1', 'b:2', 'a:3']);
  tab.setOnline(true);
  await world.clock.advance(1_000);
  expect(server.received).toEqual(['a:1', 'b:2', 'a:3']);
  expect(outbox.getSnapshot()).toEqual([]);
});

test('an action offline is shown and sent by the next visit', async () => {
  const { world, server, openTab } = createDevice();
  const earlier = openTab();
  earlier.tab.setOnline(false);
  earlier.add('a:1');
  await world.settle();
  earlier.tab.crash();
  const later = openTab();
  await world.clock.advance(1_000);
  expect(later.settled).toEqual(['a:1 sent']);
  expect(server.received).toEqual(['a:1']);
});

test('an action offline is retried with a doubling delay, and delays those after it', async () => {
  const { world, server, openTab } = createDevice();
  const { outbox, add } = openTab();
  server.problem = new Unreachable();
  add('a:1');
  await world.clock.advance(100);
  add('b:2');
  expect(names(outbox.getSnapshot())).toEqual(['a:1', 'b:2']);
  await world.clock.advance(30_000);
  expect(new Set(server.requests)).toEqual(new Set(['a:1']));
  expect(server.requests.length).toBeGreaterThan(3);
  expect(server.requests.length).toBeLessThan(10);
  server.problem = null;
  await world.clock.advance(60_000);
  expect(server.received).toEqual(['a:1', 'b:2']);
});

test('an action offline is retried up to half a delay later, so that tabs do not retry together', async () => {
  const { world, server, openTab } = createDevice();
  const { random } = world.openTab();
  const { add } = openTab({ random: { ...random, number: () => 0.9 } });
  server.problem = new Unreachable();
  add('a:1');
  await world.clock.advance(2_800);
  expect(server.requests).toHaveLength(1);
  await world.clock.advance(200);
  expect(server.requests).toHaveLength(2);
});

test('an action offline is retried in time when the clock is set back', async () => {
  const { world, server, openTab } = createDevice();
  const { add } = openTab();
  server.problem = new Unreachable();
  add('a:1');
  await world.clock.advance(100);
  server.problem = null;
  world.clock.jump(-86_400_000);
  await world.clock.advance(10_000);
  expect(server.received).toEqual(['a:1']);
});

test('an action offline of another version of the application is dropped', async () => {
  const { world, storage, openTab, notices } = createDevice();
  const lost = { id: 'old', userId: 'ada', topic: 'rows', payload: { format: 0 }, keys: ['a'] };
  await storage.put({ ...lost, addedAtMs: 0, order: 1, senderId: 'closed', isUndoable: false });
  openTab();
  await world.clock.advance(1_000);
  expect(notices).toMatchObject([{ type: 'refused' }]);
  expect(await storage.list()).toEqual([]);
});

test('an action that can be undone is stored at once, overtaken by others, and sent after a minute', async () => {
  const { world, server, storage, openTab } = createDevice();
  const { add } = openTab();
  add('a:delete', 'undoable');
  add('b:read');
  await world.clock.advance(59_000);
  expect(names(await storage.list())).toEqual(['a:delete']);
  expect(server.received).toEqual(['b:read']);
  await world.clock.advance(2_000);
  expect(server.received).toEqual(['b:read', 'a:delete']);
});

test('an action that can be undone is never sent once it was undone, also not by the next visit', async () => {
  const { world, server, openTab } = createDevice();
  const { add, settled, tab } = openTab();
  add('a:delete', 'undoable').undo();
  expect(settled).toEqual(['a:delete undone']);
  await world.settle();
  tab.crash();
  openTab();
  await world.clock.advance(70_000);
  expect(server.requests).toEqual([]);
});

test('an action that can be undone is sent when it is released, or when a later action on its row follows', async () => {
  const { world, server, openTab } = createDevice();
  const { add } = openTab();
  add('a:delete', 'undoable').release();
  add('b:delete', 'undoable');
  add('b:read');
  await world.clock.advance(200);
  expect(server.received).toEqual(['a:delete', 'b:delete', 'b:read']);
});

test('an action that can be undone is sent when another tab acts on its row', async () => {
  const { world, server, openTab } = createDevice();
  const [one, other] = [openTab(), openTab()];
  one.add('*:read', 'undoable');
  await world.settle();
  other.add('a:unread');
  await world.clock.advance(1_000);
  expect(server.received).toEqual(['*:read', 'a:unread']);
});

test('an action that can be undone says that an undo is too late after it was sent, unless it can be reversed', async () => {
  const { world, notices, openTab } = createDevice();
  const { add } = openTab();
  const removal = add('a:delete');
  const reversible = add('b:read');
  await world.clock.advance(100);
  removal.undo();
  expect(notices).toEqual([{ type: 'too-late' }]);
  let reversed = 0;
  reversible.undo(() => (reversed += 1));
  expect([reversed, notices.length]).toEqual([1, 1]);
});

test('a page that closes sends the undoable actions before the handler of `pagehide` returns', () => {
  const { server, openTab } = createDevice();
  const { add, tab } = openTab();
  add('a:delete', 'undoable');
  add('b:delete', 'undoable');
  tab.signal('pagehide');
  expect(server.requests).toEqual(['a:delete', 'b:delete']);
});

test('a page that closes leaves actions without a response to the next visit, except those that a retry could apply to other rows', async () => {
  const { world, server, openTab } = createDevice();
  const { add, tab } = openTab();
  server.hangs = true;
  add('a:delete', 'undoable');
  await world.settle();
  tab.signal('pagehide');
  const bulk = openTab();
  bulk.add('*:read');
  await world.settle();
  bulk.tab.signal('pagehide');
  await world.settle();
  tab.crash();
  bulk.tab.crash();
  server.hangs = false;
  openTab();
  await world.clock.advance(1_000);
  expect(server.received).toEqual(['a:delete']);
});

test('a page that closes leaves every action to the next visit while it is offline', async () => {
  const { world, server, openTab } = createDevice();
  const { add, tab } = openTab();
  tab.setOnline(false);
  add('*:read', 'undoable');
  await world.settle();
  tab.signal('pagehide');
  await world.settle();
  tab.crash();
  openTab();
  await world.clock.advance(1_000);
  expect(server.received).toEqual(['*:read']);
});

test('a discarded action is removed although its requests have failed, and those after it are sent', async () => {
  const { world, server, openTab } = createDevice();
  const { outbox, add } = openTab();
  server.problem = new Unreachable();
  add('a:1');
  add('b:2');
  await world.clock.advance(1_000);
  server.problem = null;
  await outbox.discard(
    outbox
      .getSnapshot()
      .slice(0, 1)
      .map(({ id }) => id),
  );
  await world.clock.advance(100);
  expect(server.received).toEqual(['b:2']);
});

test('a discarded action stays sent if its request in flight succeeds, and its dependents are not sent', async () => {
  const { world, server, notices, openTab } = createDevice();
  const { outbox, add, tab } = openTab();
  tab.setOnline(false);
  add('a:1');
  add('a:2');
  const [first] = outbox.getSnapshot();
  tab.setOnline(true);
  const discarded = outbox.discard([first?.id ?? '']);
  await world.clock.advance(1_000);
  await discarded;
  expect(server.received).toEqual(['a:1']);
  expect(notices).toEqual([{ type: 'too-late' }]);
});

test.each([
  ['does not open', 'InvalidStateError'],
  ['is full', 'QuotaExceededError'],
])('a storage that fails because it %s delays no action and is reported', async (_reason, name) => {
  const { world, server, storage, openTab } = createDevice();
  storage.failure = new DOMException('The storage failed', name);
  const { add, outbox, settled, reported } = openTab();
  add('a:1');
  expect(server.requests).toEqual(['a:1']);
  await world.clock.advance(100);
  expect(settled).toEqual(['a:1 sent']);
  expect(outbox.hasStorageFailed()).toBe(true);
  expect(reported).toContain(storage.failure);
});

test('a storage that fails keeps offline actions in the tab until they are sent', async () => {
  const { world, server, storage, openTab } = createDevice();
  storage.failure = new DOMException('The storage failed', 'UnknownError');
  const { add, tab, outbox } = openTab();
  tab.setOnline(false);
  add('a:1');
  await world.clock.advance(1_000);
  expect(names(outbox.getSnapshot())).toEqual(['a:1']);
  tab.setOnline(true);
  await world.clock.advance(1_000);
  expect(server.received).toEqual(['a:1']);
});

test('a storage that fails because it never responds delays no action', async () => {
  const { world, server, storage, openTab } = createDevice();
  const never = () => new Promise<never>(() => undefined);
  Object.assign(storage, { list: never, put: never, remove: never });
  const { add, settled } = openTab();
  add('a:1');
  add('a:2');
  await world.clock.advance(1_000);
  expect(server.received).toEqual(['a:1', 'a:2']);
  expect(settled).toEqual(['a:1 sent', 'a:2 sent']);
});

test('a storage that the browser has emptied loses no action of an open tab', async () => {
  const { world, server, storage, openTab } = createDevice();
  const { add, tab } = openTab();
  tab.setOnline(false);
  add('a:1');
  await world.settle();
  storage.evict();
  tab.setOnline(true);
  await world.clock.advance(1_000);
  expect(server.received).toEqual(['a:1']);
});

test('a sign-out sends the undoable actions of every tab, and waits for the responses', async () => {
  const { world, server, openTab } = createDevice();
  const [first, second] = [openTab(), openTab()] as const;
  first.add('a:delete', 'undoable');
  second.add('b:delete', 'undoable');
  await world.settle();
  const left = first.outbox.flush(3_000);
  await world.clock.advance(1_000);
  expect(await left).toBe(0);
  expect(server.received.toSorted()).toEqual(['a:delete', 'b:delete']);
});

test('a sign-out gets the number of actions that would be lost, at once while offline and after the time otherwise', async () => {
  const { world, server, openTab } = createDevice();
  const { add, outbox, tab } = openTab();
  server.hangs = true;
  add('a:1');
  const left = outbox.flush(3_000);
  await world.clock.advance(3_100);
  expect(await left).toBe(1);
  tab.setOnline(false);
  expect(await outbox.flush(3_000)).toBe(1);
});

test('a sign-out ends the outbox: a late response changes neither display nor storage', async () => {
  const { world, storage, openTab } = createDevice();
  const { add, outbox, settled } = openTab();
  add('a:1');
  await world.settle();
  outbox.close();
  await world.clock.advance(1_000);
  expect(settled).toEqual([]);
  expect(names(await storage.list())).toEqual(['a:1']);
});
