import { expect, test } from 'vitest';
import { saveLanguage, saveMissingLocale } from '../../../src/inbox/app/data/save-locale.ts';
import { ownTimeZone } from '../../../src/inbox/shared/own-time-zone.ts';

/** An account with this metadata, and the metadata that was sent to it. */
function account(user_metadata: Readonly<Record<string, string>>) {
  const sent: unknown[] = [];
  const auth = {
    getSnapshot: () => ({ user: { user_metadata } }),
    updateUser: ({ data }: { readonly data: object }) => Promise.resolve(void sent.push(data)),
  } as unknown as Parameters<typeof saveMissingLocale>[1];
  return { auth, sent };
}

test('an account that lacks language or time zone gets those of the browser, and keeps what it has', async () => {
  const time_zone = ownTimeZone();
  for (const [known, expected] of [
    [{}, [{ language: 'de', time_zone }]],
    [{ language: 'en' }, [{ language: 'en', time_zone }]],
    [{ time_zone: 'Asia/Tokyo' }, [{ language: 'de', time_zone: 'Asia/Tokyo' }]],
    [{ language: 'en', time_zone: 'Asia/Tokyo' }, []],
  ] as const) {
    const { auth, sent } = account(known);
    await saveMissingLocale('de', auth);
    expect(sent).toEqual(expected);
  }
});

test('the choice of a language is saved once', async () => {
  const { auth, sent } = account({ language: 'en' });
  await saveLanguage('en', auth, () => undefined);
  await saveLanguage('de', auth, () => undefined);
  expect(sent).toEqual([{ language: 'de' }]);
});
