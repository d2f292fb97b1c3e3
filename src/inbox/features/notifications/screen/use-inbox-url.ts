import { useDeferredValue, useEffect, useMemo, useRef } from 'react';
import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { useInbox } from '../data/inbox-context.ts';
import { closeDetail, openDetail } from '../list/detail-history.ts';
import { readScrollPosition, saveScrollPosition } from '../../../ui/list/saved-scroll.ts';
import { encodeFilter, inboxHref, parseFilter, parseOpenId } from '../model/notification-filter.ts';

export type InboxUrl = ReturnType<typeof useInboxUrl>;

/** The list and the opened notification, as the URL has them. Lets the inbox show that list. */
export function useInboxUrl() {
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
    // The detail has its own history entry, to which Back may return.
    else if (current.search !== search) saveScrollPosition();
  }, [listKey, search]);
  return {
    listKey,
    /** The rendered notification of the detail; null: none. */
    openId,
    /** The opened notification in the current URL: fast key presses arrive before it is rendered. */
    readOpenId: () => parseOpenId(location.search),
    /** Shows a notification of the list in the detail, or closes it. */
    open: (id: string | undefined) => (id ? openDetail : closeDetail)(inboxHref(filter, id)),
    /** Searches within the list; the first words make a history entry, so that Back leaves the search. */
    search: (words: string) =>
      navigate(inboxHref({ ...filter, query: words }), { replace: Boolean(filter.query) }),
  };
}
