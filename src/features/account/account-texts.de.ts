import type { AccountTexts } from './account-texts.en.ts';

export const texts: AccountTexts = {
  title: 'Konto',
  loadFailed: 'Dein Konto ließ sich nicht laden.',
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

  email: 'E-Mail',
  currentEmail: (email) => `Deine Adresse ist ${email}.`,
  newEmail: 'Neue E-Mail-Adresse',
  sameEmail: 'Das ist schon deine Adresse.',
  changeEmail: 'Adresse ändern',
  halfConfirmed: 'Eins von zweien ist erledigt. Bestätige es nun im anderen Postfach.',
  emailChanged: (email) => `Deine Adresse ist jetzt ${email}.`,

  password: 'Passwort',
  newPassword: 'Neues Passwort',
  currentPassword: 'Jetziges Passwort',
  currentPasswordMissing: 'Gib dein jetziges Passwort ein.',
  changePassword: 'Passwort ändern',
  passwordChanged:
    'Dein Passwort ist geändert. Andere Geräte bleiben angemeldet, bis du sie unten abmeldest.',
  reauthenticate: (email) =>
    `Deine letzte Anmeldung ist eine Weile her. Wir haben einen Code an ${email} geschickt: Gib ihn ein, um zu zeigen, dass du es bist.`,

  mfa: 'Anmeldung in zwei Schritten',
  mfaIntro: 'Nach dem Passwort gibst du noch einen Code ein, den eine App auf deinem Telefon zeigt.',
  mfaNone: 'Sie ist aus. Dein Passwort allein öffnet dein Konto.',
  mfaOn: 'Sie ist an.',
  mfaAdd: 'Authenticator-App hinzufügen',
  mfaAdded: (name) => `${name} ist hinzugefügt. Ab jetzt brauchst du es zum Anmelden.`,
  mfaUnnamed: 'Authenticator-App',
  mfaUnfinished: 'nicht zu Ende eingerichtet',
  mfaPhone: 'Nachricht aufs Telefon',
  mfaPasskey: 'Sicherheitsschlüssel',
  mfaRemoved: (name) => `${name} ist entfernt.`,
  mfaRecovery: 'Füge auch ein zweites Gerät hinzu: Ohne eines von ihnen kannst du dich nicht anmelden.',

  identities: 'Anmeldearten',
  identityEmail: 'E-Mail und Passwort',
  unlink: 'Trennen',
  unlinkName: (name) => `${name} trennen`,
  unlinkTitle: (name) => `${name} trennen?`,
  unlinkText: 'Du kannst dich dann nicht mehr damit anmelden.',
  unlinked: (name) => `${name} ist getrennt.`,
  onlyIdentity: 'Das ist der einzige Weg in dein Konto und lässt sich deshalb nicht entfernen.',
  link: (name) => `${name} verknüpfen`,

  sessions: 'Abmelden',
  sessionsIntro: 'Ein Gerät verloren oder ein öffentliches benutzt? Melde es von hier ab.',
  signOutHere: 'Hier abmelden',
  signOutOthers: 'Alle anderen Geräte abmelden',
  signOutEverywhere: 'Überall abmelden',
  othersSignedOut: 'Alle anderen Geräte sind abgemeldet.',
  everywhereTitle: 'Überall abmelden?',
  everywhereText: 'Du wirst auf diesem Gerät und auf allen anderen abgemeldet.',
  everywhereFailed:
    'Andere Geräte sind vielleicht noch angemeldet: Der Server konnte ihre Sitzungen nicht beenden. Melde dich an und versuche es noch einmal.',
};
