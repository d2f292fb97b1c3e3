import type { AuthTexts } from './auth-texts.ts';

export const german: AuthTexts = {
  signIn: 'Anmelden',
  signUp: 'Konto erstellen',
  purpose:
    'Erwähnungen, Kommentare, Änderungen und Einladungen zu allem, woran du arbeitest: in einem ruhigen Posteingang.',
  email: 'E‑Mail',
  password: 'Passwort',
  name: 'Name (optional)',
  nameHint: 'Damit andere wissen, wer sie einlädt oder erwähnt.',
  forgotPassword: 'Passwort vergessen?',
  newHere: 'Neu hier?',
  haveAccount: 'Schon ein Konto?',
  codeInstead: 'Stattdessen Code per E‑Mail',
  clearCookies: 'Probleme beim Anmelden? Cookies löschen',
  codeTitle: 'Per E‑Mail anmelden',
  codeIntro: 'Wir schicken dir einen Link und einen Code. Mit beiden kommst du ohne Passwort rein.',
  accountDeleted: 'Dein Konto und seine Daten wurden gelöscht.',
  waysFailed: 'Weitere Anmeldemöglichkeiten konnten nicht geladen werden.',
  retry: 'Noch einmal versuchen',
  cookiesBlocked:
    'Dieser Browser speichert keine Cookies für diese Seite: Beim Neuladen oder Schließen wirst du abgemeldet.',
  sessionEnded: 'Du wurdest abgemeldet. Melde dich an, um weiterzumachen.',
  changesKept:
    'Du wurdest abgemeldet. Melde dich an, um die Änderungen zu senden, die auf diesem Gerät gespeichert sind.',
  draftKept:
    'Du wurdest abgemeldet, während deine Änderungen gespeichert wurden. Melde dich an, um sie zu prüfen.',
  localSignOutFailed:
    'Du bist auf diesem Gerät abgemeldet, aber der Server war nicht erreichbar. Dort endet die Sitzung später.',
  signOutFailed:
    'Andere Geräte sind vielleicht noch angemeldet: Der Server konnte ihre Sitzungen nicht beenden. Melde dich an und versuche es noch einmal.',
  offline: 'Du bist offline. Du kannst das ausfüllen, aber nicht absenden.',
  passwordInstead: 'Stattdessen mit Passwort',
  sendCode: 'Code per E‑Mail schicken',
  sendFresh: 'Neue E‑Mail schicken',
  or: 'oder',
  passkey: 'Mit Passkey anmelden',
  passkeyLimit:
    'Zu viele Anmeldungen mit Passkey aus deinem Netzwerk. Warte fünf Minuten, oder melde dich mit Passwort oder einem Code per E‑Mail an.',
  continueWith: (provider) => `Weiter mit ${provider}`,

  checkMail: 'Prüfe dein Postfach',
  mailSent: {
    new: (email) =>
      `Wenn ${email} hier neu ist, ist eine E‑Mail unterwegs. Öffne den Link darin oder gib hier den Code ein.`,
    signup: (email) =>
      `Bestätige zuerst, dass ${email} dir gehört: Öffne den Link in unserer E‑Mail oder gib hier den Code ein.`,
    magiclink: (email) =>
      `Wenn es ein Konto für ${email} gibt, ist eine E‑Mail unterwegs. Öffne den Link darin oder gib hier den Code ein.`,
    recovery: (email) =>
      `Wenn es ein Konto für ${email} gibt, ist eine E‑Mail unterwegs. Öffne den Link darin oder gib hier den Code ein.`,
  },
  freshSent: (email) =>
    `Wenn es ein Konto für ${email} gibt, ist eine neue E‑Mail unterwegs. Öffne den Link darin oder gib hier den Code ein.`,
  code: 'Code aus der E‑Mail',
  confirm: 'Bestätigen',
  resend: 'Noch einmal schicken',
  resent: {
    signup: 'Falls diese Adresse noch bestätigt werden muss, ist eine neue E‑Mail unterwegs.',
    magiclink: 'Falls es ein Konto für diese Adresse gibt, ist eine neue E‑Mail unterwegs.',
    recovery: 'Falls es ein Konto für diese Adresse gibt, ist eine neue E‑Mail unterwegs.',
  },
  alreadyHaveAccount: 'Schon bestätigt? Anmelden',
  otherAddress: 'Andere Adresse verwenden',
  spamHint: 'Nichts da? Sieh im Spam-Ordner nach.',

  resetTitle: 'Passwort zurücksetzen',
  resetIntro:
    'Gib die E‑Mail-Adresse deines Kontos ein. Wir schicken dir einen Link und einen Code für ein neues Passwort.',
  newPassword: 'Neues Passwort',
  newPasswordTitle: 'Neues Passwort festlegen',
  newPasswordIntro: (email) => `Für das Konto ${email}.`,
  savePassword: 'Passwort speichern',
  passwordSaved: 'Dein neues Passwort ist gespeichert',
  signOutEverywhere: 'Alle anderen Geräte abmelden',
  othersSignedOut: 'Alle anderen Geräte sind abgemeldet.',
  goOn: 'Zum Posteingang',
  backToSignIn: 'Zurück zur Anmeldung',

  mfaTitle: 'Gib deinen Code ein',
  mfaIntro: (email) =>
    `Öffne deine Authenticator-App und gib die sechs Ziffern ein, die sie für ${email} anzeigt.`,
  mfaFactor: 'Zweiter Faktor',
  mfaUnnamed: 'Authenticator-App',
  mfaCode: 'Code aus der App',
  mfaUnknown:
    'Dieses Konto braucht einen zweiten Faktor, den diese Seite nicht unterstützt. Nimm das Gerät, auf dem du ihn eingerichtet hast.',
  mfaPhone: 'Telefon',
  mfaPhoneIntro:
    'Wir schicken eine SMS mit einem Code an das Telefon, das du für dieses Konto eingerichtet hast.',
  mfaPhoneSend: 'Code per SMS schicken',
  mfaPhoneSent: 'Eine SMS ist unterwegs zu deinem Telefon.',
  mfaPhoneCode: 'Code aus der SMS',
  mfaLost: 'Authenticator verloren?',
  mfaRecoveryTitle: 'Ohne App anmelden',
  mfaRecoveryIntro:
    'Gib einen der Wiederherstellungscodes ein, die du beim Einschalten der Anmeldung in zwei Schritten gesichert hast.',
  mfaBack: 'Zurück zum Code aus der App',
  mfaOtherAccount: 'Mit einem anderen Konto anmelden',

  linkTitle: {
    signup: 'Bestätige deine E‑Mail-Adresse',
    invite: 'Nimm deine Einladung an',
    magiclink: 'Anmelden',
    email: 'Anmelden',
    recovery: 'Passwort zurücksetzen',
    email_change: 'Bestätige die neue Adresse',
  },
  linkText: {
    signup: 'Ein Klick, und dein Konto ist bereit.',
    invite: 'Ein Klick erstellt dein Konto und meldet dich an.',
    magiclink: 'Ein Klick, und du bist drin.',
    email: 'Ein Klick, und du bist drin.',
    recovery: 'Als Nächstes wählst du ein neues Passwort.',
    email_change: 'Dein Konto wechselt zur neuen Adresse, sobald beide Adressen bestätigt haben.',
  },
  linkAction: {
    signup: 'Bestätigen und anmelden',
    invite: 'Annehmen und anmelden',
    magiclink: 'Anmelden',
    email: 'Anmelden',
    recovery: 'Neues Passwort wählen',
    email_change: 'Änderung bestätigen',
  },
  linkReplaces: (email) =>
    `Du bist als ${email} angemeldet. Gehört dieser Link zu einem anderen Konto, wechselst du in diesem Browser dorthin.`,
  linkStay: (email) => `Als ${email} angemeldet bleiben`,
  linkNow: (email) => `Du bist jetzt als ${email} angemeldet.`,
  linkHalf: 'Schritt 1 von 2 erledigt. Bestätige es jetzt im anderen Postfach.',
  linkExpired: 'Dieser Link ist abgelaufen oder wurde schon verwendet',
  linkExpiredText: 'Links gelten einmal und nur für kurze Zeit. Hier bekommst du einen neuen.',
  linkMayBeConfirmed: 'Konto schon bestätigt? Dann melde dich mit deinem Passwort an.',
  linkElsewhere: 'Öffne diesen Link dort, wo du ihn angefordert hast',
  linkElsewhereText:
    'Solche Links gelten nur in dem Browser, in dem du sie angefordert hast. Geh dorthin zurück, oder hol dir hier eine neue E‑Mail.',
  linkFailed: 'Die Anmeldung hat nicht geklappt',

  captcha: 'Prüfung, ob du ein Mensch bist',
  captchaFailed:
    'Die Prüfung konnte nicht geladen werden. Erlaube sie in deinem Browser oder lade die Seite neu.',
  signupClosed: 'Zurzeit nehmen wir keine neuen Konten an.',

  recovery: {
    code: 'Wiederherstellungscode',
    hint: 'Buchstaben und Ziffern, in Vierergruppen. Jeder Code gilt einmal.',
    missing: 'Gib alle Zeichen eines Wiederherstellungscodes ein.',
    explain:
      'Der Code ersetzt dieses eine Mal deine Authenticator-App. Die Anmeldung in zwei Schritten bleibt eingeschaltet.',
    submit: 'Wiederherstellungscode benutzen',
    invalid: 'Dieser Code stimmt nicht, oder er wurde schon benutzt.',
    limited: 'Zu viele falsche Codes. Versuche es später noch einmal.',
    failed:
      'Der Code konnte nicht geprüft werden. Versuche es noch einmal: Ein Code ist erst verbraucht, wenn du angemeldet bist.',
    done: (unused) =>
      `Du bist angemeldet. Noch ${unused === 1 ? 'ein Wiederherstellungscode ist' : `${unused} Wiederherstellungscodes sind`} übrig. Wenn du deine Authenticator-App verloren hast, ersetze sie.`,
    replace: 'Ersetzen',
  },
};
