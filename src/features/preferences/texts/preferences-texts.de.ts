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
