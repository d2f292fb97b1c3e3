import { useSyncExternalStore } from 'react';
import { createObservable } from 'supabase-protocol-clients/platform';
import { readStored } from '../ui/state/stored-value.ts';

type ByLanguage<T> = Readonly<Record<string, T>>;

/** A kind of notifications that the team registered in the database: a row of `notification_kinds`. */
export interface RegisteredKind {
  readonly name: string;
  readonly labels: ByLanguage<string>;
  readonly icon: string;
  /** The channels of users who have not chosen. */
  readonly in_app: boolean;
  readonly email: boolean;
  readonly templates: ByLanguage<{ readonly title?: string | undefined; readonly text?: string | undefined }>;
  /** Functions of the database that a button may call. */
  readonly callbacks: readonly string[];
  /** Whether it is a topic, which users choose to follow. A table without topics lacks the column. */
  readonly is_topic?: boolean | undefined;
}

export type RegisteredKinds = ReadonlyMap<string, RegisteredKind>;

/** The kinds by name, the same for every user. Empty until they are read. */
export const registeredKinds = createObservable<RegisteredKinds>(new Map());

export function setRegisteredKinds(kinds: readonly RegisteredKind[]): void {
  registeredKinds.set(new Map(kinds.map((kind) => [kind.name, kind])));
}

export function useRegisteredKinds(): RegisteredKinds {
  return useSyncExternalStore(registeredKinds.subscribe, registeredKinds.getSnapshot);
}

/**
 * The entry in the reader's language: a region such as `de-AT`, the application's language, and, unless the reader chose that, a language
 * of the browser that the application lacks. Else the English one.
 */
function inLanguage<T>(entries: ByLanguage<T>, language: string): T | undefined {
  const isOwn = (tag: string) => tag === language || tag.startsWith(`${language}-`);
  const isChosen = readStored('language') !== null;
  const tags = navigator.languages.filter((tag) => isOwn(tag) || !(isChosen || /^(?:en|de)\b/i.test(tag)));
  return [...tags, language]
    .flatMap((tag) => [entries[tag], entries[tag.split('-')[0] ?? tag]])
    .concat(entries['en'])
    .find((entry) => entry !== undefined);
}

/** The label in the language, else in English, else the name. */
export function kindLabel({ labels, name }: RegisteredKind, language: string): string {
  return inLanguage(labels, language) ?? name;
}

/**
 * The title and the text of the template in the language, else in English; null without one, and where nothing remains of it.
 *
 * @param values by the names of the placeholders; a placeholder without one is left out.
 */
export function fillTemplate(
  { templates }: RegisteredKind,
  language: string,
  values: Readonly<Record<string, string | null | undefined>>,
): { readonly title: string | null; readonly text: string | null } {
  const { title, text } = inLanguage(templates, language) ?? {};
  const fill = (template = '') =>
    template.replace(/\{([a-z][a-z0-9_]*)\}/g, (_match, name: string) => values[name] ?? '').trim() || null;
  return { title: fill(title), text: fill(text) };
}
