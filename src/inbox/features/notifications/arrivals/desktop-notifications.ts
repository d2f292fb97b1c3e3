import { navigate } from 'wouter/use-browser-location';
import type { Notification as InboxNotification } from '../model/notification.ts';
import { unfiltered, inboxHref } from '../model/notification-filter.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { notificationSnippet, notificationTitle } from '../texts/notification-words.ts';

/** Shows a desktop notification for arrivals. A click focuses the page and opens the notification. */
export async function showDesktopNotifications(arrivals: readonly InboxNotification[]): Promise<void> {
  const texts = await inboxTexts.load();
  const [newest] = arrivals;
  if (!newest) return;
  const isOne = arrivals.length === 1;
  const shown = new Notification(isOne ? notificationTitle(newest, texts) : texts.arrived(arrivals.length), {
    // A notification replaces one with the same tag, so the tabs of this origin show one.
    tag: newest.id,
    body: (isOne ? notificationSnippet(newest, texts) : notificationTitle(newest, texts)) ?? '',
    icon: '/favicon.svg',
  });
  shown.addEventListener('click', () => {
    window.focus();
    shown.close();
    navigate(inboxHref(unfiltered, isOne ? newest.id : undefined));
  });
}
