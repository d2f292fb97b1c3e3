import { expect, test } from 'vitest';
import { splitMatches } from '../../../../src/inbox/ui/list/highlight.tsx';

const marked = (text: string, query: string) =>
  splitMatches(text, query)
    .map((part) => (part.isMatch ? `[${part.text}]` : part.text))
    .join('');

test.each([
  ['The engine is running', 'eng', 'The [eng]ine is running'],
  ['The ENGINE and an engineer', 'engine', 'The [ENGINE] and an [engine]er'],
  ['Mid-engine', 'engine', 'Mid-[engine]'],
  ['subengine', 'engine', 'subengine'],
  ['An engine', 'engines', 'An [engine]'],
  ['Ölgemälde von Ärzten', 'ölg ärz', '[Ölg]emälde von [Ärz]ten'],
  ['Über die Straße', 'uber STRASSE', '[Über] die [Straße]'],
  ['Uber die Strasse', 'Über straße', '[Uber] die [Strasse]'],
  ['Jose\u0301 und José', 'jose', '[Jose\u0301] und [José]'],
  ['Æther 🎉 Łódź', 'a lo', '[Æ]ther 🎉 [Łó]dź'],
  ['한국어', '한', '[한]국어'],
  ['春季计划的第二版', '计划', '春季[计划]的第二版'],
  ['春季计划v2 und v2', '计划 v2', '春季[计划][v2] und [v2]'],
  ['カタカナーとAPI', 'ナーとapi', 'カタカ[ナーと][API]'],
  ['한국어', '국', '한[국]어'],
  ['a (b) [c]', '(b', 'a ([b]) [c]'],
  ['nothing', '&|', 'nothing'],
])('the highlight in %j marks the matches of %j', (text, query, expected) => {
  expect(marked(text, query)).toBe(expected);
});

test('the highlight keeps the text whole', () => {
  const text = 'Grace edited the plan, and the plans of all';
  expect(
    splitMatches(text, 'plan gra')
      .map((part) => part.text)
      .join(''),
  ).toBe(text);
});
