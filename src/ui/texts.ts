import { use, useSyncExternalStore } from 'react';
import { createStore } from './store.ts';

/** Languages that the application speaks. */
export type Language = 'en' | 'de';

export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

/** Read by `public/theme.js` too, before the first paint. */
const storageKey = 'language';

const language = createStore<Language>(globalThis.document?.documentElement.lang === 'de' ? 'de' : 'en');

export function useLanguage(): Language {
  return useSyncExternalStore(language.subscribe, language.getSnapshot);
}

export function setLanguage(chosen: Language): void {
  document.documentElement.lang = chosen;
  try {
    localStorage.setItem(storageKey, chosen);
  } catch {
    // Storage is blocked: the choice holds for this page.
  }
  language.set(chosen);
}

/** A dictionary's shape with its literals widened: what a translation has to fill. */
export type Translation<Texts> = Texts extends string
  ? string
  : Texts extends (...args: infer Args) => string
    ? (...args: Args) => string
    : { readonly [Key in keyof Texts]: Translation<Texts[Key]> };

export type Translations<Texts> = Readonly<
  Record<Exclude<Language, 'en'>, () => Promise<{ readonly texts: Translation<Texts> }>>
>;

export interface Texts<T> {
  /** The texts in the language of the reader; suspends until they are loaded. */
  readonly use: () => Translation<T>;
  /** The same outside of a component. */
  readonly load: () => Promise<Translation<T>>;
}

/**
 * A dictionary: English comes with the code that uses it, every other language is loaded when somebody reads it.
 * A missing or superfluous text in a translation is a type error.
 */
export function defineTexts<const T>(english: T, translations: Translations<T>): Texts<T> {
  const source = english as Translation<T>;
  const load = createLoader<T>({ en: () => Promise.resolve({ texts: source }), ...translations });
  return {
    use() {
      const wanted = useLanguage();
      // English never suspends. (`use` may be called conditionally.)
      return wanted === 'en' ? source : use(load(wanted));
    },
    load: () => load(language.getSnapshot()),
  };
}

type Languages<T> = Readonly<Record<Language, () => Promise<{ readonly texts: Translation<T> }>>>;

/** A dictionary that is not needed for the first screen: no language of it comes with the code that uses it. */
export function defineLazyTexts<T>(languages: Languages<T>): Texts<T> {
  const load = createLoader(languages);
  return {
    use: () => use(load(useLanguage())),
    load: () => load(language.getSnapshot()),
  };
}

/** Loads each language once; the promise stays the same, as `use` wants it. */
function createLoader<T>(languages: Languages<T>): (wanted: Language) => Promise<Translation<T>> {
  const loaded = new Map<Language, Promise<Translation<T>>>();
  return (wanted) => {
    const known = loaded.get(wanted);
    if (known) return known;
    const { en, [wanted]: translation } = languages;
    // A translation that cannot be had must not take the page away.
    const loading = translation()
      .catch(en)
      .then(({ texts }) => texts);
    loaded.set(wanted, loading);
    // Nor must one failure be the last word.
    loading.catch(() => loaded.delete(wanted));
    return loading;
  };
}
