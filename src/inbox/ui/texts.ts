import { use, useSyncExternalStore } from 'react';
import { createStore } from './state/store.ts';

/** The application's languages. */
export type Language = 'en' | 'de';

export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

/** Read by `public/theme.js` too, before the first paint. */
const storageKey = 'language';

const language = createStore<Language>(globalThis.document?.documentElement.lang === 'de' ? 'de' : 'en');

export function useLanguage(): Language {
  return useSyncExternalStore(language.subscribe, language.getSnapshot);
}

/** The loaders of all dictionaries in use, for a change of language. */
const inUse = new Set<(wanted: Language) => Promise<unknown>>();
let latestChoice: Language | null = null;

/** Switches the language once every dictionary in use is loaded, so that no part of the page suspends. */
export async function setLanguage(chosen: Language): Promise<void> {
  latestChoice = chosen;
  try {
    localStorage.setItem(storageKey, chosen);
  } catch {
    // Storage is blocked: the choice holds for this page.
  }
  await Promise.allSettled([...inUse].map((load) => load(chosen)));
  // Superseded by a later call.
  if (latestChoice !== chosen) return;
  document.documentElement.lang = chosen;
  language.set(chosen);
}

/** A dictionary's shape with its literals widened, as a translation implements it. */
export type Translation<Texts> = Texts extends string
  ? string
  : Texts extends (...args: infer Args) => string
    ? (...args: Args) => string
    : { readonly [Key in keyof Texts]: Translation<Texts[Key]> };

export type Translations<Texts> = Readonly<
  Record<Exclude<Language, 'en'>, () => Promise<{ readonly texts: Translation<Texts> }>>
>;

export interface Texts<T> {
  /** The texts in the current language; suspends until they are loaded. */
  readonly use: () => Translation<T>;
  /** The texts in the current language, for code outside of a component. */
  readonly load: () => Promise<Translation<T>>;
}

/**
 * A dictionary: English is bundled with the code that uses it, other languages are loaded on first use. A missing or extra
 * text in a translation is a type error.
 */
export function defineTexts<const T>(english: T, translations: Translations<T>): Texts<T> {
  const source = english as Translation<T>;
  const load = createTextsLoader<T>({ en: () => Promise.resolve({ texts: source }), ...translations });
  return {
    use() {
      const wanted = useLanguage();
      inUse.add(load);
      // English never suspends. (`use` may be called conditionally.)
      return wanted === 'en' ? source : use(load(wanted));
    },
    load: () => load(language.getSnapshot()),
  };
}

type Languages<T> = Readonly<Record<Language, () => Promise<{ readonly texts: Translation<T> }>>>;

/** A dictionary that is not needed for the first screen: no language is bundled. */
export function defineLazyTexts<T>(languages: Languages<T>): Texts<T> {
  const load = createTextsLoader(languages);
  return {
    use: () => use(load(useLanguage())),
    load: () => load(language.getSnapshot()),
  };
}

/** Loads each language once and returns the same promise, as `use` requires. */
function createTextsLoader<T>(languages: Languages<T>): (wanted: Language) => Promise<Translation<T>> {
  const loaded = new Map<Language, Promise<Translation<T>>>();
  const loadTexts = (from: () => Promise<{ readonly texts: Translation<T> }>) => {
    const loading = from().then(({ texts }) => {
      // React's own marks: `use` returns the texts synchronously instead of suspending.
      void Object.assign(loading, { status: 'fulfilled', value: texts });
      return texts;
    });
    return loading;
  };
  /** Loads the translation when the network is back; until then English is shown in its place. */
  const reloadWhenOnline = (wanted: Language) =>
    addEventListener(
      'online',
      () => {
        const loading = loadTexts(languages[wanted]);
        loading.then(
          () => loaded.set(wanted, loading),
          () => reloadWhenOnline(wanted),
        );
      },
      { once: true },
    );
  const load = (wanted: Language) => {
    inUse.add(load);
    const known = loaded.get(wanted);
    if (known) return known;
    const { en, [wanted]: translation } = languages;
    // A translation that fails to load must not break the page.
    const loading = loadTexts(() =>
      translation().catch(() => {
        reloadWhenOnline(wanted);
        return en();
      }),
    );
    loaded.set(wanted, loading);
    // A later call retries.
    loading.catch(() => loaded.delete(wanted));
    return loading;
  };
  return load;
}
