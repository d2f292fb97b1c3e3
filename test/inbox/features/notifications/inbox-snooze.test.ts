import { describe, expect, test } from 'vitest';
import { unfiltered } from '../../../../src/inbox/features/notifications/model/notification-filter.ts';
import { idOf, openScriptedInbox, shownIds, statusOf } from './scripted-inbox.ts';

const snoozed = { tab: 'snoozed', kind: null } as const;
const hourMs = 3_600_000;

test('a snoozed notification leaves the list and the counts, and returns on time as unread at the top', async () => {
  const scripted = await openScriptedInbox(3);
  const { inbox, world, arrivals } = scripted;
  const id = idOf(scripted, 2);
  inbox.setStatus([id], 'read');
  inbox.snooze([id], world.clock.now() + hourMs);
  expect(shownIds(inbox)).not.toContain(id);
  expect(inbox.getSnapshot().counts).toMatchObject({ all: 2, unread: 2, snoozed: 1 });
  await world.clock.advance(hourMs - 1_000);
  expect(shownIds(inbox)).not.toContain(id);
  await world.clock.advance(2_000);
  expect(shownIds(inbox)[0]).toBe(id);
  expect(statusOf(scripted, id)).toBe('unread');
  expect(inbox.getSnapshot().counts).toMatchObject({ all: 3, unread: 3, snoozed: 0 });
  expect(arrivals.at(-1)).toEqual([id]);
});

test('a snoozed notification returns on time without a network', async () => {
  const scripted = await openScriptedInbox(2);
  const { inbox, table, world } = scripted;
  const id = idOf(scripted, 1);
  inbox.snooze([id], world.clock.now() + hourMs);
  await world.clock.advance(1_000);
  table.failures = 1_000;
  await world.clock.advance(hourMs);
  expect(shownIds(inbox)[0]).toBe(id);
});

test('a snoozed notification is listed by the time of its return', async () => {
  const scripted = await openScriptedInbox(3);
  const { inbox, world } = scripted;
  const [first = '', second = ''] = shownIds(inbox);
  inbox.snooze([first], world.clock.now() + 2 * hourMs);
  inbox.snooze([second], world.clock.now() + hourMs);
  inbox.show(snoozed);
  await world.clock.advance(1_000);
  expect(shownIds(inbox)).toEqual([second, first]);
  inbox.snooze([second], null);
  inbox.show(unfiltered);
  await world.clock.advance(1_000);
  expect(shownIds(inbox)).toContain(second);
});

test('a snoozed notification of any age that another device snoozed is read at the start', async () => {
  const scripted = await openScriptedInbox(70);
  const { table, world, openTab } = scripted;
  const [oldest = ''] = table.ids();
  table.snooze(oldest, world.clock.now() + 3 * hourMs);
  const other = openTab();
  other.start();
  await world.clock.advance(1_000);
  expect(other.getSnapshot().counts.snoozed).toBe(1);
  await world.clock.advance(3 * hourMs);
  expect(shownIds(other)[0]).toBe(oldest);
});

test('a snoozed notification leaves the snoozed list at once when it is archived or read, before the response', async () => {
  const scripted = await openScriptedInbox(2);
  const { inbox, world } = scripted;
  const [first = '', second = ''] = shownIds(inbox);
  inbox.snooze([first, second], world.clock.now() + hourMs);
  await world.clock.advance(1_000);
  expect(inbox.getSnapshot().counts).toMatchObject({ all: 0, snoozed: 2 });
  inbox.setStatus([first], 'archived');
  inbox.setStatus([second], 'read');
  expect(inbox.getSnapshot().counts).toMatchObject({ all: 1, archived: 1, snoozed: 0 });
  expect(shownIds(inbox)).toEqual([second]);
});

test('a notification is in the list again after its snooze was refused', async () => {
  const scripted = await openScriptedInbox(2);
  const { inbox, notices, table, world } = scripted;
  const id = idOf(scripted, 0);
  table.failures = 1;
  inbox.snooze([id], world.clock.now() + hourMs);
  await world.clock.advance(1_000);
  expect(shownIds(inbox)).toContain(id);
  expect(notices).toMatchObject([{ type: 'refused' }]);
});

describe('a search', () => {
  const search = (query: string) => ({ ...unfiltered, query });

  test('a search shows the results page by page, with the actions of the list', async () => {
    const { inbox, world } = await openScriptedInbox(120);
    inbox.show(search('Document 1'));
    await world.clock.advance(1_000);
    expect(shownIds(inbox)).toHaveLength(30);
    expect(inbox.getSnapshot().view.hasMore).toBe(true);
    inbox.loadMore();
    await world.clock.advance(1_000);
    expect(shownIds(inbox)).toHaveLength(32);
    expect(inbox.getSnapshot().view.hasMore).toBe(false);
    const [id = ''] = shownIds(inbox);
    inbox.setStatus([id], 'archived');
    await world.clock.advance(1_000);
    expect(shownIds(inbox)).toHaveLength(31);
  });

  test('a search contains only results, also after the counts arrive', async () => {
    const { inbox, world } = await openScriptedInbox(120);
    inbox.show(search('Document 7'));
    await world.clock.advance(1_000);
    const found = shownIds(inbox);
    void inbox.refresh();
    await world.clock.advance(60_000);
    expect(shownIds(inbox)).toEqual(found);
    inbox.show(unfiltered);
    expect(shownIds(inbox)).toHaveLength(30);
  });

  test('a search is loading until the last of several requests ends', async () => {
    const { inbox, table, world } = await openScriptedInbox(5);
    inbox.show(search('Doc'));
    await world.clock.advance(20);
    inbox.show(search('Document 2'));
    await world.clock.advance(40);
    expect(inbox.getSnapshot().isReading).toBe(true);
    await world.clock.advance(100);
    expect(inbox.getSnapshot()).toMatchObject({ isReading: false, problem: null });
    expect(shownIds(inbox)).toEqual(table.select(search('Document 2')).map(({ id }) => id));
  });
});
