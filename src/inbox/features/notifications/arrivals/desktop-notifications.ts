import { navigate } from 'wouter/use-browser-location';
import type { Notification as InboxNotification } from '../model/notification.ts';
import { unfiltered, inboxHref } from '../model/notification-filter.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { notificationSnippet, notificationTitle } from '../texts/notification-words.ts';

/**
 * Shows a desktop notification for arrivals. A click focuses a page of the application and opens the notification. The service worker
 * shows it where one is active: Chromium on Android refuses the constructor, and iOS shows alerts of a service worker alone.
 */
export async function showDesktopNotifications(arrivals: readonly InboxNotification[]): Promise<void> {
  const texts = await inboxTexts.load();
  const [newest] = arrivals;
  if (!newest) return;
  const isOne = arrivals.length === 1;
  const title = isOne ? notificationTitle(newest, texts) : texts.arrived(arrivals.length);
  const options = {
    // A notification replaces one with the same tag, so the tabs of this origin show one.
    tag: newest.id,
    body: (isOne ? notificationSnippet(newest, texts) : notificationTitle(newest, texts)) ?? '',
    icon: '/favicon.svg',
  };
  const path = inboxHref(unfiltered, isOne ? newest.id : undefined);
  const registration = await navigator.serviceWorker?.getRegistration();
  // The service worker opens the path when the alert is clicked (src/inbox/service-worker/push-message.ts).
  if (registration?.active) return registration.showNotification(title, { ...options, data: path });
  const shown = new Notification(title, options);
  shown.addEventListener('click', () => {
    window.focus();
    shown.close();
    navigate(path);
  });
}
