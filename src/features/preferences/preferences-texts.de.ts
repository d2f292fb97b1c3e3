import type { PreferencesTexts } from './preferences-texts.en.ts';

export const texts: PreferencesTexts = {
  title: 'Einstellungen',
  intro: 'Worüber Sie benachrichtigt werden und wie. Änderungen werden sofort gespeichert.',
  loading: 'Ihre Einstellungen werden geladen',
  channels: { email: 'E-Mail', in_app: 'In der App' },
  enable: { email: 'Benachrichtigungen per E-Mail', in_app: 'Benachrichtigungen in der App' },
  enableHint: {
    email: 'Schaltet jede E-Mail aus, ohne die Auswahl darunter zu vergessen.',
    in_app: 'Schaltet jede Benachrichtigung in der App aus, ohne die Auswahl darunter zu vergessen.',
  },
  kindsTitle: 'Worüber Sie benachrichtigt werden',
  kinds: { mentions: 'Erwähnungen', edits: 'Änderungen', comments: 'Kommentare', invites: 'Einladungen' },
  kindHint: {
    mentions: 'Jemand nennt Ihren Namen.',
    edits: 'Jemand ändert, woran Sie arbeiten.',
    comments: 'Jemand kommentiert, woran Sie arbeiten.',
    invites: 'Jemand lädt Sie ein.',
  },
  kept: (isOn) => `Jetzt aus; Ihre Auswahl „${isOn ? 'ein' : 'aus'}“ bleibt erhalten.`,
  digestTitle: 'Zusammenfassung per E-Mail',
  digest: 'Wie oft',
  digestOff: 'Solange E-Mails ausgeschaltet sind, kommt keine Zusammenfassung.',
  frequencies: { never: 'Nie', hourly: 'Stündlich', daily: 'Täglich', weekly: 'Wöchentlich' },
  temporary:
    'Ihre Einstellungen konnten nicht geladen werden. Sie sehen die üblichen; was Sie hier ändern, wird nicht gespeichert.',
  cleared: 'Ihre Einstellungen wurden anderswo entfernt.',
  restore: 'Übliche Einstellungen anlegen',
  retry: 'Noch einmal versuchen',
  saveFailed: 'Das konnte nicht gespeichert werden; die Einstellung ist wie zuvor.',
  saving: 'Wird gespeichert …',
  saved: 'Gespeichert',
};
