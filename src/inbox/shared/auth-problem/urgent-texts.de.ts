import type { UrgentTexts } from './urgent-texts.en.ts';

export const texts: UrgentTexts = {
  network: 'Der Server ist nicht erreichbar. Prüfe deine Verbindung und versuche es noch einmal.',
  unknown: 'Etwas ist schiefgegangen. Bitte versuche es noch einmal.',
};
