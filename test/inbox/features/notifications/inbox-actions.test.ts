import { expect, test } from 'vitest';
import { unfiltered } from '../../../../src/inbox/features/notifications/model/notification-filter.ts';
import { createScriptedInbox, idOf, openScriptedInbox, shownIds, statusOf } from './scripted-inbox.ts';

const unread = { tab: 'unread', kind: null } as const;
const archived = { tab: 'archived', kind: null } as const;

test('an action is shown before the response arrives', async () => {
  const scripted = await openScriptedInbox(3);
  const { inbox, world, table } = scripted;
  const id = idOf(scripted, 1);
  inbox.setStatus([id], 'read');
  expect(statusOf(scripted, id)).toBe('read');
  expect(inbox.getSnapshot().counts.unread).toBe(2);
  expect(table.count().unread).toBe(3);
  await world.clock.advance(1_000);
  expect(table.count().unread).toBe(2);
});

test('an action that is refused is undone, reported, logged, and can be repeated', async () => {
  const scripted = await openScriptedInbox(3);
  const { inbox, world, table, tab, notices } = scripted;
  const id = idOf(scripted, 0);
  table.failures = 1;
  inbox.setStatus([id], 'archived');
  expect(shownIds(inbox)).toHaveLength(2);
  await world.clock.advance(1_000);
  expect(shownIds(inbox)).toHaveLength(3);
  expect(notices).toMatchObject([{ type: 'refused' }]);
  expect(inbox.getSnapshot().counts).toEqual(table.count());
  expect(tab.reported).toHaveLength(1);
  for (const notice of notices) if (notice.type !== 'too-late') notice.repeat();
  expect(shownIds(inbox)).toHaveLength(2);
  await world.clock.advance(1_000);
  expect(table.select(archived).map((row) => row.id)).toEqual([id]);
});

test('an action waits for the previous action on the same row', async () => {
  const scripted = await openScriptedInbox(1);
  const { inbox, world, table } = scripted;
  const id = idOf(scripted, 0);
  inbox.setStatus([id], 'read');
  inbox.setStatus([id], 'unread');
  inbox.setStatus([id], 'read');
  await world.clock.advance(5_000);
  expect(table.count().unread).toBe(0);
  expect(statusOf(scripted, id)).toBe('read');
});

test('a late response to an action keeps a later change from elsewhere', async () => {
  const scripted = await openScriptedInbox(2, { responseMs: 600, changeMs: 5 });
  const { inbox, world, table } = scripted;
  await world.clock.advance(5_000);
  const id = idOf(scripted, 0);
  inbox.setStatus([id], 'read');
  await world.clock.advance(310);
  table.setStatus(id, 'unread');
  await world.clock.advance(400);
  expect(statusOf(scripted, id)).toBe('unread');
});

test('an action does not wait for actions on other rows', async () => {
  const scripted = await openScriptedInbox(3);
  const { inbox, world, table } = scripted;
  const [first = '', second = ''] = shownIds(inbox);
  const before = table.requests.length;
  inbox.setStatus([first], 'read');
  inbox.setStatus([second], 'read');
  inbox.setStatus([second], 'unread');
  inbox.markAllRead(null).release();
  await world.settle();
  expect(table.requests.slice(before)).toEqual(['set status', 'set status']);
  await world.clock.advance(5_000);
  expect(table.requests.slice(before).filter((name) => name !== 'changes')).toEqual([
    'set status',
    'set status',
    'set status',
    'mark all read',
  ]);
  expect(table.count().unread).toBe(0);
});

test('an action on two rows of which one was deleted in the meantime applies to the other', async () => {
  const scripted = await openScriptedInbox(2);
  const { inbox, world, table, notices } = scripted;
  const id = idOf(scripted, 0);
  table.isConnected = false;
  table.remove(id);
  const other = idOf(scripted, 1);
  const { settled } = inbox.setStatus([id, other], 'read');
  await world.clock.advance(1_000);
  expect(await settled).toMatchObject({ type: 'deleted', response: [{ id: other, status: 'read' }] });
  expect(shownIds(inbox)).not.toContain(id);
  expect(notices).toMatchObject([{ type: 'deleted' }]);
});

test('an action on all notifications includes rows that are not loaded', async () => {
  const { inbox, world, table } = await openScriptedInbox(70);
  const shown: number[] = [];
  inbox.markAllRead(null).release();
  inbox.subscribe(() => shown.push(inbox.getSnapshot().counts.unread));
  expect(inbox.getSnapshot().counts).toMatchObject({ all: 70, unread: 0 });
  await world.clock.advance(5_000);
  expect(table.count().unread).toBe(0);
  expect(new Set(shown)).toEqual(new Set([0]));
  expect(inbox.getSnapshot().counts).toEqual(table.count());
});

test('an action on all reads the counts again in every tab without a live channel', async () => {
  const { inbox, openTab, world, table } = await openScriptedInbox(70);
  const other = openTab();
  other.start();
  await world.clock.advance(1_000);
  table.isConnected = false;
  inbox.markAllRead(null).release();
  await world.clock.advance(1_000);
  expect(inbox.getSnapshot().counts).toEqual(table.count());
  expect(other.getSnapshot().counts).toEqual(table.count());
});

test('an action on all of a kind leaves other kinds unchanged', async () => {
  const scripted = createScriptedInbox();
  const { inbox, world, table } = scripted;
  for (let number = 1; number <= 40; number += 1)
    table.insert(number, { kind: number % 2 ? 'edit' : 'invite' });
  inbox.start();
  await world.clock.advance(2_000);
  inbox.markAllRead('edit').release();
  expect(inbox.getSnapshot().counts).toMatchObject({ unread: 20, kinds: { edit: 0, invite: 20 } });
  await world.clock.advance(5_000);
  expect(inbox.getSnapshot().counts).toEqual(table.count());
});

test('an action on all leaves newer notifications unchanged', async () => {
  const scripted = await openScriptedInbox(3, { responseMs: 2_000 });
  const { inbox, world, table } = scripted;
  await world.clock.advance(10_000);
  expect(shownIds(inbox)).toHaveLength(3);
  inbox.markAllRead(null).release();
  expect(inbox.getSnapshot().counts.unread).toBe(0);
  await world.clock.advance(500);
  const newer = table.insert(9);
  await world.clock.advance(200);
  // No response has arrived yet.
  expect(table.count().unread).toBe(4);
  expect(statusOf(scripted, newer)).toBe('unread');
  expect(inbox.getSnapshot().counts.unread).toBe(1);
  await world.clock.advance(10_000);
  expect(table.select(unread).map(({ id }) => id)).toEqual([newer]);
  expect(inbox.getSnapshot().counts.unread).toBe(1);
});

test('reading in "Unread" keeps a read row, uncounted, until the list is left', async () => {
  const scripted = await openScriptedInbox(3);
  const { inbox, world } = scripted;
  inbox.show(unread);
  const id = idOf(scripted, 1);
  inbox.setStatus([id], 'read');
  await world.clock.advance(1_000);
  expect(shownIds(inbox)).toHaveLength(3);
  expect(statusOf(scripted, id)).toBe('read');
  expect(inbox.getSnapshot().counts.unread).toBe(2);
  inbox.show(unfiltered);
  inbox.show(unread);
  expect(shownIds(inbox)).not.toContain(id);
});

test('reading in "Unread" does not keep archived or deleted rows', async () => {
  const scripted = await openScriptedInbox(3);
  const { inbox } = scripted;
  inbox.show(unread);
  inbox.setStatus([idOf(scripted, 0)], 'archived');
  inbox.remove([idOf(scripted, 0)]);
  expect(shownIds(inbox)).toHaveLength(1);
});

test('a deletion hides the row at once and is sent only when its undo has passed', async () => {
  const scripted = await openScriptedInbox(3);
  const { inbox, world, table, notices } = scripted;
  const removal = inbox.remove([idOf(scripted, 0)]);
  expect(shownIds(inbox)).toHaveLength(2);
  expect(inbox.getSnapshot().counts.all).toBe(2);
  await world.clock.advance(59_000);
  expect(table.ids()).toHaveLength(3);
  removal.release();
  removal.undo();
  await world.clock.advance(900);
  expect(table.ids()).toHaveLength(2);
  expect(shownIds(inbox)).toHaveLength(2);
  expect(notices).toEqual([{ type: 'too-late' }]);
});

test('a deletion that is undone is never sent', async () => {
  const scripted = await openScriptedInbox(3);
  const { inbox, world, table } = scripted;
  const removal = inbox.remove([idOf(scripted, 0)]);
  removal.undo();
  removal.release();
  await world.clock.advance(1_000);
  expect(shownIds(inbox)).toHaveLength(3);
  expect(table.requests).not.toContain('remove');
});

test('a deletion that is pending is sent when the page closes', async () => {
  const scripted = await openScriptedInbox(3);
  scripted.inbox.remove([idOf(scripted, 0)]);
  scripted.tab.signal('pagehide');
  await scripted.world.clock.advance(1_000);
  expect(scripted.table.ids()).toHaveLength(2);
});

test('a deletion is sent with all pending actions when the page closes', async () => {
  const scripted = await openScriptedInbox(4);
  const { inbox, tab, table, world } = scripted;
  const [first = '', second = '', third = ''] = shownIds(inbox);
  inbox.remove([first]);
  inbox.remove([second]);
  inbox.setStatus([third], 'archived');
  const before = table.requests.length;
  tab.signal('pagehide');
  // No response has arrived yet, and none may.
  await world.settle();
  expect(table.requests.slice(before - 1)).toEqual(['set status', 'remove', 'remove']);
});

test('a deletion is sent by the next visit if the page crashes before its undo has passed', async () => {
  const scripted = await openScriptedInbox(3);
  const { inbox, tab, table, world } = scripted;
  const id = idOf(scripted, 0);
  inbox.remove([id]);
  await world.settle();
  tab.crash();
  const next = scripted.openTab();
  next.start();
  await world.clock.advance(1_000);
  expect(shownIds(next)).not.toContain(id);
  expect(table.ids()).not.toContain(id);
  expect(shownIds(next)).toEqual(table.select(unfiltered).map((row) => row.id));
});

test('a deletion is sent by the next visit if the page is closed while its request hangs', async () => {
  const scripted = await openScriptedInbox(3);
  const { inbox, tab, table, world } = scripted;
  const id = idOf(scripted, 0);
  table.hangs = true;
  inbox.remove([id]).release();
  await world.clock.advance(1_000);
  tab.signal('pagehide');
  tab.crash();
  table.hangs = false;
  scripted.openTab().start();
  await world.clock.advance(70_000);
  expect(table.ids()).not.toContain(id);
});

test('a deletion is sent once when its toast stays for longer than a minute', async () => {
  const { inbox, world, table } = await openScriptedInbox(3);
  const removal = inbox.remove(shownIds(inbox).slice(0, 1));
  await world.clock.advance(70_000);
  expect(table.ids()).toHaveLength(2);
  removal.release();
  await world.clock.advance(1_000);
  expect(table.requests.filter((name) => name === 'remove')).toHaveLength(1);
});

test('a deletion is not sent by another visit once it was undone or acknowledged', async () => {
  const scripted = await openScriptedInbox(3);
  const { inbox, tab, table, world } = scripted;
  const [first = '', second = ''] = shownIds(inbox);
  inbox.remove([first]).undo();
  const later = inbox.remove([first]);
  inbox.remove([second]).release();
  await world.clock.advance(1_000);
  later.undo();
  expect(shownIds(inbox)).toContain(first);
  await world.settle();
  tab.crash();
  scripted.openTab().start();
  await world.clock.advance(70_000);
  expect(table.ids()).toContain(first);
  expect(table.ids()).not.toContain(second);
  expect(table.requests.filter((name) => name === 'remove')).toHaveLength(1);
});

test('a whole list is archived at once, also the part that is not loaded, and undone', async () => {
  const { inbox, table, world } = await openScriptedInbox(75);
  const shown = () => inbox.getSnapshot().counts;
  const undone = inbox.archiveAll(unfiltered);
  expect(shownIds(inbox)).toEqual([]);
  expect(shown()).toMatchObject({ all: 0, unread: 0, archived: 75 });
  undone.undo();
  expect(shown()).toMatchObject({ all: 75, archived: 0 });
  inbox.archiveAll(unfiltered).release();
  await world.clock.advance(20_000);
  expect(table.count()).toMatchObject({ all: 0, archived: 75 });
  expect(shown()).toEqual(table.count());
});

test('a deletion of a whole list is not repeated by the next visit, when other rows may match', async () => {
  const scripted = await openScriptedInbox(3);
  const { inbox, tab, table, world } = scripted;
  inbox.setStatus([idOf(scripted, 0)], 'archived');
  await world.clock.advance(1_000);
  inbox.removeAll(archived);
  await world.settle();
  tab.signal('pagehide');
  await world.settle();
  tab.crash();
  await world.clock.advance(1_000);
  const [left = ''] = table.ids();
  table.setStatus(left, 'archived');
  scripted.openTab().start();
  await world.clock.advance(70_000);
  expect(table.ids()).toHaveLength(2);
  expect(table.requests.filter((name) => name === 'remove all')).toHaveLength(1);
});

test('a deletion is sent with all pending actions before a sign-out, without an error', async () => {
  const scripted = await openScriptedInbox(4);
  const { inbox, outbox, tab, table, world } = scripted;
  const [first = '', second = '', third = '', fourth = ''] = shownIds(inbox);
  inbox.setStatus([third], 'read');
  inbox.remove([first]);
  inbox.remove([second]);
  const left = outbox.flush(3_000);
  await world.clock.advance(1_000);
  expect(await left).toBe(0);
  inbox.close();
  outbox.close();
  expect(new Set(table.ids())).toEqual(new Set([third, fourth]));
  expect(tab.reported).toEqual([]);
});

test('a deletion stays hidden after a read that still returns the row', async () => {
  const scripted = await openScriptedInbox(3);
  scripted.inbox.remove([idOf(scripted, 0)]);
  void scripted.inbox.refresh();
  await scripted.world.clock.advance(1_000);
  expect(shownIds(scripted.inbox)).toHaveLength(2);
});

test('two tabs agree before the response arrives', async () => {
  const scripted = await openScriptedInbox(3);
  const other = scripted.openTab();
  other.start();
  await scripted.world.clock.advance(1_000);
  scripted.table.isConnected = false;
  scripted.inbox.setStatus([idOf(scripted, 0)], 'read');
  const removal = scripted.inbox.remove([idOf(scripted, 1)]);
  await scripted.world.settle();
  expect(other.getSnapshot().counts).toMatchObject({ all: 2, unread: 1 });
  removal.undo();
  await scripted.world.settle();
  expect(other.getSnapshot().counts).toMatchObject({ all: 3, unread: 2 });
  await scripted.world.clock.advance(1_000);
  expect(other.getSnapshot().counts).toEqual(scripted.table.count());
});

test('two tabs agree when an action is undone', async () => {
  const scripted = await openScriptedInbox(3);
  const other = scripted.openTab();
  other.start();
  await scripted.world.clock.advance(1_000);
  scripted.table.failures = 1;
  scripted.inbox.setStatus([idOf(scripted, 0)], 'archived');
  await scripted.world.settle();
  expect(other.getSnapshot().counts.all).toBe(2);
  await scripted.world.clock.advance(1_000);
  expect(other.getSnapshot().counts.all).toBe(3);
});

test('two tabs do not show an action of a tab that was closed before it was stored', async () => {
  const scripted = await openScriptedInbox(3);
  const { inbox, storage, tab, table, world } = scripted;
  const other = scripted.openTab();
  other.start();
  await world.clock.advance(1_000);
  storage.failure = new Error('The disk is full');
  inbox.remove([idOf(scripted, 0)]);
  await world.settle();
  expect(other.getSnapshot().counts.all).toBe(2);
  tab.crash();
  await world.clock.advance(1_000);
  expect(other.getSnapshot().counts.all).toBe(3);
  expect(table.ids()).toHaveLength(3);
});

test('two tabs agree on a deletion that one of them sends after the other has crashed', async () => {
  const scripted = await openScriptedInbox(3);
  const { inbox, tab, table, world } = scripted;
  const other = scripted.openTab();
  other.start();
  await world.clock.advance(1_000);
  inbox.remove([idOf(scripted, 0)]);
  await world.settle();
  tab.crash();
  expect(other.getSnapshot().counts.all).toBe(2);
  await world.clock.advance(70_000);
  expect(table.ids()).toHaveLength(2);
  expect(other.getSnapshot().counts).toEqual(table.count());
});

test('two tabs exchange no content', async () => {
  const scripted = await openScriptedInbox(1);
  scripted.inbox.setStatus([idOf(scripted, 0)], 'read');
  scripted.inbox.markAllRead(null).release();
  await scripted.world.clock.advance(1_000);
  expect(scripted.world.broadcasts.length).toBeGreaterThan(0);
  expect(JSON.stringify(scripted.world.broadcasts)).toContain('read-all');
  expect(JSON.stringify(scripted.world.broadcasts)).not.toContain('Document');
});

test('two tabs ignore messages of another version of the application', async () => {
  const scripted = await openScriptedInbox(1);
  const stranger = scripted.world.openTab().openTabChannel('outbox:user');
  for (const message of [null, 7, 'x', {}, { type: 'added' }, { type: 'later', ids: ['x'] }])
    stranger.post(message);
  await scripted.world.settle();
  expect(shownIds(scripted.inbox)).toHaveLength(1);
});
