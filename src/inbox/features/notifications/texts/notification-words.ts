import {
  fillTemplate,
  kindLabel,
  registeredKinds,
  type RegisteredKind,
} from '../../../shared/registered-kinds.ts';
import { groupTypeOf, type Rows } from '../model/list-entries.ts';
import {
  contentText,
  metadataText,
  needsUser,
  namedKinds,
  type Notification,
} from '../model/notification.ts';
import type { InboxTexts } from './inbox-texts.ts';

/** The label of a registered kind; null for another one. */
export function registeredLabel(kindName: string, { language }: InboxTexts): string | null {
  const registered = registeredKinds.getSnapshot().get(kindName);
  return registered ? kindLabel(registered, language) : null;
}

/** The name of the kind in filters. A kind that is neither built in nor registered is shown by its raw name. */
export function kindsName(kindName: string, texts: InboxTexts): string {
  const builtIn = namedKinds.find((kind) => kind === kindName);
  return registeredLabel(kindName, texts) ?? (builtIn ? texts.kinds[builtIn] : kindName);
}

/** The kind in the singular, as a row shows it. */
export function notificationKindLabel(notification: Notification, texts: InboxTexts): string {
  const { kind, kindName } = notification;
  return registeredLabel(kindName, texts) ?? texts.kind[isMessage(notification) ? 'message' : kind];
}

/** The words of a registered kind's templates; null if they are empty. */
function templateWords(notification: Notification, { language }: InboxTexts) {
  const registered = registeredKinds.getSnapshot().get(notification.kindName);
  if (!registered) return null;
  // The database stores fields as texts.
  const fields = notification.data['fields'] as Readonly<Record<string, string>> | undefined;
  return fillTemplate(registered, language, {
    ...fields,
    text: contentText(notification, 'text'),
    entity: notificationEntity(notification),
    sender: notificationActor(notification),
  });
}

/** The headline: the sender's own title, or a sentence made of kind, actor and entity. */
export function notificationTitle(notification: Notification, texts: InboxTexts): string {
  const { kind, kindName, entityType } = notification;
  const given = templateWords(notification, texts)?.title ?? givenTitle(notification);
  if (given) return given;
  const actor = notificationActor(notification) ?? texts.someone;
  if (isMessage(notification)) return texts.sentMessage(actor);
  if (kind === 'system' || kind === 'other')
    return (kind === 'other' && registeredLabel(kindName, texts)) || texts.kind.other;
  const entity = notificationEntity(notification);
  const text = textOfUnnamed(notification);
  if (text !== null) return text;
  if (kind === 'invite') {
    const status = contentText(notification, 'status');
    const sentence = texts.invitations[status === 'accepted' || status === 'declined' ? status : 'open'];
    return sentence(actor, entity ?? (entityType && texts.something(entityType, 'place')));
  }
  const role = kind === 'mention' ? 'place' : 'object';
  return texts.titles[kind](actor, entity ?? texts.something(entityType, role));
}

/** The headline of a row: of the notification that represents it, or a sentence about all of a sender. */
export function rowTitle(notifications: Rows, texts: InboxTexts): string {
  const lead = leadOf(notifications);
  if (groupTypeOf(notifications) !== 'sender') return notificationTitle(lead, texts);
  const kind = (['edit', 'comment', 'message'] as const).find((name) => name === lead.kindName);
  return texts.senderGroups[kind ?? 'other'](notificationActor(lead) ?? texts.someone, notifications.length);
}

/** The text below the headline of a row; below that of a sender, the names of what it is about. */
export function rowSnippet(notifications: Rows, texts: InboxTexts): string | null {
  const snippet = notificationSnippet(leadOf(notifications), texts);
  if (groupTypeOf(notifications) !== 'sender') return snippet;
  const names = new Set(notifications.map(notificationEntity).filter((name) => name !== null));
  return names.size > 0 ? new Intl.ListFormat(texts.language, { type: 'unit' }).format(names) : snippet;
}

/** The text of a notification that names neither an actor nor an entity; null for any other. */
function textOfUnnamed(notification: Notification): string | null {
  const { kind } = notification;
  if (kind === 'system' || kind === 'other') return null;
  const isNamed = notificationActor(notification) !== null || notificationEntity(notification) !== null;
  return isNamed ? null : messageText(notification);
}

/** The notification that represents a row: one that needs the user, else the newest. */
export function leadOf(notifications: Rows): Notification {
  return notifications.find((row) => row.status === 'unread' && needsUser(row)) ?? notifications[0];
}

/** The `dir` of the title: that of its language for the sender's own title, that of the page for a sentence. */
export function titleDirection(notification: Notification): 'auto' | undefined {
  const isGiven =
    (givenTitle(notification) ?? textOfUnnamed(notification)) !== null ||
    registeredKinds.getSnapshot().has(notification.kindName);
  return isGiven ? 'auto' : undefined;
}

/** Whether it is a plain message of a user. */
function isMessage({ kindName }: Notification): boolean {
  return kindName === 'message';
}

/** The sender's own title; null without one. */
function givenTitle(notification: Notification): string | null {
  const { kind } = notification;
  const title = contentText(notification, 'title', 'subject');
  const isPlain = !isMessage(notification) && (kind === 'system' || kind === 'other');
  return title ?? (isPlain ? contentText(notification, 'message', 'text') : null);
}

/** Longer names of entities are truncated in a list, so that rows stay low. */
const longestName = 80;

/**
 * Splits a headline at its names and shortens the entity's. It finds the names in the text, because their positions depend on
 * the language. A headline without names is one part, an `entity`.
 */
export function titleParts(title: string, notification: Notification) {
  const actor = notificationActor(notification) ?? '';
  const entity = notificationEntity(notification) ?? '';
  const actorAt = actor === '' ? -1 : title.indexOf(actor);
  const actorEnd = actorAt < 0 ? 0 : actorAt + actor.length;
  const found = entity === '' ? -1 : title.lastIndexOf(entity);
  const entityAt = found < actorEnd ? -1 : found;
  if (actorAt < 0 && entityAt < 0) return [{ text: title, role: 'entity' } as const];
  const rest = entityAt < 0 ? title.length : entityAt;
  const parts = [
    { text: title.slice(0, Math.max(0, actorAt)), role: 'verb' },
    { text: actorAt < 0 ? '' : actor, role: 'actor' },
    { text: title.slice(actorEnd, rest), role: 'verb' },
    { text: entityAt < 0 ? '' : shorten(entity), role: 'entity' },
    { text: title.slice(rest + (entityAt < 0 ? 0 : entity.length)), role: 'verb' },
  ] as const;
  return parts.filter(({ text }) => text !== '');
}

function shorten(name: string): string {
  if (name.length <= longestName) return name;
  // Do not cut between the two code units of one character.
  const start = name.slice(0, longestName - 1).replace(/[\uD800-\uDBFF]$/, '');
  return `${start.trimEnd()}…`;
}

/** The actor's name. Only from `metadata`, which the server stamps: a sender can write anything into `data`. */
export function notificationActor(notification: Notification): string | null {
  return metadataText(notification, 'actor_name', 'actor', 'inviter_name', 'inviter_email', 'actor_email');
}

/** The entity's name; null without one. */
export function notificationEntity(notification: Notification): string | null {
  return contentText(notification, 'entity_name', 'entity_title', 'name');
}

/** The invitation in a notification, and the answer that was given; null: it has none, such as an answer to the user's own invitation. */
export function notificationInvitation(notification: Notification) {
  if (notification.kind !== 'invite') return null;
  const path = contentText(notification, 'url', 'href', 'link', 'path');
  const token =
    contentText(notification, 'token', 'invitation_token') ?? /^\/join\/([\w-]+)$/.exec(path ?? '')?.[1];
  const decision = contentText(notification, 'answer');
  const answer = (['accepted', 'declined'] as const).find((each) => each === decision) ?? null;
  return token ? { token, answer } : null;
}

/** A button that the sender of a message defined. */
export type MessageAction =
  | { readonly label: string; /** A path of this site. */ readonly url: string }
  | { readonly label: string; /** A function of the database. */ readonly callback: string };

/**
 * The buttons of a message, at most three.
 *
 * @param kind the notification's kind, which lists the functions that its buttons may call: the content alone may call none.
 */
export function messageActions(
  { data }: Notification,
  kind: RegisteredKind | undefined,
): readonly MessageAction[] {
  const given: readonly unknown[] = Array.isArray(data['actions']) ? data['actions'].slice(0, 3) : [];
  return given.flatMap((action): readonly MessageAction[] => {
    const { label, url, callback } = (action ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof label !== 'string') return [];
    if (typeof url === 'string' && isPath(url)) return [{ label, url }];
    const isCallable = typeof callback === 'string' && kind?.callbacks.includes(callback);
    return isCallable ? [{ label, callback }] : [];
  });
}

function isPath(url: string): boolean {
  return /^\/(?![/\\\s])/.test(url);
}

/** What was written; null without it. */
function messageText(notification: Notification): string | null {
  return contentText(notification, 'excerpt', 'snippet', 'message', 'body', 'text', 'comment');
}

/** The text below the title; null without one. */
export function notificationSnippet(notification: Notification, texts: InboxTexts): string | null {
  const text = templateWords(notification, texts)?.text ?? messageText(notification);
  return text === notificationTitle(notification, texts) ? null : text;
}

/** The page that a notification leads to. */
export interface NotificationLink {
  readonly href: string;
  /** The host that the sender chose, if it is not this site; null: a page of this site or of its entities. */
  readonly foreignHost: string | null;
}

/**
 * The link of a notification: its own URL if that is a path of this site or an http(s) address, its invitation's page, or
 * its entity's page; null without one.
 *
 * @param entityUrl the entities' pages, with `{entity_type}` and `{entity_id}`; null where they have none.
 */
export function notificationLink(
  notification: Notification,
  entityUrl: string | null,
): NotificationLink | null {
  const given = contentText(notification, 'url', 'href', 'link', 'path');
  if (given && isPath(given)) return { href: given, foreignHost: null };
  if (given && /^https?:\/\//i.test(given) && URL.canParse(given))
    return addressLink(new URL(given), entityUrl);
  const { kind, entityType, entityId } = notification;
  const token = kind === 'invite' ? contentText(notification, 'token', 'invitation_token') : null;
  if (token) return { href: `/join/${encodeURIComponent(token)}`, foreignHost: null };
  if (!entityUrl || !entityType || !entityId) return null;
  const values: Readonly<Record<string, string>> = { entity_type: entityType, entity_id: entityId };
  const href = entityUrl.replace(/\{(entity_type|entity_id)\}/g, (_match, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
  return { href, foreignHost: null };
}

/** The link of an http(s) address. @param entityUrl as for a notification: the entities' site is known. */
export function addressLink({ href, host, origin }: URL, entityUrl: string | null): NotificationLink {
  const isKnown = origin === globalThis.location?.origin || origin === originOf(entityUrl);
  return { href, foreignHost: isKnown ? null : host };
}

function originOf(template: string | null): string | null {
  return template && URL.canParse(template) ? new URL(template).origin : null;
}
