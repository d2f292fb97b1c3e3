import { expect, test } from 'vitest';
import { selectLocale } from '../../../src/inbox/ui/locale.ts';

test('the locale prefers the region of the user', () => {
  expect(selectLocale(['fr-FR', 'de-AT', 'de'], 'de')).toBe('de-AT');
});

test('the locale falls back to the language where no locale matches', () => {
  expect(selectLocale(['fr-FR', 'deu-x'], 'en')).toBe('en');
});

test('the locale skips a tag that Intl refuses', () => {
  const locale = selectLocale(['en-US@posix', 'en-GB'], 'en');
  expect(locale).toBe('en-GB');
  expect(() => new Intl.DateTimeFormat(selectLocale(['en-US@posix'], 'en'))).not.toThrow();
});
