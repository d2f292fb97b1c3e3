import { navigate } from 'wouter/use-browser-location';
import type { Notification as InboxNotification } from '../model/notification.ts';
import { everything, inboxHref } from '../model/notification-filter.ts';
import { inboxTexts } from '../texts/notification-texts.ts';
import { notificationSnippet, notificationTitle } from '../texts/notification-words.ts';

/** The device's own notification of what came in. A click brings the page to the front, with what it told of opened. */
export async function showDesktopNotifications(arrivals: readonly InboxNotification[]): Promise<void> {
  const texts = await inboxTexts.load();
  const [newest] = arrivals;
  if (!newest) return;
  const isOne = arrivals.length === 1;
  const shown = new Notification(isOne ? notificationTitle(newest, texts) : texts.arrived(arrivals.length), {
    // The tabs of this origin show it once: the same tag replaces.
    tag: newest.id,
    body: (isOne ? notificationSnippet(newest, texts) : notificationTitle(newest, texts)) ?? '',
    icon: '/favicon.svg',
  });
  shown.addEventListener('click', () => {
    window.focus();
    shown.close();
    navigate(inboxHref(everything, isOne ? newest.id : undefined));
  });
}
