import { defineTexts, type Translation } from '../../ui/texts.ts';

const changes = (count: number) => (count === 1 ? '1 change' : `${count} changes`);

const english = {
  offline: (count: number) => `You’re offline. Waiting to sync: ${changes(count)}.`,
  sending: (count: number) => `Syncing ${changes(count)}…`,
  show: 'Show',
  listTitle: 'Waiting to sync',
  listIntro:
    'These changes are saved on this device. They’re sent in this order as soon as you’re back online.',
  listIntroUnsaved:
    'This browser can’t save your changes. Keep this tab open: they’re sent in this order as soon as you’re back online.',
  discard: 'Discard',
  discardNamed: (name: string) => `Discard: ${name}`,
  discardAll: 'Discard all',
  tooLate: 'Too late to undo: the change was already sent.',
  changed: (count: number) =>
    count === 1
      ? 'A change wasn’t applied: the same item was changed on another device in the meantime.'
      : `${count} changes weren’t applied: the same items were changed on another device in the meantime.`,
  deleted: (count: number) =>
    count === 1
      ? 'A change wasn’t applied: the item was deleted in the meantime.'
      : `${count} changes weren’t applied: the items were deleted in the meantime.`,
  refused: (count: number) =>
    count === 1
      ? 'Something went wrong. Your change was undone.'
      : `Something went wrong. ${count} of your changes were undone.`,
  dropped: (count: number) =>
    `${changes(count)} on this device ${count === 1 ? 'was' : 'were'} discarded: made by another account, or more than 14 days ago.`,
  retry: 'Try again',
  questionTitle: 'Sign out without sending?',
  question: (count: number) =>
    count === 1
      ? '1 change hasn’t been sent yet. If you sign out now, it’s lost.'
      : `${count} changes haven’t been sent yet. If you sign out now, they’re lost.`,
  stay: 'Stay signed in',
  signOut: 'Sign out and discard',
  close: 'Close',
};

export type OutboxTexts = Translation<typeof english>;

export const outboxTexts = defineTexts<OutboxTexts>(english, () => import('./outbox-texts.de.ts'));
