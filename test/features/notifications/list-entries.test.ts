import { describe, expect, test } from 'vitest';
import { groupEntries } from '../../../src/features/notifications/model/list-entries.ts';
import { parseNotification } from '../../../src/features/notifications/model/notification.ts';
import { createRow } from './notification-fixtures.ts';

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
  groupEntries(deeds(...list), new Set()).map((entry) =>
    entry.type === 'group' ? entry.notifications.length : 1,
  );

describe('a group', () => {
  test('is the actions of one sender on one entity and day, at the position of the newest', () => {
    expect(sizes({}, { entity: 'plan' }, {}, {}, { entity: 'plan' })).toEqual([3, 1, 1]);
  });

  test('has one kind, sender, entity and day', () => {
    expect(sizes({}, { kind: 'comment' }, { actor: 'ada' }, { entity: 'plan' }, { day: 9 })).toEqual([
      1, 1, 1, 1, 1,
    ]);
    expect(sizes({}, {}, {}, { kind: 'comment' }, { kind: 'comment' }, { kind: 'comment' })).toEqual([3, 3]);
    expect(sizes({}, {}, {}, { day: 9 }, { day: 9 }, { day: 9 })).toEqual([3, 3]);
  });

  test('needs three notifications, and excludes mentions and invitations', () => {
    expect(sizes({}, {})).toEqual([1, 1]);
    expect(sizes({ kind: 'mention' }, { kind: 'mention' }, { kind: 'mention' })).toEqual([1, 1, 1]);
  });

  test('is followed by its notifications when expanded', () => {
    const rows = deeds({}, { entity: 'plan' }, {}, {});
    const [closed] = groupEntries(rows, new Set());
    const entries = groupEntries(rows, new Set([closed?.id ?? '']));
    expect(entries.map(({ type }) => type)).toEqual(['group', 'single', 'single', 'single', 'single']);
    expect(entries.map((entry) => entry.type === 'single' && entry.isMember)).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });
});
