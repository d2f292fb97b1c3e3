import type { DetailTexts } from './detail-texts.en.ts';

export const texts: DetailTexts = {
  label: 'Benachrichtigung',
  from: 'Von',
  about: 'Betrifft',
  when: 'Wann',
  returns: 'Zurückgestellt bis',
  follow: 'Seite öffnen',
  followForeign: (host) => `${host} öffnen`,
  next: 'Nächste Benachrichtigung',
  previous: 'Vorige Benachrichtigung',
  gone: 'Diese Benachrichtigung gibt es nicht mehr.',
  leaving: {
    title: 'Du verlässt diese Website',
    text: 'Diesen Link hat der Absender der Benachrichtigung gewählt. Öffne ihn nur, wenn du ihm vertraust.',
    proceed: (host) => `Weiter zu ${host}`,
  },
};
