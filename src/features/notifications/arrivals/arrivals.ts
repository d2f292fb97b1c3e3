import type { Platform } from '../../../platform/platform.ts';
import { announce } from '../../../ui/page/announcer.tsx';
import { createAnnouncer } from './announcer.ts';
import { isDesktopChosen } from './desktop-choice.ts';
import type { Notification } from '../model/notification.ts';
import { inboxTexts } from '../texts/notification-texts.ts';
import { soundChoice } from './sound-choice.ts';
import { createVisibleTab } from './visible-tab.ts';

/** Tells the reader of what came in: by the page's live region; by a sound and by the device where that was asked for. */
export function createArrivals(
  platform: Pick<Platform, 'clock' | 'locks' | 'page' | 'openBroadcast' | 'report'>,
) {
  const { clock, page, report } = platform;
  const visibleTab = createVisibleTab(platform);
  const tellDevice = async (arrivals: readonly Notification[]) => {
    if (await visibleTab.isAnySeen()) return;
    const { showDesktopNotifications } = await import('./desktop-notifications.ts');
    await showDesktopNotifications(arrivals);
  };
  const announcer = createAnnouncer(clock, (count) => {
    inboxTexts.load().then((texts) => announce(texts.arrived(count)), report);
    if (!soundChoice.getSnapshot()) return;
    import('./arrival-sound.ts').then(({ playArrivalSound }) => playArrivalSound(platform)).catch(report);
  });
  return {
    add(arrivals: readonly Notification[]) {
      announcer.add(arrivals.length);
      if (!page.isVisible() && isDesktopChosen()) tellDevice(arrivals).catch(report);
    },
    close() {
      announcer.close();
      visibleTab.close();
    },
  };
}
