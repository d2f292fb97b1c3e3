import { describe, expect, test } from 'vitest';
import { everything } from '../../../src/features/notifications/model/notification-filter.ts';
import { createScriptedInbox, idOf, openScriptedInbox, shownIds, statusOf } from './scripted-inbox.ts';

const unread = { tab: 'unread', kind: null } as const;
const archived = { tab: 'archived', kind: null } as const;

describe('an action', () => {
  test('shows at once, before the server has answered', async () => {
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

  test('that fails is taken back, is an error state, is logged, and can be tried again', async () => {
    const scripted = await openScriptedInbox(3);
    const { inbox, world, table, tab } = scripted;
    const id = idOf(scripted, 0);
    table.failures = 1;
    inbox.setStatus([id], 'archived');
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

  test('waits for the one before it, so that the last word is the last', async () => {
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

  test('waits for no other that is about other rows', async () => {
    const scripted = await openScriptedInbox(3);
    const { inbox, world, table } = scripted;
    const [first = '', second = ''] = shownIds(inbox);
    const before = table.requests.length;
    inbox.setStatus([first], 'read');
    inbox.setStatus([second], 'read');
    inbox.setStatus([second], 'unread');
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

  test('on a row that is gone meanwhile ends without it', async () => {
    const scripted = await openScriptedInbox(2);
    const { inbox, world, table } = scripted;
    const id = idOf(scripted, 0);
    table.isConnected = false;
    table.remove(id);
    inbox.setStatus([id], 'read');
    await world.clock.advance(1_000);
    expect(shownIds(inbox)).not.toContain(id);
  });

  test('on all marks those that were not loaded, too', async () => {
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

  test('on all counts anew where nothing is live, in every tab', async () => {
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

  test('on all of a kind leaves the other kinds', async () => {
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

  test('on all spares what came in after it', async () => {
    const { inbox, world, table } = await openScriptedInbox(3, { answerMs: 2_000 });
    inbox.markAllRead(null).commit();
    await world.clock.advance(1_500);
    table.insert(9);
    await world.clock.advance(10_000);
    expect(inbox.getSnapshot().counts.unread).toBe(1);
  });
});

describe('reading in "Unread"', () => {
  test('keeps the row until the reader leaves the list, and does not count it', async () => {
    const scripted = await openScriptedInbox(3);
    const { inbox, world } = scripted;
    inbox.show(unread);
    const id = idOf(scripted, 1);
    inbox.setStatus([id], 'read');
    await world.clock.advance(1_000);
    expect(shownIds(inbox)).toHaveLength(3);
    expect(statusOf(scripted, id)).toBe('read');
    expect(inbox.getSnapshot().counts.unread).toBe(2);
    inbox.show(everything);
    inbox.show(unread);
    expect(shownIds(inbox)).not.toContain(id);
  });

  test('does not keep what is archived or deleted', async () => {
    const scripted = await openScriptedInbox(3);
    const { inbox } = scripted;
    inbox.show(unread);
    inbox.setStatus([idOf(scripted, 0)], 'archived');
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

  test('that is undone was never sent', async () => {
    const scripted = await openScriptedInbox(3);
    const { inbox, world, table } = scripted;
    const removal = inbox.remove([idOf(scripted, 0)]);
    removal.undo();
    removal.commit();
    await world.clock.advance(1_000);
    expect(shownIds(inbox)).toHaveLength(3);
    expect(table.requests).not.toContain('remove');
  });

  test('that waits is sent when the page goes away', async () => {
    const scripted = await openScriptedInbox(3);
    scripted.inbox.remove([idOf(scripted, 0)]);
    scripted.tab.signal('pagehide');
    await scripted.world.clock.advance(1_000);
    expect(scripted.table.ids()).toHaveLength(2);
  });

  test('is sent with all others, and with what is under way, when the page goes away', async () => {
    const scripted = await openScriptedInbox(4);
    const { inbox, tab, table, world } = scripted;
    const [first = '', second = '', third = ''] = shownIds(inbox);
    inbox.remove([first]);
    inbox.remove([second]);
    inbox.setStatus([third], 'archived');
    const before = table.requests.length;
    tab.signal('pagehide');
    // No answer has arrived yet, and none may.
    await world.settle();
    expect(table.requests.slice(before - 1)).toEqual(['set status', 'remove', 'remove']);
  });

  test('is sent with all others at the sign-out, and nothing of it is a problem', async () => {
    const scripted = await openScriptedInbox(4);
    const { inbox, tab, table, world } = scripted;
    const [first = '', second = '', third = '', fourth = ''] = shownIds(inbox);
    inbox.setStatus([third], 'read');
    inbox.remove([first]);
    inbox.remove([second]);
    inbox.close();
    await world.clock.advance(1_000);
    expect(new Set(table.ids())).toEqual(new Set([third, fourth]));
    expect(tab.reported).toEqual([]);
  });

  test('survives a read that still brings the row', async () => {
    const scripted = await openScriptedInbox(3);
    scripted.inbox.remove([idOf(scripted, 0)]);
    void scripted.inbox.refresh();
    await scripted.world.clock.advance(1_000);
    expect(shownIds(scripted.inbox)).toHaveLength(2);
  });
});

describe('two tabs', () => {
  test('agree at once, without the server', async () => {
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

  test('agree when an action is taken back', async () => {
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

  test('do not wait for ever for one that was closed in the middle', async () => {
    const scripted = await openScriptedInbox(3);
    const other = scripted.openTab();
    other.start();
    await scripted.world.clock.advance(1_000);
    scripted.inbox.remove([idOf(scripted, 0)]);
    await scripted.world.settle();
    scripted.tab.crash();
    expect(other.getSnapshot().counts.all).toBe(2);
    await scripted.world.clock.advance(60_000);
    expect(other.getSnapshot().counts.all).toBe(3);
  });

  test('tell each other no content', async () => {
    const scripted = await openScriptedInbox(1);
    scripted.inbox.setStatus([idOf(scripted, 0)], 'read');
    scripted.inbox.markAllRead(null).commit();
    await scripted.world.clock.advance(1_000);
    expect(scripted.world.broadcasts.length).toBeGreaterThan(0);
    expect(JSON.stringify(scripted.world.broadcasts)).not.toContain('Document');
  });

  test('survive what another version of the application says', async () => {
    const scripted = await openScriptedInbox(1);
    const stranger = scripted.world.openTab().openBroadcast('inbox:user');
    for (const message of [null, 7, 'x', {}, { type: 'started' }, { type: 'later', id: 'x' }])
      stranger.post(message);
    await scripted.world.settle();
    expect(shownIds(scripted.inbox)).toHaveLength(1);
  });
});
