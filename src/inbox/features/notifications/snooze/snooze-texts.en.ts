import type { Translation } from '../../../ui/texts.ts';

export const texts = {
  title: (count: number) => (count === 1 ? 'Snooze until' : `Snooze ${count.toLocaleString('en')} until`),
  choices: { laterToday: 'Later today', tomorrow: 'Tomorrow', nextWeek: 'Next week' },
  pick: 'Date and time',
  snooze: 'Snooze',
  missing: 'Choose a date and a time.',
  past: 'Choose a time in the future.',
  snoozed: (count: number, time: string) =>
    count === 1
      ? `Snoozed until ${time}.`
      : `${count.toLocaleString('en')} notifications snoozed until ${time}.`,
};

export type SnoozeTexts = Translation<typeof texts>;
