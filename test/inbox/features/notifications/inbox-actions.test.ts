import { describe, expect, test } from 'vitest';
import { unfiltered } from '../../../../src/inbox/features/notifications/model/notification-filter.ts';
import { createScriptedInbox, idOf, openScriptedInbox, shownIds, statusOf } from './scripted-inbox.ts';

const unread = { tab: 'unread', kind: null } as const;
const archived = { tab: 'archived', kind: null } as const;

describe('an action', () => {
  test('is shown before the server answers', async () => {
    const scripted = await openScriptedInbox(3);
    const { inbox, world, table } = scripted;
    const id = idOf(scripted, 1);
    void inbox.setStatus([id], 'read');
    expect(statusOf(scripted, id)).toBe('read');
    expect(inbox.getSnapshot().counts.unread).toBe(2);
    expect(table.count().unread).toBe(3);
    await world.clock.advance(1_000);
    expect(table.count().unread).toBe(2);
  });

  test('that fails is undone, reported, logged, and can be retried', async () => {
    const scripted = await openScriptedInbox(3);
    const { inbox, world, table, tab } = scripted;
    const id = idOf(scripted, 0);
    table.failures = 1;
    void inbox.setStatus([id], 'archived');
    expect(shownIds(inbox)).toHaveLength(2);
    await world.clock.advance(1_000);
    expect(shownIds(inbox)).toHaveLength(3);
    expect(inbox.getSnapshot().problem).toMatchObject({ type: 'action' });
    expect(inbox.getSnapshot().counts).toEqual(table.count());
    expect(tab.reported).toHaveLength(1);
    inbox.retry();
    expect(inbox.getSnapshot().problem).toBeNull();
    await world.clock.advance(1_000);
    expect(table.select(archived).map((row) => row.id)).toEqual([id]);
  });

  test('waits for the previous action on the same row', async () => {
    const scripted = await openScriptedInbox(1);
    const { inbox, world, table } = scripted;
    const id = idOf(scripted, 0);
    void inbox.setStatus([id], 'read');
    void inbox.setStatus([id], 'unread');
    void inbox.setStatus([id], 'read');
    await world.clock.advance(5_000);
    expect(table.count().unread).toBe(0);
    expect(statusOf(scripted, id)).toBe('read');
  });

  test('does not wait for actions on other rows', async () => {
    const scripted = await openScriptedInbox(3);
    const { inbox, world, table } = scripted;
    const [first = '', second = ''] = shownIds(inbox);
    const before = table.requests.length;
    void inbox.setStatus([first], 'read');
    void inbox.setStatus([second], 'read');
    void inbox.setStatus([second], 'unread');
    inbox.markAllRead(null).commit();
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

  test('on a row that was deleted in the meantime ends without it', async () => {
    const scripted = await openScriptedInbox(2);
    const { inbox, world, table } = scripted;
    const id = idOf(scripted, 0);
    table.isConnected = false;
    table.remove(id);
    const missing = inbox.setStatus([id, idOf(scripted, 1)], 'read');
    await world.clock.advance(1_000);
    expect(await missing).toBe(1);
    expect(shownIds(inbox)).not.toContain(id);
  });

  test('on all includes rows that are not loaded', async () => {
    const { inbox, world, table } = await openScriptedInbox(70);
    const shown: number[] = [];
    inbox.markAllRead(null).commit();
    inbox.subscribe(() => shown.push(inbox.getSnapshot().counts.unread));
    expect(inbox.getSnapshot().counts).toMatchObject({ all: 70, unread: 0 });
    await world.clock.advance(5_000);
    expect(table.count().unread).toBe(0);
    expect(new Set(shown)).toEqual(new Set([0]));
    expect(inbox.getSnapshot().counts).toEqual(table.count());
  });

  test('on all reads the counts again in every tab without a live channel', async () => {
    const { inbox, openTab, world, table } = await openScriptedInbox(70);
    const other = openTab();
    other.start();
    await world.clock.advance(1_000);
    table.isConnected = false;
    inbox.markAllRead(null).commit();
    await world.clock.advance(1_000);
    expect(inbox.getSnapshot().counts).toEqual(table.count());
    expect(other.getSnapshot().counts).toEqual(table.count());
  });

  test('on all of a kind leaves other kinds unchanged', async () => {
    const scripted = createScriptedInbox();
    const { inbox, world, table } = scripted;
    for (let number = 1; number <= 40; number += 1)
      table.insert(number, { kind: number % 2 ? 'edit' : 'invite' });
    inbox.start();
    await world.clock.advance(2_000);
    inbox.markAllRead('edit').commit();
    expect(inbox.getSnapshot().counts).toMatchObject({ unread: 20, kinds: { edit: 0, invite: 20 } });
    await world.clock.advance(5_000);
    expect(inbox.getSnapshot().counts).toEqual(table.count());
  });

  test('on all leaves newer notifications unchanged', async () => {
    const { inbox, world, table } = await openScriptedInbox(3, { answerMs: 2_000 });
    inbox.markAllRead(null).commit();
    await world.clock.advance(1_500);
    table.insert(9);
    await world.clock.advance(10_000);
    expect(inbox.getSnapshot().counts.unread).toBe(1);
  });
});

describe('reading in "Unread"', () => {
  test('keeps a read row, uncounted, until the list is left', async () => {
    const scripted = await openScriptedInbox(3);
    const { inbox, world } = scripted;
    inbox.show(unread);
    const id = idOf(scripted, 1);
    void inbox.setStatus([id], 'read');
    await world.clock.advance(1_000);
    expect(shownIds(inbox)).toHaveLength(3);
    expect(statusOf(scripted, id)).toBe('read');
    expect(inbox.getSnapshot().counts.unread).toBe(2);
    inbox.show(unfiltered);
    inbox.show(unread);
    expect(shownIds(inbox)).not.toContain(id);
  });

  test('does not keep archived or deleted rows', async () => {
    const scripted = await openScriptedInbox(3);
    const { inbox } = scripted;
    inbox.show(unread);
    void inbox.setStatus([idOf(scripted, 0)], 'archived');
    inbox.remove([idOf(scripted, 0)]);
    expect(shownIds(inbox)).toHaveLength(1);
  });
});

describe('a deletion', () => {
  test('hides the row at once and is sent only when it is committed', async () => {
    const scripted = await openScriptedInbox(3);
    const { inbox, world, table } = scripted;
    const removal = inbox.remove([idOf(scripted, 0)]);
    expect(shownIds(inbox)).toHaveLength(2);
    expect(inbox.getSnapshot().counts.all).toBe(2);
    await world.clock.advance(60_000);
    expect(table.ids()).toHaveLength(3);
    removal.commit();
    removal.undo();
    await world.clock.advance(1_000);
    expect(table.ids()).toHaveLength(2);
    expect(shownIds(inbox)).toHaveLength(2);
  });

  test('that is undone is never sent', async () => {
    const scripted = await openScriptedInbox(3);
    const { inbox, world, table } = scripted;
    const removal = inbox.remove([idOf(scripted, 0)]);
    removal.undo();
    removal.commit();
    await world.clock.advance(1_000);
    expect(shownIds(inbox)).toHaveLength(3);
    expect(table.requests).not.toContain('remove');
  });

  test('that is pending is sent when the page closes', async () => {
    const scripted = await openScriptedInbox(3);
    scripted.inbox.remove([idOf(scripted, 0)]);
    scripted.tab.signal('pagehide');
    await scripted.world.clock.advance(1_000);
    expect(scripted.table.ids()).toHaveLength(2);
  });

  test('is sent with all pending actions when the page closes', async () => {
    const scripted = await openScriptedInbox(4);
    const { inbox, tab, table, world } = scripted;
    const [first = '', second = '', third = ''] = shownIds(inbox);
    inbox.remove([first]);
    inbox.remove([second]);
    void inbox.setStatus([third], 'archived');
    const before = table.requests.length;
    tab.signal('pagehide');
    // No answer has arrived yet, and none may.
    await world.settle();
    expect(table.requests.slice(before - 1)).toEqual(['set status', 'remove', 'remove']);
  });

  test('is sent by the next visit if the page crashes before its undo has passed', async () => {
    const scripted = await openScriptedInbox(3);
    const { inbox, tab, table, world } = scripted;
    const id = idOf(scripted, 0);
    inbox.remove([id]);
    await world.settle();
    tab.crash();
    const next = scripted.openTab();
    next.start();
    await world.clock.advance(1_000);
    expect(table.ids()).toContain(id);
    expect(shownIds(next)).not.toContain(id);
    await world.clock.advance(70_000);
    expect(table.ids()).not.toContain(id);
    expect(shownIds(next)).toEqual(table.select(unfiltered).map((row) => row.id));
  });

  test('is sent by the next visit if the page is closed while its request hangs', async () => {
    const scripted = await openScriptedInbox(3);
    const { inbox, tab, table, world } = scripted;
    const id = idOf(scripted, 0);
    table.hangs = true;
    inbox.remove([id]).commit();
    await world.clock.advance(1_000);
    tab.signal('pagehide');
    tab.crash();
    table.hangs = false;
    scripted.openTab().start();
    await world.clock.advance(70_000);
    expect(table.ids()).not.toContain(id);
  });

  test('is sent once when its toast stays for longer than the outbox holds it', async () => {
    const { inbox, world, table } = await openScriptedInbox(3);
    const removal = inbox.remove(shownIds(inbox).slice(0, 1));
    await world.clock.advance(70_000);
    expect(table.ids()).toHaveLength(2);
    removal.commit();
    await world.clock.advance(1_000);
    expect(table.requests.filter((name) => name === 'remove')).toHaveLength(1);
  });

  test('is not sent by another visit once it was undone or answered', async () => {
    const scripted = await openScriptedInbox(3);
    const { inbox, tab, table, world } = scripted;
    const [first = '', second = ''] = shownIds(inbox);
    inbox.remove([first]).undo();
    const later = inbox.remove([first]);
    inbox.remove([second]).commit();
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

  test('of a whole list is not repeated by the next visit, when other rows may match', async () => {
    const scripted = await openScriptedInbox(3);
    const { inbox, tab, table, world } = scripted;
    void inbox.setStatus([idOf(scripted, 0)], 'archived');
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

  test('is sent with all pending actions at the sign-out, without an error', async () => {
    const scripted = await openScriptedInbox(4);
    const { inbox, tab, table, world } = scripted;
    const [first = '', second = '', third = '', fourth = ''] = shownIds(inbox);
    void inbox.setStatus([third], 'read');
    inbox.remove([first]);
    inbox.remove([second]);
    inbox.close();
    await world.clock.advance(1_000);
    expect(new Set(table.ids())).toEqual(new Set([third, fourth]));
    expect(tab.reported).toEqual([]);
  });

  test('stays hidden after a read that still returns the row', async () => {
    const scripted = await openScriptedInbox(3);
    scripted.inbox.remove([idOf(scripted, 0)]);
    void scripted.inbox.refresh();
    await scripted.world.clock.advance(1_000);
    expect(shownIds(scripted.inbox)).toHaveLength(2);
  });
});

describe('two tabs', () => {
  test('agree before the server answers', async () => {
    const scripted = await openScriptedInbox(3);
    const other = scripted.openTab();
    other.start();
    await scripted.world.clock.advance(1_000);
    scripted.table.isConnected = false;
    void scripted.inbox.setStatus([idOf(scripted, 0)], 'read');
    const removal = scripted.inbox.remove([idOf(scripted, 1)]);
    await scripted.world.settle();
    expect(other.getSnapshot().counts).toMatchObject({ all: 2, unread: 1 });
    removal.undo();
    await scripted.world.settle();
    expect(other.getSnapshot().counts).toMatchObject({ all: 3, unread: 2 });
    await scripted.world.clock.advance(1_000);
    expect(other.getSnapshot().counts).toEqual(scripted.table.count());
  });

  test('agree when an action is undone', async () => {
    const scripted = await openScriptedInbox(3);
    const other = scripted.openTab();
    other.start();
    await scripted.world.clock.advance(1_000);
    scripted.table.failures = 1;
    void scripted.inbox.setStatus([idOf(scripted, 0)], 'archived');
    await scripted.world.settle();
    expect(other.getSnapshot().counts.all).toBe(2);
    await scripted.world.clock.advance(1_000);
    expect(other.getSnapshot().counts.all).toBe(3);
  });

  test('do not wait for an action of a tab that was closed before it was stored', async () => {
    const { inbox, world } = await openScriptedInbox(3);
    const closed = world.openTab().openBroadcast('inbox:user');
    const [id = ''] = shownIds(inbox);
    closed.post({ type: 'started', operation: { id: 'unknown', type: 'remove', ids: [id] } });
    await world.settle();
    expect(inbox.getSnapshot().counts.all).toBe(2);
    await world.clock.advance(60_000);
    expect(inbox.getSnapshot().counts.all).toBe(3);
  });

  test('agree on a deletion that one of them sends after the other has crashed', async () => {
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

  test('exchange no content', async () => {
    const scripted = await openScriptedInbox(1);
    void scripted.inbox.setStatus([idOf(scripted, 0)], 'read');
    scripted.inbox.markAllRead(null).commit();
    await scripted.world.clock.advance(1_000);
    expect(scripted.world.broadcasts.length).toBeGreaterThan(0);
    expect(JSON.stringify(scripted.world.broadcasts)).not.toContain('Document');
  });

  test('ignore messages of another version of the application', async () => {
    const scripted = await openScriptedInbox(1);
    const stranger = scripted.world.openTab().openBroadcast('inbox:user');
    for (const message of [null, 7, 'x', {}, { type: 'started' }, { type: 'later', id: 'x' }])
      stranger.post(message);
    await scripted.world.settle();
    expect(shownIds(scripted.inbox)).toHaveLength(1);
  });
});
