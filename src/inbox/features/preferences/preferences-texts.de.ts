import type { PreferencesTexts } from './preferences-texts.ts';

export const german: PreferencesTexts = {
  title: 'Einstellungen',
  channels: { email: 'E‑Mail', in_app: 'In der App' },
  enable: { email: 'Benachrichtigungen per E‑Mail', in_app: 'Benachrichtigungen in der App' },
  kinds: { mentions: 'Erwähnungen', edits: 'Änderungen', comments: 'Kommentare', invites: 'Einladungen' },
  digestTitle: 'Zusammenfassung per E‑Mail',
  timeZone: 'Zeitzone',
  quietTitle: 'Ruhezeiten',

  intro: 'Wähle, worüber du etwas erfährst und wie. Änderungen werden sofort gespeichert.',
  loading: 'Deine Einstellungen werden geladen',
  channelsTitle: 'So erreichen wir dich',
  enableHint: {
    email: 'Schalte sie aus, um alle E‑Mails anzuhalten. Deine Auswahl bleibt erhalten.',
    in_app:
      'Schalte sie aus, um alle Benachrichtigungen in der App anzuhalten. Deine Auswahl bleibt erhalten.',
  },
  kindsTitle: 'Benachrichtige mich über',
  topicsTitle: 'Themen, denen du folgen kannst',
  kindHint: {
    mentions: 'Jemand erwähnt dich oder schickt dir eine Nachricht.',
    edits: 'Jemand ändert etwas, woran du arbeitest.',
    comments: 'Jemand kommentiert etwas, woran du arbeitest.',
    invites:
      'Jemand lädt dich ein oder antwortet dir. Einladungen an dich kommen auch dann per E‑Mail, wenn das aus ist.',
  },
  kept: (isOn) => `Pausiert. Deine Auswahl „${isOn ? 'ein' : 'aus'}“ bleibt erhalten.`,
  digest: 'Wie oft',
  digestDay: 'Tag',
  digestHour: 'Uhrzeit',
  digestOff: 'Solange E‑Mails ausgeschaltet sind, kommt keine Zusammenfassung.',
  frequencies: {
    never: 'Nie',
    instant: 'Sofort',
    hourly: 'Stündlich',
    daily: 'Täglich',
    weekly: 'Wöchentlich',
  },
  meaning: {
    never: () => 'Du bekommst keine Benachrichtigungen per E‑Mail.',
    instant: () =>
      'Du bekommst eine E‑Mail pro Thema, zwei Minuten nachdem etwas passiert, außer du hast es schon gelesen.',
    hourly: () => 'Du bekommst zu jeder vollen Stunde eine E‑Mail mit allem, was noch ungelesen ist.',
    daily: ({ hour, zone }) =>
      `Du bekommst jeden Tag um ${hour} Uhr (${zone}) eine E‑Mail mit allem, was noch ungelesen ist.`,
    weekly: ({ hour, day, zone }) =>
      `Du bekommst jeden ${day} um ${hour} Uhr (${zone}) eine E‑Mail mit allem, was noch ungelesen ist.`,
  },
  otherZone: (zone) => `Die Zeitzone dieses Browsers ist ${zone}.`,
  takeZone: (zone) => `${zone} verwenden`,
  nextMail: (time, waiting) =>
    `Die nächste E‑Mail kommt am ${time} mit ${waiting} ungelesenen ${waiting === 1 ? 'Benachrichtigung' : 'Benachrichtigungen'}.`,
  nextMailEmpty: (time) => `Zurzeit wartet nichts. Neues würde am ${time} verschickt.`,
  sendTest: 'Test-E‑Mail senden',
  testSent: 'Eine Test-E‑Mail ist unterwegs.',
  testLimited:
    'Du kannst eine Test-E‑Mail pro Minute senden und zehn am Tag. Versuche es später noch einmal.',
  mailFailed: 'Das hat nicht geklappt. Versuche es noch einmal.',
  suppressed: {
    bounce: (address) =>
      `E‑Mails an ${address} konnten nicht zugestellt werden, deshalb senden wir keine mehr.`,
    complaint: (address) =>
      `Eine E‑Mail an ${address} wurde als Spam gemeldet, deshalb senden wir keine mehr.`,
  },
  allowAddress: 'Wieder E‑Mails senden',
  unconfirmed: 'Bestätige deine E‑Mail-Adresse, um Benachrichtigungen per E‑Mail zu bekommen.',
  quiet: 'Hinweise und E‑Mails zu festen Zeiten anhalten',
  quietHint:
    'Keine Desktop-Benachrichtigungen. E‑Mails über Benachrichtigungen und Hinweise ohne offenen Tab warten bis zum Ende. E‑Mails zur Sicherheit deines Kontos kommen sofort.',
  quietFrom: 'Von',
  quietTo: 'Bis',
  quietDays: 'Beginn am',
  quietNoDay: 'Es ist kein Tag ausgewählt, also gibt es keine Ruhezeiten.',
  sendersTitle: 'Blockierte Absender',
  noSenders: 'Du hast niemanden blockiert.',
  sendersFailed: 'Blockierte Absender und stummgeschaltete Themen konnten nicht geladen werden.',
  unknownSender: 'Gelöschtes Konto',
  unblock: 'Blockierung aufheben',
  unblockNamed: (name) => `Blockierung von ${name} aufheben`,
  unblocked: (name) => `${name} ist nicht mehr blockiert.`,
  threadsTitle: 'Stummgeschaltete Themen',
  noThreads: 'Du hast nichts stummgeschaltet.',
  mutedUntil: (time) => `Bis ${time}`,
  unmute: 'Stummschaltung aufheben',
  unmuteNamed: (name) => `Stummschaltung von ${name} aufheben`,
  unmuted: (name) => `${name} ist nicht mehr stummgeschaltet.`,
  undo: 'Rückgängig',
  temporary:
    'Deine Einstellungen konnten nicht geladen werden. Das hier sind die Standardwerte; was du jetzt änderst, wird nicht gespeichert.',
  outdated: 'Deine Einstellungen konnten nicht aktualisiert werden. Du siehst einen früheren Stand.',
  cleared: 'Deine Einstellungen wurden auf einem anderen Gerät gelöscht.',
  restore: 'Mit Standardwerten beginnen',
  retry: 'Noch einmal versuchen',
  saveFailed: 'Das konnte nicht gespeichert werden. Es wurde nichts geändert.',
  saving: 'Wird gespeichert …',
};
