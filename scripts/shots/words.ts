import { appTexts } from '../../src/inbox/app/app-texts.ts';
import { accountTexts } from '../../src/inbox/features/account/account-texts.ts';
import { authTexts } from '../../src/inbox/features/auth/auth-texts.ts';
import { joinTexts } from '../../src/inbox/features/join/join-texts.ts';
import { inboxDialogTexts } from '../../src/inbox/features/notifications/texts/inbox-dialog-texts.ts';
import { inboxTexts } from '../../src/inbox/features/notifications/texts/inbox-texts.ts';
import { outboxTexts } from '../../src/inbox/features/outbox/outbox-texts.ts';
import { preferencesTexts } from '../../src/inbox/features/preferences/preferences-texts.ts';
import { authErrorTexts } from '../../src/inbox/shared/auth-problem/auth-error-texts.ts';
import { credentialTexts } from '../../src/inbox/ui/form/credential-texts.ts';

/** Translates an English text of a screen. */
export type Words = (english: string) => string;

const dictionaries: readonly (readonly [english: object, german: object])[] = await Promise.all(
  [
    inboxTexts,
    authTexts,
    credentialTexts,
    authErrorTexts,
    appTexts,
    accountTexts,
    preferencesTexts,
    joinTexts,
    inboxDialogTexts,
    outboxTexts,
  ].map((texts) => Promise.all([texts.load('en'), texts.load('de')])),
);

/** The texts of the screens in a language. An English text that is in no dictionary throws. */
export function createWords(language: 'en' | 'de'): Words {
  const german = new Map<string, string>();
  for (const [english, translation] of dictionaries) collect(english, translation, german);
  return (english) => {
    const translation = german.get(english);
    if (translation === undefined) throw new Error(`No screen has the text “${english}”`);
    return language === 'de' ? translation : english;
  };
}

/**
 * A dictionary's direct texts take precedence over those of its parts: “Invite” is a button, and the name of a type.
 */
function collect(english: object, translation: object, german: Map<string, string>): void {
  const entries = Object.entries(english).map(
    ([key, value]: [string, unknown]) =>
      [value, (translation as Readonly<Record<string, unknown>>)[key]] as const,
  );
  for (const [value, other] of entries)
    if (typeof value === 'string' && typeof other === 'string') german.set(value, german.get(value) ?? other);
  for (const [value, other] of entries)
    if (typeof value === 'object' && typeof other === 'object' && value && other)
      collect(value, other, german);
}
