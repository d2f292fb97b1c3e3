import type { StepTexts } from './step-texts.en.ts';

export const texts: StepTexts = {
  emailPending: (current, next) =>
    `Um deine Adresse von ${current} auf ${next} zu ändern, bestätige es in beiden Postfächern: Öffne die Links in den zwei E‑Mails oder gib hier ihre Codes ein.`,
  emailPendingOne: (next) =>
    `Um deine Adresse auf ${next} zu ändern, öffne den Link in der E‑Mail oder gib hier ihren Code ein.`,
  codeSentTo: (email) => `Code an ${email}`,
  confirm: 'Bestätigen',
  resendMails: 'E‑Mails noch einmal schicken',
  mailsSent: 'Die E‑Mails sind noch einmal unterwegs.',
  otherEmail: 'Andere Adresse verwenden',

  reauthenticationCode: 'Code aus der E‑Mail',
  sendCode: 'Neuen Code schicken',
  codeSent: 'Ein neuer Code ist unterwegs.',

  devicesFailed: 'Deine Geräte konnten nicht geladen werden.',
  deviceName: (browser, system) => `${browser} auf ${system}`,
  deviceUnknown: 'Unbekanntes Gerät',
  deviceHere: 'Dieses Gerät',
  deviceUsed: (when) => `Zuletzt aktiv: ${when}`,
  deviceEnd: 'Abmelden',
  deviceEndName: (name) => `Abmelden: ${name}`,
  deviceEnded: (name) => `${name} ist abgemeldet.`,
  deviceEndFailed: 'Das Gerät konnte nicht abgemeldet werden. Versuche es noch einmal.',

  dataIntro: 'Lade alle deine Daten herunter oder lösche dein Konto.',
  export: 'Meine Daten herunterladen',
  exportDone: 'Deine Daten liegen in deinen Downloads.',
  exportFailed: 'Deine Daten konnten nicht heruntergeladen werden. Versuche es noch einmal.',
  delete: 'Mein Konto löschen',
  deleteTitle: 'Konto löschen?',
  deleteText:
    'Dein Konto, deine Benachrichtigungen und deine Einstellungen werden sofort gelöscht, und du wirst überall abgemeldet. Das lässt sich nicht rückgängig machen.',
  deleteFailed: 'Dein Konto konnte nicht gelöscht werden. Es wurde nichts geändert.',
  deleteHasFiles: 'Lösche zuerst deine Dateien, dann dein Konto.',

  proofTitle: 'Bestätige, dass du es bist',
  proofByMail: 'Stattdessen Code per E‑Mail',
  proofSend: (email) => `Code an ${email} schicken`,

  mfaName: 'Name des Geräts',
  mfaNameHint: 'Damit du deine Geräte auseinanderhalten kannst.',
  mfaNameMissing: 'Gib ihm einen Namen.',
  mfaDefaultName: 'Telefon',
  mfaStart: 'Weiter',
  mfaScan: 'Scanne das mit deiner Authenticator-App.',
  mfaQr: 'QR-Code für deine Authenticator-App. Der Schlüssel darunter enthält dasselbe.',
  mfaSecret: 'Oder tippe diesen Schlüssel in die App:',
  mfaCopy: 'Schlüssel kopieren',
  mfaCopied: 'Der Schlüssel ist kopiert.',
  mfaCopyRefused:
    'Der Schlüssel konnte nicht kopiert werden. Er ist markiert, du kannst ihn selbst kopieren.',
  mfaCode: 'Code, den die App jetzt anzeigt',
  mfaVerify: 'Einschalten',

  mfaRemoveTitle: (name) => `„${name}“ entfernen?`,
  mfaRemoveText: 'Codes aus dieser App öffnen dein Konto dann nicht mehr.',
  mfaRemoveLast: 'Es ist dein letztes Gerät. Danach schützt nur noch dein Passwort dein Konto.',
};
