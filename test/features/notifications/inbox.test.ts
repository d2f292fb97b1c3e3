import { describe, expect, test } from 'vitest';
import { everything } from '../../../src/features/notifications/notification-filter.ts';
import { createScriptedInbox, shownIds } from './scripted-inbox.ts';
import type { ScriptedInbox } from './scripted-inbox.ts';

const unread = { tab: 'unread', kind: null } as const;
const archived = { tab: 'archived', kind: null } as const;

async function open(
  count: number,
  options?: Parameters<typeof createScriptedInbox>[0],
): Promise<ScriptedInbox> {
  const scripted = createScriptedInbox(options);
  scripted.table.isConnected = false;
  for (let number = 1; number <= count; number += 1) scripted.table.insert(number);
  scripted.table.isConnected = true;
  scripted.inbox.start();
  await scripted.world.clock.advance(1_000);
  scripted.inbox.setConnection('live');
  return scripted;
}

const idOf = ({ inbox }: ScriptedInbox, at: number) => shownIds(inbox)[at] ?? '';
const statusOf = ({ inbox }: ScriptedInbox, id: string) =>
  inbox.getSnapshot().view.notifications.find((notification) => notification.id === id)?.status;

describe('reading', () => {
  test('shows the newest first and says that it is complete', async () => {
    const { inbox, table } = await open(3);
    expect(shownIds(inbox)).toEqual(table.select(everything).map(({ id }) => id));
    expect(inbox.getSnapshot()).toMatchObject({ isVerified: true, isReading: false, problem: null });
    expect(inbox.getSnapshot().view).toMatchObject({ isLoaded: true, hasMore: false });
  });

  test('of a short inbox counts by itself, and asks only for the archived ones', async () => {
    const { inbox, table } = await open(3);
    expect(table.requests).toEqual(['list all 30', 'count archived']);
    expect(inbox.getSnapshot().counts).toEqual(table.count());
  });

  test('of a long inbox takes pages of 30 and never more', async () => {
    const scripted = await open(95);
    const { inbox, world, table } = scripted;
    expect(shownIds(inbox)).toHaveLength(30);
    expect(inbox.getSnapshot().counts.unread).toBe(95);
    for (const expected of [60, 90, 95]) {
      void inbox.loadMore();
      await world.clock.advance(1_000);
      expect(shownIds(inbox)).toHaveLength(expected);
    }
    expect(inbox.getSnapshot().view.hasMore).toBe(false);
    expect(table.requests.filter((name) => name.startsWith('list'))).toEqual(Array(4).fill('list all 30'));
  });

  test('ahead makes the next page appear without another request', async () => {
    const { inbox, world, table } = await open(40);
    inbox.prefetchMore();
    inbox.prefetchMore();
    await world.clock.advance(1_000);
    expect(shownIds(inbox)).toHaveLength(30);
    const before = table.requests.length;
    void inbox.loadMore();
    await world.settle();
    expect(shownIds(inbox)).toHaveLength(40);
    expect(table.requests.slice(before).filter((name) => name.startsWith('list'))).toEqual([]);
  });

  test('ahead notices what is deleted before the page is shown', async () => {
    const { inbox, world, table } = await open(40);
    inbox.prefetchMore();
    await world.clock.advance(1_000);
    table.remove(table.select(everything)[35]?.id ?? '');
    await world.clock.advance(1_000);
    void inbox.loadMore();
    await world.clock.advance(1_000);
    expect(shownIds(inbox)).toEqual(table.select(everything).map(({ id }) => id));
  });

  test('that fails is an error state, is logged, and succeeds on another try', async () => {
    const scripted = createScriptedInbox();
    scripted.table.insert(1);
    scripted.table.failures = 1;
    scripted.inbox.start();
    await scripted.world.clock.advance(1_000);
    const { inbox, tab, world } = scripted;
    expect(inbox.getSnapshot().problem).toMatchObject({ type: 'read' });
    expect(inbox.getSnapshot().view.isLoaded).toBe(false);
    expect(tab.reported).toHaveLength(1);
    void inbox.refresh();
    await world.clock.advance(1_000);
    expect(inbox.getSnapshot()).toMatchObject({ problem: null, isVerified: true });
  });

  test('of a list that another contains whole asks nobody', async () => {
    const { inbox, world, table } = await open(3);
    const before = table.requests.length;
    inbox.show(unread);
    await world.clock.advance(1_000);
    expect(shownIds(inbox)).toHaveLength(3);
    expect(table.requests).toHaveLength(before);
  });

  test('of a list that another contains in part goes on where that ends', async () => {
    const { inbox, world, table } = await open(50);
    for (const { id } of table.select(everything).slice(0, 29)) table.setStatus(id, 'read');
    await world.clock.advance(1_000);
    inbox.show(unread);
    expect(shownIds(inbox)).toHaveLength(1);
    await world.clock.advance(1_000);
    expect(shownIds(inbox)).toEqual(table.select(unread).map(({ id }) => id));
  });

  test('without a live channel is repeated after five minutes', async () => {
    const { inbox, world, table } = await open(3);
    inbox.setConnection('lost');
    await world.clock.advance(299_000);
    const before = table.requests.length;
    inbox.show(unread);
    await world.clock.advance(100);
    expect(table.requests).toHaveLength(before);
    await world.clock.advance(2_000);
    inbox.show(everything);
    await world.clock.advance(100);
    expect(table.requests.length).toBeGreaterThan(before);
  });
});

describe('live changes', () => {
  test('appear in list and counts', async () => {
    const scripted = await open(3);
    const { inbox, world, table } = scripted;
    const id = table.insert(9);
    await world.clock.advance(5_000);
    expect(shownIds(inbox)[0]).toBe(id);
    table.setStatus(id, 'read');
    await world.clock.advance(5_000);
    expect(statusOf(scripted, id)).toBe('read');
    table.remove(id);
    await world.clock.advance(5_000);
    expect(shownIds(inbox)).toHaveLength(3);
    expect(inbox.getSnapshot().counts).toEqual(table.count());
  });

  test('of rows that were not loaded make the counts be read again', async () => {
    const { inbox, world, table } = await open(50);
    const oldest = table.select(everything).at(-1)?.id ?? '';
    table.setStatus(oldest, 'read');
    await world.clock.advance(5_000);
    expect(inbox.getSnapshot().counts.unread).toBe(49);
    table.remove(oldest);
    await world.clock.advance(5_000);
    expect(inbox.getSnapshot().counts.all).toBe(49);
  });

  test('that were counted before they arrived are not counted twice', async () => {
    const { inbox, world, table } = await open(50, { changeMs: 1_500 });
    table.insert(60);
    inbox.catchUp();
    await world.clock.advance(10_000);
    expect(inbox.getSnapshot().counts).toEqual(table.count());
  });

  test('during a read win over what the read brings', async () => {
    const scripted = await open(3, { hasVersions: false, answerMs: 1_000, changeMs: 10 });
    const { inbox, world, table } = scripted;
    const [first = '', second = ''] = shownIds(inbox);
    void inbox.refresh();
    await world.clock.advance(600);
    table.setStatus(first, 'read');
    table.remove(second);
    const third = table.insert(9);
    await world.clock.advance(3_000);
    expect(shownIds(inbox)).toEqual(table.select(everything).map(({ id }) => id));
    expect(statusOf(scripted, first)).toBe('read');
    expect(shownIds(inbox)).toContain(third);
  });

  test('that come again, late and in another order change nothing', async () => {
    const scripted = await open(1);
    const { inbox, table } = scripted;
    const id = idOf(scripted, 0);
    const old = inbox.getSnapshot().view.notifications[0];
    table.setStatus(id, 'read');
    await scripted.world.clock.advance(1_000);
    if (old) inbox.receive([{ type: 'update', notification: old }]);
    expect(statusOf(scripted, id)).toBe('read');
  });

  test('that were missed are caught up with when the connection returns', async () => {
    const { inbox, world, table, reconnect } = await open(3);
    table.isConnected = false;
    table.insert(8);
    table.remove(table.ids()[0] ?? '');
    table.setStatus(table.ids()[0] ?? '', 'archived');
    await world.clock.advance(1_000);
    reconnect();
    await world.clock.advance(5_000);
    expect(shownIds(inbox)).toEqual(table.select(everything).map(({ id }) => id));
    expect(inbox.getSnapshot().counts).toEqual(table.count());
  });

  test('are told as arrivals: unread ones that are new, not those of the first read', async () => {
    const { world, table, arrivals, reconnect } = await open(3);
    expect(arrivals).toEqual([]);
    const live = table.insert(8);
    await world.clock.advance(1_000);
    table.isConnected = false;
    const missed = table.insert(9);
    table.insert(10, { status: 'read' });
    reconnect();
    await world.clock.advance(1_000);
    expect(arrivals).toEqual([[live], [missed]]);
  });
});

describe('an action', () => {
  test('shows at once, before the server has answered', async () => {
    const scripted = await open(3);
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
    const scripted = await open(3);
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
    const scripted = await open(1);
    const { inbox, world, table } = scripted;
    const id = idOf(scripted, 0);
    inbox.setStatus([id], 'read');
    inbox.setStatus([id], 'unread');
    inbox.setStatus([id], 'read');
    await world.clock.advance(5_000);
    expect(table.count().unread).toBe(0);
    expect(statusOf(scripted, id)).toBe('read');
  });

  test('on a row that is gone meanwhile ends without it', async () => {
    const scripted = await open(2);
    const { inbox, world, table } = scripted;
    const id = idOf(scripted, 0);
    table.isConnected = false;
    table.remove(id);
    inbox.setStatus([id], 'read');
    await world.clock.advance(1_000);
    expect(shownIds(inbox)).not.toContain(id);
  });

  test('on all marks those that were not loaded, too', async () => {
    const { inbox, world, table } = await open(70);
    inbox.markAllRead(null);
    expect(inbox.getSnapshot().counts).toMatchObject({ all: 70, unread: 0 });
    await world.clock.advance(5_000);
    expect(table.count().unread).toBe(0);
    expect(inbox.getSnapshot().counts).toEqual(table.count());
  });

  test('on all counts anew where nothing is live, in every tab', async () => {
    const { inbox, openTab, world, table } = await open(70);
    const other = openTab();
    other.start();
    await world.clock.advance(1_000);
    table.isConnected = false;
    inbox.markAllRead(null);
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
    inbox.markAllRead('edit');
    expect(inbox.getSnapshot().counts).toMatchObject({ unread: 20, kinds: { edit: 0, invite: 20 } });
    await world.clock.advance(5_000);
    expect(inbox.getSnapshot().counts).toEqual(table.count());
  });

  test('on all spares what came in after it', async () => {
    const { inbox, world, table } = await open(3, { answerMs: 2_000 });
    inbox.markAllRead(null);
    await world.clock.advance(1_500);
    table.insert(9);
    await world.clock.advance(10_000);
    expect(inbox.getSnapshot().counts.unread).toBe(1);
  });
});

describe('reading in "Unread"', () => {
  test('keeps the row until the reader leaves the list, and does not count it', async () => {
    const scripted = await open(3);
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
    const scripted = await open(3);
    const { inbox } = scripted;
    inbox.show(unread);
    inbox.setStatus([idOf(scripted, 0)], 'archived');
    inbox.remove([idOf(scripted, 0)]);
    expect(shownIds(inbox)).toHaveLength(1);
  });
});

describe('a deletion', () => {
  test('hides the row at once and is sent only when it is committed', async () => {
    const scripted = await open(3);
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
    const scripted = await open(3);
    const { inbox, world, table } = scripted;
    const removal = inbox.remove([idOf(scripted, 0)]);
    removal.undo();
    removal.commit();
    await world.clock.advance(1_000);
    expect(shownIds(inbox)).toHaveLength(3);
    expect(table.requests).not.toContain('remove');
  });

  test('that waits is sent when the page goes away', async () => {
    const scripted = await open(3);
    scripted.inbox.remove([idOf(scripted, 0)]);
    scripted.tab.signal('pagehide');
    await scripted.world.clock.advance(1_000);
    expect(scripted.table.ids()).toHaveLength(2);
  });

  test('survives a read that still brings the row', async () => {
    const scripted = await open(3);
    scripted.inbox.remove([idOf(scripted, 0)]);
    void scripted.inbox.refresh();
    await scripted.world.clock.advance(1_000);
    expect(shownIds(scripted.inbox)).toHaveLength(2);
  });
});

describe('two tabs', () => {
  test('agree at once, without the server', async () => {
    const scripted = await open(3);
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
    const scripted = await open(3);
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
    const scripted = await open(3);
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
    const scripted = await open(1);
    scripted.inbox.setStatus([idOf(scripted, 0)], 'read');
    scripted.inbox.markAllRead(null);
    await scripted.world.clock.advance(1_000);
    expect(scripted.world.broadcasts.length).toBeGreaterThan(0);
    expect(JSON.stringify(scripted.world.broadcasts)).not.toContain('Document');
  });

  test('survive what another version of the application says', async () => {
    const scripted = await open(1);
    const stranger = scripted.world.openTab().openBroadcast('inbox:user');
    for (const message of [null, 7, 'x', {}, { type: 'started' }, { type: 'later', id: 'x' }])
      stranger.post(message);
    await scripted.world.settle();
    expect(shownIds(scripted.inbox)).toHaveLength(1);
  });
});

test('a closed inbox leaves no timer behind', async () => {
  const scripted = await open(50);
  scripted.inbox.setStatus([idOf(scripted, 0)], 'read');
  await scripted.world.clock.advance(100_000);
  scripted.inbox.close();
  await scripted.world.clock.advance(1_000);
  expect(scripted.world.clock.pendingTimers).toBe(0);
});
