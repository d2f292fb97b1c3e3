const changes = (count: number) => (count === 1 ? '1 change' : `${count} changes`);

export const texts = {
  offline: (count: number) => `You’re offline. ${changes(count)} will be sent when you’re back.`,
  sending: (count: number) => `Sending ${changes(count)}…`,
  changed: (count: number) =>
    count === 1
      ? 'A change you made offline wasn’t applied: the same item was changed on another device in the meantime.'
      : `${count} changes you made offline weren’t applied: the same items were changed on another device in the meantime.`,
  deleted: (count: number) =>
    count === 1
      ? 'A change you made offline wasn’t applied: the notification was deleted in the meantime.'
      : `${count} changes you made offline weren’t applied: the notifications were deleted in the meantime.`,
  refused: (count: number) =>
    count === 1
      ? 'A change you made offline couldn’t be saved.'
      : `${count} changes you made offline couldn’t be saved.`,
  questionTitle: 'Sign out without sending?',
  question: (count: number) =>
    count === 1
      ? '1 change hasn’t been sent yet. If you sign out now, it’s lost.'
      : `${count} changes haven’t been sent yet. If you sign out now, they’re lost.`,
  stay: 'Stay signed in',
  signOut: 'Sign out and discard',
  close: 'Close',
};

export type OutboxTexts = typeof texts;
