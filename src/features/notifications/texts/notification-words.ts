import { contentText } from '../model/notification.ts';
import type { Notification } from '../model/notification.ts';
import type { InboxTexts } from './notification-texts.en.ts';

/** The headline: the sender's own words, or a sentence made of kind, actor and entity. */
export function notificationTitle(notification: Notification, texts: InboxTexts): string {
  const { kind, entityType } = notification;
  const given = contentText(notification, 'title', 'subject');
  if (given) return given;
  if (kind === 'system' || kind === 'other')
    return contentText(notification, 'message', 'text') ?? texts.titles[kind]();
  const actor = notificationActor(notification);
  const entity = notificationEntity(notification);
  const status = contentText(notification, 'status');
  const isAnswer = kind === 'invite' && (status === 'accepted' || status === 'declined');
  const sentence = isAnswer ? texts.answers[status] : texts.titles[kind];
  return sentence(actor ?? texts.someone, entity ?? texts.something(entityType));
}

/** Who did it, as the sender says; null if nobody is named. */
export function notificationActor(notification: Notification): string | null {
  return contentText(notification, 'actor_name', 'actor', 'inviter_name', 'inviter_email', 'actor_email');
}

/** The name of what it is about; null if it has none. */
export function notificationEntity(notification: Notification): string | null {
  return contentText(notification, 'entity_name', 'entity_title', 'name');
}

/** What was said; null if there is nothing beyond the title. */
export function notificationSnippet(notification: Notification, texts: InboxTexts): string | null {
  const text = contentText(notification, 'excerpt', 'snippet', 'message', 'body', 'text', 'comment');
  return text === notificationTitle(notification, texts) ? null : text;
}

/**
 * Where the notification leads: the URL that it carries if that is a path of this site or an http(s) address, an
 * invitation's page, or its entity's; null if nowhere.
 *
 * @param entityUrl the entities' pages, with `{entity_type}` and `{entity_id}`; null where they have none.
 */
export function notificationHref(notification: Notification, entityUrl: string | null): string | null {
  const given = contentText(notification, 'url', 'href', 'link', 'path');
  if (given && (/^\/(?![/\\])/.test(given) || /^https?:\/\//i.test(given))) return given;
  const { kind, entityType, entityId } = notification;
  const token = kind === 'invite' ? contentText(notification, 'token', 'invitation_token') : null;
  if (token) return `/join/${encodeURIComponent(token)}`;
  if (!entityUrl || !entityType || !entityId) return null;
  const values: Readonly<Record<string, string>> = { entity_type: entityType, entity_id: entityId };
  return entityUrl.replace(/\{(entity_type|entity_id)\}/g, (_match, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
}
