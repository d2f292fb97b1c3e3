import { useEffect } from 'react';
import { setTitleCount } from '../../../ui/page/page-title.ts';
import { useInboxSnapshot } from '../data/inbox-context.ts';

/** Tells the number of unread notifications where the tab is seen without its page: in its title and its icon. */
export function UnreadBadge() {
  const { unread } = useInboxSnapshot().counts;
  useEffect(() => {
    setTitleCount(unread);
    setIcon(unread > 0);
  }, [unread]);
  useEffect(
    () => () => {
      setTitleCount(0);
      setIcon(false);
    },
    [],
  );
  return null;
}

/** Both icons are files of this site: the page's policy allows no other images. */
function setIcon(isUnread: boolean): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (link) link.href = isUnread ? '/favicon-unread.svg' : '/favicon.svg';
}
