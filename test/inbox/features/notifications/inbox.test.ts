import { expect, test } from 'vitest';
import { createObservable } from '../../../../src/platform/observable.ts';
import type { ChannelSnapshot } from '../../../../src/realtime-client/socket/connection.ts';
import { unfiltered } from '../../../../src/inbox/features/notifications/model/notification-filter.ts';
import { createScriptedInbox, idOf, openScriptedInbox, shownIds, statusOf } from './scripted-inbox.ts';

const unread = { tab: 'unread', kind: null } as const;

test('reading shows the newest first and reports that it is complete', async () => {
  const { inbox, table } = await openScriptedInbox(3);
  expect(shownIds(inbox)).toEqual(table.select(unfiltered).map(({ id }) => id));
  expect(inbox.getSnapshot()).toMatchObject({ isVerified: true, isReading: false, problem: null });
  expect(inbox.getSnapshot().view).toMatchObject({ isLoaded: true, hasMore: false });
});

test('the inbox opens with two requests, and only requests the changes when the channel is live', async () => {
  const { inbox, table, world } = await openScriptedInbox(3);
  expect(table.requests).toEqual(['list all 30', 'changes']);
  expect(inbox.getSnapshot().counts).toEqual(table.count());
  inbox.catchUp();
  await world.clock.advance(20_000);
  expect(table.requests).toEqual(['list all 30', 'changes', 'changes']);
});

test('a live notification of an unknown kind requests the registered kinds once', async () => {
  const { table, world } = await openScriptedInbox(3);
  await world.clock.advance(60_000);
  const before = table.requests.length;
  table.insert(4);
  await world.clock.advance(20_000);
  expect(table.requests.slice(before)).toEqual([]);
  table.insert(5, { kind: 'other' });
  await world.clock.advance(20_000);
  expect(table.requests.slice(before)).toEqual(['changes']);
  table.insert(6, { kind: 'other' });
  await world.clock.advance(20_000);
  expect(table.requests.slice(before), 'a kind that was removed stays unknown').toEqual(['changes']);
});

test('reading catches up while the first list is still being read', async () => {
  const scripted = createScriptedInbox({ responseMs: 1_000, changeMs: 10 });
  const { inbox, table, world } = scripted;
  table.isConnected = false;
  for (let number = 1; number <= 3; number += 1) table.insert(number);
  const [first = '', second = ''] = table.ids();
  inbox.start();
  await world.clock.advance(600);
  table.setStatus(first, 'read');
  table.remove(second);
  inbox.catchUp();
  await world.clock.advance(20_000);
  expect(shownIds(inbox)).toEqual(table.select(unfiltered).map(({ id }) => id));
  expect(statusOf(scripted, first)).toBe('read');
  expect(inbox.getSnapshot().counts).toEqual(table.count());
});

test('rows that arrive while the first list is being read stay listed when a reset follows', async () => {
  const { inbox, table, world, reconnect } = createScriptedInbox({ responseMs: 600, changeMs: 5 });
  for (let number = 0; number < 5; number += 1) table.insert(number);
  inbox.start();
  reconnect();
  for (let elapsedMs = 10; elapsedMs < 3_000; elapsedMs += 10) {
    await world.clock.advance(10);
    expect(shownIds(inbox), `after ${elapsedMs} ms`).toHaveLength(5);
  }
});

test('a row that is archived during the request that resets the lists is not listed again', async () => {
  const scripted = await openScriptedInbox(120, { responseMs: 600, changeMs: 5 });
  const { inbox, table, world } = scripted;
  const id = idOf(scripted, 0);
  table.isConnected = false;
  for (const each of table.ids()) table.setStatus(each, 'read');
  scripted.reconnect();
  await world.clock.advance(400);
  table.setStatus(id, 'archived');
  await world.clock.advance(10);
  expect(shownIds(inbox)).not.toContain(id);
  await world.clock.advance(240);
  expect(shownIds(inbox)).not.toContain(id);
});

test('reading reads the lists again when too much changed during a gap', async () => {
  const { inbox, table, world, reconnect } = await openScriptedInbox(200);
  table.isConnected = false;
  for (const id of table.ids().slice(0, 150)) table.setStatus(id, 'read');
  reconnect();
  await world.clock.advance(20_000);
  expect(table.requests.filter((name) => name.startsWith('list'))).toHaveLength(2);
  expect(inbox.getSnapshot().counts).toEqual(table.count());
});

test('reading counts a change soon after a reset, without reading the lists again', async () => {
  const { inbox, table, world, reconnect } = await openScriptedInbox(200);
  table.isConnected = false;
  for (const id of table.ids().slice(0, 150)) table.setStatus(id, 'read');
  reconnect();
  await world.clock.advance(5_000);
  table.setStatus(table.select(unfiltered)[190]?.id ?? '', 'archived');
  await world.clock.advance(5_000);
  expect(inbox.getSnapshot().counts).toEqual(table.count());
  expect(table.requests.filter((name) => name.startsWith('list'))).toHaveLength(2);
});

test('reading catches up at once after a gap that follows a reset, also when the first request fails', async () => {
  const { inbox, table, world, reconnect } = await openScriptedInbox(200);
  table.isConnected = false;
  for (const id of table.ids().slice(0, 150)) table.setStatus(id, 'read');
  reconnect();
  await world.clock.advance(5_000);
  table.isConnected = false;
  for (const id of table.ids().slice(100)) table.setStatus(id, 'archived');
  table.failures = 1;
  reconnect();
  await world.clock.advance(15_000);
  expect(inbox.getSnapshot().counts).toEqual(table.count());
  expect(shownIds(inbox)).toEqual(
    table
      .select(unfiltered)
      .slice(0, 30)
      .map(({ id }) => id),
  );
});

test('reading keeps no rows of a bulk change beyond the loaded windows', async () => {
  const { inbox, table, world } = await openScriptedInbox(500);
  for (const id of table.ids()) table.setStatus(id, 'read');
  await world.clock.advance(30_000);
  expect(inbox.getSnapshot().counts).toEqual(table.count());
  expect(shownIds(inbox)).toHaveLength(30);
  expect(table.requests.length).toBeLessThan(8);
});

test('reading a long inbox requests pages of 30', async () => {
  const scripted = await openScriptedInbox(95);
  const { inbox, world, table } = scripted;
  expect(shownIds(inbox)).toHaveLength(30);
  expect(inbox.getSnapshot().counts.unread).toBe(95);
  for (const expected of [60, 90, 95]) {
    inbox.loadMore();
    await world.clock.advance(1_000);
    expect(shownIds(inbox)).toHaveLength(expected);
  }
  expect(inbox.getSnapshot().view.hasMore).toBe(false);
  expect(table.requests.filter((name) => name.startsWith('list'))).toEqual(Array(4).fill('list all 30'));
});

test('reading a page during which a gap occurs is repeated', async () => {
  const { inbox, world } = await openScriptedInbox(40);
  inbox.loadMore();
  inbox.catchUp();
  await world.clock.advance(1_000);
  expect(shownIds(inbox)).toHaveLength(40);
});

test('a failed read of one notification is an error state and is logged', async () => {
  const { inbox, table, tab, world } = await openScriptedInbox(1);
  table.failures = 1;
  const found = inbox.find('elsewhere').catch(() => 'failed');
  await world.clock.advance(1_000);
  expect(await found).toBe('failed');
  expect(inbox.getSnapshot().problem).not.toBeNull();
  expect(tab.reported).toHaveLength(1);
});

test('a failed read of the counts is an error state until a read succeeds', async () => {
  const { inbox, table, tab, world } = await openScriptedInbox(40);
  inbox.markAllRead(null).release();
  await world.clock.advance(100);
  table.failures = 1;
  await world.clock.advance(1_000);
  expect(table.failures).toBe(0);
  expect(inbox.getSnapshot().problem).not.toBeNull();
  expect(tab.reported).toHaveLength(1);
  await world.clock.advance(15_000);
  expect(inbox.getSnapshot().problem).toBeNull();
  expect(inbox.getSnapshot().counts).toEqual(table.count());
});

test('a failed read is an error state, is logged, and succeeds on a retry', async () => {
  const scripted = createScriptedInbox();
  scripted.table.insert(1);
  scripted.table.failures = 1;
  scripted.inbox.start();
  await scripted.world.clock.advance(1_000);
  const { inbox, tab, world } = scripted;
  expect(inbox.getSnapshot().problem).not.toBeNull();
  expect(inbox.getSnapshot().view.isLoaded).toBe(false);
  expect(tab.reported).toHaveLength(1);
  void inbox.refresh();
  await world.clock.advance(1_000);
  expect(inbox.getSnapshot()).toMatchObject({ problem: null, isVerified: true });
});

test('reading a list that a loaded list contains sends no request', async () => {
  const { inbox, world, table } = await openScriptedInbox(3);
  const before = table.requests.length;
  inbox.show(unread);
  await world.clock.advance(1_000);
  expect(shownIds(inbox)).toHaveLength(3);
  expect(table.requests).toHaveLength(before);
});

test('reading a list that a loaded list contains in part continues at its end', async () => {
  const { inbox, world, table } = await openScriptedInbox(50);
  for (const { id } of table.select(unfiltered).slice(0, 29)) table.setStatus(id, 'read');
  await world.clock.advance(1_000);
  inbox.show(unread);
  expect(shownIds(inbox)).toHaveLength(1);
  await world.clock.advance(1_000);
  expect(shownIds(inbox)).toEqual(table.select(unread).map(({ id }) => id));
});

test('reading without a live channel is repeated after five minutes', async () => {
  const { inbox, world, table } = await openScriptedInbox(3);
  await world.clock.advance(299_000);
  const before = table.requests.length;
  inbox.show(unread);
  await world.clock.advance(100);
  expect(table.requests).toHaveLength(before);
  await world.clock.advance(2_000);
  inbox.show(unfiltered);
  await world.clock.advance(100);
  expect(table.requests.length).toBeGreaterThan(before);
});

test('live changes appear in list and counts', async () => {
  const scripted = await openScriptedInbox(3);
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

test('live changes of rows that are not loaded cause a read of the counts', async () => {
  const { inbox, world, table } = await openScriptedInbox(50);
  const oldest = table.select(unfiltered).at(-1)?.id ?? '';
  table.setStatus(oldest, 'read');
  await world.clock.advance(5_000);
  expect(inbox.getSnapshot().counts.unread).toBe(49);
  table.remove(oldest);
  await world.clock.advance(5_000);
  expect(inbox.getSnapshot().counts.all).toBe(49);
});

test('live changes of rows beyond the list are superseded by the next count', async () => {
  const { inbox, world, table } = await openScriptedInbox(33);
  const [third = '', second = '', first = ''] = table
    .select(unfiltered)
    .slice(30)
    .map(({ id }) => id);
  for (const id of [first, second]) table.setStatus(id, 'unread');
  await world.clock.advance(5_000);
  // Two changes that no event announces.
  table.isConnected = false;
  for (const id of [first, second]) table.setStatus(id, 'read');
  await world.clock.advance(1_000);
  table.isConnected = true;
  table.setStatus(third, 'read');
  await world.clock.advance(5_000);
  expect(inbox.getSnapshot().counts).toEqual(table.count());
});

test('live changes that were counted before they arrived are not counted twice', async () => {
  const { inbox, world, table } = await openScriptedInbox(50, { changeMs: 1_500 });
  table.insert(60);
  inbox.catchUp();
  await world.clock.advance(10_000);
  expect(inbox.getSnapshot().counts).toEqual(table.count());
});

test('live changes during a read win over its result', async () => {
  const scripted = await openScriptedInbox(3, { hasVersions: false, responseMs: 1_000, changeMs: 10 });
  const { inbox, world, table } = scripted;
  const [first = '', second = ''] = shownIds(inbox);
  void inbox.refresh();
  await world.clock.advance(600);
  table.setStatus(first, 'read');
  table.remove(second);
  const third = table.insert(9);
  await world.clock.advance(3_000);
  expect(shownIds(inbox)).toEqual(table.select(unfiltered).map(({ id }) => id));
  expect(statusOf(scripted, first)).toBe('read');
  expect(shownIds(inbox)).toContain(third);
});

test('live changes that are repeated, late or reordered have no effect', async () => {
  const scripted = await openScriptedInbox(1);
  const { inbox, table } = scripted;
  const id = idOf(scripted, 0);
  const old = inbox.getSnapshot().view.notifications[0];
  table.setStatus(id, 'read');
  await scripted.world.clock.advance(1_000);
  if (old) inbox.receive([{ type: 'update', notification: old }]);
  expect(statusOf(scripted, id)).toBe('read');
});

test('live changes that were missed are read when the connection returns', async () => {
  const { inbox, world, table, reconnect } = await openScriptedInbox(3);
  table.isConnected = false;
  table.insert(8);
  table.remove(table.ids()[0] ?? '');
  table.setStatus(table.ids()[0] ?? '', 'archived');
  await world.clock.advance(1_000);
  reconnect();
  await world.clock.advance(5_000);
  expect(shownIds(inbox)).toEqual(table.select(unfiltered).map(({ id }) => id));
  expect(inbox.getSnapshot().counts).toEqual(table.count());
});

test('live changes are reported as arrivals when new and unread, except those of the first read', async () => {
  const { world, table, arrivals, reconnect } = await openScriptedInbox(3);
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

test('live changes are reported as arrivals with any creation time, such as that of a long transaction', async () => {
  const { world, table, arrivals, inbox } = await openScriptedInbox(3);
  const written = [9, 8, 7].map((number) => table.insert(number, { minute: 9 }));
  const late = table.insert(4, { minute: 0 });
  await world.clock.advance(1_000);
  inbox.show({ tab: 'all', kind: 'invite' });
  await world.clock.advance(1_000);
  expect(arrivals).toEqual([...written, late].map((id) => [id]));
});

test('the inbox reports whether its list is current, and why it is not', async () => {
  const { inbox, table, world } = await openScriptedInbox(3);
  const channel = createObservable<ChannelSnapshot>({ status: 'connecting', error: null });
  const state = () => [inbox.getSnapshot().status, inbox.getSnapshot().problem !== null];
  expect(state()).toEqual(['stopped', false]);
  const stop = inbox.follow({ ...channel, onContinuity: () => () => {} });
  expect(state()).toEqual(['joining', false]);
  channel.set({ status: 'live', error: null });
  expect(state()).toEqual(['reading', false]);
  await world.clock.advance(1_000);
  expect([state(), table.requests]).toEqual([
    ['current', false],
    ['list all 30', 'changes', 'changes'],
  ]);
  table.failures = 1;
  await world.clock.advance(24_500);
  expect([state(), table.requests.length]).toEqual([['reading', true], 4]);
  await world.clock.advance(2_000);
  expect([state(), table.requests.length]).toEqual([['current', false], 5]);
  channel.set({ status: 'failed', error: { code: 'subscription-refused', message: 'Refused' } });
  expect(state()).toEqual(['failed', false]);
  stop();
  expect(state()).toEqual(['stopped', false]);
});

test('a closed inbox leaves no timer running', async () => {
  const scripted = await openScriptedInbox(50);
  scripted.inbox.setStatus([idOf(scripted, 0)], 'read');
  await scripted.world.clock.advance(100_000);
  scripted.inbox.close();
  await scripted.world.clock.advance(1_000);
  expect(scripted.world.clock.pendingTimers).toBe(0);
});

test('the results of a search are outdated by a notification that arrives and by a gap, until they are read again', async () => {
  const { inbox, world, table, reconnect } = await openScriptedInbox(3);
  inbox.show({ ...unfiltered, query: 'Document 1' });
  await world.clock.advance(1_000);
  expect(inbox.getSnapshot().view).toMatchObject({ isLoaded: true, outdatedBy: null });
  table.insert(11);
  await world.clock.advance(1_000);
  expect(inbox.getSnapshot().view.outdatedBy).not.toBeNull();
  await Promise.all([inbox.refresh(), world.clock.advance(1_000)]);
  expect(inbox.getSnapshot().view).toMatchObject({ outdatedBy: null });
  expect(shownIds(inbox)).toHaveLength(2);
  reconnect();
  expect(inbox.getSnapshot().view.outdatedBy).not.toBeNull();
});

test('the results of a search are not outdated by actions of the user', async () => {
  const { inbox, world } = await openScriptedInbox(3);
  inbox.show({ ...unfiltered, query: 'Document' });
  await world.clock.advance(1_000);
  const [first = '', second = ''] = shownIds(inbox);
  inbox.setStatus([first], 'read');
  inbox.remove([second]).release();
  await world.clock.advance(1_000);
  expect(shownIds(inbox)).toHaveLength(2);
  expect(inbox.getSnapshot().view.outdatedBy).toBeNull();
});
