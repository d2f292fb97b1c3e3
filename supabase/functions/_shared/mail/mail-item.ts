import type { QueuedItem } from './queued-mail.ts';

/** Kinds that a mail names; services may send others. */
export const mailKinds = ['mention', 'message', 'comment', 'edit', 'invite', 'other'] as const;
export type MailKind = (typeof mailKinds)[number];

/** A notification for the texts of a mail, with values of limited length. */
export interface MailItem {
  readonly kind: MailKind;
  /** The kind that the team registered; null: one of `mailKinds`. */
  readonly registered: { readonly name: string; readonly label: string } | null;
  /** The headline of a registered kind; null: the kind's sentence is used. */
  readonly title: string | null;
  /** The sender's name; null: not named. */
  readonly actor: string | null;
  /** What the item is about; null: not named. */
  readonly entity: string | null;
  readonly entityType: string | null;
  /** The text of the notification; null: none. */
  readonly text: string | null;
  /** An invitation that was answered. */
  readonly answer: 'accepted' | 'declined' | null;
  readonly createdAtMs: number;
  /** How many earlier events of the same thread the item represents. */
  readonly earlierCount: number;
  readonly url: string;
}

type Fields = Readonly<Record<string, unknown>>;

const maxNameCharacters = 100;
const maxTitleCharacters = 150;
const maxTextCharacters = 280;

export function readMailItem(item: QueuedItem, appUrl: string): MailItem {
  const content = fieldsOf(item.content);
  const data = fieldsOf(content['data']);
  const metadata = fieldsOf(content['metadata']);
  const find = (names: readonly string[], maxCharacters: number): string | null => {
    for (const name of names) {
      const found = bounded(data[name], maxCharacters) ?? bounded(metadata[name], maxCharacters);
      if (found) return found;
    }
    return null;
  };
  const entityType = bounded(content['entity_type'], maxNameCharacters);
  const status = data['status'] ?? metadata['status'];
  const text = find(['excerpt', 'snippet', 'message', 'body', 'text', 'comment'], maxTextCharacters);
  return {
    kind: mailKinds.find((kind) => kind === item.kind) ?? 'other',
    ...registeredWords(item, find(['title', 'subject'], maxTitleCharacters), text),
    actor: find(['actor_name', 'actor', 'inviter_name'], maxNameCharacters),
    entity: find(['entity_name', 'entity_title', 'name'], maxNameCharacters),
    entityType,
    answer: item.kind === 'invite' && (status === 'accepted' || status === 'declined') ? status : null,
    createdAtMs: Date.parse(item.created_at),
    earlierCount: (item.count ?? 1) - 1,
    url: itemUrl(item, find(['url', 'href', 'link', 'path'], 1000), appUrl),
  };
}

/** The templates' title and text, or else the message's own: without a title, its text is the headline. */
function registeredWords(
  { kind, words }: QueuedItem,
  ownTitle: string | null,
  ownText: string | null,
): Pick<MailItem, 'registered' | 'title' | 'text'> {
  if (!words) return { registered: null, title: null, text: ownText };
  const { label } = words;
  const text = bounded(words.text, maxTextCharacters) ?? ownText;
  const title = bounded(words.title, maxTitleCharacters) ?? ownTitle ?? bounded(text, maxTitleCharacters);
  return { registered: { name: kind, label }, title: title ?? label, text: text === title ? null : text };
}

/** The notification in the inbox; one that the inbox does not list leads to its own path of the application. */
function itemUrl(item: QueuedItem, path: string | null, appUrl: string): string {
  if (item.is_in_inbox) return `${appUrl}/home?open=${encodeURIComponent(item.id)}`;
  return path !== null && /^\/(?![/\\])/.test(path) ? appUrl + path : `${appUrl}/home`;
}

/** One line without control characters and without characters that reverse the reading direction. */
function bounded(value: unknown, maxCharacters: number): string | null {
  if (typeof value !== 'string') return null;
  const line = value
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  if (line === '') return null;
  const characters = Array.from(line);
  return characters.length <= maxCharacters ? line : `${characters.slice(0, maxCharacters - 1).join('')}…`;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
