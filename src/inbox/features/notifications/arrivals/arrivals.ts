import { createObservable, type Platform } from 'supabase-protocol-clients/platform';
import { arePageAlertsOn } from '../../../shared/page-alerts.ts';
import { announce } from '../../../ui/page/announcer.tsx';
import { createAnnouncer } from '../../../ui/list/arrival-announcer.ts';
import { showDesktopNotifications } from './desktop-notifications.ts';
import type { Notification } from '../model/notification.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { createVisibleTab } from './visible-tab.ts';

export type Arrivals = ReturnType<typeof createArrivals>;

/** How many new notifications wait above the shown list: announcements name the same number. */
export const waitingAbove = createObservable(0);

/**
 * Announces arrivals: by the page's live region, and by a desktop alert where the user chose it.
 *
 * @param isQuiet whether the user's quiet hours are in force: there is no alert then.
 */
export function createArrivals(
  platform: Pick<Platform, 'clock' | 'page' | 'openTabChannel' | 'report'>,
  isQuiet: () => Promise<boolean>,
) {
  const { clock, page, report } = platform;
  const visibleTab = createVisibleTab(platform);
  const showOnDesktop = async (arrivals: readonly Notification[]) => {
    if ((await visibleTab.isAnyVisible()) || (await isQuiet())) return;
    await showDesktopNotifications(arrivals);
  };
  const announcer = createAnnouncer(clock, (count) => {
    void inboxTexts
      .load()
      .then((texts) => announce(texts.arrived(Math.max(count, waitingAbove.getSnapshot()))));
  });
  return {
    /** @param arrivals newest first. */
    add(arrivals: readonly Notification[]) {
      announcer.add(arrivals.length);
      if (!page.isVisible() && arePageAlertsOn()) showOnDesktop(arrivals).catch(report);
    },
    close() {
      announcer.close();
      visibleTab.close();
    },
  };
}
