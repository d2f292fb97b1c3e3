import type { RecoveryTexts } from './recovery-texts.en.ts';

export const texts: RecoveryTexts = {
  code: 'Wiederherstellungscode',
  hint: 'Zwölf Buchstaben und Ziffern. Jeder Code gilt einmal.',
  missing: 'Gib alle zwölf Zeichen eines Wiederherstellungscodes ein.',
  explain:
    'Der Code schaltet die Anmeldung in zwei Schritten aus und meldet deine anderen Geräte ab. Richte die Anmeldung in zwei Schritten danach neu ein.',
  submit: 'Wiederherstellungscode benutzen',
  invalid: 'Dieser Code stimmt nicht, oder er wurde schon benutzt.',
  limited: 'Zu viele falsche Codes. Versuche es später noch einmal.',
  failed:
    'Der Code konnte nicht geprüft werden. Versuche es noch einmal: Ein Code ist erst verbraucht, wenn du angemeldet bist.',
  done: 'Die Anmeldung in zwei Schritten ist aus. Richte sie neu ein, um dein Konto zu schützen.',
  setUp: 'Einrichten',
};
