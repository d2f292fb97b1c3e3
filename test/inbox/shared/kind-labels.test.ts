import { afterEach, expect, it, vi } from 'vitest';
import { fillTemplate, kindLabel } from '../../../src/inbox/shared/registered-kinds.ts';

const kind = {
  name: 'build_failed',
  labels: { en: 'Builds', de: 'Bauten', 'de-AT': 'Bauten (AT)', fil: 'Mga build', fr: 'Compilations' },
  icon: 'bell',
  in_app: true,
  email: true,
  templates: { en: { title: '{n} builds' }, fil: { title: '{n} build na' } },
  callbacks: [],
};

afterEach(() => {
  vi.restoreAllMocks();
  localStorage.clear();
});

it.each([
  [['en-US', 'en'], 'en', null, 'Builds'],
  [['de-AT', 'de'], 'de', null, 'Bauten (AT)'],
  [['de-CH'], 'de', null, 'Bauten'],
  [['fil-PH', 'en'], 'en', null, 'Mga build'],
  [['fr-CA', 'fil'], 'en', null, 'Compilations'],
  [['it', 'en-GB'], 'en', null, 'Builds'],
  [['fr'], 'en', 'en', 'Builds'],
  [['en'], 'de', 'de', 'Bauten'],
])(
  'a browser with the languages %j, on a page in %s with the choice %s, shows the label %s',
  (languages, language, chosen, label) => {
    vi.spyOn(navigator, 'languages', 'get').mockReturnValue(languages);
    if (chosen !== null) localStorage.setItem('language', chosen);
    expect(kindLabel(kind, language)).toBe(label);
  },
);

it('a template is filled in the language of the label', () => {
  vi.spyOn(navigator, 'languages', 'get').mockReturnValue(['fil']);
  expect(fillTemplate(kind, 'en', { n: '3' }).title).toBe('3 build na');
});
