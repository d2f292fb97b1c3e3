import { useEffect } from 'react';
import { setTitleCount } from '../../../ui/page/page-title.ts';
import { useInboxSnapshot } from '../data/inbox-context.ts';
import unreadIcon from './favicon-unread.svg?inline';

/**
 * Shows the number of unread notifications in the document's title and on the icon of the installed application, and their
 * presence in the tab's icon.
 */
export function UnreadBadge() {
  const { unread } = useInboxSnapshot().counts;
  useEffect(() => {
    setTitleCount(unread);
    setIcon(unread > 0);
    setAppBadge(unread);
  }, [unread]);
  useEffect(
    () => () => {
      setTitleCount(0);
      setIcon(false);
      setAppBadge(0);
    },
    [],
  );
  return null;
}

/** The second icon is in the code: a file would cost each visit one more request. */
function setIcon(isUnread: boolean): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (link) link.href = isUnread ? unreadIcon : '/favicon.svg';
}

/** Badging API: a refusal, or a browser without it, leaves the icon unchanged. */
function setAppBadge(count: number): void {
  (navigator as Partial<Navigator>).setAppBadge?.call(navigator, count).catch(() => undefined);
}
