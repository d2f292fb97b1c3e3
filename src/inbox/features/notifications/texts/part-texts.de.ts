import type { PartTexts } from './part-texts.en.ts';

const notifications = (count: number) =>
  `${count.toLocaleString('de')} ${count === 1 ? 'Benachrichtigung' : 'Benachrichtigungen'}`;

export const texts: PartTexts = {
  emptyInbox: 'Noch keine Benachrichtigungen.',
  selectDone: 'Fertig',
  selectAll: 'Alle sichtbaren auswählen',
  selectEverything: (count) => `Alle ${count.toLocaleString('de')} auswählen`,
  selected: (count) => `${count.toLocaleString('de')} ausgewählt`,
  times: (title, count, isAtLeast) =>
    `${title}, ${isAtLeast ? 'mindestens ' : ''}${count.toLocaleString('de')}-mal`,
  several: (title, count) => `${title} (${notifications(count)})`,
  seeAll: 'Alle ansehen',
  showEverything: 'Alle Arten anzeigen',
};
