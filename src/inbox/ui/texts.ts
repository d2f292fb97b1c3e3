import { use, useSyncExternalStore } from 'react';
import { createObservable } from 'supabase-protocol-clients/platform';
import { markFulfilled } from './state/loader.ts';
import { writeStored } from './state/stored-value.ts';

/** The application's languages. */
export type Language = 'en' | 'de';

export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

/** Read by `public/theme.js` too, before the first paint. */
const storageKey = 'language';

const language = createObservable<Language>(globalThis.document?.documentElement.lang === 'de' ? 'de' : 'en');

export function useLanguage(): Language {
  return useSyncExternalStore(language.subscribe, language.getSnapshot);
}

/** All dictionaries whose code is loaded. */
const dictionaries = new Set<Texts<unknown>>();
let latestChoice: Language | null = null;

/** Switches the language once the texts of every dictionary are loaded, so that no part of the page suspends. */
export async function setLanguage(chosen: Language): Promise<void> {
  latestChoice = chosen;
  writeStored(storageKey, chosen);
  await Promise.all([...dictionaries].map((texts) => texts.load(chosen)));
  // Superseded by a later call.
  if (latestChoice !== chosen) return;
  document.documentElement.lang = chosen;
  language.set(chosen);
}

/** A dictionary's shape with its literals widened, as a translation implements it. */
export type Translation<English> = English extends string
  ? string
  : English extends (...args: infer Args) => string
    ? (...args: Args) => string
    : { readonly [Key in keyof English]: Translation<English[Key]> };

export interface Texts<T> {
  /** The texts in the current language; suspends until they are loaded. */
  readonly use: () => T;
  /**
   * The texts for code outside of a component; never rejects.
   *
   * @param wanted the current language by default.
   */
  readonly load: (wanted?: Language) => Promise<T>;
}

/**
 * A dictionary: English is bundled with the code that uses it. For a German page the German file begins to load with that
 * code; English is shown while it cannot be loaded.
 */
export function defineTexts<T>(english: T, importGerman: () => Promise<{ readonly german: T }>): Texts<T> {
  let loading: Promise<T> | null = null;
  const keep = (value: T): T => {
    loading = markFulfilled(Promise.resolve(value), value);
    return value;
  };
  const readGerman = async () => keep((await importGerman()).german);
  const retryWhenOnline = () =>
    addEventListener('online', () => void readGerman().catch(retryWhenOnline), { once: true });
  const loadGerman = () =>
    (loading ??= readGerman().catch(() => {
      retryWhenOnline();
      return keep(english);
    }));
  const texts: Texts<T> = {
    // In every render of a German page: React fails at the next hook of a component that suspended in `use` and calls it no more.
    use: () => (useLanguage() === 'en' ? english : use(loadGerman())),
    load: async (wanted = language.getSnapshot()) => (wanted === 'en' ? english : loadGerman()),
  };
  dictionaries.add(texts);
  if (language.getSnapshot() === 'de') void loadGerman();
  return texts;
}
