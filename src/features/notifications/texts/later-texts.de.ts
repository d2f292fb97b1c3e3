import type { LaterTexts } from './later-texts.en.ts';

export const texts: LaterTexts = {
  found: (count, hasMore) =>
    count === 0 ? 'Keine Treffer' : `${count.toLocaleString('de')}${hasMore ? '+' : ''} Treffer`,
  emptyInbox: 'Noch keine Benachrichtigungen.',
  selectDone: 'Fertig',
  selectAll: 'Alle sichtbaren auswählen',
  selectEverything: (count) => `Alle ${count.toLocaleString('de')} auswählen`,
  selected: (count) => `${count.toLocaleString('de')} ausgewählt`,
  times: (title, count) => `${title}, ${count}-mal`,
  seeAll: 'Alle ansehen',
  clearSearch: 'Suche löschen',
  showEverything: 'Alle Arten anzeigen',
  arrived: (count) =>
    `${count.toLocaleString('de')} neue ${count === 1 ? 'Benachrichtigung' : 'Benachrichtigungen'}`,
};
