import type { Page } from '@playwright/test';
import { expect, test as base, type World } from './support/fixtures.ts';
import { startStage } from './support/stage.ts';
import { addVirtualAuthenticator } from './support/virtual-authenticator.ts';
import { createWorld } from './support/world.ts';

/** A project that requires a captcha. */
const test = base.extend<object, { guarded: World }>({
  guarded: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the fixture's dependencies from the pattern.
    async ({}, use) => {
      const stage = await startStage({ captchaSiteKey: 'site-key', auth: { captchaToken: 'human' } });
      await use(createWorld(stage));
      await stage.close();
    },
    { scope: 'worker' },
  ],
});

/** Plays the provider's script: a button that says "human". */
async function playProvider(page: Page): Promise<void> {
  await page.route('https://js.hcaptcha.com/**', (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: `window.hcaptcha = { render(container, { sitekey, callback }) {
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = 'I am human: ' + sitekey;
        button.onclick = () => { callback('human'); button.textContent = 'Checked'; };
        container.append(button);
      }, remove() {} };`,
    }),
  );
}

test(
  'a captcha is shown only where the configuration names one',
  { tag: '@nightly' },
  async ({ page, world }) => {
    await playProvider(page);
    await page.goto(`${world.appUrl}/login`);
    await expect(page.getByRole('button', { name: 'Continue with Google' })).toBeVisible();
    await expect(page.getByRole('group', { name: 'Check that you’re human' })).toHaveCount(0);
  },
);

test(
  'a sign-up sends the captcha token; without it the error shows the reason',
  { tag: ['@nightly', '@settings'] },
  async ({ page, guarded }) => {
    await playProvider(page);
    const email = guarded.newEmail();
    await page.goto(`${guarded.appUrl}/signup`);
    await expect(page.getByRole('group', { name: 'Check that you’re human' })).toBeVisible();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill('Correct-horse-12');
    await page.getByRole('button', { name: 'Create account' }).click();
    await expect(page.getByText('We couldn’t confirm that you’re human. Please try again.')).toBeVisible();
    await page.getByRole('button', { name: 'I am human: site-key' }).click();
    await expect(page.getByRole('button', { name: 'Checked' })).toBeVisible();
    await page.getByRole('button', { name: 'Create account' }).click();
    await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible();
  },
);

test(
  'the passkey button sends the captcha token, and autofill requests no challenge',
  { tag: ['@nightly', '@settings'] },
  async ({ page, guarded }) => {
    await playProvider(page);
    // An authenticator without a passkey makes the browser refuse the prompt.
    await addVirtualAuthenticator(page);
    let challenges = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().includes('/passkeys/authentication/options'))
        challenges += 1;
    });
    await page.goto(`${guarded.appUrl}/login`);
    const passkey = page.getByRole('button', { name: 'Sign in with a passkey' });
    await page.getByLabel('Email').click();
    await passkey.click();
    await expect(page.getByText('We couldn’t confirm that you’re human. Please try again.')).toBeVisible();
    await page.getByRole('button', { name: 'I am human: site-key' }).click();
    await passkey.click();
    await expect(page.getByText(/^No passkey was used/)).toBeVisible();
    expect(challenges).toBe(2);
  },
);
