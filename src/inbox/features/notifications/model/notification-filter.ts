import type { Notification } from './notification.ts';

export const inboxTabs = ['all', 'unread', 'snoozed', 'archived'] as const;
export type InboxTab = (typeof inboxTabs)[number];

/** The shown list. It lives in the URL, so that it survives actions and can be linked to. */
export interface NotificationFilter {
  readonly tab: InboxTab;
  /** The name of a kind; null: every kind. */
  readonly kind: string | null;
  /** The words to search for, without needless spaces; absent: the whole list. */
  readonly query?: string;
}

export const unfiltered: NotificationFilter = { tab: 'all', kind: null };

/** Unknown values fall back to everything. A kind may be one that was registered meanwhile. */
export function parseFilter(search: string): NotificationFilter {
  const parameters = new URLSearchParams(search);
  const query = normalizeQuery(parameters.get('q') ?? '');
  const kind = parameters.get('kind') ?? '';
  return {
    tab: inboxTabs.find((tab) => tab === parameters.get('tab')) ?? 'all',
    kind: /^[a-z][a-z0-9_]{0,49}$/.test(kind) ? kind : null,
    ...(query !== '' && { query }),
  };
}

/** The most characters of a query that the server reads. */
const longestQuery = 200;

/** The words as they are searched for: single spaces, at most 200 characters. */
export function normalizeQuery(text: string): string {
  return text.trim().replace(/\s+/g, ' ').slice(0, longestQuery).trim();
}

/** The query part of the URL, with its `?`; empty for everything. */
export function encodeFilter({ tab, kind, query }: NotificationFilter): string {
  const parameters = new URLSearchParams();
  if (tab !== 'all') parameters.set('tab', tab);
  if (kind) parameters.set('kind', kind);
  if (query) parameters.set('q', query);
  return parameters.size > 0 ? `?${parameters}` : '';
}

/** Whether the notification is in the tab and of the kind. Only the server can match the words of a query. */
export function matchesFilter(
  { status, kindName, isSnoozed }: Pick<Notification, 'status' | 'kindName' | 'isSnoozed'>,
  filter: NotificationFilter,
): boolean {
  if (filter.kind !== null && kindName !== filter.kind) return false;
  if (isSnoozed || filter.tab === 'snoozed') return isSnoozed && filter.tab === 'snoozed';
  return filter.tab === 'all' ? status !== 'archived' : status === filter.tab;
}

/** The filters whose list contains this filter's list, itself first. */
export function coveringFilters(filter: NotificationFilter): readonly NotificationFilter[] {
  if (filter.query) return [filter];
  const tabs: readonly InboxTab[] = filter.tab === 'unread' ? ['unread', 'all'] : [filter.tab];
  const kinds = filter.kind ? [filter.kind, null] : [null];
  return tabs.flatMap((tab) => kinds.map((kind) => ({ tab, kind })));
}

export function filterKey({ tab, kind, query = '' }: NotificationFilter): string {
  return `${tab}|${kind ?? ''}|${query}`;
}

/** The page of the filter's list, with one notification of it opened where there is an `openId`. */
export function inboxHref(filter: NotificationFilter, openId?: string): string {
  const query = encodeFilter(filter);
  return `/home${query}${openId ? `${query ? '&' : '?'}open=${encodeURIComponent(openId)}` : ''}`;
}

/** The notification that the URL opens; null: none. */
export function parseOpenId(search: string): string | null {
  return new URLSearchParams(search).get('open') || null;
}
