import { describe, expect, test } from 'vitest';
import { toEntries } from '../../../../src/inbox/features/notifications/model/list-entries.ts';
import { parseNotification } from '../../../../src/inbox/features/notifications/model/notification.ts';
import { german } from '../../../../src/inbox/features/notifications/texts/inbox-texts.de.ts';
import {
  inboxTexts,
  type InboxTexts,
} from '../../../../src/inbox/features/notifications/texts/inbox-texts.ts';
import {
  rowSnippet,
  rowTitle,
} from '../../../../src/inbox/features/notifications/texts/notification-words.ts';
import { createRow } from './notification-fixtures.ts';

const english = await inboxTexts.load('en');

interface Sample {
  readonly kind?: string;
  readonly actor?: string;
  readonly entity?: string;
  readonly day?: number;
  /** Minutes before the newest. Default: one more than the row before. */
  readonly minutesAgo?: number;
}

/** Newest first, as a list has them. */
function samples(...list: readonly Sample[]) {
  return list.map(({ kind = 'edit', actor = 'grace', entity = 'notes', day = 10, minutesAgo }, at) =>
    parseNotification(
      {
        ...createRow(at + 1),
        created_at: new Date(2026, 0, day, 12, 59 - (minutesAgo ?? at)).toISOString(),
        sender_id: actor,
        content: JSON.stringify({
          type: kind,
          metadata: { actor_id: actor, actor_name: actor },
          data: { entity_name: entity.replace(/^./, (letter) => letter.toUpperCase()) },
          entity_type: 'document',
          entity_id: entity,
        }),
      },
      0,
    ),
  );
}
const closed = {
  groupsThreads: true,
  groupsSenders: true,
  openIds: new Set<string>(),
};
const sizes = (...list: readonly Sample[]) =>
  toEntries(samples(...list), closed).map(({ notifications }) => notifications.length);

test('a thread is everything about one entity, at the position of the newest', () => {
  expect(
    sizes({}, { entity: 'plan' }, { kind: 'comment' }, { actor: 'ada', day: 9 }, { entity: 'plan' }),
  ).toEqual([3, 2]);
  expect(sizes({ kind: 'mention' }, { kind: 'mention' }, { kind: 'mention' })).toEqual([3]);
});

test('an invitation and a message with buttons stay separate rows, because they require an answer', () => {
  expect(sizes({ kind: 'invite' }, { kind: 'invite' })).toEqual([1, 1]);
  const [message] = samples({});
  const asking = message && { ...message, data: { actions: [] } };
  expect(asking && toEntries([asking, { ...asking, id: 'other' }], closed)).toHaveLength(2);
});

test('grouping can be switched off', () => {
  expect(toEntries(samples({}, {}), { ...closed, groupsThreads: false, groupsSenders: false })).toHaveLength(
    2,
  );
});

test('the headline of a thread is that of a notification that needs the user, else of the newest', () => {
  const headline = (words: InboxTexts, ...list: readonly Sample[]) => {
    const notifications = toEntries(samples(...list), closed)[0]?.notifications;
    return notifications && rowTitle(notifications, words);
  };
  expect(headline(english, {}, { kind: 'comment', actor: 'ada' })).toBe('grace edited Notes');
  expect(headline(english, {}, { kind: 'mention', actor: 'ada' })).toBe('ada mentioned you in Notes');
  expect(headline(german, {}, { kind: 'mention' }, { kind: 'mention', actor: 'ada' })).toBe(
    'grace hat dich in Notes erwähnt',
  );
  expect([english, german].map(({ updates }) => updates(1_200))).toEqual([
    '1,200 updates',
    '1.200 Neuigkeiten',
  ]);
});

test('a thread is followed by its notifications when expanded', () => {
  const rows = samples({}, { entity: 'plan' }, {}, {});
  const [first] = toEntries(rows, closed);
  const entries = toEntries(rows, { ...closed, openIds: new Set([first?.notifications[0].id ?? '']) });
  expect(entries.map(({ notifications }) => notifications.length)).toEqual([3, 1, 1, 1, 1]);
  expect(entries.map(({ isMember }) => isMember)).toEqual([false, true, true, true, false]);
});

describe('edits of one sender in several documents', () => {
  const edit = (entity: string, more: Sample = {}): Sample => ({ entity, ...more });

  test('are one row if there are at least three, each at most half an hour after the one before', () => {
    expect(sizes(edit('a'), edit('b'))).toEqual([1, 1]);
    expect(sizes(edit('a'), edit('b'), edit('c', { minutesAgo: 30 }))).toEqual([3]);
    expect(sizes(edit('a'), edit('b'), edit('c', { minutesAgo: 32 }))).toEqual([1, 1, 1]);
    expect(
      sizes(...Array.from({ length: 12 }, (_, at) => edit(`document ${at}`, { minutesAgo: at * 25 }))),
    ).toEqual([12]);
  });

  test('are grouped by sender and by kind, around other rows and threads', () => {
    const rows = [
      edit('a'),
      edit('plan', { actor: 'ada' }),
      edit('b'),
      edit('notes', { kind: 'comment' }),
      edit('notes'),
      edit('c'),
      edit('d', { kind: 'mention' }),
    ];
    expect(sizes(...rows)).toEqual([3, 1, 2, 1]);
  });

  test('exclude notifications that need the user or an answer, and those without a sender', () => {
    for (const kind of ['invite', 'mention'])
      expect(sizes(...['a', 'b', 'c'].map((entity) => edit(entity, { kind })))).toEqual([1, 1, 1]);
    const unsent = samples(edit('a'), edit('b'), edit('c')).map((row) =>
      Object.assign({}, row, { senderId: null }),
    );
    expect(toEntries(unsent, closed)).toHaveLength(3);
  });

  test('stay unfolded when a newer one arrives and when one leaves', () => {
    const rows = samples(edit('new'), edit('a'), edit('b'), edit('c'), edit('d'));
    const [, second, , , oldest] = rows;
    const openIds = new Set(rows.slice(1).map(({ id }) => id));
    const before = toEntries(rows.slice(1), { ...closed, openIds });
    const after = toEntries(rows, { ...closed, openIds });
    const left = toEntries(
      rows.filter((row) => row !== second),
      { ...closed, openIds },
    );
    expect([before, after, left].map(([group]) => [group?.id, group?.isOpen])).toEqual(
      [1, 2, 3].map(() => [`sender ${oldest?.id}`, true]),
    );
    expect(after).toHaveLength(6);
    expect(new Set(after.map(({ id }) => id)).size).toBe(6);
  });

  test('are headed by their number and name the documents once each', () => {
    const headline = (words: InboxTexts, kind: string, ...entities: readonly string[]) => {
      const [group] = toEntries(samples(...entities.map((entity) => edit(entity, { kind }))), closed);
      return group && [rowTitle(group.notifications, words), rowSnippet(group.notifications, words)];
    };
    expect(headline(english, 'edit', 'a', 'b', 'c')).toEqual(['grace made 3 edits', 'A, B, C']);
    expect(headline(german, 'comment', 'a', 'b', 'c')).toEqual([
      'grace hat 3 Kommentare geschrieben',
      'A, B und C',
    ]);
    expect(headline(english, 'deployment', 'a', 'b', 'c')?.[0]).toBe('3 notifications from grace');
  });
});
