import type { Page } from 'playwright-core';
import { addVirtualAuthenticator } from '../../test/e2e/support/virtual-authenticator.ts';
import type { Shot, ShotContext } from './shot.ts';

const account = { user: 'ada@example.com', path: '/account' } as const;

/** The account in its states, and the step-ups. */
export const accountShots: readonly Shot[] = [
  {
    ...account,
    name: 'account-failed',
    async prepare({ supabase }) {
      supabase.faults.add({ path: '/auth/v1/user', response: { status: 500, body: {} } });
    },
    arrange: ({ page, say }) => page.getByText(say('Couldn’t load your account.')).waitFor(),
  },
  {
    name: 'account-email',
    path: '/signup',
    async arrange(context) {
      const { page, say, newEmail } = context;
      await enter(context);
      await page.getByLabel(say('New email address')).fill(newEmail());
      await page.getByRole('button', { name: say('Change address') }).click();
      await page.getByRole('button', { name: say('Use another address') }).waitFor();
    },
  },
  { ...account, name: 'account-proof', isWindow: true, arrange: askForProof },
  {
    ...account,
    name: 'account-proof-wrong',
    isWindow: true,
    async arrange(context) {
      const { page, say } = context;
      await askForProof(context);
      const dialog = page.getByRole('dialog', { name: say('Confirm that it’s you') });
      await dialog.getByLabel(say('Password'), { exact: true }).fill('wrong');
      await dialog.getByRole('button', { name: say('Confirm') }).click();
      await dialog.getByText(say('That isn’t the password of this account.')).waitFor();
    },
  },
  {
    ...account,
    name: 'account-delete',
    isWindow: true,
    async arrange({ page, say }) {
      await page.getByRole('button', { name: say('Delete my account') }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'account-passkey',
    path: '/signup',
    async arrange(context) {
      await enterWithPasskey(context);
    },
  },
  {
    name: 'account-passkey-proof',
    path: '/signup',
    isWindow: true,
    async arrange(context) {
      await enterWithPasskey(context);
      await askForProof(context);
      await context.page.getByRole('button', { name: context.say('Use a passkey') }).waitFor();
    },
  },
  {
    name: 'account-passkey-rename',
    path: '/signup',
    isWindow: true,
    async arrange(context) {
      const { page, say } = context;
      await enterWithPasskey(context);
      await page.getByRole('button', { name: new RegExp(`^${say('Rename')}`) }).click();
      await page.getByRole('dialog', { name: say('Rename passkey') }).waitFor();
    },
  },
  {
    name: 'account-recovery-codes',
    path: '/signup',
    arrange: turnOnTwoSteps,
  },
  {
    name: 'account-two-steps',
    path: '/signup',
    async arrange(context) {
      const { page, say } = context;
      await turnOnTwoSteps(context);
      await page.getByRole('button', { name: say('I’ve saved my codes') }).click();
    },
  },
  {
    name: 'account-two-steps-remove',
    path: '/signup',
    isWindow: true,
    async arrange(context) {
      const { page, say } = context;
      await turnOnTwoSteps(context);
      await page.getByRole('button', { name: say('I’ve saved my codes') }).click();
      await page
        .getByRole('button', { name: new RegExp(`^${say('Remove')}`) })
        .first()
        .click();
      await page.getByRole('dialog').waitFor();
    },
  },
];

async function enter({ page, stage, say, newEmail, mail }: ShotContext): Promise<void> {
  const email = newEmail();
  await page.getByLabel(say('Email')).fill(email);
  await page.getByLabel(say('Password'), { exact: true }).fill('a-long-enough-secret-7');
  await page.getByRole('button', { name: say('Create account') }).click();
  await page.getByLabel(say('Code from the email')).fill((await mail(email)).code);
  await page.getByRole('button', { name: say('Confirm') }).click();
  await page.waitForURL('**/home');
  await page.goto(`${stage.appUrl}/account`);
}

async function enterWithPasskey(context: ShotContext): Promise<void> {
  const { page, say } = context;
  await addVirtualAuthenticator(page);
  await enter(context);
  await page.getByRole('button', { name: say('Add a passkey') }).click();
  await page.getByRole('button', { name: new RegExp(`^${say('Rename')}`) }).waitFor();
}

async function turnOnTwoSteps(context: ShotContext): Promise<void> {
  const { page, say } = context;
  await enter(context);
  await page.getByRole('button', { name: say('Add an authenticator app') }).click();
  await page.getByText(say('Can’t scan it? Type a key into the app')).click();
  const secret = await page.locator('main code').innerText();
  const { TOTP } = await import('otpauth');
  await page
    .getByLabel(say('Code from the app'))
    .fill(new TOTP({ secret: secret.replaceAll(' ', '') }).generate());
  await page.getByRole('button', { name: say('Turn on') }).click();
  await page.getByRole('button', { name: say('I’ve saved my codes') }).waitFor();
}

/** Makes the sign-in old, and starts an action that needs a recent one. */
async function askForProof({ page, say, newEmail }: ShotContext): Promise<void> {
  await page.getByLabel(say('New email address')).fill(newEmail());
  await ageSignIn(page);
  await page.getByRole('button', { name: say('Change address') }).click();
  await page.getByRole('dialog', { name: say('Confirm that it’s you') }).waitFor();
}

function ageSignIn(page: Page): Promise<void> {
  return page.evaluate(() => {
    const now = Date.now.bind(Date);
    Date.now = () => now() + 11 * 60_000;
  });
}
