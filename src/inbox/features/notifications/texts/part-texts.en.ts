import type { Translation } from '../../../ui/texts.ts';

const notifications = (count: number) =>
  `${count.toLocaleString('en')} ${count === 1 ? 'notification' : 'notifications'}`;

/** Texts of parts of the list that few visits show. */
export const texts = {
  emptyInbox: 'No notifications yet.',
  selectDone: 'Done',
  selectAll: 'Select all shown',
  selectEverything: (count: number) => `Select all ${count.toLocaleString('en')}`,
  selected: (count: number) => `${count.toLocaleString('en')} selected`,
  times: (title: string, count: number, isAtLeast: boolean) =>
    `${title}, ${isAtLeast ? 'at least ' : ''}${count.toLocaleString('en')} times`,
  /** What an action on a group concerns: the loaded notifications. */
  several: (title: string, count: number) => `${title} (${notifications(count)})`,
  seeAll: 'See all',
  showEverything: 'Show all types',
};

export type PartTexts = Translation<typeof texts>;
