import { describe, expect, it } from 'vitest';
import { type MailItem, readMailItem } from '../../supabase/functions/_shared/mail/mail-item.ts';
import type { OutgoingMail } from '../../supabase/functions/_shared/mail/mail-transport.ts';
import { formatTime } from '../../supabase/functions/_shared/mail/mail-layout.ts';
import { mailTextsOf } from '../../supabase/functions/_shared/mail/mail-texts.ts';
import { renderMail } from '../../supabase/functions/_shared/mail/render-mail.ts';
import { queuedMail } from '../support/worker-queue.ts';

const [english, german] = [mailTextsOf('en'), mailTextsOf('de')];
const settings = {
  appUrl: 'https://app.test',
  unsubscribeUrl: 'https://u.test',
  from: 'a@b.test',
  domain: 'b.test',
};

describe('the sentence about a notification', () => {
  const mention: MailItem = {
    kind: 'mention',
    registered: null,
    title: null,
    text: null,
    actor: 'Ada',
    entity: 'Notes',
    entityType: 'document',
    answer: null,
    createdAtMs: 0,
    earlierCount: 0,
    url: '',
  };
  const unnamed = { entity: null, entityType: null };
  it.each<[Partial<MailItem>, string, string]>([
    [{}, 'Ada mentioned you in Notes', 'Ada hat dich in Notes erwähnt'],
    [{ entity: null }, 'Ada mentioned you in a document', 'Ada hat dich in einem Dokument erwähnt'],
    [unnamed, 'Ada mentioned you in a shared item', 'Ada hat dich in etwas erwähnt'],
    [{ actor: null }, 'Someone mentioned you in Notes', 'Jemand hat dich in Notes erwähnt'],
    [{ kind: 'message' }, 'Ada sent you a message', 'Ada hat dir eine Nachricht geschickt'],
    [
      { kind: 'message', actor: null },
      'Someone sent you a message',
      'Jemand hat dir eine Nachricht geschickt',
    ],
    [{ kind: 'comment', actor: null }, 'Someone commented on Notes', 'Jemand hat Notes kommentiert'],
    [{ kind: 'edit', actor: null }, 'Someone edited Notes', 'Jemand hat Notes geändert'],
    [{ kind: 'invite', actor: null }, 'Someone invited you to Notes', 'Jemand hat dich zu Notes eingeladen'],
    [
      { kind: 'invite', answer: 'accepted', actor: null },
      'Someone accepted your invitation to Notes',
      'Jemand hat deine Einladung zu Notes angenommen',
    ],
    [{ kind: 'comment' }, 'Ada commented on Notes', 'Ada hat Notes kommentiert'],
    [{ kind: 'comment', entity: null }, 'Ada commented on a document', 'Ada hat ein Dokument kommentiert'],
    [{ kind: 'edit' }, 'Ada edited Notes', 'Ada hat Notes geändert'],
    [{ kind: 'edit', entity: null }, 'Ada edited a document', 'Ada hat ein Dokument geändert'],
    [{ kind: 'invite' }, 'Ada invited you to Notes', 'Ada hat dich zu Notes eingeladen'],
    [
      { kind: 'invite', entity: null },
      'Ada invited you to a document',
      'Ada hat dich zu einem Dokument eingeladen',
    ],
    [{ kind: 'invite', ...unnamed }, 'Ada invited you', 'Ada hat dich eingeladen'],
    [
      { kind: 'invite', answer: 'accepted' },
      'Ada accepted your invitation to Notes',
      'Ada hat deine Einladung zu Notes angenommen',
    ],
    [
      { kind: 'invite', answer: 'declined', ...unnamed },
      'Ada declined your invitation',
      'Ada hat deine Einladung abgelehnt',
    ],
    [{ kind: 'other', title: 'Build failed' }, 'Build failed', 'Build failed'],
    [{ kind: 'other' }, 'You have a notification', 'Du hast eine Benachrichtigung'],
  ])('of %j is “%s” and “%s”', (fields, inEnglish, inGerman) => {
    const item = { ...mention, ...fields };
    expect([english.sentence(item), german.sentence(item)]).toEqual([inEnglish, inGerman]);
  });
});

const at = '2032-01-16T10:00:00Z';
const item = (id: string, kind: string, text: string | null, count = 1) => ({
  id,
  kind,
  content: {
    metadata: { actor_name: 'Grace' },
    data: { entity_name: 'Notes', ...(text !== null && { text }) },
  },
  created_at: at,
  is_in_inbox: true,
  count,
});
const digest = (language: string): OutgoingMail =>
  renderMail(
    {
      ...queuedMail('one'),
      topic: 'digest',
      language,
      time_zone: 'Europe/Vienna',
      items: [item('n1', 'comment', 'First'), item('n2', 'mention', null, 3), item('n3', 'comment', null, 2)],
      item_count: 60,
    },
    settings,
  );

it.each([
  ['document', 'ein Dokument', 'einem Dokument'],
  ['project', 'ein Projekt', 'einem Projekt'],
  ['task', 'eine Aufgabe', 'einer Aufgabe'],
  ['page', 'eine Seite', 'einer Seite'],
  ['file', 'eine Datei', 'einer Datei'],
  ['folder', 'einen Ordner', 'einem Ordner'],
  ['team', 'ein Team', 'einem Team'],
  ['workspace', 'einen Arbeitsbereich', 'einem Arbeitsbereich'],
  ['spaceship', 'etwas', 'etwas'],
])(
  'an unnamed %s is in German “%s” that is changed, and a mention is in “%s”',
  (entityType, object, place) => {
    const sentence = (kind: 'edit' | 'mention') =>
      german.sentence({
        ...readMailItem(item('n', kind, null), ''),
        entity: null,
        entityType,
      });
    expect([sentence('edit'), sentence('mention')]).toEqual([
      `Grace hat ${object} geändert`,
      `Grace hat dich in ${place} erwähnt`,
    ]);
  },
);

it.each([
  ['de', german],
  ['de-AT', german],
  ['DE', german],
  ['den', english],
  ['en-DE', english],
  ['', english],
])('the texts of the language %j are those of the closest one', (language, texts) => {
  expect(mailTextsOf(language)).toBe(texts);
});

describe('the headers of a mail', () => {
  const headersOf = (more: object) =>
    renderMail({ ...queuedMail('one'), ...more }, { ...settings, domain: 'mail.long-example.test' }).headers;
  const automatic = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };
  const ofList = {
    ...automatic,
    'List-Id': 'Notifications <notifications.mail.long-example.test>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
  const root = '<thread.t@mail.long-example.test>';

  it.each<[string, object, object]>([
    [
      'about one thread',
      { topic: 'thread:x', items: [item('n', 'mention', null)], item_count: 1 },
      {
        ...ofList,
        'List-Unsubscribe': '<https://u.test?token=token&kind=mention>',
        'Feedback-ID': 'instant:mention::maillongexample',
        'In-Reply-To': root,
        References: root,
      },
    ],
    [
      'about two kinds in a thread',
      { topic: 'thread:x', items: [item('n', 'mention', null), item('m', 'edit', null)], item_count: 2 },
      {
        ...ofList,
        'List-Unsubscribe': '<https://u.test?token=token>',
        'Feedback-ID': 'instant:mixed::maillongexample',
        'In-Reply-To': root,
        References: root,
      },
    ],
    [
      'of a digest',
      { topic: 'digest', items: [item('n', 'mention', null)], item_count: 1, frequency: 'weekly' },
      {
        ...ofList,
        'List-Unsubscribe': '<https://u.test?token=token>',
        'Feedback-ID': 'digest:weekly::maillongexample',
      },
    ],
    [
      'for a test',
      { topic: 'test' },
      {
        ...ofList,
        'List-Unsubscribe': '<https://u.test?token=token>',
        'Feedback-ID': 'test:daily::maillongexample',
      },
    ],
    [
      'about the safety of the account',
      { topic: 'security:x', security_event: { kind: 'new_device', detail: {}, created_at: at } },
      { ...automatic, 'Feedback-ID': 'security:new_device::maillongexample' },
    ],
  ])('%s are those of its sort', (_, more, headers) => {
    expect(headersOf(more)).toEqual(headers);
  });
});

it.each([
  ['en', 'Test email from Tidings', 'Emails from Tidings reach this address', 'Ada Lovelace mentioned you'],
  ['de', 'Test-E-Mail von Tidings', 'E-Mails von Tidings erreichen diese Adresse', 'Ada Lovelace hat dich'],
])('a test mail in %s says what it is, and shows a sample', (language, subject, intro, sample) => {
  const mail = renderMail({ ...queuedMail('one'), language }, settings);
  expect(mail.subject).toBe(subject);
  for (const part of [mail.text, mail.html])
    for (const words of [subject, intro, sample, 'https://app.test/home']) expect(part).toContain(words);
});

it.each([
  ['hourly', 'stündlich'],
  ['daily', 'täglich'],
  ['weekly', 'wöchentlich'],
])('a digest that is sent %s says in German that it was chosen to be %s', (frequency, word) => {
  expect(german.why(frequency)).toContain(`„${word}“`);
});

it.each([
  ['kind:mention', 'mention', ['mentions', 'all'], '?token=token&kind=mention'],
  ['digest', 'mention', ['mentions', 'all'], '?token=token'],
  ['kind:reaction', 'reaction', ['all'], '?token=token'],
])(
  'a mail of the topic %s about a %s has links to unsubscribe from %j, and by one click',
  (topic, kind, names, query) => {
    const mail = { ...queuedMail('one'), topic, items: [item('n', kind, null)], item_count: 1 };
    const { text, headers } = renderMail(mail, settings);
    expect(text.match(/(?<=^Unsubscribe from )\w+/gm)).toEqual(names);
    expect(headers['List-Unsubscribe']).toBe(`<https://u.test${query}>`);
  },
);

describe('a digest', () => {
  it('in English contains its groups, the number of further notifications, and the way to end it', () => {
    const time = formatTime(Date.parse(at), 'en', 'Europe/Vienna');
    expect(digest('en').text).toBe(`You have 60 unread notifications

Mentions

* Grace mentioned you in Notes
  ${time}, and 2 earlier
  https://app.test/home?open=n2

Comments

* Grace commented on Notes
  First
  ${time}
  https://app.test/home?open=n1

* Grace commented on Notes
  ${time}, and 1 earlier
  https://app.test/home?open=n3

54 more in your inbox

Open inbox: https://app.test/home

-- 
You get this summary because you chose “daily”.
Change email settings: https://app.test/preferences
Unsubscribe from mentions: https://app.test/unsubscribe.html#token=token&kind=mention
Unsubscribe from comments: https://app.test/unsubscribe.html#token=token&kind=comment
Unsubscribe from all: https://app.test/unsubscribe.html#token=token
`);
  });

  it('in German contains its groups, the number of further notifications, and the way to end it', () => {
    const time = formatTime(Date.parse(at), 'de', 'Europe/Vienna');
    expect(digest('de').text).toBe(`Du hast 60 ungelesene Benachrichtigungen

Erwähnungen

* Grace hat dich in Notes erwähnt
  ${time}, und 2 frühere
  https://app.test/home?open=n2

Kommentare

* Grace hat Notes kommentiert
  First
  ${time}
  https://app.test/home?open=n1

* Grace hat Notes kommentiert
  ${time}, und 1 frühere
  https://app.test/home?open=n3

54 weitere in deinem Posteingang

Posteingang öffnen: https://app.test/home

-- 
Du bekommst diese Zusammenfassung, weil du „täglich“ gewählt hast.
E-Mail-Einstellungen ändern: https://app.test/preferences
Erwähnungen abbestellen: https://app.test/unsubscribe.html#token=token&kind=mention
Kommentare abbestellen: https://app.test/unsubscribe.html#token=token&kind=comment
Alle abbestellen: https://app.test/unsubscribe.html#token=token
`);
  });

  it.each(['en', 'de'])('in %s says the same in HTML', (language) => {
    const { html, text } = digest(language);
    const words = html.replaceAll(/<style[^]*?<\/style>|<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    const lines = text.split('\n').map((line) => line.replace(/^[* ]+|: https.*$/g, ''));
    for (const line of lines.filter((line) => line !== '' && line !== '-- ' && !line.startsWith('https')))
      expect(words).toContain(line.trim());
    const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, url = '']) => url.replaceAll('&amp;', '&'));
    expect(links).toEqual(expect.arrayContaining(text.match(/https:\S+/g) ?? []));
  });

  it.each([
    ['en', 1, '1 unread notification', 'Grace mentioned you in Notes'],
    ['en', 2, '2 unread notifications', 'Grace mentioned you in Notes (and 1 more)'],
    ['de', 1, '1 ungelesene Benachrichtigung', 'Grace hat dich in Notes erwähnt'],
    ['de', 2, '2 ungelesene Benachrichtigungen', 'Grace hat dich in Notes erwähnt (und 1 weitere)'],
  ])('in %s about %i has its subject, like an instant mail', (language, count, ofDigest, ofInstant) => {
    const mail = { ...queuedMail('one'), language, items: [item('n', 'mention', null)], item_count: count };
    const subjectOf = (topic: string) => renderMail({ ...mail, topic }, settings).subject;
    expect([subjectOf('digest'), subjectOf('kind:mention')]).toEqual([ofDigest, ofInstant]);
  });
});
