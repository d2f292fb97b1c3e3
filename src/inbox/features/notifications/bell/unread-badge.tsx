import { useEffect } from 'react';
import { setTitleCount } from '../../../ui/page/page-title.ts';
import { useInboxSnapshot } from '../data/inbox-context.ts';
import unreadIcon from './favicon-unread.svg?inline';

/**
 * Shows the number of unread notifications in the document's title and on the icon of the installed application, and their
 * presence in the tab's icon. Closes the alerts of push messages once nothing is unread, and at sign-out: the system keeps them.
 */
export function UnreadBadge() {
  const { counts, isVerified } = useInboxSnapshot();
  const { unread } = counts;
  useEffect(() => {
    setTitleCount(unread);
    setIcon(unread > 0);
    setAppBadge(unread);
  }, [unread]);
  useEffect(() => {
    // Before the first read nothing is known to be unread.
    if (isVerified && unread === 0) void closeAlerts();
  }, [isVerified, unread]);
  useEffect(
    () => () => {
      void closeAlerts();
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

/** Never rejects: a browser without service workers has no such alerts. */
async function closeAlerts(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration().catch(() => undefined);
  const alerts = await registration?.getNotifications().catch(() => []);
  for (const alert of alerts ?? []) alert.close();
}
