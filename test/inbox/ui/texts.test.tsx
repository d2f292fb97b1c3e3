import { act, render, screen, waitFor } from '@testing-library/react';
import { startTransition, Suspense, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { deferred } from '../../support/wire/replies.ts';

const english = { hello: 'Hello' };
const german = { hello: 'Hallo' };
type GermanFile = { readonly german: typeof german };

/** Opens a page in a language, as `public/theme.js` sets it. */
async function openPage(language: 'en' | 'de') {
  document.documentElement.lang = language;
  vi.resetModules();
  return import('../../../src/inbox/ui/texts.ts');
}

beforeEach(() => localStorage.clear());
afterEach(() => document.documentElement.removeAttribute('lang'));

test('a dictionary of an English page imports no German', async () => {
  const { defineTexts } = await openPage('en');
  const importGerman = vi.fn<() => Promise<GermanFile>>().mockResolvedValue({ german });
  await expect(defineTexts(english, importGerman).load()).resolves.toBe(english);
  expect(importGerman).not.toHaveBeenCalled();
});

test('a dictionary of a German page imports German once, as soon as it is defined', async () => {
  const { defineTexts } = await openPage('de');
  const importGerman = vi.fn<() => Promise<GermanFile>>().mockResolvedValue({ german });
  const texts = defineTexts(english, importGerman);
  expect(importGerman).toHaveBeenCalledOnce();
  await expect(texts.load()).resolves.toBe(german);
  expect(importGerman).toHaveBeenCalledOnce();
});

test('a component on a German page shows no English while German loads', async () => {
  const { defineTexts } = await openPage('de');
  const file = deferred<GermanFile>();
  const texts = defineTexts(english, () => file.promise);
  const Greeting = () => <p>{texts.use().hello}</p>;
  await act(async () =>
    render(
      <Suspense fallback="waiting">
        <Greeting />
      </Suspense>,
    ),
  );
  expect(screen.getByText('waiting')).toBeTruthy();
  file.resolve({ german });
  await screen.findByText('Hallo');
});

test('a component with hooks after its texts renders when German arrives during the render', async () => {
  const { defineTexts } = await openPage('de');
  const file = deferred<GermanFile>();
  const texts = defineTexts(english, () => file.promise);
  const Greeting = () => {
    file.resolve({ german });
    const { hello } = texts.use();
    const [mark] = useState('!');
    return <p>{hello + mark}</p>;
  };
  const onRecoverableError = vi.fn<() => void>();
  const root = createRoot(document.createElement('div'), { onRecoverableError });
  const shown = new Promise<string | null>((resolve) =>
    startTransition(() =>
      root.render(
        <Suspense fallback="waiting">
          <Greeting />
          <p ref={(element) => resolve(element?.previousSibling?.textContent ?? null)} />
        </Suspense>,
      ),
    ),
  );
  expect(await shown).toBe('Hallo!');
  expect(onRecoverableError).not.toHaveBeenCalled();
  root.unmount();
});

test('English is shown instead of German that fails to load, until the network is back', async () => {
  const { defineTexts } = await openPage('de');
  const importGerman = vi
    .fn<() => Promise<GermanFile>>()
    .mockRejectedValueOnce(new Error('offline'))
    .mockResolvedValue({ german });
  const texts = defineTexts(english, importGerman);
  await expect(texts.load()).resolves.toBe(english);
  dispatchEvent(new Event('online'));
  await waitFor(async () => expect(await texts.load()).toBe(german));
});

test('a change of the language applies once the German of every dictionary is loaded', async () => {
  const { defineTexts, setLanguage } = await openPage('en');
  const file = deferred<GermanFile>();
  defineTexts(english, () => file.promise);
  const change = setLanguage('de');
  await Promise.resolve();
  expect(document.documentElement.lang).toBe('en');
  file.resolve({ german });
  await change;
  expect(document.documentElement.lang).toBe('de');
});
