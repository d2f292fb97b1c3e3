import type { Page } from '@playwright/test';
import * as OTPAuth from 'otpauth';
import { expect, test, type Person, type World } from './support/fixtures.ts';

function section(page: Page, name: string) {
  return page.getByRole('region', { name, exact: true });
}

/** Opens a window on another device of the person. */
async function openElsewhere(page: Page, world: World, person: Person): Promise<Page> {
  const context = await page.context().browser()?.newContext();
  if (!context) throw new Error('no browser');
  const other = await context.newPage();
  await world.enter(other, person);
  await expect(other.getByRole('heading', { name: 'Inbox' })).toBeVisible();
  return other;
}

test('two-step sign-in is set up by QR code or key, and required at the next sign-in', async ({
  page,
  world,
}) => {
  const person = await world.newUser();
  await world.enter(page, person, '/account');
  await page.getByRole('button', { name: 'Add an authenticator app' }).click();
  await expect(page.getByRole('img', { name: /^QR code/ })).toBeVisible();
  await page.getByText('Can’t scan it?').click();
  const secret = (await section(page, 'Two-step sign-in').locator('code').innerText()).replaceAll(' ', '');
  const totp = new OTPAuth.TOTP({ secret });
  await page.getByLabel('Code from the app').fill(totp.generate());
  await page.getByLabel('Name of the device').fill('Work phone');
  await page.getByRole('button', { name: 'Turn on' }).click();
  await expect(page.getByText('Two-step sign-in is on. You’ll need a code from “Work phone”.')).toBeVisible();
  await world.signOut(page);

  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Enter your two‑step code' })).toBeVisible();
  await page.goto(`${world.appUrl}/home`);
  await expect(
    page.getByRole('heading', { name: 'Enter your two‑step code' }),
    'no way around it',
  ).toBeVisible();
  await page.getByLabel('Code from the app').fill('000000');
  await page.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByText(/That code isn’t right/)).toBeVisible();
  await page.getByLabel('Code from the app').fill(totp.generate());
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.waitForURL('**/home');

  await page.goto(`${world.appUrl}/account`);
  await page.getByRole('button', { name: 'Remove: Work phone' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('Removed “Work phone”.')).toBeVisible();
});

async function askForChange(page: Page, world: World): Promise<{ person: Person; next: string }> {
  const person = await world.newUser();
  const next = world.newEmail();
  await world.enter(page, person, '/account');
  await page.getByLabel('New email address').fill(next);
  await page.getByRole('button', { name: 'Change address' }).click();
  await expect(page.getByText(new RegExp(`from ${person.email} to ${next}`))).toBeVisible();
  return { person, next };
}

test(
  'a new email address is confirmed by the links in both mailboxes',
  { tag: '@mailbox' },
  async ({ page, world }) => {
    const { person, next } = await askForChange(page, world);
    await world.followLink(page, person.email);
    await expect(page.getByText('Step 1 of 2 done.')).toBeVisible();
    await world.followLink(page, next);
    await expect(page.getByText(next, { exact: true }).first()).toBeVisible();
    expect(new URL(page.url()).search + new URL(page.url()).hash).toBe('');
  },
);

test(
  'a new email address is confirmed by the codes of both emails',
  { tag: ['@nightly', '@mailbox'] },
  async ({ page, world }) => {
    const { person, next } = await askForChange(page, world);
    for (const address of [next, person.email]) {
      const code = page.getByLabel(`Code sent to ${address}`);
      await code.fill(await world.mailedCode(address));
      await code.press('Enter');
      if (address === next) await expect(page.getByText('Step 1 of 2 done.')).toBeVisible();
    }
    await expect(page.getByText(`Your address is now ${next}.`)).toBeVisible();
  },
);

test(
  'a new password needs a mailed code, except shortly after a sign-in',
  { tag: ['@database', '@mailbox'] },
  async ({ page, world }) => {
    const person = await world.newUser();
    await world.enter(page, person, '/account');
    const password = page.getByLabel('New password', { exact: true });
    const change = page.getByRole('button', { name: 'Change password' });
    await password.fill('Another-horse-13');
    await change.click();
    await expect(page.getByText('Your password was changed.')).toBeVisible();

    // An old session with a fresh token, as of a user who never signs out.
    await world.stage.query(
      "update auth.sessions set created_at = now() - interval '2 days' where user_id = $1",
      [person.id],
    );
    await password.fill('Yet-another-horse-14');
    await change.click();
    await expect(page.getByText(/You signed in a while ago/)).toBeVisible();
    await page.getByLabel('Code from the email').fill(await world.mailedCode(person.email));
    await change.click();
    await expect(page.getByText('Your password was changed.')).toBeVisible();
    const signedIn = await world.auth.send('POST', '/token', {
      query: { grant_type: 'password' },
      body: { email: person.email, password: 'Yet-another-horse-14' },
    });
    expect(signedIn.status).toBe(200);
  },
);

/** Fills in the provider's page; waits for it first, because the login screen has a field of the same name. */
async function continueAs(page: Page, email: string): Promise<void> {
  await expect(page.getByRole('heading', { name: /^Sign in with / })).toBeVisible();
  await page.getByRole('textbox', { name: 'Email', exact: true }).fill(email);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
}

test('a provider signs a new user in', { tag: '@provider' }, async ({ page, world }) => {
  const email = world.newEmail();
  await page.goto(`${world.appUrl}/login`);
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await continueAs(page, email);
  await page.waitForURL('**/home');
  expect(page.url(), 'nothing secret is left').toBe(`${world.appUrl}/home`);
  await page.getByRole('button', { name: `Account menu: ${email}` }).click();
});

test(
  'a refusal at the provider leads back with a reason',
  { tag: ['@nightly', '@provider'] },
  async ({ page, world }) => {
    await page.goto(`${world.appUrl}/login`);
    await page.getByRole('button', { name: 'Continue with GitHub' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL('**/login**');
    await expect(page.getByText('We couldn’t sign you in')).toBeVisible();
  },
);

test(
  'an identity is linked and unlinked again',
  { tag: ['@nightly', '@provider'] },
  async ({ page, world }) => {
    const person = await world.newUser();
    await world.enter(page, person, '/account');
    await page.getByRole('button', { name: 'Link GitHub' }).click();
    await continueAs(page, person.email);
    await page.waitForURL('**/account');
    await page.getByRole('button', { name: 'Unlink GitHub' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
    await expect(page.getByText('Unlinked GitHub.')).toBeVisible();
    // The button that opened the dialog was removed, so the heading takes the focus.
    await expect(page.getByRole('heading', { name: 'Ways to sign in' })).toBeFocused();
    await expect(page.getByRole('button', { name: 'Link GitHub' })).toBeVisible();
  },
);

test(
  'a user signs out this device, all other devices, or every device',
  { tag: ['@nightly', '@database'] },
  async ({ page, world }) => {
    const person = await world.newUser();
    await world.enter(page, person, '/account');
    const other = await openElsewhere(page, world, person);

    await page.getByRole('button', { name: 'Sign out all other devices' }).click();
    await expect(page.getByText('All other devices are signed out.')).toBeVisible();
    // The access token of the other device stays valid until it expires, but cannot be renewed.
    await other.evaluate(() => {
      const now = Date.now.bind(Date);
      Date.now = () => now() + 3_600_000;
      dispatchEvent(new Event('online'));
    });
    await other.waitForURL('**/login**');
    await expect(page.getByRole('heading', { name: 'Account' })).toBeVisible();

    await world.enter(other, person);
    await expect(other.getByRole('heading', { name: 'Inbox' })).toBeVisible();
    await world.signOut(page);
    await other.reload();
    await expect(other.getByRole('heading', { name: 'Inbox' }), 'the other one stays').toBeVisible();

    await world.enter(page, person, '/account');
    await other.goto(`${world.appUrl}/account`);
    await other.getByRole('button', { name: 'Sign out everywhere' }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await other.waitForURL('**/login');
    const countSessions = async () => {
      const [found] = await world.stage.query<{ count: number }>(
        'select count(*)::int as count from auth.sessions where user_id = $1',
        [person.id],
      );
      return found?.count;
    };
    // The screen does not wait for the server's response to the sign-out.
    await expect.poll(countSessions, 'no session is left').toBe(0);
    await other.context().close();
  },
);
