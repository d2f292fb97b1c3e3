import { expect, test } from 'vitest';
import {
  compareNewestFirst,
  contentText,
  needsUser,
  parseNotification,
} from '../../../../src/inbox/features/notifications/model/notification.ts';
import { createNotification, createRow } from './notification-fixtures.ts';

const parseContent = (content: string | null) => parseNotification({ ...createRow(1), content }, 0);

test('a notification decodes its content: type, metadata, entity and data', () => {
  const content = {
    type: 'comment',
    metadata: { actor_name: 'Grace' },
    entity_type: 'document',
    entity_id: 'd1',
    data: { text: 'Good' },
  };
  expect(parseContent(JSON.stringify(content))).toMatchObject({
    kind: 'comment',
    metadata: { actor_name: 'Grace' },
    entityType: 'document',
    entityId: 'd1',
    data: { text: 'Good' },
  });
});

test.each([
  ['mentions', 'mention'],
  ['edits', 'edit'],
  ['comments', 'comment'],
  ['invites', 'invite'],
  ['mention', 'mention'],
])('a notification of the type %s is of the kind %s', (type, kind) => {
  expect(parseContent(JSON.stringify({ type })).kind).toBe(kind);
});

test('a notification of an unknown type is kept as another kind', () => {
  expect(parseContent('{"type":"poke"}').kind).toBe('other');
});

test.each([
  ['missing', null],
  ['empty', ''],
  ['no JSON', '{"type":'],
  ['a JSON text', '"mention"'],
  ['a JSON list', '["mention"]'],
  ['JSON null', 'null'],
  ['without a type', '{}'],
  ['of a type that is no text', '{"type":1}'],
])('a notification whose content is %s is a system notification', (_name, content) => {
  expect(parseContent(content)).toMatchObject({ kind: 'system', id: createRow(1).id });
});

test('a notification of an unknown type keeps its text', () => {
  const notification = parseContent('{"type":"poke","data":{"title":"Poked"}}');
  expect(contentText(notification, 'title')).toBe('Poked');
});

test('a notification of a table without the column has no version', () => {
  expect(createNotification(1, { version: null }).version).toBeNull();
});

test.each([{ id: 1 }, { status: 'gone' }, { created_at: null }])(
  'a notification is refused with a bad column %o',
  (bad) => {
    expect(() => parseNotification({ ...createRow(1), ...bad }, 0)).toThrow(/./);
  },
);

test('a notification is ordered by creation to the microsecond, then by id', () => {
  const at = (createdAt: string, id: string) => ({ createdAt, id, createdAtMs: Date.parse(createdAt) });
  const newest = at('2026-01-01T00:00:00.000002+00:00', 'a');
  const older = at('2026-01-01T00:00:00.000001+00:00', 'c');
  const oldest = at('2026-01-01T00:00:00.000001+00:00', 'b');
  expect([oldest, newest, older].sort(compareNewestFirst)).toEqual([newest, older, oldest]);
});

test('an invitation needs the user until it is answered, and its answer does not', () => {
  const needs = (type: string, data = {}) => needsUser(parseContent(JSON.stringify({ type, data })));
  expect([needs('mention'), needs('comment'), needs('comment', { important: true })]).toEqual([
    true,
    false,
    true,
  ]);
  expect([needs('invite'), needs('invite', { status: 'pending' })]).toEqual([true, true]);
  expect(needs('invite', { status: 'pending', answer: 'declined' })).toBe(false);
  expect(needs('invite', { status: 'accepted' })).toBe(false);
});
