import { expect, test } from 'vitest';
import { toEntries } from '../../../../src/inbox/features/notifications/model/list-entries.ts';
import { parseNotification } from '../../../../src/inbox/features/notifications/model/notification.ts';
import { german } from '../../../../src/inbox/features/notifications/texts/inbox-texts.de.ts';
import {
  inboxTexts,
  type InboxTexts,
} from '../../../../src/inbox/features/notifications/texts/inbox-texts.ts';
import {
  leadOf,
  notificationTitle,
} from '../../../../src/inbox/features/notifications/texts/notification-words.ts';
import { createRow } from './notification-fixtures.ts';

const english = await inboxTexts.load('en');

interface Deed {
  readonly kind?: string;
  readonly actor?: string;
  readonly entity?: string;
  readonly day?: number;
}

/** Newest first, as a list has them. */
function deeds(...list: readonly Deed[]) {
  return list.map(({ kind = 'edit', actor = 'grace', entity = 'notes', day = 10 }, at) =>
    parseNotification(
      {
        ...createRow(at + 1),
        created_at: new Date(2026, 0, day, 12, 59 - at).toISOString(),
        content: JSON.stringify({
          type: kind,
          metadata: { actor_id: actor, actor_name: actor },
          data: { entity_name: 'Notes' },
          entity_type: 'document',
          entity_id: entity,
        }),
      },
      0,
    ),
  );
}
const closed = {
  isGrouped: true,
  openGroups: new Set<string>(),
};
const sizes = (...list: readonly Deed[]) =>
  toEntries(deeds(...list), closed).map(({ notifications }) => notifications.length);

test('a thread is everything about one entity, at the position of the newest', () => {
  expect(
    sizes({}, { entity: 'plan' }, { kind: 'comment' }, { actor: 'ada', day: 9 }, { entity: 'plan' }),
  ).toEqual([3, 2]);
  expect(sizes({ kind: 'mention' }, { kind: 'mention' }, { kind: 'mention' })).toEqual([3]);
});

test('an invitation and a message with buttons stay separate rows, because they require an answer', () => {
  expect(sizes({ kind: 'invite' }, { kind: 'invite' })).toEqual([1, 1]);
  const [message] = deeds({});
  const asking = message && { ...message, data: { actions: [] } };
  expect(asking && toEntries([asking, { ...asking, id: 'other' }], closed)).toHaveLength(2);
});

test('grouping can be switched off', () => {
  expect(toEntries(deeds({}, {}), { ...closed, isGrouped: false })).toHaveLength(2);
});

test('the headline of a thread is that of what needs the user, else of the newest', () => {
  const said = (words: InboxTexts, ...list: readonly Deed[]) => {
    const notifications = toEntries(deeds(...list), closed)[0]?.notifications;
    return notifications && notificationTitle(leadOf(notifications), words);
  };
  expect(said(english, {}, { kind: 'comment', actor: 'ada' })).toBe('grace edited Notes');
  expect(said(english, {}, { kind: 'mention', actor: 'ada' })).toBe('ada mentioned you in Notes');
  expect(said(german, {}, { kind: 'mention' }, { kind: 'mention', actor: 'ada' })).toBe(
    'grace hat dich in Notes erwähnt',
  );
  expect([english, german].map(({ updates }) => updates(1_200))).toEqual([
    '1,200 updates',
    '1.200 Neuigkeiten',
  ]);
});

test('a thread is followed by its notifications when expanded', () => {
  const rows = deeds({}, { entity: 'plan' }, {}, {});
  const [first] = toEntries(rows, closed);
  const entries = toEntries(rows, { ...closed, openGroups: new Set([first?.id ?? '']) });
  expect(entries.map(({ notifications }) => notifications.length)).toEqual([3, 1, 1, 1, 1]);
  expect(entries.map(({ isMember }) => isMember)).toEqual([false, true, true, true, false]);
});
