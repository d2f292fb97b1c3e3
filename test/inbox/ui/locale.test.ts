import { expect, test } from 'vitest';
import { selectLocale } from '../../../src/inbox/ui/locale.ts';

test('prefers the region of the user', () => {
  expect(selectLocale(['fr-FR', 'de-AT', 'de'], 'de')).toBe('de-AT');
});

test('falls back to the language without a matching locale', () => {
  expect(selectLocale(['fr-FR', 'deu-x'], 'en')).toBe('en');
});

test('skips a tag that Intl refuses', () => {
  const locale = selectLocale(['en-US@posix', 'en-GB'], 'en');
  expect(locale).toBe('en-GB');
  expect(() => new Intl.DateTimeFormat(selectLocale(['en-US@posix'], 'en'))).not.toThrow();
});
