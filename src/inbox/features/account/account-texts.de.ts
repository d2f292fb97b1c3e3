import type { AccountTexts } from './account-texts.ts';

export const german: AccountTexts = {
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
  mfaIntro: 'Nach dem Passwort gibst du noch einen Code aus einer App auf deinem Telefon ein.',
  mfaNone: 'Ausgeschaltet. Nur dein Passwort schützt dein Konto.',
  mfaOn: 'Eingeschaltet.',
  mfaAdd: 'Authenticator-App hinzufügen',
  mfaAdded: (name) =>
    `Die Anmeldung in zwei Schritten ist eingeschaltet. Ab jetzt brauchst du einen Code von „${name}“.`,
  mfaUnnamed: 'Authenticator-App',
  mfaUnfinished: 'Einrichtung nicht abgeschlossen',
  mfaPhone: 'SMS',
  mfaPasskey: 'Sicherheitsschlüssel',
  removed: (name) => `„${name}“ ist entfernt.`,
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
  exportProgress: (count) => `Lade herunter … ${count.toLocaleString('de')} Benachrichtigungen`,
  exportDone: 'Deine Daten liegen in deinen Downloads.',
  exportFailed: 'Deine Daten konnten nicht heruntergeladen werden. Versuche es noch einmal.',
  delete: 'Mein Konto löschen',
  deleteTitle: 'Konto löschen?',
  deleteText:
    'Dein Konto, deine Benachrichtigungen und deine Einstellungen werden sofort gelöscht, und du wirst überall abgemeldet. Das lässt sich nicht rückgängig machen.',
  deleteFailed: 'Dein Konto konnte nicht gelöscht werden. Es wurde nichts geändert.',
  deleteUnconfirmed:
    'Wir konnten nicht feststellen, ob dein Konto gelöscht wurde. Es kann noch passieren: Lade diese Seite in einer Minute neu.',
  deleteHasFiles: 'Lösche zuerst deine Dateien, dann dein Konto.',

  proof: {
    title: 'Bestätige, dass du es bist',
    needsOlder:
      'Du hast im Lauf des letzten Tages eine Anmeldung hinzugefügt oder geändert. Melde dich ab, melde dich anders an, zum Beispiel mit einem Code per E‑Mail, und versuche es dann noch einmal.',
    reason: (purpose) =>
      `Deine letzte Anmeldung ist eine Weile her. Bestätige, dass du es bist, um ${purpose}.`,
    purposes: {
      email: 'deine E‑Mail-Adresse zu ändern',
      factors: 'die Anmeldung in zwei Schritten zu ändern',
      codes: 'Wiederherstellungscodes zu erstellen',
      identities: 'deine Anmeldewege zu ändern',
      passkeys: 'deine Passkeys zu ändern',
      deletion: 'dein Konto zu löschen',
      export: 'deine Daten herunterzuladen',
    },
    account: (email) => `Angemeldet als ${email}`,
    wrongPassword: 'Das ist nicht das Passwort dieses Kontos.',
    byMail: 'Stattdessen Code per E‑Mail',
    byPasskey: 'Passkey verwenden',
    foreignPasskey: 'Dieser Passkey gehört zu einem anderen Konto. Nimm einen von diesem Konto.',
    send: (email) => `Code an ${email} schicken`,
  },

  mfaName: 'Name des Geräts',
  mfaNameHint: 'Damit du deine Geräte auseinanderhalten kannst.',
  mfaNameMissing: 'Gib ihm einen Namen.',
  mfaNameTaken: 'So heißt schon ein anderer Authenticator.',
  mfaDefaultName: 'Telefon',
  mfaScan: 'Scanne das mit deiner Authenticator-App',
  mfaOpen: 'In der App auf diesem Gerät öffnen',
  mfaQr: 'QR-Code für deine Authenticator-App. Der Schlüssel enthält dasselbe.',
  mfaSecret: 'Scannen geht nicht? Tippe einen Schlüssel in die App',
  mfaCopy: 'Schlüssel kopieren',
  mfaCopied: 'Der Schlüssel ist kopiert.',
  mfaCopyRefused:
    'Der Schlüssel konnte nicht kopiert werden. Er ist markiert, du kannst ihn selbst kopieren.',
  mfaCode: 'Code aus der App',
  mfaVerify: 'Einschalten',

  removeTitle: (name) => `„${name}“ entfernen?`,
  mfaRemoveText: 'Codes aus dieser App öffnen dein Konto dann nicht mehr.',
  mfaRemoveCodesToo: 'Deine Wiederherstellungscodes werden mit entfernt.',
  mfaRemoveAddFirst:
    'Du hast dich mit einem Wiederherstellungscode angemeldet. Füge zuerst eine neue Authenticator-App hinzu, dann kannst du diese entfernen.',
  mfaRemoveLast: 'Es ist dein letztes Gerät. Danach schützt nur noch dein Passwort dein Konto.',

  passkey: {
    intro:
      'Melde dich mit Fingerabdruck, Gesicht oder Displaysperre an, ohne Passwort. Ein Passkey funktioniert nur auf dieser Website, eine gefälschte kann ihn nicht stehlen. Ein Code der Anmeldung in zwei Schritten ist damit nicht nötig.',
    none: 'Du hast noch keine Passkeys.',
    loadFailed: 'Deine Passkeys konnten nicht geladen werden.',
    unnamed: 'Passkey',
    added: (date) => `Hinzugefügt am ${date}`,
    lastUsed: (date) => `zuletzt verwendet am ${date}`,
    neverUsed: 'noch nicht verwendet',
    add: 'Passkey hinzufügen',
    hasAdded: (name) => `„${name}“ ist hinzugefügt. Ab jetzt kannst du dich damit anmelden.`,
    unsupported:
      'Dieser Browser unterstützt keine Passkeys. Füge einen mit einem anderen Browser oder Gerät hinzu.',
    rename: 'Umbenennen',
    renameTitle: 'Passkey umbenennen',
    nameHint: 'Zum Beispiel das Gerät oder der Passwortmanager, der ihn aufbewahrt.',
    nameMissing: 'Gib einen Namen ein.',
    nameTooLong: 'Nimm einen kürzeren Namen.',
    renamed: (name) => `Der Passkey heißt jetzt „${name}“.`,
    removeText:
      'Du kannst dich dann nicht mehr damit anmelden. Dein Gerät oder Passwortmanager zeigt ihn weiter an, bis du ihn auch dort löschst.',
    gone: 'Dieser Passkey wurde inzwischen entfernt.',
  },

  recoveryCodes: {
    title: 'Wiederherstellungscodes',
    none: 'Du hast keine Wiederherstellungscodes. Wenn du deinen Authenticator verlierst, kommst du nicht mehr in dein Konto.',
    left: (unused, date) =>
      `${unused === 1 ? '1 Code ist' : `${unused} Codes sind`} noch übrig${date === null ? '' : `, erstellt am ${date}`}.`,
    noneLeft: 'Du hast alle deine Wiederherstellungscodes benutzt. Erstelle neue.',
    loadFailed: 'Deine Wiederherstellungscodes konnten nicht geladen werden.',
    create: 'Wiederherstellungscodes erstellen',
    replace: 'Neue Codes erstellen',
    replaceTitle: 'Neue Wiederherstellungscodes erstellen?',
    replaceText: 'Deine bisherigen Codes gelten dann sofort nicht mehr.',
    createFailed: 'Es konnten keine Wiederherstellungscodes erstellt werden. Versuche es noch einmal.',
    keep: 'Wenn du deinen Authenticator verlierst, meldet dich jeder dieser Codes einmal an seiner Stelle an. Die Anmeldung in zwei Schritten bleibt eingeschaltet. Bewahre sie bei deinen Passwörtern auf. Sie werden nur jetzt angezeigt.',
    spare: 'Noch besser: Füge auch eine zweite Authenticator-App auf einem anderen Gerät hinzu.',
    copy: 'Kopieren',
    copied: 'Die Codes sind kopiert.',
    copyRefused: 'Die Codes konnten nicht kopiert werden. Sie sind markiert, du kannst sie selbst kopieren.',
    download: 'Herunterladen',
    print: 'Drucken',
    done: 'Ich habe meine Codes gesichert',
    account: (email, date) => `Für ${email}, erstellt am ${date}`,
  },
};
