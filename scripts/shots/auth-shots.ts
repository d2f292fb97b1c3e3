import type { Page } from 'playwright-core';
import type { Shot } from './shot.ts';

const password = 'a-long-enough-secret-7';

/** The auth screens, the account, and the static pages. */
export const authShots: readonly Shot[] = [
  { name: 'login', path: '/login', arrange: ({ page }) => providers(page) },
  {
    name: 'login-errors',
    path: '/login',
    async arrange({ page, say }) {
      await providers(page);
      await page.getByLabel(say('Email')).fill('ada@');
      await page.getByRole('button', { name: say('Sign in'), exact: true }).click();
    },
  },
  {
    name: 'login-refused',
    path: '/login',
    async arrange({ page, say }) {
      await page.getByLabel(say('Email')).fill('ada@example.com');
      await page.getByLabel(say('Password'), { exact: true }).fill('wrong');
      await page.getByRole('button', { name: say('Sign in'), exact: true }).click();
      await page.getByText(say('Wrong email or password.')).waitFor();
      await providers(page);
    },
  },
  {
    name: 'login-by-mail',
    path: '/login',
    async arrange({ page, say }) {
      await page.getByRole('button', { name: say('Email me a code instead') }).click();
      await providers(page);
    },
  },
  {
    name: 'login-link-expired',
    path: '/home?error=access_denied&error_code=otp_expired&error_description=expired&sb=',
    async arrange({ page, say }) {
      await page.getByText(say('This link has expired or was already used')).waitFor();
      await providers(page);
    },
  },
  {
    name: 'login-link-elsewhere',
    path: '/home?code=00000000-0000-4000-8000-000000000000',
    async arrange({ page, say }) {
      await page.getByRole('button', { name: say('Send a new email') }).waitFor();
      await providers(page);
    },
  },
  {
    name: 'login-fresh-mail',
    path: '/home?code=00000000-0000-4000-8000-000000000000',
    async arrange({ page, say }) {
      await page.getByLabel(say('Email')).fill('ada@example.com');
      await page.getByRole('button', { name: say('Send a new email') }).click();
      await page.getByLabel(say('Code from the email')).waitFor();
    },
  },
  {
    name: 'login-offline',
    path: '/login',
    async arrange({ page, say }) {
      await page.getByLabel(say('Email')).waitFor();
      await page.context().setOffline(true);
      await page.getByText(say('You’re offline. You can fill this in, but not send it.')).waitFor();
    },
  },
  {
    name: 'signup',
    path: '/signup',
    async arrange({ page, say }) {
      await providers(page);
      await page.getByLabel(say('Email')).fill('mary@example.com');
      await page.getByLabel(say('Password'), { exact: true }).fill('sunny-harbour');
      await page.getByText(`${say('Strength')}:`).waitFor();
    },
  },
  {
    name: 'signup-check-mail',
    path: '/signup',
    async arrange({ page, say, newEmail }) {
      await page.getByLabel(say('Email')).fill(newEmail());
      await page.getByLabel(say('Password'), { exact: true }).fill(password);
      await page.getByRole('button', { name: say('Create account') }).click();
      await page.getByRole('heading', { name: say('Check your email') }).waitFor();
    },
  },
  { name: 'reset-password', path: '/reset-password' },
  {
    name: 'reset-password-new',
    path: '/signup',
    async arrange({ page, say, stage, newEmail, mail }) {
      const email = newEmail();
      await page.getByLabel(say('Email')).fill(email);
      await page.getByLabel(say('Password'), { exact: true }).fill(password);
      await page.getByRole('button', { name: say('Create account') }).click();
      await page.getByLabel(say('Code from the email')).fill((await mail(email)).code);
      await page.getByRole('button', { name: say('Confirm') }).click();
      await page.waitForURL('**/home');
      stage.supabase.mailbox.clear();
      await page.goto(`${stage.appUrl}/reset-password`);
      await page.getByRole('button', { name: say('Email me a code') }).click();
      await page.getByLabel(say('Code from the email')).fill((await mail(email)).code);
      await page.getByRole('button', { name: say('Confirm') }).click();
      await page.getByRole('heading', { name: say('Set a new password') }).waitFor();
    },
  },
  {
    name: 'account',
    user: 'ada@example.com',
    path: '/account',
    async arrange({ page, say }) {
      await page.getByRole('heading', { name: say('Devices') }).waitFor();
      await page.getByText(say('None yet.')).waitFor();
    },
  },
  {
    name: 'account-mfa',
    user: 'grace@example.com',
    path: '/account',
    async arrange({ page, say }) {
      await page.getByRole('button', { name: say('Add an authenticator app') }).click();
      await page.locator('main svg[role=img], main img').waitFor();
      await page.locator('main svg[role=img], main img').scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'account-menu',
    user: 'ada@example.com',
    path: '/account',
    async arrange({ page }) {
      await page.locator('header [aria-haspopup]').last().click();
    },
  },
  {
    name: 'account-confirm',
    user: 'ada@example.com',
    path: '/account',
    async arrange({ page, say }) {
      await page.getByRole('button', { name: say('Sign out everywhere') }).click();
    },
  },
  { name: 'not-found', user: 'ada@example.com', path: '/nowhere' },
  { name: 'clear-cookies', path: '/clear-cookies' },
  {
    name: 'clear-cookies-done',
    path: '/clear-cookies',
    async arrange({ page }) {
      await page.getByRole('button').click();
      await page.locator('main .button').waitFor();
    },
  },
];

/** The buttons below the form appear with the server's settings. */
function providers(page: Page): Promise<void> {
  return page.getByRole('button', { name: /Google/ }).waitFor();
}
