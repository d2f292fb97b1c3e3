import { describe, expect, test } from 'vitest';
import { parseNotification } from '../../../../src/inbox/features/notifications/model/notification.ts';
import { german } from '../../../../src/inbox/features/notifications/texts/inbox-texts.de.ts';
import { inboxTexts } from '../../../../src/inbox/features/notifications/texts/inbox-texts.ts';
import {
  messageActions,
  notificationActor,
  notificationKindLabel,
  notificationLink,
  notificationSnippet,
  notificationTitle,
  titleDirection,
  titleParts,
} from '../../../../src/inbox/features/notifications/texts/notification-words.ts';
import { showHiddenCharacters } from '../../../../src/inbox/features/notifications/detail/detail-content.tsx';
import { renderPreview } from '../../../../supabase/functions/_shared/mail/render-preview.ts';
import { createRow } from './notification-fixtures.ts';

const texts = await inboxTexts.load('en');

const parse = (content: object) =>
  parseNotification({ ...createRow(1), content: JSON.stringify(content) }, 0);
const title = (content: object) => notificationTitle(parse(content), texts);

describe('the preview of a message', () => {
  const settings = {
    appUrl: 'http://localhost',
    unsubscribeUrl: 'http://localhost',
    from: 'a@example.com',
    domain: 'example.com',
  };
  const kinds = ['mention', 'edit', 'comment', 'invite', 'message'];
  const parts = [
    {},
    ...['document', 'folder', 'board'].map((type) => ({
      metadata: { actor_name: 'Grace Hopper' },
      entity_type: type,
      data: { text: 'See page 3.' },
    })),
    { metadata: { actor_name: 'Grace Hopper' }, data: { entity_name: 'Notes', text: 'See page 3.' } },
  ];

  test.each(kinds.flatMap((type) => parts.map((part) => [type, part] as const)))(
    'the row of %s %j reads as in the inbox',
    (type, part) => {
      const content = { type, ...part };
      const previews = renderPreview({ content, words: null }, settings, 0);
      const notification = parse(content);
      for (const [language, words] of [['en', texts] as const, ['de', german] as const])
        expect(previews[language]?.row).toEqual({
          title: notificationTitle(notification, words),
          text: notificationSnippet(notification, words),
        });
    },
  );
});

describe('the parts of a headline', () => {
  const metadata = { actor_name: 'Grace Hopper' };
  const parts = (content: object, words = german) => {
    const notification = parse({ metadata, ...content });
    return titleParts(notificationTitle(notification, words), notification).map(({ text, role }) => [
      role,
      text,
    ]);
  };

  test.each([
    ['mention', ' hat dich in ', ' erwähnt'],
    ['edit', ' hat ', ' geändert'],
    ['comment', ' hat ', ' kommentiert'],
    ['invite', ' hat dich zu ', ' eingeladen'],
  ])('the headline of a German %s has its names apart from the verb', (type, before, after) => {
    expect(parts({ type, data: { entity_name: 'Notes' } })).toEqual([
      ['actor', 'Grace Hopper'],
      ['verb', before],
      ['entity', 'Notes'],
      ['verb', after],
    ]);
  });

  test('the name of the entity is short, also where it ends in an unpaired surrogate', () => {
    const data = { entity_name: `${'n'.repeat(78)}😀 and more` };
    expect(parts({ type: 'edit', data }, texts)[2]).toEqual(['entity', `${'n'.repeat(78)}…`]);
  });

  test('a headline without names, or in the words of its sender, is one part', () => {
    expect(parts({ type: 'system' })).toEqual([['entity', 'Benachrichtigung']]);
    expect(parts({ type: 'edit', data: { title: 'A title' } })).toEqual([['entity', 'A title']]);
    expect(parts({ type: 'mention', metadata: {}, data: {} }, texts)).toEqual([
      ['entity', 'Someone mentioned you in a shared item'],
    ]);
  });

  test('an actor’s name that is part of the entity’s name is found at its own position in the sentence', () => {
    const data = { entity_name: 'Notes of Grace Hopper' };
    expect(parts({ type: 'edit', data }, texts)).toEqual([
      ['actor', 'Grace Hopper'],
      ['verb', ' edited '],
      ['entity', 'Notes of Grace Hopper'],
    ]);
  });
});

test('the headline of a notification names the actor, the action and the entity', () => {
  const metadata = { actor_name: 'Grace' };
  const data = { entity_name: 'Roadmap' };
  expect(title({ type: 'mention', metadata, data })).toBe('Grace mentioned you in Roadmap');
  expect(title({ type: 'edits', metadata, data })).toBe('Grace edited Roadmap');
  expect(title({ type: 'comment', metadata, data })).toBe('Grace commented on Roadmap');
  expect(title({ type: 'invite', metadata, data })).toBe('Grace invited you to Roadmap');
  expect(title({ type: 'invite', metadata, data: { ...data, status: 'accepted' } })).toBe(
    'Grace accepted your invitation to Roadmap',
  );
});

test('the headline of an invitation that names nothing ends after the person', () => {
  const metadata = { actor_name: 'Grace' };
  const accepted = { type: 'invite', metadata, data: { status: 'accepted' } };
  expect(title({ type: 'invite', metadata })).toBe('Grace invited you');
  expect(title(accepted)).toBe('Grace accepted your invitation');
  expect(title({ type: 'invite', metadata, entity_type: 'team' })).toBe('Grace invited you to a team');
  expect(notificationTitle(parse({ type: 'invite', metadata }), german)).toBe('Grace hat dich eingeladen');
  expect(notificationTitle(parse(accepted), german)).toBe('Grace hat deine Einladung angenommen');
});

test('the headline of a notification is a sentence without an actor or entity', () => {
  expect(title({ type: 'mention' })).toBe('Someone mentioned you in a shared item');
  expect(title({ type: 'mention', entity_type: 'document' })).toBe('Someone mentioned you in a document');
  expect(title({})).toBe('Notification');
});

test('the headline of a notification without names is its text, once', () => {
  const content = { type: 'comment', data: { text: 'مرحبا' } };
  expect(title(content)).toBe('مرحبا');
  expect(titleDirection(parse(content))).toBe('auto');
  expect(notificationSnippet(parse(content), texts)).toBeNull();
});

test('the headline of a notification is a sentence in the direction of the page, also with an Arabic name', () => {
  expect(titleDirection(parse({ type: 'mention', metadata: { actor_name: 'محمد' } }))).toBeUndefined();
  expect(titleDirection(parse({ type: 'message', data: { text: 'مرحبا' } }))).toBeUndefined();
  expect(titleDirection(parse({ type: 'system', data: { text: 'مرحبا' } }))).toBe('auto');
  expect(titleDirection(parse({ type: 'mention', data: { title: 'مرحبا' } }))).toBe('auto');
});

test('the headline of a notification has "Someone" for a blank name', () => {
  expect(title({ type: 'mention', metadata: { actor_name: '  ' } })).toBe(
    'Someone mentioned you in a shared item',
  );
});

test('the headline of a notification describes a plain message', () => {
  const content = { type: 'message', metadata: { actor_name: 'Grace' }, data: { text: 'Hi' } };
  expect(title(content)).toBe('Grace sent you a message');
  expect([texts, german].map((words) => notificationKindLabel(parse(content), words))).toEqual([
    'Message',
    'Nachricht',
  ]);
  expect(notificationSnippet(parse(content), texts)).toBe('Hi');
});

test('the headline of a notification names the actor that the server stamped, never one from the data', () => {
  expect(notificationActor(parse({ type: 'edit', data: { actor_name: 'The bank' } }))).toBeNull();
});

test("the headline of a notification is the sender's own text, not repeated below", () => {
  const content = { type: 'poke', data: { title: 'Hello', message: 'World' } };
  expect(title(content)).toBe('Hello');
  expect(notificationSnippet(parse(content), texts)).toBe('World');
  expect(notificationSnippet(parse({ data: { message: 'World' } }), texts)).toBeNull();
});

describe('the link of a notification', () => {
  const href = (content: object, entityUrl: string | null = null) =>
    notificationLink(parse(content), entityUrl)?.href ?? null;

  test('the link of a notification is its URL, its invitation, or its entity', () => {
    expect(href({ data: { url: '/documents/1' } })).toBe('/documents/1');
    expect(href({ metadata: { url: 'https://example.com/1' } })).toBe('https://example.com/1');
    expect(href({ type: 'invite', data: { token: 'a b' } })).toBe('/join/a%20b');
    expect(href({ metadata: { url: 'http://intranet/1' } })).toBe('http://intranet/1');
    const entity = { entity_type: 'document', entity_id: '1/2' };
    expect(href(entity, 'https://example.com/{entity_type}/{entity_id}')).toBe(
      'https://example.com/document/1%2F2',
    );
    expect(href(entity)).toBeNull();
    expect(href({ entity_type: 'document' }, '/{entity_type}/{entity_id}')).toBeNull();
    expect(href({})).toBeNull();
  });

  test.each(['javascript:alert(1)', '//evil.example', String.raw`/\evil.example`, 'vbscript:x', 'data:x'])(
    'the link of a notification never is %s',
    (url) => expect(href({ data: { url } })).toBeNull(),
  );

  test('the link of a notification shows the host of a URL that the sender chose', () => {
    const link = (url: string) =>
      notificationLink(parse({ data: { url } }), 'https://docs.example/{entity_type}/{entity_id}');
    expect(link('https://evil.example/x')).toEqual({
      href: 'https://evil.example/x',
      foreignHost: 'evil.example',
    });
    expect(link('https://docs.example/x')?.foreignHost).toBeNull();
    expect(link('/documents/1')?.foreignHost).toBeNull();
    expect(link('https://аpple.example/')?.foreignHost).toMatch(/^xn--/);
  });

  test('the link of a notification is shown with its hidden characters made visible', () => {
    expect(showHiddenCharacters('a\u202Eb\u0007c')).toBe('a<U+202E>b<U+0007>c');
  });
});

test('the actions of a message follow paths of this site, and call functions that its kind has registered', () => {
  const kind = {
    name: 'build_failed',
    labels: { en: 'Failed builds' },
    icon: 'alert',
    in_app: true,
    email: true,
    templates: {},
    callbacks: ['retry_build'],
  };
  const given = [
    { label: 'Log', url: '/builds/7' },
    { label: 'Elsewhere', url: '//example.com' },
    { label: 'Retry', callback: 'retry_build' },
  ];
  const of = (actions: unknown, registered: typeof kind | undefined = kind) =>
    messageActions(parse({ type: 'build_failed', data: { actions } }), registered).map(({ label }) => label);
  expect(of(given)).toEqual(['Log', 'Retry']);
  expect(of(given, { ...kind, callbacks: [] })).toEqual(['Log']);
  expect(of([{ label: 'Delete', callback: 'delete_account' }, null, 'Log', { url: '/' }])).toEqual([]);
  expect(of([...given, ...given])).toEqual(['Log', 'Retry']);
  expect(of(Array.from({ length: 4 }, () => ({ label: 'Log', url: '/' })))).toHaveLength(3);
  expect(of('Log')).toEqual([]);
});
