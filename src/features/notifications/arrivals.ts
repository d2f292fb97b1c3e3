import type { Platform } from '../../platform/platform.ts';
import { announce } from '../../ui/announcer.tsx';
import { createAnnouncer } from './announcer.ts';
import { isDesktopChosen } from './desktop-choice.ts';
import type { Notification } from './notification.ts';
import { inboxTexts } from './notification-texts.ts';

/** Tells the reader of what came in: by the page's live region, and by the device where that was asked for. */
export function createArrivals({ clock, page, report }: Pick<Platform, 'clock' | 'page' | 'report'>) {
  const announcer = createAnnouncer(clock, (count) => {
    inboxTexts.load().then((texts) => announce(texts.arrived(count)), report);
  });
  return {
    add(arrivals: readonly Notification[]) {
      announcer.add(arrivals.length);
      if (page.isVisible() || !isDesktopChosen()) return;
      import('./desktop-notifications.ts')
        .then(({ showDesktopNotifications }) => showDesktopNotifications(arrivals))
        .catch(report);
    },
    close: announcer.close,
  };
}
