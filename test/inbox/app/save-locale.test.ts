import { beforeEach, expect, test } from 'vitest';
import { saveLanguage, saveMissingLocale } from '../../../src/inbox/app/data/save-locale.ts';
import { ownTimeZone } from '../../../src/inbox/shared/own-time-zone.ts';

/** An account with this metadata, and the metadata that was sent to it. */
function account(user_metadata: Readonly<Record<string, string>>) {
  const sent: unknown[] = [];
  const network = { isLost: false };
  const auth = {
    getSnapshot: () => ({ user: { id: 'ada', user_metadata } }),
    updateUser({ data }: { readonly data: object }) {
      if (network.isLost) return Promise.reject(new Error('no network'));
      return Promise.resolve(void sent.push(data));
    },
  } as unknown as Parameters<typeof saveMissingLocale>[1];
  return { auth, sent, network };
}

beforeEach(() => localStorage.clear());

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
  const { auth, sent } = account({ language: 'en', time_zone: 'Asia/Tokyo' });
  await saveLanguage('en', auth, () => undefined);
  await saveLanguage('de', auth, () => undefined);
  expect(sent).toEqual([{ language: 'de', time_zone: 'Asia/Tokyo' }]);
});

test('a language that was chosen offline is saved with the account later, once', async () => {
  const { auth, sent, network } = account({ language: 'en', time_zone: 'Asia/Tokyo' });
  const problems: unknown[] = [];
  network.isLost = true;
  await saveLanguage('de', auth, (problem) => problems.push(problem));
  expect(problems).toHaveLength(1);
  network.isLost = false;
  await saveMissingLocale('de', auth);
  await saveMissingLocale('de', auth);
  expect(sent).toEqual([{ language: 'de', time_zone: 'Asia/Tokyo' }]);
});

test('a language that was chosen offline is not saved with another account, nor after a later choice', async () => {
  const { auth, network, sent } = account({ language: 'en', time_zone: 'Asia/Tokyo' });
  network.isLost = true;
  await saveLanguage('de', auth, () => undefined);
  network.isLost = false;
  const grace = { id: 'grace', user_metadata: { language: 'en', time_zone: 'Asia/Tokyo' } };
  await saveMissingLocale('en', { ...auth, getSnapshot: () => ({ user: grace }) as never });
  await saveLanguage('en', auth, () => undefined);
  await saveMissingLocale('en', auth);
  expect(sent).toEqual([]);
});
