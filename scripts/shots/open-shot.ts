import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Stage } from '../../test/e2e/support/stage.ts';
import { accountPassword } from '../local-project.ts';
import type { Shot } from './shot.ts';
import { createWords } from './words.ts';

export interface OpenOptions {
  /** Default: English. */
  readonly language?: 'en' | 'de';
  /** The page's clock stands still at this time. Default: it runs. */
  readonly frozenAt?: Date;
}

/** Brings a page into the state of a picture. Faults of the server stay until the stage is mended. */
export async function openShot(
  page: Page,
  stage: Stage,
  shot: Shot,
  { language = 'en', frozenAt }: OpenOptions = {},
): Promise<void> {
  if (frozenAt) await page.clock.setFixedTime(frozenAt);
  await page.addInitScript((chosen) => localStorage.setItem('language', chosen), language);
  await shot.prepare?.(stage, frozenAt ?? new Date());
  await page.goto(stage.appUrl + (typeof shot.path === 'string' ? shot.path : await shot.path(stage)));
  await page.locator('h1').first().waitFor();
  await shot.arrange?.({
    page,
    stage,
    say: createWords(language),
    newEmail: () => `new-${crypto.randomUUID().slice(0, 8)}@example.com`,
    async mail(to) {
      const { code, links } = await stage.supabase.mailbox.waitFor({ to });
      return { code: code ?? '', link: links[0] ?? '' };
    },
  });
  // Toasts, popovers and parts that load later settle.
  await page.waitForTimeout(300);
}

/** The cookies and storage of a user who signed in on the screen. */
export async function signInOnScreen(
  browser: Browser,
  { appUrl }: Stage,
  email: string,
): Promise<Awaited<ReturnType<BrowserContext['storageState']>>> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(() => localStorage.setItem('language', 'en'));
  await page.goto(`${appUrl}/login`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(accountPassword);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/home');
  const state = await context.storageState();
  await context.close();
  return state;
}
