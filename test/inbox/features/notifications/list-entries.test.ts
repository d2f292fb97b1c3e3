import { expect, test } from 'vitest';
import { groupEntries } from '../../../../src/inbox/features/notifications/model/list-entries.ts';
import { parseNotification } from '../../../../src/inbox/features/notifications/model/notification.ts';
import { german } from '../../../../src/inbox/features/notifications/texts/inbox-texts.de.ts';
import { inboxTexts } from '../../../../src/inbox/features/notifications/texts/inbox-texts.ts';
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
          metadata: { actor_id: actor },
          entity_type: 'document',
          entity_id: entity,
        }),
      },
      0,
    ),
  );
}
const sizes = (...list: readonly Deed[]) =>
  groupEntries(deeds(...list), new Set(), null).map((entry) =>
    entry.type === 'group' ? entry.notifications.length : 1,
  );

test('a group is the actions of one sender on one entity and day, at the position of the newest', () => {
  expect(sizes({}, { entity: 'plan' }, {}, {}, { entity: 'plan' })).toEqual([3, 1, 1]);
});

test('a group has one kind, sender, entity and day', () => {
  expect(sizes({}, { kind: 'comment' }, { actor: 'ada' }, { entity: 'plan' }, { day: 9 })).toEqual([
    1, 1, 1, 1, 1,
  ]);
  expect(sizes({}, {}, {}, { kind: 'comment' }, { kind: 'comment' }, { kind: 'comment' })).toEqual([3, 3]);
  expect(sizes({}, {}, {}, { day: 9 }, { day: 9 }, { day: 9 })).toEqual([3, 3]);
});

test('a group needs three notifications, and excludes mentions and invitations', () => {
  expect(sizes({}, {})).toEqual([1, 1]);
  expect(sizes({ kind: 'mention' }, { kind: 'mention' }, { kind: 'mention' })).toEqual([1, 1, 1]);
});

test('a group may be longer than what is loaded, from the day on at which the loaded part ends', () => {
  const arePartial = (readToMs: number | null) =>
    groupEntries(deeds({}, {}, {}, { day: 9 }, { day: 9 }, { day: 9 }), new Set(), readToMs).map(
      (entry) => entry.type === 'group' && entry.isPartial,
    );
  expect(arePartial(new Date(2026, 0, 9, 12).getTime())).toEqual([false, true]);
  expect(arePartial(new Date(2026, 0, 10, 8).getTime())).toEqual([true, true]);
  expect(arePartial(Infinity), 'nothing is known').toEqual([true, true]);
  expect(arePartial(null), 'everything is loaded').toEqual([false, false]);
});

test('a group says how many notifications it has, in both languages, also when only a part is loaded', () => {
  const said = [english, german].map(({ times }) => [times('Title', 1_200, false), times('Title', 27, true)]);
  expect(said).toEqual([
    ['Title, 1,200 times', 'Title, at least 27 times'],
    ['Title, 1.200-mal', 'Title, mindestens 27-mal'],
  ]);
});

test('a group is followed by its notifications when expanded', () => {
  const rows = deeds({}, { entity: 'plan' }, {}, {});
  const [closed] = groupEntries(rows, new Set(), null);
  const entries = groupEntries(rows, new Set([closed?.id ?? '']), null);
  expect(entries.map(({ type }) => type)).toEqual(['group', 'single', 'single', 'single', 'single']);
  expect(entries.map((entry) => entry.type === 'single' && entry.isMember)).toEqual([
    false,
    true,
    true,
    true,
    false,
  ]);
});
