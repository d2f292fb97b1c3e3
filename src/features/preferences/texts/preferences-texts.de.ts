import type { PreferencesTexts } from './preferences-texts.en.ts';

export const texts: PreferencesTexts = {
  title: 'Einstellungen',
  intro: 'Wähle, worüber du etwas erfährst und wie. Änderungen werden sofort gespeichert.',
  loading: 'Deine Einstellungen werden geladen',
  channels: { email: 'E-Mail', in_app: 'In der App' },
  enable: { email: 'Benachrichtigungen per E-Mail', in_app: 'Benachrichtigungen in der App' },
  enableHint: {
    email: 'Ausgeschaltet pausieren alle E-Mails. Deine Auswahl bleibt erhalten.',
    in_app: 'Ausgeschaltet pausieren alle Benachrichtigungen in der App. Deine Auswahl bleibt erhalten.',
  },
  kindsTitle: 'Benachrichtige mich über',
  kinds: { mentions: 'Erwähnungen', edits: 'Änderungen', comments: 'Kommentare', invites: 'Einladungen' },
  kindHint: {
    mentions: 'Jemand erwähnt dich.',
    edits: 'Jemand ändert etwas, woran du arbeitest.',
    comments: 'Jemand kommentiert etwas, woran du arbeitest.',
    invites: 'Jemand lädt dich ein.',
  },
  kept: (isOn) => `Pausiert. Deine Auswahl „${isOn ? 'ein' : 'aus'}“ bleibt erhalten.`,
  digestTitle: 'Zusammenfassung per E-Mail',
  digest: 'Wie oft',
  digestDay: 'Am',
  digestHour: 'Um',
  timeZone: 'Zeitzone',
  digestOff: 'Solange E-Mails ausgeschaltet sind, kommt keine Zusammenfassung.',
  frequencies: {
    never: 'Nie',
    instant: 'Sofort',
    hourly: 'Stündlich',
    daily: 'Täglich',
    weekly: 'Wöchentlich',
  },
  meaning: {
    never: () => 'Du bekommst keine Benachrichtigungen per E-Mail.',
    instant: () =>
      'Du bekommst eine E-Mail pro Thema, zwei Minuten nachdem etwas passiert, außer du hast es schon gelesen.',
    hourly: () => 'Du bekommst zu jeder vollen Stunde eine E-Mail mit allem, was noch ungelesen ist.',
    daily: ({ hour, zone }) =>
      `Du bekommst jeden Tag um ${hour} Uhr (${zone}) eine E-Mail mit allem, was noch ungelesen ist.`,
    weekly: ({ hour, day, zone }) =>
      `Du bekommst jeden ${day} um ${hour} Uhr (${zone}) eine E-Mail mit allem, was noch ungelesen ist.`,
  },
  otherZone: (zone) => `Dieser Browser ist in ${zone}.`,
  takeZone: (zone) => `${zone} verwenden`,
  mailLanguage: 'Sprache der E-Mails',
  nextMail: (time, waiting) =>
    `Die nächste E-Mail kommt ${time}, mit ${waiting} ungelesenen ${waiting === 1 ? 'Benachrichtigung' : 'Benachrichtigungen'}.`,
  nextMailEmpty: (time) => `Nichts wartet. Etwas Neues würde ${time} verschickt.`,
  sendTest: 'Test-E-Mail senden',
  testSent: 'Eine Test-E-Mail ist unterwegs.',
  testLimited: 'Du kannst eine Test-E-Mail pro Minute senden. Versuch es gleich noch einmal.',
  mailFailed: 'Das hat nicht geklappt. Versuch es noch einmal.',
  suppressed: {
    bounce: (address) =>
      `E-Mails an ${address} konnten nicht zugestellt werden, deshalb senden wir keine mehr.`,
    complaint: (address) =>
      `Eine E-Mail an ${address} wurde als Spam gemeldet, deshalb senden wir keine mehr.`,
  },
  allowAddress: 'Wieder E-Mails senden',
  unconfirmed: 'Bestätige deine E-Mail-Adresse, um Benachrichtigungen per E-Mail zu bekommen.',
  temporary:
    'Deine Einstellungen konnten nicht geladen werden. Das hier sind die Standardwerte; was du jetzt änderst, wird nicht gespeichert.',
  outdated: 'Deine Einstellungen konnten nicht aktualisiert werden. Du siehst einen früheren Stand.',
  cleared: 'Deine Einstellungen wurden auf einem anderen Gerät gelöscht.',
  restore: 'Mit Standardwerten beginnen',
  retry: 'Noch einmal versuchen',
  saveFailed: 'Das konnte nicht gespeichert werden. Es wurde nichts geändert.',
  saving: 'Wird gespeichert …',
  saved: 'Gespeichert',
};
