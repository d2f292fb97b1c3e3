import type { AppTexts } from './app-texts.ts';

export const german: AppTexts = {
  skipToContent: 'Zum Inhalt springen',
  navigation: 'Hauptmenü',
  views: 'Ansichten',
  inbox: 'Posteingang',
  preferences: 'Einstellungen',
  account: 'Konto',
  accountMenu: (email) => `Kontomenü: ${email}`,
  signOut: 'Abmelden',
  theme: 'Design',
  themes: { system: 'System', light: 'Hell', dark: 'Dunkel' },
  language: 'Sprache',
  paused: 'Benachrichtigungen in der App sind ausgeschaltet. Hier kommt nichts Neues an.',
  offline: 'Du bist offline.',
  offlineList: (time) => `Du bist offline. Stand der Liste: ${time}.`,
  messages: 'Meldungen',
  dismiss: 'Schließen',
  toInbox: 'Zum Posteingang',
  broken: 'Etwas ist schiefgegangen',
  brokenText: 'Auf dieser Seite ist ein Fehler aufgetreten. Deine Daten auf dem Server sind sicher.',
  missingText:
    'Ein Teil der App konnte nicht geladen werden. Prüfe deine Verbindung und versuche es noch einmal.',
  tryAgain: 'Noch einmal versuchen',
  reload: 'Neu laden',
  clearCookies: 'Cookies löschen und neu beginnen',

  invitations: 'Einladungen',
  newVersion: 'Eine neue Version ist bereit.',
  notFound: 'Seite nicht gefunden',
  notFoundText: 'Diese Seite gibt es nicht. Vielleicht ist der Link alt oder vertippt.',
  configuration: 'Diese App ist noch nicht eingerichtet',
};
