import { useDeferredValue, useEffect, useMemo, useRef } from 'react';
import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { useInbox } from '../data/inbox-context.ts';
import { closeDetail, openDetail } from '../list/detail-history.ts';
import { readScrollPosition, saveScrollPosition } from '../../../ui/list/saved-scroll.ts';
import { encodeFilter, inboxHref, parseFilter, parseOpenId } from '../model/notification-filter.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';

/** The list and the opened notification, as the URL has them. */
export interface InboxUrl {
  /** The list; the same object until it changes. */
  readonly filter: NotificationFilter;
  /** Identifies the list. */
  readonly listKey: string;
  /** The id of the opened notification, as it is rendered; null: none. */
  readonly openId: string | null;
  /** The same, as the URL has it now: keys that follow each other fast come before it is rendered. */
  readonly readOpenId: () => string | null;
  /** Shows a notification of the list in the detail, or closes it. */
  readonly open: (id: string | undefined) => void;
  /** Searches within the list; the first words make a history entry, so that Back leaves the search. */
  readonly search: (words: string) => void;
}

/** Reads the URL, and lets the inbox show the list that it names. */
export function useInboxUrl(): InboxUrl {
  const inbox = useInbox();
  // Deferred, so that the clicked link shows at once that it is the current one.
  const search = useDeferredValue(useSearch());
  const openId = parseOpenId(search);
  const filter = useMemo(() => parseFilter(search), [search]);
  const listKey = encodeFilter(filter);
  useEffect(() => inbox.show(filter), [inbox, filter]);
  const shown = useRef({ search, listKey });
  useEffect(() => {
    const { current } = shown;
    shown.current = { search, listKey };
    // A list that was not shown before in this history entry begins at its top.
    if (current.listKey !== listKey) window.scrollTo(0, readScrollPosition());
    // The detail has an entry of its own, to which Back may return.
    else if (current.search !== search) saveScrollPosition();
  }, [listKey, search]);
  return {
    filter,
    listKey,
    openId,
    readOpenId: () => parseOpenId(location.search),
    open: (id) => (id ? openDetail : closeDetail)(inboxHref(filter, id)),
    search: (words) => navigate(inboxHref({ ...filter, query: words }), { replace: Boolean(filter.query) }),
  };
}
