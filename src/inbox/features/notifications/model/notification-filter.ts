import { needsUser, type Notification } from './notification.ts';

/** `needs-you`: what is unread and needs the user (`needsUser`). */
export const inboxTabs = ['all', 'unread', 'needs-you', 'snoozed', 'archived'] as const;
export type InboxTab = (typeof inboxTabs)[number];

/** The shown list. It lives in the URL, so that it survives actions and can be linked to. */
export interface NotificationFilter {
  readonly tab: InboxTab;
  /** The name of a kind; null: every kind. */
  readonly kind: string | null;
  /** The id of a sender; absent: every sender. */
  readonly person?: string | undefined;
  /** A thread; absent: every thread. */
  readonly place?: string | undefined;
  /** The words to search for, without needless spaces; absent: the whole list. */
  readonly query?: string | undefined;
}

export const unfiltered: NotificationFilter = { tab: 'all', kind: null };

/** Unknown values count as absent, except for kinds: one may have been registered meanwhile. */
export function parseFilter(search: string): NotificationFilter {
  const parameters = new URLSearchParams(search);
  const query = normalizeQuery(parameters.get('q') ?? '');
  const kind = parameters.get('kind') ?? '';
  const person = parameters.get('person') ?? '';
  const place = parameters.get('place') ?? '';
  return {
    tab: inboxTabs.find((tab) => tab === parameters.get('tab')) ?? 'all',
    kind: /^[a-z][a-z0-9_]{0,49}$/.test(kind) ? kind : null,
    ...(isId(person) && { person }),
    ...(place.includes('/') && !place.includes('\0') && { place }),
    ...(query !== '' && { query }),
  };
}

/** Whether the text has the shape of an id: the database refuses any other value, such as that of a truncated link. */
export function isId(text: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
}

/** Maximum length of a query that the server reads. */
const longestQuery = 200;

/**
 * Normalizes the words of a search: single spaces, at most 200 characters. The database refuses U+0000 and half an emoji, which
 * a link may contain or be cut to.
 */
export function normalizeQuery(text: string): string {
  const words = text.replace(/[\s\0]+/g, ' ').trim();
  return words
    .slice(0, longestQuery)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trim();
}

/** The query part of the URL, with its `?`; empty for everything. It identifies the list. */
export function encodeFilter({ tab, kind, person, place, query }: NotificationFilter): string {
  const parts = { tab: tab === 'all' ? '' : tab, kind, person, place, q: query };
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(parts)) if (value) parameters.set(name, value);
  return parameters.size > 0 ? `?${parameters}` : '';
}

/** Whether the list is narrowed within its tab, by more than a search. */
export function isFiltered({ kind, person, place }: NotificationFilter): boolean {
  return Boolean(kind ?? person ?? place);
}

/** Whether the server has no function for the whole list, because the filter narrows it by more than its kind. */
export function isNarrow({ tab, person, place, query }: NotificationFilter): boolean {
  return tab === 'needs-you' || Boolean(person ?? place ?? query);
}

/** Whether the list has unread notifications only; those that are read in it stay until it is left. */
export function listsUnread({ tab }: Pick<NotificationFilter, 'tab'>): boolean {
  return tab === 'unread' || tab === 'needs-you';
}

/** Whether the notification is in the filter's list. Only the server can match the words of a query. */
export function matchesFilter(
  row: Pick<Notification, 'status' | 'kindName' | 'isSnoozed' | 'senderId' | 'thread' | 'data'>,
  { tab, kind, person, place }: NotificationFilter,
): boolean {
  const { status, isSnoozed } = row;
  if (kind !== null && row.kindName !== kind) return false;
  if ((person && row.senderId !== person) || (place && row.thread !== place)) return false;
  if (isSnoozed || tab === 'snoozed') return isSnoozed && tab === 'snoozed';
  if (tab === 'needs-you') return status === 'unread' && needsUser(row);
  return tab === 'all' ? status !== 'archived' : status === tab;
}

/** The tabs that contain those of another tab, after itself. */
const widerTabs: { readonly [Tab in InboxTab]?: readonly InboxTab[] } = {
  unread: ['unread', 'all'],
  'needs-you': ['needs-you', 'unread', 'all'],
};

/** The filters whose list contains this filter's list, itself first. */
export function coveringFilters(filter: NotificationFilter): readonly NotificationFilter[] {
  if (filter.query) return [filter];
  const tabs = widerTabs[filter.tab] ?? [filter.tab];
  const kinds = filter.kind ? [filter.kind, null] : [null];
  const wider = tabs.flatMap((tab) => kinds.map((kind) => ({ tab, kind })));
  return isNarrow(filter) ? [...wider.map((part) => ({ ...filter, ...part })), ...wider] : wider;
}

/** The page of the filter's list; with `openId`, that notification is opened. */
export function inboxHref(filter: NotificationFilter, openId?: string): string {
  const query = encodeFilter(filter);
  return `/home${query}${openId ? `${query ? '&' : '?'}open=${encodeURIComponent(openId)}` : ''}`;
}

/** The notification that the URL opens; null: none. */
export function parseOpenId(search: string): string | null {
  return new URLSearchParams(search).get('open') || null;
}
