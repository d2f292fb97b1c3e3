import { afterEach, expect, test } from 'vitest';
import { createInboxCommands } from '../../../../src/inbox/features/notifications/actions/inbox-commands.ts';
import { inboxTexts } from '../../../../src/inbox/features/notifications/texts/inbox-texts.ts';
import { toasts } from '../../../../src/inbox/ui/state/toasts.ts';
import { openScriptedInbox } from './scripted-inbox.ts';

afterEach(() => toasts.clear());

const shownTexts = () => toasts.getSnapshot().map(({ text }) => text);

async function openCommands(count: number) {
  const scripted = await openScriptedInbox(count);
  await inboxTexts.load();
  const { inbox } = scripted;
  const rows = inbox.getSnapshot().view.notifications;
  return { ...scripted, rows, commands: createInboxCommands(inbox) };
}

test('the toast of an action gives way to the notice that a snooze was refused', async () => {
  const { commands, rows, table, world, notices } = await openCommands(1);
  table.failures = 1;
  commands.snooze(rows, world.clock.now() + 3_600_000, 'Snoozed for an hour.');
  await world.settle();
  expect(shownTexts()).toEqual(['Snoozed for an hour.']);
  await world.clock.advance(1_000);
  expect(shownTexts()).toEqual([]);
  expect(notices).toMatchObject([{ type: 'refused' }]);
});

test('the toast of an action gives way when the notification was deleted on another device', async () => {
  const { commands, rows, table, world, notices } = await openCommands(1);
  table.isConnected = false;
  table.remove(rows[0]?.id ?? '');
  commands.snooze(rows, world.clock.now() + 3_600_000, 'Snoozed for an hour.');
  await world.clock.advance(1_000);
  expect(shownTexts()).toEqual([]);
  expect(notices).toMatchObject([{ type: 'deleted' }]);
});

test('the toast of an action undoes the rest when some of several notifications were deleted, with one notice', async () => {
  const { commands, rows, table, world, notices } = await openCommands(3);
  table.isConnected = false;
  table.remove(rows[0]?.id ?? '');
  commands.setStatus(rows, 'archived');
  await world.clock.advance(1_000);
  expect(shownTexts()).toEqual(['3 notifications archived.']);
  toasts.undoNewest();
  await world.clock.advance(1_000);
  expect(shownTexts()).toEqual([]);
  expect(notices).toMatchObject([{ type: 'deleted' }]);
  expect(table.count()).toMatchObject({ all: 2, archived: 0 });
});

test('the toast of an action removes a pending action from the outbox, and restores the row after it was sent', async () => {
  const { commands, rows, table, tab, world, outbox } = await openCommands(1);
  tab.setOnline(false);
  commands.setStatus(rows, 'archived');
  await world.settle();
  expect(outbox.getSnapshot()).toHaveLength(1);
  toasts.undoNewest();
  expect(outbox.getSnapshot()).toEqual([]);
  tab.setOnline(true);
  commands.setStatus(rows, 'archived');
  await world.clock.advance(1_000);
  expect(table.count()).toMatchObject({ archived: 1 });
  toasts.undoNewest();
  await world.clock.advance(1_000);
  expect(table.count()).toMatchObject({ all: 1, unread: 1, archived: 0 });
});

test('three actions are undone one by one, and a deletion among them is not sent before', async () => {
  const { commands, rows, table, world } = await openCommands(3);
  const [first, second, third] = rows.map((row) => [row]);
  commands.setStatus(first ?? [], 'archived');
  await world.settle();
  commands.remove(second ?? []);
  await world.settle();
  commands.setStatus(third ?? [], 'archived');
  await world.clock.advance(1_000);
  expect(table.count()).toMatchObject({ all: 1, archived: 2 });
  for (const left of [1, 1, 0]) {
    toasts.undoNewest();
    await world.clock.advance(1_000);
    expect(table.count()).toMatchObject({ archived: left });
  }
  expect(table.count()).toMatchObject({ all: 3, unread: 3 });
  expect(shownTexts()).toEqual([]);
});

test('a deletion that was sent because a later action follows it is not offered again', async () => {
  const { commands, rows, world, table } = await openCommands(2);
  commands.remove(rows.slice(0, 1));
  await world.settle();
  commands.markAllRead(null);
  await world.clock.advance(1_000);
  expect(table.count()).toMatchObject({ all: 1, unread: 1 });
  toasts.undoNewest();
  await world.clock.advance(1_000);
  expect(shownTexts()).toEqual([]);
  expect(table.count()).toMatchObject({ all: 1, unread: 1 });
});
