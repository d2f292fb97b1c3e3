import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import * as OTPAuth from 'otpauth';
import { expect, test, type Person } from './support/fixtures.ts';

async function enterPassword(page: Page, person: Person): Promise<void> {
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Adds an authenticator app, and returns the ten recovery codes that the page then shows. */
async function addAuthenticator(page: Page): Promise<readonly string[]> {
  const section = page.getByRole('region', { name: 'Two-step sign-in' });
  await section.getByRole('button', { name: 'Add an authenticator app' }).click();
  await section.getByText('Can’t scan it?').click();
  const secret = (await section.locator('code').innerText()).replaceAll(' ', '');
  await section.getByLabel('Code from the app').fill(new OTPAuth.TOTP({ secret }).generate());
  await section.getByRole('button', { name: 'Turn on' }).click();
  const codes = section.getByRole('group', { name: 'Recovery codes' }).getByRole('listitem');
  await expect(codes).toHaveCount(10);
  return codes.allInnerTexts();
}

async function useRecoveryCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('Recovery code').fill(code);
  await page.getByRole('button', { name: 'Use recovery code' }).click();
}

test(
  'a recovery code of the database signs in once where the auth service has none',
  { tag: '@nightly' },
  async ({ page, browser, world }) => {
    const person = await world.newUser();
    const context = await browser.newContext();
    const other = await context.newPage();
    // An auth service without recovery codes parses `recovery-codes` as the id of a factor.
    const missing = {
      status: 404,
      json: { code: 'validation_failed', message: 'factor_id must be an UUID' },
      headers: { 'Access-Control-Allow-Origin': '*' },
    };
    if (world.stage.hasRecoveryCodes)
      for (const each of [page, other])
        await each.route('**/auth/v1/factors/recovery-codes**', (route) => route.fulfill(missing));
    await world.enter(page, person, '/account');
    const codes = await addAuthenticator(page);
    await page.getByRole('button', { name: 'I’ve saved my codes' }).click();
    await expect(page.getByText(/^10 codes left of those created on /)).toBeVisible();

    await other.goto(`${world.appUrl}/login`);
    await enterPassword(other, person);
    await other.getByRole('button', { name: 'Lost your authenticator?' }).click();
    await useRecoveryCode(other, '0000 0000 0000');
    await expect(other.getByText('That code isn’t right, or it was used before.')).toBeVisible();
    await useRecoveryCode(other, (codes[4] ?? '').toLowerCase());
    await other.waitForURL('**/home');
    await expect(other.getByText(/9 recovery codes are left/)).toBeVisible();

    await other.context().clearCookies();
    await other.goto(`${world.appUrl}/login`);
    await enterPassword(other, person);
    await other.getByRole('button', { name: 'Lost your authenticator?' }).click();
    await useRecoveryCode(other, codes[4] ?? '');
    await expect(other.getByText('That code isn’t right, or it was used before.')).toBeVisible();
    await context.close();
  },
);

test(
  'a recovery code signs in once instead of a lost authenticator, which is then removed',
  { tag: ['@nightly', '@recovery-codes'] },
  async ({ page, browser, world }) => {
    const person = await world.newUser();
    const errors: Error[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await world.enter(page, person, '/account');
    const section = page.getByRole('region', { name: 'Two-step sign-in' });
    await section.getByRole('button', { name: 'Add an authenticator app' }).click();
    await expect(section.getByRole('img', { name: /^QR code/ })).toBeVisible();
    await section.getByText('Can’t scan it?').click();
    const secret = (await section.locator('code').innerText()).replaceAll(' ', '');
    const code = new OTPAuth.TOTP({ secret }).generate();
    await section.getByLabel('Code from the app').fill(code);
    await section.getByRole('button', { name: 'Turn on' }).click();
    const sheet = section.getByRole('group', { name: 'Recovery codes' });
    await expect(sheet.getByRole('listitem')).toHaveCount(10);
    const download = page.waitForEvent('download');
    await sheet.getByRole('button', { name: 'Download' }).click();
    const codes = (await readFile(await (await download).path(), 'utf8')).split('\n').slice(3, 13);
    expect(codes).toEqual(await sheet.getByRole('listitem').allInnerTexts());
    await page.emulateMedia({ media: 'print' });
    await expect(page.getByText(codes[9] ?? '')).toBeInViewport();
    await expect(page.getByRole('heading', { name: 'Account', exact: true })).toBeHidden();
    await page.emulateMedia({ media: 'screen' });
    await sheet.getByRole('button', { name: 'I’ve saved my codes' }).click();
    await expect(section.getByText(/^10 codes left/)).toBeVisible();

    const context = await browser.newContext();
    const other = await context.newPage();
    await other.goto(`${world.appUrl}/login`);
    await enterPassword(other, person);
    await other.getByRole('button', { name: 'Lost your authenticator?' }).click();
    const field = other.getByLabel('Recovery code');
    const submit = other.getByRole('button', { name: 'Use recovery code' });
    await field.fill('0000 0000 0000 0000');
    await submit.click();
    await expect(other.getByText('That code isn’t right, or it was used before.')).toBeVisible();
    await field.fill((codes[4] ?? '').toLowerCase());
    await submit.click();
    await other.waitForURL('**/home');
    await expect(other.getByText(/9 recovery codes are left/)).toBeVisible();
    await other.getByRole('button', { name: 'Replace it' }).click();
    await other.waitForURL('**/account#two-step');
    const lost = other.getByRole('region', { name: 'Two-step sign-in' });
    await expect(lost.getByText('9 codes left.')).toBeVisible();
    await lost.getByRole('button', { name: 'Remove: Phone', exact: true }).click();
    const dialog = other.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await expect(dialog.getByText(/Add a new authenticator app first/)).toBeVisible();
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await lost.getByRole('button', { name: 'Add an authenticator app' }).click();
    await lost.getByText('Can’t scan it?').click();
    const newSecret = (await lost.locator('code').innerText()).replaceAll(' ', '');
    await lost.getByLabel('Code from the app').fill(new OTPAuth.TOTP({ secret: newSecret }).generate());
    await lost.getByRole('button', { name: 'Turn on' }).click();
    await expect(lost.getByRole('button', { name: 'Remove: Phone 2' })).toBeVisible();
    await lost.getByRole('button', { name: 'Remove: Phone', exact: true }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await expect(lost.getByText('Removed “Phone”.')).toBeVisible();
    await expect(lost.getByText('9 codes left.')).toBeVisible();
    expect(errors).toEqual([]);
    await context.close();
  },
);

test('devices that are signed out show the login screen at once, and this one stays signed in', async ({
  page,
  browser,
  world,
}) => {
  const person = await world.newUser();
  await world.enter(page, person, '/home');
  await expect(page.getByRole('heading', { name: 'Inbox' })).toBeVisible();
  const context = await browser.newContext();
  const other = await context.newPage();
  await world.enter(other, person, '/home');
  await expect(other.getByRole('heading', { name: 'Inbox' })).toBeVisible();
  await page.goto(`${world.appUrl}/account`);
  const devices = page.getByRole('region', { name: 'Devices' });
  await devices.getByRole('button', { name: 'Sign out all other devices' }).click();
  await expect(devices.getByText('All other devices are signed out.')).toBeVisible();
  await other.waitForURL('**/login**');
  await expect(page.getByRole('heading', { name: 'Account', exact: true })).toBeVisible();
  await context.close();
});
