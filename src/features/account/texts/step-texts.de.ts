import type { StepTexts } from './step-texts.en.ts';

export const texts: StepTexts = {
  emailPending: (current, next) =>
    `Um deine Adresse von ${current} auf ${next} zu ändern, bestätige es in beiden Postfächern: über die Links in den zwei Mails oder hier mit ihren Codes.`,
  emailPendingOne: (next) =>
    `Um deine Adresse auf ${next} zu ändern, bestätige es über den Link in der Mail oder hier mit ihrem Code.`,
  codeSentTo: (email) => `Code an ${email}`,
  confirm: 'Bestätigen',
  resendMails: 'Mails noch einmal senden',
  mailsSent: 'Wir haben die Mails noch einmal geschickt.',
  otherEmail: 'Andere Adresse verwenden',

  reauthenticationCode: 'Code aus der Mail',
  sendCode: 'Neuen Code senden',
  codeSent: 'Wir haben einen neuen Code geschickt.',

  mfaName: 'Name des Geräts',
  mfaNameHint: 'Damit du deine Authenticators unterscheiden kannst.',
  mfaNameMissing: 'Gib ihm einen Namen.',
  mfaDefaultName: 'Telefon',
  mfaStart: 'Weiter',
  mfaScan: 'Scanne das mit deiner Authenticator-App.',
  mfaQr: 'QR-Code für deine Authenticator-App; der Schlüssel darunter sagt dasselbe.',
  mfaSecret: 'Oder tippe diesen Schlüssel in die App:',
  mfaCopy: 'Schlüssel kopieren',
  mfaCopied: 'Der Schlüssel ist kopiert.',
  mfaCopyRefused: 'Der Schlüssel ließ sich nicht kopieren. Er ist markiert: Kopiere ihn von Hand.',
  mfaCode: 'Code, den die App jetzt zeigt',
  mfaVerify: 'Einschalten',

  mfaRemoveTitle: (name) => `${name} entfernen?`,
  mfaRemoveText: 'Codes dieser App öffnen dein Konto dann nicht mehr.',
  mfaRemoveLast: 'Es ist der letzte: Dein Passwort allein öffnet dann dein Konto.',
};
