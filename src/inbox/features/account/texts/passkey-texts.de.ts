import type { PasskeyTexts } from './passkey-texts.en.ts';

export const texts: PasskeyTexts = {
  title: 'Passkeys',
  intro:
    'Melde dich mit Fingerabdruck, Gesicht oder Displaysperre an, ohne Passwort. Ein Passkey funktioniert nur auf dieser Website, eine gefälschte kann ihn nicht stehlen.',
  stillTwoSteps:
    'Auch nach der Anmeldung mit einem Passkey gibst du den Code der Anmeldung in zwei Schritten ein.',
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
  name: 'Name',
  nameHint: 'Zum Beispiel das Gerät oder der Passwortmanager, der ihn aufbewahrt.',
  nameMissing: 'Gib einen Namen ein.',
  nameTooLong: 'Nimm einen kürzeren Namen.',
  renamed: (name) => `Der Passkey heißt jetzt „${name}“.`,
  removeTitle: (name) => `„${name}“ entfernen?`,
  removeText:
    'Du kannst dich dann nicht mehr damit anmelden. Dein Gerät oder Passwortmanager zeigt ihn weiter an, bis du ihn auch dort löschst.',
  removed: (name) => `„${name}“ ist entfernt.`,
  gone: 'Dieser Passkey wurde inzwischen entfernt.',
};
