import type { BrowserContextOptions, Locator, Page } from '@playwright/test';
import { openShot } from '../../scripts/shots/open-shot.ts';
import { shots } from '../../scripts/shots/shots.ts';
import { expect, test } from './support/fixtures.ts';
import { shotSession } from './support/shot-session.ts';
import { spokenText } from './support/spoken.ts';

/** States of screens, and the part of the page that a screen reader reads there. Default: the main part. */
const states: readonly (readonly [name: string, part?: (page: Page) => Locator])[] = [
  ['login'],
  ['login-errors'],
  ['login-refused'],
  ['login-by-mail'],
  ['login-link-expired'],
  ['login-link-elsewhere'],
  ['login-mfa'],
  ['signup'],
  ['signup-check-mail'],
  ['reset-password'],
  ['reset-password-new'],
  ['inbox-window', (page) => page.locator('body')],
  ['inbox-empty'],
  ['inbox-error'],
  ['inbox-selection'],
  ['inbox-undo', (page) => page.getByRole('region', { name: /Messages|Meldungen/ })],
  ['inbox-detail', (page) => page.locator('[data-detail-panel]')],
  ['inbox-options', dialog],
  ['inbox-invite', dialog],
  ['inbox-invited', dialog],
  ['inbox-bell', dialog],
  ['preferences'],
  ['preferences-off'],
  ['account'],
  ['account-menu', dialog],
  ['account-confirm', dialog],
  ['join'],
  ['join-signed-out'],
  ['join-open'],
  ['join-accepted'],
  ['join-other-account'],
  ['join-expired'],
  ['join-unknown'],
  ['not-found'],
  ['clear-cookies'],
];
const inGerman = new Set([
  'login-errors',
  'signup-check-mail',
  'inbox-window',
  'inbox-detail',
  'preferences',
  'account',
  'join-open',
]);

const frozenAt = new Date('2026-03-18T10:00:00Z');
const options: BrowserContextOptions = {
  locale: 'en-US',
  timezoneId: 'UTC',
  reducedMotion: 'reduce',
  viewport: { width: 1280, height: 800 },
};

function dialog(page: Page): Locator {
  return page.getByRole('dialog');
}

/** The reference files have the roles, names and states in the order in which they are read. */
for (const [name, part = (page: Page) => page.getByRole('main')] of states)
  for (const language of inGerman.has(name) ? (['en', 'de'] as const) : (['en'] as const))
    test(
      `${name} is read out, in ${language}`,
      { tag: ['@nightly', '@pictures'] },
      async ({ browser, stage }) => {
        const shot = shots.find((candidate) => candidate.name === name);
        if (!shot) throw new Error(`There is no state ${name}`);
        const storageState = shot.user && (await shotSession(browser, stage, shot.user));
        const context = await browser.newContext(storageState ? { ...options, storageState } : options);
        try {
          // Headless browsers differ: some deny notifications, which the page then shows.
          await context.addInitScript(() =>
            Object.defineProperty(Notification, 'permission', { get: () => 'default' }),
          );
          const page = await context.newPage();
          page.setDefaultTimeout(40_000);
          await openShot(page, stage, shot, { language, frozenAt });
          // Parts that load later may take even longer on a busy machine.
          await expect(async () => {
            expect(await spokenText(part(page))).toMatchSnapshot(`${name}.${language}.txt`);
          }).toPass();
        } finally {
          await context.close();
        }
      },
    );

/** Follows the live regions: what a screen reader announces without a move of the focus. */
async function listen(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(() => {
    const lines: string[] = [];
    Object.assign(globalThis, { lines });
    new MutationObserver((records) => {
      const regions = new Set<Element>();
      for (const { target } of records) {
        const element = target instanceof Element ? target : target.parentElement;
        const region = element?.closest('[role=status], [role=alert], [aria-live]');
        if (region) regions.add(region);
      }
      for (const region of regions) {
        const text = (region.textContent ?? '').trim();
        if (text !== '' && lines.at(-1) !== text) lines.push(text);
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  return () => page.evaluate(() => (globalThis as { lines?: string[] }).lines ?? []);
}

test(
  'errors are read with their fields, and a refused sign-in at once',
  { tag: '@nightly' },
  async ({ page, world }) => {
    await page.goto(`${world.appUrl}/login`);
    const lines = await listen(page);
    const email = page.getByLabel('Email');
    const password = page.getByLabel('Password', { exact: true });
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(email).toBeFocused();
    await expect(email).toHaveAttribute('aria-invalid', 'true');
    await expect(email).toHaveAccessibleDescription('Enter your email address.');
    await expect(password).toHaveAccessibleDescription('Enter your password.');
    await email.fill('ada@example.com');
    await expect(email).not.toHaveAttribute('aria-invalid', 'true');
    await expect(email).toHaveAccessibleDescription('');
    await password.fill('wrong');
    await page.keyboard.press('Enter');
    await expect.poll(lines).toContain('Wrong email or password.');
    await page.goto(`${world.appUrl}/signup`);
    const chosen = page.getByLabel('Password', { exact: true });
    await chosen.fill('abc');
    await page.getByRole('button', { name: 'Create account' }).click();
    await expect(chosen).toHaveAccessibleDescription(/Use at least 8 characters\./);
  },
);

test(
  'the inbox announces actions, results, the selection and the loss of the connection',
  { tag: '@nightly' },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { about: 'Budget', kind: 'comment' });
    await world.notify(grace, ada, { about: 'Engine plan' });
    await world.enter(page, ada);
    await expect(page.locator('main [data-id]')).toHaveCount(2);
    const lines = await listen(page);
    await page.locator('main [data-row]').first().focus();
    await page.keyboard.press('e');
    await expect.poll(lines).toContainEqual(expect.stringContaining('1 notification archived.'));
    await page.keyboard.press('z');
    await expect(page.locator('main [data-id]')).toHaveCount(2);
    await page.keyboard.press('/');
    await page.keyboard.type('budget');
    await expect.poll(lines).toContain('1 result');
    await page.keyboard.press('Escape');
    await expect(page.locator('main [data-id]')).toHaveCount(2);
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    // The region is there before its text changes.
    await expect(page.getByRole('region', { name: 'Select' })).toBeVisible();
    await page.getByRole('checkbox').first().check();
    await expect.poll(lines).toContain('1 selected');
    await page.getByRole('region', { name: 'Select' }).getByRole('button', { name: 'Mark as read' }).click();
    await expect.poll(lines).toContainEqual(expect.stringContaining('1 notification marked as read.'));
    await page.context().setOffline(true);
    await expect.poll(lines).toContainEqual(expect.stringContaining('You’re offline.'));
  },
);
