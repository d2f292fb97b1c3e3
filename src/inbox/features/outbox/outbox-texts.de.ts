import type { OutboxTexts } from './outbox-texts.ts';

const changes = (count: number) => (count === 1 ? '1 Änderung' : `${count} Änderungen`);

export const german: OutboxTexts = {
  offline: (count) => `Du bist offline. Noch nicht synchronisiert: ${changes(count)}.`,
  sending: (count) => `${changes(count)} ${count === 1 ? 'wird' : 'werden'} synchronisiert …`,
  show: 'Anzeigen',
  listTitle: 'Noch nicht synchronisiert',
  listIntro:
    'Diese Änderungen sind auf diesem Gerät gespeichert. Sie werden in dieser Reihenfolge gesendet, sobald du wieder online bist.',
  listIntroUnsaved:
    'Dieser Browser kann deine Änderungen nicht speichern. Lass diesen Tab offen: Sie werden in dieser Reihenfolge gesendet, sobald du wieder online bist.',
  discard: 'Verwerfen',
  discardNamed: (name) => `Verwerfen: ${name}`,
  discardAll: 'Alle verwerfen',
  tooLate: 'Zu spät zum Rückgängigmachen: Die Änderung wurde schon gesendet.',
  changed: (count) =>
    count === 1
      ? 'Eine Änderung wurde nicht übernommen: Der Eintrag wurde inzwischen auf einem anderen Gerät geändert.'
      : `${count} Änderungen wurden nicht übernommen: Die Einträge wurden inzwischen auf einem anderen Gerät geändert.`,
  deleted: (count) =>
    count === 1
      ? 'Eine Änderung wurde nicht übernommen: Der Eintrag wurde inzwischen gelöscht.'
      : `${count} Änderungen wurden nicht übernommen: Die Einträge wurden inzwischen gelöscht.`,
  refused: (count) =>
    count === 1
      ? 'Etwas ist schiefgelaufen. Deine Änderung wurde rückgängig gemacht.'
      : `Etwas ist schiefgelaufen. ${count} deiner Änderungen wurden rückgängig gemacht.`,
  dropped: (count) =>
    `${changes(count)} auf diesem Gerät ${count === 1 ? 'wurde' : 'wurden'} verworfen: von einem anderen Konto oder älter als 14 Tage.`,
  retry: 'Noch einmal versuchen',
  questionTitle: 'Abmelden, ohne zu senden?',
  question: (count) =>
    count === 1
      ? '1 Änderung wurde noch nicht gesendet. Wenn du dich jetzt abmeldest, geht sie verloren.'
      : `${count} Änderungen wurden noch nicht gesendet. Wenn du dich jetzt abmeldest, gehen sie verloren.`,
  stay: 'Angemeldet bleiben',
  signOut: 'Abmelden und verwerfen',
  close: 'Schließen',
};
