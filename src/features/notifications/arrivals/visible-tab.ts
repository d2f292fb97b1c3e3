import type { Platform } from '../../../platform/platform.ts';

/** A tab that is seen answers in a fraction of this. */
const answerMs = 200;

/** Whether any tab of the application is seen: news need not come by the device where it can be read already. */
export interface VisibleTab {
  isAnySeen(): Promise<boolean>;
  close(): void;
}

export function createVisibleTab({
  clock,
  page,
  openBroadcast,
}: Pick<Platform, 'clock' | 'page' | 'openBroadcast'>): VisibleTab {
  const tabs = openBroadcast('inbox-visible');
  let waiting: ((isSeen: boolean) => void)[] = [];
  const answer = (isSeen: boolean) => {
    for (const tell of waiting.splice(0)) tell(isSeen);
  };
  tabs.subscribe((message) => {
    if (message === 'here') answer(true);
    if (message === 'anybody' && page.isVisible()) tabs.post('here');
  });
  return {
    isAnySeen() {
      if (page.isVisible()) return Promise.resolve(true);
      if (waiting.length === 0) {
        tabs.post('anybody');
        clock.setTimer(() => answer(false), answerMs);
      }
      return new Promise((resolve) => void waiting.push(resolve));
    },
    close() {
      waiting = [];
      tabs.close();
    },
  };
}
