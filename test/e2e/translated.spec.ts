import type { Page } from '@playwright/test';
import { expect, test } from './support/fixtures.ts';

/** What a browser's translation does: it moves every text node into elements of its own. */
async function translate(page: Page): Promise<void> {
  await page.evaluate(() => {
    const wrap = () => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const texts: Text[] = [];
      while (walker.nextNode()) texts.push(walker.currentNode as Text);
      for (const text of texts) {
        if (!text.data.trim() || text.parentElement?.closest('font, script, style, option')) continue;
        const outer = document.createElement('font');
        const inner = document.createElement('font');
        text.replaceWith(outer);
        inner.append(text.data);
        outer.append(inner);
      }
    };
    wrap();
    new MutationObserver(wrap).observe(document.body, {
      childList: true,
      subtree: true,
      characterData: true,
    });
  });
}

function followErrors(page: Page): readonly string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  return errors;
}

test('sign-in works in a translated page', async ({ page, world }) => {
  const errors = followErrors(page);
  const person = await world.newUser();
  await page.goto(`${world.appUrl}/login`);
  await expect(page.getByLabel('Email')).toBeVisible();
  await translate(page);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill('wrong');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByText('Wrong email or password.')).toBeVisible();
  await page.getByRole('button', { name: 'Email me a code instead' }).click();
  await page.getByRole('button', { name: 'Use my password instead' }).click();
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/home');
  await expect(page.getByText('Something went wrong')).toHaveCount(0);
  expect(errors).toEqual([]);
});

test(
  'account, preferences and invitations work in a translated page',
  { tag: '@nightly' },
  async ({ page, world }) => {
    const errors = followErrors(page);
    await world.enter(page, await world.newUser(), '/account');
    await expect(page.getByRole('heading', { name: 'Account' })).toBeVisible();
    await translate(page);
    await page.getByLabel('Name', { exact: true }).fill('Ada');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('Saved.')).toBeVisible();
    await page.getByLabel('New password', { exact: true }).fill('password');
    await page.getByRole('button', { name: 'Change password' }).click();
    await expect(page.getByText(/too easy to guess/)).toBeVisible();
    await page.getByRole('button', { name: 'Add an authenticator app' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Preferences' }).first().click();
    await page.getByRole('switch', { name: /^Email notifications/ }).click();
    await expect(page.getByText('No digest is sent while email notifications are off.')).toBeVisible();
    await page.goto(`${world.appUrl}/join`);
    await expect(page.getByText('No open invitations.', { exact: false })).toBeVisible();
    await translate(page);
    await page.getByLabel('Link or code').fill('x');
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect(page.getByText(/not an invitation link or code/)).toBeVisible();
    expect(errors).toEqual([]);
  },
);
