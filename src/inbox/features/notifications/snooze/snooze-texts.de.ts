import type { SnoozeTexts } from './snooze-texts.en.ts';

export const texts: SnoozeTexts = {
  title: (count) => (count === 1 ? 'Zurückstellen bis' : `${count.toLocaleString('de')} zurückstellen bis`),
  choices: { laterToday: 'Später heute', tomorrow: 'Morgen', nextWeek: 'Nächste Woche' },
  pick: 'Datum und Uhrzeit',
  snooze: 'Zurückstellen',
  missing: 'Wähle ein Datum und eine Uhrzeit.',
  past: 'Wähle eine Zeit in der Zukunft.',
  snoozed: (count, time) =>
    count === 1
      ? `Zurückgestellt bis ${time}.`
      : `${count.toLocaleString('de')} Benachrichtigungen zurückgestellt bis ${time}.`,
};
