import { mailKinds, readMailItem } from './mail-item.ts';
import type { MailItem } from './mail-item.ts';
import { renderHtml, renderText } from './mail-layout.ts';
import type { MailContent, MailGroup, MailLink } from './mail-layout.ts';
import { mailTextsOf } from './mail-texts.ts';
import type { MailTexts } from './mail-texts.ts';
import type { OutgoingMail } from './mail-transport.ts';
import type { QueuedMail, SecurityEvent } from './queued-mail.ts';
import { renderSecurityMail } from './security-mail.ts';

export interface MailSettings {
  /** The application, without a slash at the end. */
  readonly appUrl: string;
  /** Address of the function `unsubscribe`, for mail programs. The links in the mail lead to the application's page. */
  readonly unsubscribeUrl: string;
  /** Address of the sender. */
  readonly from: string;
  /** Domain of Message-ID and List-Id: that of the sender. */
  readonly domain: string;
}

/** Renders a claimed mail. The same claimed mail has the same Message-ID on every attempt. */
export function renderMail(mail: QueuedMail, settings: MailSettings): OutgoingMail {
  return mail.security_event === null
    ? renderNotificationMail(mail, settings)
    : renderSecurityNotice(mail, mail.security_event, settings);
}

/** Security notices cannot be unsubscribed from. */
function renderSecurityNotice(mail: QueuedMail, event: SecurityEvent, settings: MailSettings): OutgoingMail {
  const { subject, content } = renderSecurityMail(mail, event, settings.appUrl);
  return {
    id: mail.id,
    messageId: `<${mail.id}@${settings.domain}>`,
    from: settings.from,
    to: { name: mail.name, address: mail.address },
    subject,
    html: renderHtml(content),
    text: renderText(content),
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'Feedback-ID': feedbackId('security', event.kind, settings),
    },
  };
}

function renderNotificationMail(mail: QueuedMail, settings: MailSettings): OutgoingMail {
  const texts = mailTextsOf(mail.language);
  const items = mail.items.map((item) => readMailItem(item, settings.appUrl));
  const isInstant = mail.topic !== 'digest' && mail.topic !== 'test';
  const content =
    mail.topic === 'test' ? testContent(mail, settings) : notificationContent(mail, items, settings);
  const kinds = unsubscribableKinds(mail, items, texts);
  const onlyKind = isInstant && kinds.length === 1 ? (kinds[0]?.name ?? null) : null;
  const { domain } = settings;
  return {
    id: mail.id,
    messageId: `<${mail.id}@${domain}>`,
    from: settings.from,
    to: { name: mail.name, address: mail.address },
    subject: subjectOf(mail, items, texts),
    html: renderHtml(content),
    text: renderText(content),
    headers: {
      'List-Id': `Notifications <notifications.${domain}>`,
      'List-Unsubscribe': `<${settings.unsubscribeUrl}?${unsubscribeQuery(mail, onlyKind)}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'Feedback-ID': feedbackId(
        isInstant ? 'instant' : mail.topic,
        onlyKind ?? (isInstant ? 'mixed' : mail.frequency),
        settings,
      ),
      // Mails of one thread refer to one root that was never sent, so that mail programs group them.
      ...(isInstant && {
        'In-Reply-To': `<thread.${mail.thread_id}@${domain}>`,
        References: `<thread.${mail.thread_id}@${domain}>`,
      }),
    },
  };
}

/**
 * The Feedback-ID, by which Gmail counts complaints: two names of the type of mail, and a name of the sender with 5 to 15
 * characters.
 *
 * @see https://support.google.com/mail/answer/6254652
 */
function feedbackId(sort: string, detail: string, { domain }: MailSettings): string {
  const sender = `${domain.replaceAll(/[^a-z0-9]/gi, '')}mails`.slice(0, 15);
  return `${sort}:${detail}::${sender}`;
}

function subjectOf(mail: QueuedMail, items: readonly MailItem[], texts: MailTexts): string {
  const [newest] = items;
  if (mail.topic === 'test' || !newest) return texts.testSubject;
  return mail.topic === 'digest'
    ? texts.digestSubject(mail.item_count)
    : texts.instantSubject(newest, mail.item_count);
}

function notificationContent(
  mail: QueuedMail,
  items: readonly MailItem[],
  settings: MailSettings,
): MailContent {
  const texts = mailTextsOf(mail.language);
  const hidden = mail.items.reduce((rest, { count = 1 }) => rest - count, mail.item_count);
  return {
    appUrl: settings.appUrl,
    texts,
    timeZone: mail.time_zone,
    title: mail.topic === 'digest' ? texts.digestTitle(mail.item_count) : subjectOf(mail, items, texts),
    intro: null,
    groups: groupItems(items, texts),
    more: hidden > 0 ? texts.more(hidden) : null,
    ...frame(mail, unsubscribableKinds(mail, items, texts), settings),
  };
}

/** An invitation is mailed although its kind is off: only all emails together can be turned off. */
function unsubscribableKinds(mail: QueuedMail, items: readonly MailItem[], texts: MailTexts): ItemKind[] {
  return isInvitation(mail) ? [] : kindsOf(items, texts).filter(({ name }) => name !== 'other');
}

function isInvitation({ topic }: QueuedMail): boolean {
  return topic.startsWith('invitation:');
}

function testContent(mail: QueuedMail, settings: MailSettings): MailContent {
  const texts = mailTextsOf(mail.language);
  const sample = readMailItem(
    {
      id: '',
      kind: 'mention',
      content: { metadata: { actor_name: 'Ada Lovelace' }, data: { entity_name: 'Analytical Engine' } },
      created_at: mail.due_at,
      count: 1,
      is_in_inbox: false,
    },
    settings.appUrl,
  );
  return {
    appUrl: settings.appUrl,
    texts,
    timeZone: mail.time_zone,
    title: texts.testSubject,
    intro: texts.testBody,
    groups: [{ heading: texts.kinds.mention, items: [sample] }],
    more: null,
    ...frame(mail, [], settings),
  };
}

function frame(mail: QueuedMail, kinds: readonly ItemKind[], settings: MailSettings) {
  const texts = mailTextsOf(mail.language);
  const footer: MailLink[] = [{ label: texts.preferences, url: `${settings.appUrl}/preferences` }];
  for (const kind of [...kinds, null])
    footer.push({
      label: kind?.unsubscribe ?? texts.unsubscribe(null),
      url: `${settings.appUrl}/unsubscribe.html#${unsubscribeQuery(mail, kind?.name ?? null)}`,
    });
  return {
    button: { label: texts.openInbox, url: `${settings.appUrl}/home` },
    why: isInvitation(mail) ? texts.whyInvitation : texts.why(mail.frequency),
    footer,
  };
}

/** Groups items by kind, the newest first within each kind. */
function groupItems(items: readonly MailItem[], texts: MailTexts): MailGroup[] {
  return kindsOf(items, texts).map(({ name, heading }) => ({
    heading,
    items: items.filter((item) => kindName(item) === name),
  }));
}

/** A kind of the items in a mail. */
interface ItemKind {
  readonly name: string;
  readonly heading: string;
  /** The text of the link that turns it off. */
  readonly unsubscribe: string;
}

/** Each kind of the items once: those of `mailKinds` in their order, then the registered ones in the order of the items. */
function kindsOf(items: readonly MailItem[], texts: MailTexts): ItemKind[] {
  const builtIn = mailKinds.map((name) => ({
    name,
    heading: texts.kinds[name],
    unsubscribe: texts.unsubscribe(name),
  }));
  const registered = items.flatMap(({ registered: kind }) =>
    kind === null
      ? []
      : [{ name: kind.name, heading: kind.label, unsubscribe: texts.unsubscribeFrom(kind.label) }],
  );
  const found = new Map([...builtIn, ...registered].map((kind) => [kind.name, kind]));
  return [...found.values()].filter(({ name }) => items.some((item) => kindName(item) === name));
}

function kindName({ kind, registered }: MailItem): string {
  return registered?.name ?? kind;
}

function unsubscribeQuery(mail: QueuedMail, kind: string | null): string {
  return new URLSearchParams({ token: mail.unsubscribe_token, ...(kind !== null && { kind }) }).toString();
}
