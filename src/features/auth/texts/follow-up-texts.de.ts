import type { FollowUpTexts } from './follow-up-texts.en.ts';

export const texts: FollowUpTexts = {
  newPassword: 'Neues Passwort',
  passwordInstead: 'Stattdessen mit Passwort',
  sendCode: 'Mail senden',
  sendFresh: 'Neue Mail senden',
  or: 'oder',
  continueWith: (provider) => `Weiter mit ${provider}`,
  checkMail: 'Sieh in dein Postfach',
  mailSent: {
    new: (email) =>
      `Wenn ${email} hier neu ist, ist eine Mail unterwegs. Öffne den Link darin in diesem Browser, oder gib hier den Code ein.`,
    signup: (email) =>
      `Wir haben eine Mail an ${email} geschickt. Öffne den Link darin in diesem Browser, oder gib hier den Code ein.`,
    magiclink: (email) =>
      `Wenn es ein Konto für ${email} gibt, ist eine Mail unterwegs. Öffne den Link darin in diesem Browser, oder gib hier den Code ein.`,
    recovery: (email) =>
      `Wenn es ein Konto für ${email} gibt, ist eine Mail unterwegs. Öffne den Link darin in diesem Browser, oder gib hier den Code ein.`,
  },
  freshSent: (email) =>
    `Wenn es ein Konto für ${email} gibt, ist eine neue Mail unterwegs. Öffne ihren Link nicht, sondern gib hier ihren Code ein.`,
  code: 'Code aus der Mail',
  confirm: 'Bestätigen',
  resend: 'Noch einmal senden',
  resent: 'Wir haben noch eine Mail geschickt.',
  haveAccount: 'Ich habe ein Konto: anmelden',
  otherAddress: 'Andere Adresse verwenden',
  spamHint: 'Nichts da? Sieh auch im Spam-Ordner nach.',
  resetTitle: 'Passwort zurücksetzen',
  resetIntro:
    'Gib die Adresse deines Kontos ein. Wir schicken dir einen Link und einen Code für ein neues Passwort.',
  resetSend: 'Mail senden',
  newPasswordTitle: 'Neues Passwort setzen',
  newPasswordIntro: (email) => `Für das Konto ${email}.`,
  savePassword: 'Passwort speichern',
  passwordSaved: 'Dein neues Passwort ist gespeichert.',
  signOutEverywhere: 'Alle anderen Geräte abmelden',
  othersSignedOut: 'Alle anderen Geräte sind abgemeldet.',
  goOn: 'Zum Eingang',
  backToSignIn: 'Zurück zur Anmeldung',
  mfaTitle: 'Noch ein Schritt',
  mfaIntro: 'Gib den Code ein, den deine Authenticator-App für dieses Konto zeigt.',
  mfaFactor: 'Zweiter Faktor',
  mfaUnnamed: 'Authenticator-App',
  mfaCode: 'Code aus der App',
  mfaUnknown:
    'Dieses Konto verlangt einen zweiten Faktor, den diese Seite nicht kennt. Verwende das Gerät, auf dem du ihn eingerichtet hast.',
  mfaPhone: 'Telefon',
  mfaPhoneIntro:
    'Wir schicken eine Nachricht mit einem Code an das Telefon, das du für dieses Konto eingerichtet hast.',
  mfaPhoneSend: 'Code schicken',
  mfaPhoneSent: 'Eine Nachricht ist unterwegs zu deinem Telefon.',
  mfaPhoneCode: 'Code aus der Nachricht',
  mfaOtherAccount: 'Mit einem anderen Konto anmelden',
  linkExpired: 'Dieser Link ist verwendet oder zu alt',
  linkExpiredText:
    'Links gelten einmal und nur eine Zeit lang; manche Mailprogramme öffnen sie vor dir. Auch der Code jener Mail ist damit verbraucht. Fordere eine neue an und gib hier ihren Code ein.',
  linkMayBeConfirmed:
    'Du wolltest ein neues Konto bestätigen? Vielleicht ist es schon bestätigt: Versuche, dich mit deinem Passwort anzumelden.',
  linkElsewhere: 'Dieser Link wurde anderswo angefordert',
  linkElsewhereText:
    'Zu deiner Sicherheit gilt ein Link nur in dem Browser, der ihn angefordert hat, und auch der Code jener Mail ist verbraucht. Fordere eine neue an und gib hier ihren Code ein.',
  linkFailed: 'Die Anmeldung ist nicht gelungen',
  captcha: 'Prüfung, ob du ein Mensch bist',
  captchaMissing: 'Bitte bestätige, dass du ein Mensch bist.',
  captchaFailed: 'Die Prüfung ließ sich nicht laden. Erlaube sie in deinem Browser oder lade die Seite neu.',
  signupClosed: 'Zurzeit werden keine neuen Konten angenommen.',
};
