import type { LaterTexts } from './later-texts.en.ts';

const notifications = (count: number) =>
  `${count.toLocaleString('de')} ${count === 1 ? 'Benachrichtigung' : 'Benachrichtigungen'}`;

export const texts: LaterTexts = {
  found: (count, hasMore) =>
    count === 0 ? 'Keine Treffer' : `${count.toLocaleString('de')}${hasMore ? '+' : ''} Treffer`,
  undo: 'Rückgängig',
  removed: (count) => `${notifications(count)} gelöscht.`,
  removedAll: 'Alle Benachrichtigungen dieser Liste gelöscht.',
  archived: (count) => `${notifications(count)} archiviert.`,
  unarchived: (count) => `${notifications(count)} in den Posteingang verschoben.`,
  markedRead: (count) => `${notifications(count)} als gelesen markiert.`,
  markedUnread: (count) => `${notifications(count)} als ungelesen markiert.`,
  markedAllRead: 'Alle als gelesen markiert.',
  missing: (missing, count) =>
    missing === 1 && count === 1
      ? 'Diese Benachrichtigung wurde gelöscht.'
      : missing === count
        ? 'Diese Benachrichtigungen wurden gelöscht.'
        : `${missing.toLocaleString('de')} von ${notifications(count)} wurden vorher gelöscht.`,
  clearSearch: 'Suche löschen',
  arrived: (count) =>
    `${count.toLocaleString('de')} neue ${count === 1 ? 'Benachrichtigung' : 'Benachrichtigungen'}`,
};
