import type { Page } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { expect, test } from './support/fixtures.ts';
import { addVirtualAuthenticator } from './support/virtual-authenticator.ts';

const section = (page: Page) => page.getByRole('region', { name: 'Passkeys', exact: true });

async function addPasskey(page: Page): Promise<void> {
  await section(page).getByRole('button', { name: 'Add a passkey' }).click();
  await expect(section(page).getByText('Added “Passkey”.')).toBeVisible();
}

test('a passkey signs in from the autofill of the email field', async ({ page, world }) => {
  await addVirtualAuthenticator(page);
  await world.enter(page, await world.newUser(), '/account');
  await addPasskey(page);
  await world.signOut(page);
  // The authenticator chooses its passkey without the person.
  await page.waitForURL('**/home');
});

test(
  'a passkey is renamed, signs in by the button, and is removed',
  { tag: '@nightly' },
  async ({ page, world }) => {
    // The autofill would sign in before the button.
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false);
    });
    const authenticator = await addVirtualAuthenticator(page);
    await world.enter(page, await world.newUser(), '/account');
    await addPasskey(page);
    await section(page).getByRole('button', { name: 'Rename: Passkey' }).click();
    await expectAccessible(page, 'account renaming a passkey', { only: 'phone' });
    await page.getByRole('dialog').getByLabel('Name').fill('Work laptop');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await expect(section(page).getByText('The passkey is now called “Work laptop”.')).toBeVisible();
    await section(page).getByRole('button', { name: 'Add a passkey' }).click();
    await expect(
      section(page).getByText('This device already has a passkey for your account.'),
    ).toBeVisible();
    await expectAccessible(page, 'account with a passkey');

    await world.signOut(page);
    const button = page.getByRole('button', { name: 'Sign in with a passkey' });
    await button.click();
    await page.waitForURL('**/home');
    await page.goto(`${world.appUrl}/account`);
    await expect(section(page).getByRole('listitem')).toContainText('last used');
    await section(page).getByRole('button', { name: 'Remove: Work laptop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await expect(section(page).getByText('Removed “Work laptop”.')).toBeVisible();
    await expect(section(page).getByRole('heading'), 'the removed button had the focus').toBeFocused();

    await authenticator.clear();
    await world.signOut(page);
    await button.click();
    await expect(
      page.getByText('No passkey was used: the prompt was canceled or took too long.'),
    ).toBeVisible();
    await expectAccessible(page, 'login with a dismissed passkey');
  },
);
