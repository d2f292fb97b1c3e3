import type { SettingNames } from './setting-names.en.ts';

export const texts: SettingNames = {
  title: 'Einstellungen',
  channels: { email: 'E‑Mail', in_app: 'In der App' },
  enable: { email: 'Benachrichtigungen per E‑Mail', in_app: 'Benachrichtigungen in der App' },
  kinds: { mentions: 'Erwähnungen', edits: 'Änderungen', comments: 'Kommentare', invites: 'Einladungen' },
  digestTitle: 'Zusammenfassung per E‑Mail',
  timeZone: 'Zeitzone',
  mailLanguage: 'Sprache der E‑Mails',
  quietTitle: 'Ruhezeiten',
};
