import type { PreferencesTexts } from './preferences-texts.en.ts';

export const texts: PreferencesTexts = {
  title: 'Einstellungen',
  intro: 'Worüber du benachrichtigt wirst und wie. Änderungen werden sofort gespeichert.',
  loading: 'Deine Einstellungen werden geladen',
  channels: { email: 'E-Mail', in_app: 'In der App' },
  enable: { email: 'Benachrichtigungen per E-Mail', in_app: 'Benachrichtigungen in der App' },
  enableHint: {
    email: 'Schaltet jede E-Mail aus, ohne die Auswahl darunter zu vergessen.',
    in_app: 'Schaltet jede Benachrichtigung in der App aus, ohne die Auswahl darunter zu vergessen.',
  },
  kindsTitle: 'Worüber du benachrichtigt wirst',
  kinds: { mentions: 'Erwähnungen', edits: 'Änderungen', comments: 'Kommentare', invites: 'Einladungen' },
  kindHint: {
    mentions: 'Jemand nennt deinen Namen.',
    edits: 'Jemand ändert, woran du arbeitest.',
    comments: 'Jemand kommentiert, woran du arbeitest.',
    invites: 'Jemand lädt dich ein.',
  },
  kept: (isOn) => `Jetzt aus; deine Auswahl „${isOn ? 'ein' : 'aus'}“ bleibt erhalten.`,
  digestTitle: 'Zusammenfassung per E-Mail',
  digest: 'Wie oft',
  digestOff: 'Solange E-Mails ausgeschaltet sind, kommt keine Zusammenfassung.',
  frequencies: { never: 'Nie', hourly: 'Stündlich', daily: 'Täglich', weekly: 'Wöchentlich' },
  temporary:
    'Deine Einstellungen konnten nicht geladen werden. Du siehst die üblichen; was du hier änderst, wird nicht gespeichert.',
  outdated: 'Deine Einstellungen konnten nicht aktualisiert werden. Du siehst einen früheren Stand.',
  cleared: 'Deine Einstellungen wurden anderswo entfernt.',
  restore: 'Übliche Einstellungen anlegen',
  retry: 'Noch einmal versuchen',
  saveFailed: 'Das konnte nicht gespeichert werden; die Einstellung ist wie zuvor.',
  saving: 'Wird gespeichert …',
  saved: 'Gespeichert',
};
