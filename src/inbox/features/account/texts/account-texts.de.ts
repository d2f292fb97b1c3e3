import type { AccountTexts } from './account-texts.en.ts';

export const texts: AccountTexts = {
  title: 'Konto',
  sections: 'Bereiche des Kontos',
  loadFailed: 'Dein Konto konnte nicht geladen werden.',
  retry: 'Noch einmal versuchen',
  save: 'Speichern',
  saved: 'Gespeichert.',
  cancel: 'Abbrechen',
  close: 'Schließen',
  remove: 'Entfernen',

  profile: 'Profil',
  name: 'Name',
  nameHint: 'Andere sehen ihn in ihren Benachrichtigungen.',
  nameTooLong: 'Nimm höchstens 80 Zeichen.',

  email: 'E‑Mail',
  currentEmail: (email) => `Deine Adresse ist ${email}.`,
  newEmail: 'Neue E‑Mail-Adresse',
  sameEmail: 'Das ist schon deine Adresse.',
  changeEmail: 'Adresse ändern',
  halfConfirmed: 'Schritt 1 von 2 erledigt. Bestätige es jetzt im anderen Postfach.',
  emailChanged: (email) => `Deine Adresse ist jetzt ${email}.`,

  password: 'Passwort',
  newPassword: 'Neues Passwort',
  currentPassword: 'Aktuelles Passwort',
  currentPasswordMissing: 'Gib dein aktuelles Passwort ein.',
  changePassword: 'Passwort ändern',
  passwordChanged:
    'Dein Passwort ist geändert. Andere Geräte bleiben angemeldet, bis du sie unten abmeldest.',
  reauthenticate: (email) =>
    `Deine Anmeldung ist eine Weile her. Gib den Code ein, den wir an ${email} geschickt haben, damit wir wissen, dass du es bist.`,

  mfa: 'Anmeldung in zwei Schritten',
  mfaIntro: 'Nach dem Passwort oder Passkey gibst du noch einen Code aus einer App auf deinem Telefon ein.',
  mfaNone: 'Ausgeschaltet. Nur dein Passwort schützt dein Konto.',
  mfaOn: 'Eingeschaltet.',
  mfaAdd: 'Authenticator-App hinzufügen',
  mfaAdded: (name) =>
    `Die Anmeldung in zwei Schritten ist eingeschaltet. Ab jetzt brauchst du einen Code von „${name}“.`,
  mfaUnnamed: 'Authenticator-App',
  mfaUnfinished: 'Einrichtung nicht abgeschlossen',
  mfaPhone: 'SMS',
  mfaPasskey: 'Sicherheitsschlüssel',
  mfaRemoved: (name) => `„${name}“ ist entfernt.`,
  mfaRecovery:
    'Wenn du dieses Gerät verlierst, hilft ein Wiederherstellungscode oder eine zweite App. Ohne beides kannst du dich nicht mehr anmelden, und auch wir können dich nicht hereinlassen.',

  identities: 'Anmeldearten',
  identityEmail: 'E‑Mail und Passwort',
  unlink: 'Trennen',
  unlinkName: (name) => `${name} trennen`,
  unlinkTitle: (name) => `${name} trennen?`,
  unlinkText: 'Du kannst dich dann nicht mehr damit anmelden.',
  unlinked: (name) => `${name} ist getrennt.`,
  onlyIdentity: 'Du brauchst mindestens eine davon, deshalb lässt sich diese nicht entfernen.',
  link: (name) => `${name} verknüpfen`,

  passkeys: 'Passkeys',

  sessions: 'Geräte',
  sessionsIntro: 'Gerät verloren oder ein öffentliches benutzt? Melde es von hier ab.',
  signOutHere: 'Hier abmelden',
  signOutOthers: 'Alle anderen Geräte abmelden',
  signOutEverywhere: 'Überall abmelden',
  data: 'Deine Daten',
  othersSignedOut: 'Alle anderen Geräte sind abgemeldet.',
  everywhereTitle: 'Überall abmelden?',
  everywhereText: 'Du wirst auf diesem und allen anderen Geräten abgemeldet.',
};
