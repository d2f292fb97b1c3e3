import type { InboxDialogTexts } from './inbox-dialog-texts.ts';

export const german: InboxDialogTexts = {
  detail: {
    label: 'Benachrichtigung',
    returns: 'Zurückgestellt bis',
    follow: (name) => `${name} öffnen`,
    page: 'Seite',
    preferences: 'Einstellungen',
    earlier: 'Vorher zu diesem Thema',
    next: 'Nächste Benachrichtigung',
    previous: 'Vorige Benachrichtigung',
    gone: 'Diese Benachrichtigung gibt es nicht mehr.',
    leaving: {
      title: 'Du verlässt diese Website',
      text: 'Diesen Link hat der Absender der Benachrichtigung gewählt. Öffne ihn nur, wenn du ihm vertraust.',
      proceed: (host) => `Weiter zu ${host}`,
    },
  },

  selection: {
    done: 'Fertig',
    all: 'Alle sichtbaren auswählen',
    everything: (count) => `Alle ${count.toLocaleString('de')} auswählen`,
    selected: (count) => `${count.toLocaleString('de')} ausgewählt`,
    remove: (count) =>
      count === 1
        ? '1 Benachrichtigung löschen?'
        : `${count.toLocaleString('de')} Benachrichtigungen löschen?`,
    removeText: 'Du kannst das rückgängig machen, solange die Meldung darüber zu sehen ist.',
  },

  filter: {
    person: 'Person',
  },

  actions: {
    done: (action) => `Erledigt: ${action}`,
    failed: 'Das hat nicht geklappt. Versuche es noch einmal.',
  },

  snooze: {
    title: (count) => (count === 1 ? 'Zurückstellen bis' : `${count.toLocaleString('de')} zurückstellen bis`),
    choices: { laterToday: 'Später heute', tomorrow: 'Morgen', nextWeek: 'Nächste Woche' },
    pick: 'Datum und Uhrzeit',
    snooze: 'Zurückstellen',
    missing: 'Wähle ein Datum und eine Uhrzeit.',
    past: 'Wähle eine Zeit in der Zukunft.',
    snoozed: (count, time) =>
      count === 1
        ? `Zurückgestellt bis ${time}.`
        : `${count.toLocaleString('de')} Benachrichtigungen zurückgestellt bis ${time}.`,
  },

  senders: {
    block: (name) => `${name} blockieren`,
    mute: (entity) => `Stummschalten: ${entity} …`,
    muteTitle: (entity) => `${entity} stummschalten`,
    muteChoices: {
      hour: 'Für eine Stunde',
      tomorrow: 'Bis morgen',
      week: 'Für eine Woche',
      forever: 'Bis ich die Stummschaltung aufhebe',
    },
    report: 'Melden …',
    blocked: (name) => `${name} ist blockiert. Du bekommst von diesem Konto keine Benachrichtigungen mehr.`,
    muted: (entity) => `${entity} ist stummgeschaltet. Du bekommst dazu keine Benachrichtigungen mehr.`,
    mutedUntil: (entity, time) =>
      `${entity} ist bis ${time} stummgeschaltet. Du bekommst bis dahin keine Benachrichtigungen dazu.`,
    failed: 'Speichern fehlgeschlagen. Es wurde nichts geändert.',
    sender: 'diesen Absender',
    reportTitle: 'Diese Benachrichtigung melden',
    reportText:
      'Wir prüfen die Benachrichtigung und ihren Absender. Der Absender erfährt nicht, wer sie gemeldet hat.',
    reasonLabel: 'Was stimmt damit nicht?',
    reasons: {
      spam: 'Spam',
      phishing: 'Phishing oder ein gefährlicher Link',
      abuse: 'Belästigung oder Beleidigung',
      other: 'Etwas anderes',
    },
    comment: 'Einzelheiten (optional)',
    alsoBlock: (name) => `Auch ${name} blockieren`,
    send: 'Melden',
    reported: 'Danke für die Meldung. Wir sehen uns das an.',
    reportFailed: 'Die Meldung konnte nicht gesendet werden. Versuche es noch einmal.',
  },

  options: {
    grouping: 'Benachrichtigungen gruppieren',
    groupingHint: 'Zeigt ein Thema, oder was eine Person in kurzer Zeit getan hat, als eine Zeile.',
    shortcuts: 'Tastenkürzel',
    shortcutsHint: 'Buchstaben wirken auf der ganzen Seite, außer in Textfeldern.',
    shortcutsSwitch: 'Tastenkürzel verwenden',
    shortcut: {
      next: 'Nächste Benachrichtigung',
      previous: 'Vorige Benachrichtigung',
      open: 'Öffnen',
      read: 'Als gelesen oder ungelesen markieren',
      archive: 'Archivieren oder in den Posteingang',
      remove: 'Löschen',
      snooze: 'Zurückstellen',
      search: 'Suchen',
      select: 'Auswählen',
      allRead: 'Alle als gelesen markieren',
      undo: 'Letzte Aktion rückgängig machen',
      goInbox: 'Zum Posteingang',
      goPreferences: 'Zu den Einstellungen',
      escape: 'Benachrichtigung schließen oder Auswahl beenden',
      help: 'Diese Hilfe anzeigen',
    },
    keyNames: { Delete: 'Entf', Escape: 'Esc', R: 'Umschalt R' },
    controlKey: 'Strg',
    selectAllKey: 'Beim Auswählen: alle auswählen',
  },
};
