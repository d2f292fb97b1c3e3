import type { SenderTexts } from './sender-texts.en.ts';

export const texts: SenderTexts = {
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
};
