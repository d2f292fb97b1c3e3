import type { Platform } from 'supabase-protocol-clients/platform';

/** A visible tab responds in a fraction of this time. */
const responseMs = 200;

/** Finds out whether any tab of the application is visible: then no desktop alert is needed. */
export function createVisibleTab({
  clock,
  page,
  openTabChannel,
}: Pick<Platform, 'clock' | 'page' | 'openTabChannel'>) {
  const tabs = openTabChannel('inbox-visible');
  let waiting: ((isVisible: boolean) => void)[] = [];
  const settle = (isVisible: boolean) => {
    for (const resolve of waiting.splice(0)) resolve(isVisible);
  };
  tabs.subscribe((message) => {
    if (message === 'visible') settle(true);
    if (message === 'is-any-visible' && page.isVisible()) tabs.post('visible');
  });
  return {
    isAnyVisible(): Promise<boolean> {
      if (page.isVisible()) return Promise.resolve(true);
      if (waiting.length === 0) {
        tabs.post('is-any-visible');
        clock.setTimer(() => settle(false), responseMs);
      }
      return new Promise((resolve) => void waiting.push(resolve));
    },
    close() {
      waiting = [];
      tabs.close();
    },
  };
}
