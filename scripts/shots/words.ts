import { texts as credentials } from '../../src/inbox/ui/form/credential-texts.en.ts';
import { texts as credentialsDe } from '../../src/inbox/ui/form/credential-texts.de.ts';
import { texts as app } from '../../src/inbox/app/texts/app-texts.en.ts';
import { texts as appDe } from '../../src/inbox/app/texts/app-texts.de.ts';
import { texts as auth } from '../../src/inbox/features/auth/texts/auth-texts.en.ts';
import { texts as authDe } from '../../src/inbox/features/auth/texts/auth-texts.de.ts';
import { texts as authErrors } from '../../src/inbox/shared/auth-problem/auth-error-texts.en.ts';
import { texts as authErrorsDe } from '../../src/inbox/shared/auth-problem/auth-error-texts.de.ts';
import { texts as account } from '../../src/inbox/features/account/texts/account-texts.en.ts';
import { texts as accountDe } from '../../src/inbox/features/account/texts/account-texts.de.ts';
import { texts as passkeys } from '../../src/inbox/features/account/texts/passkey-texts.en.ts';
import { texts as passkeysDe } from '../../src/inbox/features/account/texts/passkey-texts.de.ts';
import { texts as steps } from '../../src/inbox/features/account/texts/step-texts.en.ts';
import { texts as stepsDe } from '../../src/inbox/features/account/texts/step-texts.de.ts';
import { texts as inbox } from '../../src/inbox/features/notifications/texts/notification-texts.en.ts';
import { texts as inboxDe } from '../../src/inbox/features/notifications/texts/notification-texts.de.ts';
import { texts as preferences } from '../../src/inbox/features/preferences/texts/preferences-texts.en.ts';
import { texts as preferencesDe } from '../../src/inbox/features/preferences/texts/preferences-texts.de.ts';
import { texts as join } from '../../src/inbox/features/join/texts/join-texts.en.ts';
import { texts as joinDe } from '../../src/inbox/features/join/texts/join-texts.de.ts';
import { texts as senders } from '../../src/inbox/features/notifications/senders/sender-texts.en.ts';
import { texts as sendersDe } from '../../src/inbox/features/notifications/senders/sender-texts.de.ts';
import { texts as later } from '../../src/inbox/features/notifications/texts/later-texts.en.ts';
import { texts as laterDe } from '../../src/inbox/features/notifications/texts/later-texts.de.ts';
import { texts as part } from '../../src/inbox/features/notifications/texts/part-texts.en.ts';
import { texts as partDe } from '../../src/inbox/features/notifications/texts/part-texts.de.ts';
import { texts as snooze } from '../../src/inbox/features/notifications/snooze/snooze-texts.en.ts';
import { texts as snoozeDe } from '../../src/inbox/features/notifications/snooze/snooze-texts.de.ts';

/** Translates a text of a screen, given in English. */
export type Words = (english: string) => string;

const dictionaries: readonly (readonly [object, object])[] = [
  [inbox, inboxDe],
  [auth, authDe],
  [credentials, credentialsDe],
  [authErrors, authErrorsDe],
  [app, appDe],
  [account, accountDe],
  [passkeys, passkeysDe],
  [steps, stepsDe],
  [preferences, preferencesDe],
  [join, joinDe],
  [senders, sendersDe],
  [later, laterDe],
  [part, partDe],
  [snooze, snoozeDe],
];

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

/** Texts of a dictionary's own come before those of its parts: “Invite” is a button, and the name of a type. */
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
