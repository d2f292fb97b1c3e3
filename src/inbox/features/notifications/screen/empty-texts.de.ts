import type { EmptyTexts } from './empty-texts.en.ts';

export const texts: EmptyTexts = {
  empty: {
    all: 'Noch keine Benachrichtigungen.',
    unread: 'Du hast alles gelesen.',
    snoozed: 'Nichts zurückgestellt.',
    archived: 'Nichts archiviert.',
  },
  emptyHint: {
    all: 'Erwähnungen, Kommentare, Änderungen und Einladungen erscheinen hier.',
    unread: 'Neue Benachrichtigungen erscheinen hier.',
    snoozed: 'Zurückgestellte Benachrichtigungen warten hier bis zu ihrer Zeit.',
    archived: 'Archivierte Benachrichtigungen stehen nicht mehr im Posteingang.',
  },
  inviteSomeone: 'Jemanden einladen',
  choosePreferences: 'Benachrichtigungen auswählen',
  emptyKind: 'Keine Benachrichtigungen dieser Art.',
  searchEmpty: (query) => `Keine Treffer für „${query}“.`,
  searchEmptyHint: 'Versuche weniger oder kürzere Wörter. Ein Wort findet auch Wörter, die damit beginnen.',
};
