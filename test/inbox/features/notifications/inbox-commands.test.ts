import { afterEach, describe, expect, test } from 'vitest';
import { createInboxCommands } from '../../../../src/inbox/features/notifications/actions/inbox-commands.ts';
import { inboxTexts } from '../../../../src/inbox/features/notifications/texts/inbox-texts.ts';
import { toasts } from '../../../../src/inbox/ui/overlay/toasts.ts';
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

describe('the toast of an action', () => {
  test('gives way to the failure of a snooze', async () => {
    const { commands, rows, table, world } = await openCommands(1);
    table.failures = 1;
    commands.snooze(rows, world.clock.now() + 3_600_000, 'Snoozed for an hour.');
    await world.settle();
    expect(shownTexts()).toEqual(['Snoozed for an hour.']);
    await world.clock.advance(1_000);
    expect(shownTexts()).toEqual([]);
  });

  test('says that the notification was deleted on another device', async () => {
    const { commands, rows, table, world } = await openCommands(1);
    table.isConnected = false;
    table.remove(rows[0]?.id ?? '');
    commands.snooze(rows, world.clock.now() + 3_600_000, 'Snoozed for an hour.');
    await world.clock.advance(1_000);
    expect(shownTexts()).toEqual(['This notification was deleted.']);
  });

  test('says how many of several were deleted, once', async () => {
    const { commands, rows, table, world } = await openCommands(3);
    table.isConnected = false;
    table.remove(rows[0]?.id ?? '');
    commands.setStatus(rows, 'archived');
    await world.clock.advance(1_000);
    expect(shownTexts()).toEqual(['3 notifications archived.', '1 of 3 notifications had been deleted.']);
    toasts.undoNewest();
    await world.clock.advance(1_000);
    expect(shownTexts()).toEqual(['1 of 3 notifications had been deleted.']);
    expect(table.count()).toMatchObject({ all: 2, archived: 0 });
  });
});
