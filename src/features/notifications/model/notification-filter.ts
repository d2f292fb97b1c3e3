import { notificationKinds } from './notification.ts';
import type { Notification, NotificationKind } from './notification.ts';

export const inboxTabs = ['all', 'unread', 'archived'] as const;
export type InboxTab = (typeof inboxTabs)[number];

/** The shown list. It lives in the URL, so that it survives actions and can be linked to. */
export interface NotificationFilter {
  readonly tab: InboxTab;
  /** null: every kind. */
  readonly kind: NotificationKind | null;
}

export const everything: NotificationFilter = { tab: 'all', kind: null };

/** Unknown values fall back to everything. */
export function parseFilter(search: string): NotificationFilter {
  const parameters = new URLSearchParams(search);
  return {
    tab: inboxTabs.find((tab) => tab === parameters.get('tab')) ?? 'all',
    kind: notificationKinds.find((kind) => kind === parameters.get('kind')) ?? null,
  };
}

/** The query part of the URL, with its `?`; empty for everything. */
export function encodeFilter({ tab, kind }: NotificationFilter): string {
  const parameters = new URLSearchParams();
  if (tab !== 'all') parameters.set('tab', tab);
  if (kind) parameters.set('kind', kind);
  return parameters.size > 0 ? `?${parameters}` : '';
}

export function matchesFilter(
  notification: Pick<Notification, 'status' | 'kind'>,
  { tab, kind }: NotificationFilter,
): boolean {
  return (
    (kind === null || notification.kind === kind) &&
    (tab === 'all' ? notification.status !== 'archived' : notification.status === tab)
  );
}

/** The filters whose list contains this filter's list, itself first. */
export function coveringFilters(filter: NotificationFilter): readonly NotificationFilter[] {
  const tabs: readonly InboxTab[] = filter.tab === 'unread' ? ['unread', 'all'] : [filter.tab];
  const kinds = filter.kind ? [filter.kind, null] : [null];
  return tabs.flatMap((tab) => kinds.map((kind) => ({ tab, kind })));
}

export function filterKey({ tab, kind }: NotificationFilter): string {
  return `${tab}|${kind ?? ''}`;
}

/** The page of the filter's list, with one notification of it opened where there is an `openId`. */
export function inboxHref(filter: NotificationFilter, openId?: string): string {
  const query = encodeFilter(filter);
  return `/home${query}${openId ? `${query ? '&' : '?'}open=${encodeURIComponent(openId)}` : ''}`;
}

/** The notification that the URL opens; null: none. */
export function parseOpenId(search: string): string | null {
  return new URLSearchParams(search).get('open');
}
