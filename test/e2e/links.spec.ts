import type { Browser, Page } from '@playwright/test';
import { expect, test, type World } from './support/fixtures.ts';

const password = 'Correct-horse-12';

/** What some mail programs do before the reader sees the mail. */
async function scan(browser: Browser, link: string): Promise<void> {
  const scanner = await browser.newContext();
  await scanner.request.get(link, { maxRedirects: 0 });
  await scanner.close();
}

async function enterFreshCode(page: Page, world: World, email: string): Promise<void> {
  await page.getByRole('button', { name: 'Send a fresh mail' }).click();
  await expect(page.getByText(/Leave its link alone and enter its code here/)).toBeVisible();
  await page.getByLabel('Code from the mail').fill(await world.mailedCode(email));
  await page.getByRole('button', { name: 'Confirm' }).click();
}

test.describe('a mail scanner opens the link first', () => {
  test('of a sign-up: one click brings a fresh mail, and its code gets the person in', async ({
    page,
    browser,
    world,
  }) => {
    const email = world.newEmail();
    await page.goto(`${world.appUrl}/signup`);
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await expect(page.getByLabel('Code from the mail')).toBeVisible();
    const { links, code } = await world.mail(email);
    const link = links.find((candidate) => candidate.includes('/verify')) ?? '';
    await scan(browser, link);

    await page.getByLabel('Code from the mail').fill(code ?? '');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await expect(page.getByText(/This code is wrong, used or too old/)).toBeVisible();

    await page.goto(link);
    await expect(page.getByText('This link is used or too old')).toBeVisible();
    await expect(page.getByText(/It may be confirmed by now/)).toBeVisible();
    await expect(page.getByLabel('E-mail'), 'the address is known').toHaveValue(email);
    await enterFreshCode(page, world, email);
    await page.waitForURL('**/home');
  });

  test('of a sign-up: the password works too, for the account is confirmed by then', async ({
    page,
    browser,
    world,
  }) => {
    const email = world.newEmail();
    await world.auth.send('POST', '/signup', { body: { email, password } });
    const link = await world.mailedLink(email);
    await scan(browser, link);
    await page.goto(link);
    await page.getByRole('button', { name: 'Use my password instead' }).click();
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/home');
  });

  test('of a password reset: the code of the second mail leads to the new password', async ({
    page,
    browser,
    world,
  }) => {
    const person = await world.newUser();
    await page.goto(`${world.appUrl}/reset-password`);
    await page.getByLabel('E-mail').fill(person.email);
    await page.getByRole('button', { name: 'Send the mail' }).click();
    await expect(page.getByLabel('Code from the mail')).toBeVisible();
    const link = await world.mailedLink(person.email);
    await scan(browser, link);
    await page.goto(link);
    await expect(page.getByText('This link is used or too old')).toBeVisible();
    await enterFreshCode(page, world, person.email);
    await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
  });
});

test('a link opened in another browser says why, and leads on by the code of a fresh mail', async ({
  page,
  browser,
  world,
}) => {
  const person = await world.newUser();
  await page.goto(`${world.appUrl}/reset-password`);
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByRole('button', { name: 'Send the mail' }).click();
  const link = await world.mailedLink(person.email);
  const elsewhere = await browser.newContext();
  const other = await elsewhere.newPage();
  await other.goto(link);
  await expect(other.getByText('This link was requested elsewhere')).toBeVisible();
  await other.getByLabel('E-mail').fill(person.email);
  await enterFreshCode(other, world, person.email);
  await expect(other.getByLabel('New password', { exact: true })).toBeVisible();
  await elsewhere.close();
});

test('a link that is too old says so', async ({ page, world }) => {
  const person = await world.newUser();
  await page.goto(`${world.appUrl}/reset-password`);
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByRole('button', { name: 'Send the mail' }).click();
  const link = await world.mailedLink(person.email);
  await world.stage.supabase.faults.skewClock(2 * 3_600_000);
  await page.goto(link);
  await expect(page.getByText('This link is used or too old')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Send a fresh mail' })).toBeVisible();
});

test('sign-in without a password: by the code, and by the link, which leads to where one was going', async ({
  page,
  world,
}) => {
  const person = await world.newUser();
  await page.goto(`${world.appUrl}/login`);
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByRole('button', { name: 'E-mail me a code or link instead' }).click();
  await page.getByRole('button', { name: 'Send the mail' }).click();
  await page.getByLabel('Code from the mail').fill(await world.mailedCode(person.email));
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.waitForURL('**/home');

  await page.context().clearCookies();
  await page.goto(`${world.appUrl}/preferences`);
  await page.waitForURL('**/login**');
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByRole('button', { name: 'E-mail me a code or link instead' }).click();
  await page.getByRole('button', { name: 'Send the mail' }).click();
  await page.goto(await world.mailedLink(person.email));
  await page.waitForURL('**/preferences');
});

test('the next mail can be asked for after a countdown, which screen readers are spared', async ({
  page,
  world,
}) => {
  const person = await world.newUser();
  await page.clock.install();
  await page.goto(`${world.appUrl}/reset-password`);
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByRole('button', { name: 'Send the mail' }).click();
  const first = await world.mailedCode(person.email);
  const again = page.getByRole('button', { name: 'Send it again', exact: true });
  await expect(again).toHaveAttribute('aria-disabled', 'true');
  await expect(again).toContainText(/\(\d+ s\)/);
  await page.clock.fastForward(61_000);
  await expect(again).not.toContainText(' s)');
  await again.click();
  await expect(page.getByText('We have sent another mail.')).toBeVisible();
  const second = await world.mailedCode(person.email);
  expect(second).not.toBe(first);
  await page.getByLabel('Code from the mail').fill(second);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
});
