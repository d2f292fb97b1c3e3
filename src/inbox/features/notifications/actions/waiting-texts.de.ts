import type { WaitingTexts } from './waiting-texts.en.ts';

export const texts: WaitingTexts = {
  title: (title) => `„${title}“`,
  count: (count) => (count === 1 ? '1 Benachrichtigung' : `${count.toLocaleString('de')} Benachrichtigungen`),
  unread: (what) => `${what} als ungelesen markieren`,
  read: (what) => `${what} als gelesen markieren`,
  archived: (what) => `${what} archivieren`,
  unarchived: (what) => `${what} in den Posteingang verschieben`,
  removed: (what) => `${what} löschen`,
  snoozed: (what) => `${what} zurückstellen`,
  woken: (what) => `${what} nicht mehr zurückstellen`,
  readAll: 'Alle als gelesen markieren',
  removedAll: 'Eine ganze Liste löschen',
};
