import type { Shot } from './shot.ts';

const password = 'a-long-enough-secret-7';

/** The auth screens, the account, and what stands outside of the application. */
export const authShots: readonly Shot[] = [
  { name: 'login', path: '/login' },
  {
    name: 'login-errors',
    path: '/login',
    async arrange({ page }) {
      await page.getByLabel('Email').fill('ada@');
      await page.getByRole('button', { name: 'Sign in' }).click();
    },
  },
  {
    name: 'login-refused',
    path: '/login',
    async arrange({ page }) {
      await page.getByLabel('Email').fill('ada@example.com');
      await page.getByLabel('Password', { exact: true }).fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('Wrong email or password.').waitFor();
    },
  },
  {
    name: 'login-by-mail',
    path: '/login',
    async arrange({ page }) {
      await page.getByRole('button', { name: 'Email me a code instead' }).click();
    },
  },
  {
    name: 'login-link-expired',
    path: '/home?error=access_denied&error_code=otp_expired&error_description=expired&sb=',
    async arrange({ page }) {
      await page.getByText('This link has expired or was already used').waitFor();
    },
  },
  {
    name: 'login-link-elsewhere',
    path: '/home?code=00000000-0000-4000-8000-000000000000',
    async arrange({ page }) {
      await page.getByRole('button', { name: 'Send a new email' }).waitFor();
    },
  },
  {
    name: 'login-fresh-mail',
    path: '/home?code=00000000-0000-4000-8000-000000000000',
    async arrange({ page }) {
      await page.getByLabel('Email').fill('ada@example.com');
      await page.getByRole('button', { name: 'Send a new email' }).click();
      await page.getByLabel('Code from the email').waitFor();
    },
  },
  {
    name: 'login-offline',
    path: '/login',
    async arrange({ page }) {
      await page.getByLabel('Email').waitFor();
      await page.context().setOffline(true);
      await page.getByText('You’re offline').waitFor();
    },
  },
  {
    name: 'login-german',
    path: '/login',
    async arrange({ page }) {
      await page.evaluate(() => localStorage.setItem('language', 'de'));
      await page.reload();
      await page.getByRole('heading', { name: 'Anmelden' }).waitFor();
    },
  },
  {
    name: 'signup',
    path: '/signup',
    async arrange({ page }) {
      await page.getByLabel('Email').fill('mary@example.com');
      await page.getByLabel('Password', { exact: true }).fill('sunny-harbour');
      await page.getByText('Strength').waitFor();
    },
  },
  {
    name: 'signup-check-mail',
    path: '/signup',
    async arrange({ page, newEmail }) {
      await page.getByLabel('Email').fill(newEmail());
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('heading', { name: 'Check your email' }).waitFor();
    },
  },
  { name: 'reset-password', path: '/reset-password' },
  {
    name: 'reset-password-new',
    path: '/signup',
    async arrange({ page, stage, newEmail, mail }) {
      const email = newEmail();
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByLabel('Code from the email').fill((await mail(email)).code);
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.waitForURL('**/home');
      stage.supabase.mailbox.clear();
      await page.goto(`${stage.appUrl}/reset-password`);
      await page.getByRole('button', { name: 'Email me a code' }).click();
      await page.getByLabel('Code from the email').fill((await mail(email)).code);
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByRole('heading', { name: 'Set a new password' }).waitFor();
    },
  },
  {
    name: 'account',
    user: 'ada@example.com',
    path: '/account',
    async arrange({ page }) {
      await page.getByRole('heading', { name: 'Devices' }).waitFor();
    },
  },
  {
    name: 'account-mfa',
    user: 'grace@example.com',
    path: '/account',
    async arrange({ page }) {
      await page.getByRole('button', { name: 'Add an authenticator app' }).click();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('img', { name: /^QR code/ }).waitFor();
      await page.getByRole('img', { name: /^QR code/ }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'account-menu',
    user: 'ada@example.com',
    path: '/account',
    async arrange({ page }) {
      await page.getByRole('button', { name: /^Account menu/ }).click();
    },
  },
  {
    name: 'account-confirm',
    user: 'ada@example.com',
    path: '/account',
    async arrange({ page }) {
      await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    },
  },
  { name: 'not-found', user: 'ada@example.com', path: '/nowhere' },
  { name: 'shell', user: 'ada@example.com', path: '/_app' },
  { name: 'clear-cookies', path: '/clear-cookies' },
  {
    name: 'clear-cookies-done',
    path: '/clear-cookies',
    async arrange({ page }) {
      await page.getByRole('button').click();
      await page.getByRole('link', { name: 'Sign in' }).waitFor();
    },
  },
];
