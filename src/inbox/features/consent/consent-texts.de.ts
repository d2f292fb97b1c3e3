import type { ConsentTexts } from './consent-texts.ts';

export const german: ConsentTexts = {
  loading: 'Die Anfrage wird geladen',
  title: (application) => `${application} möchte dich anmelden`,
  nameless: 'Eine Anwendung',
  as: (email) => `Sie kennt dich dann als ${email}.`,
  sees: 'Was sie erfährt',
  scopes: {
    openid: 'Dass du hier ein Konto hast, und dessen ID',
    email: 'Deine E-Mail-Adresse',
    profile: 'Deinen Namen und dein Bild',
    phone: 'Deine Telefonnummer',
  },
  otherScope: (scope) => `„${scope}“`,
  inboxStays:
    'Sie kann keine Benachrichtigungen lesen oder senden. Sie könnte dein Konto ändern: Fahre nur fort, wenn du ihr vertraust.',
  leadsTo: (host) => `Es geht weiter zu ${host}. Fahre nur fort, wenn du dort begonnen hast.`,
  allow: 'Weiter',
  deny: 'Abbrechen',
  leaving: (host) => `Weiter zu ${host}`,
  leave: 'Jetzt dorthin',
  goneTitle: 'Diese Anfrage gilt nicht mehr',
  goneText:
    'Sie wurde beantwortet oder ist älter als zehn Minuten. Beginne in der anderen Anwendung von vorn.',
  failedTitle: 'Die Anfrage konnte nicht geladen werden',
  failedText: 'Prüfe deine Verbindung und versuche es noch einmal.',
  retry: 'Noch einmal versuchen',
  answerFailed: 'Deine Antwort konnte nicht gespeichert werden. Versuche es noch einmal.',
  stay: 'Zum Posteingang',
};
