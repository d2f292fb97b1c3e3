/**
 * The locale for numbers and dates: the browser's first one of `language`, so that the reader's region applies.
 *
 * @param locales `navigator.languages`. Browsers under a POSIX locale list tags such as `en-US@posix`, with which every
 * constructor of `Intl` throws a RangeError; such a tag is skipped.
 * @param language `en` or `de`, the default.
 */
export function selectLocale(locales: readonly string[], language: string): string {
  return (
    locales.find((locale) => isLanguageTag(locale) && new Intl.Locale(locale).language === language) ??
    language
  );
}

/** Whether `tag` is well formed (BCP 47). */
function isLanguageTag(tag: string): boolean {
  try {
    Intl.getCanonicalLocales(tag);
    return true;
  } catch {
    return false;
  }
}
