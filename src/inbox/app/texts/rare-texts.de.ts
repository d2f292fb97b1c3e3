import type { RareTexts } from './rare-texts.en.ts';

export const texts: RareTexts = {
  invitations: 'Einladungen',
  newVersion: 'Eine neue Version ist bereit.',
  notFound: 'Seite nicht gefunden',
  notFoundText: 'Diese Seite gibt es nicht. Vielleicht ist der Link alt oder vertippt.',
  shell: 'Bereit',
  shellText: 'Die App ist geladen. Öffne deinen Posteingang, um weiterzumachen.',
  configuration: 'Diese App ist noch nicht eingerichtet',
};
