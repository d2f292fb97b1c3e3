import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, BrowserContextOptions } from '@playwright/test';
import { openShot } from '../../scripts/shots/open-shot.ts';
import { shots } from '../../scripts/shots/shots.ts';
import { expect, test } from '../e2e/support/fixtures.ts';
import { shotSession } from '../e2e/support/shot-session.ts';

/** The names of the pictures: a state of a screen, and how it is shown. */
const pictures = [
  'login desktop',
  'login phone german',
  'login-errors phone',
  'signup desktop dark',
  'login-mfa phone',
  'inbox-window desktop',
  'inbox-window desktop dark',
  'inbox-window desktop forced',
  'inbox-window desktop german',
  'inbox-window phone',
  'inbox-window phone large',
  'inbox-empty desktop',
  'inbox-empty phone dark',
  'inbox-selection desktop',
  'inbox-selection phone',
  'inbox-detail desktop',
  'inbox-detail phone',
  'inbox-row-menu phone german',
  'inbox-undo phone',
  'inbox-options desktop',
  'preferences desktop',
  'preferences phone german',
  'account desktop',
  'account phone dark',
  'join-open phone',
] as const;

const frozenAt = new Date('2026-03-18T10:00:00Z');
const fontPath = fileURLToPath(
  import.meta.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
);

test.setTimeout(120_000);

for (const picture of pictures)
  test(picture, { tag: '@pictures' }, async ({ browser, stage }) => {
    const [name, ...looks] = picture.split(' ');
    const shot = shots.find((candidate) => candidate.name === name);
    if (!shot) throw new Error(`There is no state ${name}`);
    const storageState = shot.user && (await shotSession(browser, stage, shot.user));
    const context = await browser.newContext({
      ...optionsOf(new Set(looks)),
      ...(storageState && { storageState }),
    });
    try {
      await useOneFont(context);
      const page = await context.newPage();
      page.setDefaultTimeout(40_000);
      await openShot(page, stage, shot, { language: looks.includes('german') ? 'de' : 'en', frozenAt });
      if (looks.includes('large')) await page.addStyleTag({ content: ':root { font-size: 200% }' });
      await expect(page).toHaveScreenshot(`${picture.replaceAll(' ', '-')}.png`, {
        // The server computes the time of the next email, by its own clock.
        mask: [page.getByText(/next email|Nothing is waiting|nächste E.Mail|Zurzeit wartet nichts/)],
      });
    } finally {
      await context.close();
    }
  });

function optionsOf(looks: ReadonlySet<string>): BrowserContextOptions {
  return {
    locale: 'en-US',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    bypassCSP: true,
    colorScheme: looks.has('dark') ? 'dark' : 'light',
    forcedColors: looks.has('forced') ? 'active' : 'none',
    ...(looks.has('phone')
      ? { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true }
      : { viewport: { width: 1024, height: 640 } }),
  };
}

/** The same glyphs on every machine. */
async function useOneFont(context: BrowserContext): Promise<void> {
  const body = await readFile(fontPath);
  await context.route('**/visual-font.woff2', (route) => route.fulfill({ body, contentType: 'font/woff2' }));
  await context.addInitScript(() => {
    const font = new FontFace('Visual', 'url(/visual-font.woff2)', { weight: '100 900' });
    document.fonts.add(font);
    void font.load();
    addEventListener('DOMContentLoaded', () => {
      document.documentElement.style.setProperty('--font-ui', 'Visual');
      document.documentElement.style.setProperty('--font-code', 'Visual');
    });
  });
}
