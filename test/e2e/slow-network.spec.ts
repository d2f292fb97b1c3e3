import { expect as expectSoon, test } from './support/fixtures.ts';
import { slowNetworks, withSlowPage, type SlowPage } from './support/slow-page.ts';

/** Responses take seconds here. */
const expect = expectSoon.configure({ timeout: 60_000 });

/** Something is shown within this time of an action. */
const maxMs = 2_000;

async function expectSteady({ durations, layoutShifts }: SlowPage): Promise<void> {
  for (const [name, ms] of durations) expect.soft(ms, `${name} shows something`).toBeLessThan(maxMs);
  expect(await layoutShifts(), 'nothing moves by itself').toEqual([]);
}

for (const network of Object.keys(slowNetworks) as (keyof typeof slowNetworks)[])
  test.describe(`on ${network}, with a quarter of the processor`, { tag: ['@nightly', '@alone'] }, () => {
    test.setTimeout(300_000);

    test('a user signs up, and sets another password', { tag: '@mailbox' }, async ({ browser, world }) => {
      await withSlowPage(browser, world, network, async (slow) => {
        const { page, url, act } = slow;
        const email = world.newEmail();
        const button = (name: string) => page.getByRole('button', { name, exact: true });
        await page.goto(`${url}/signup`);
        await page.getByLabel('Email').fill(email);
        await page.getByLabel('Password', { exact: true }).fill('Correct-horse-12');
        await act('signing up', () => button('Create account').click());
        await page.getByLabel('Code from the email').fill(await world.mailedCode(email));
        await act('confirming', () => button('Confirm').click());
        await expect(page.getByText('Welcome to Tidings')).toBeVisible();
        await act('the account menu', () => page.getByRole('button', { name: /^Account menu/ }).click());
        await act('signing out', () => button('Sign out').click());
        await page.waitForURL('**/login');
        await act('the way to a new password', () =>
          page.getByRole('link', { name: 'Forgot your password?' }).click(),
        );
        await page.getByLabel('Email').fill(email);
        await act('asking for a code', () => button('Email me a code').click());
        await page.getByLabel('Code from the email').fill(await world.mailedCode(email));
        await act('the code', () => button('Confirm').click());
        await page.getByLabel('New password', { exact: true }).fill('Another-horse-13');
        await act('saving the password', () => button('Save password').click());
        await expect(page.getByRole('heading', { name: 'Your new password is saved' })).toBeVisible();
        await expectSteady(slow);
      });
    });

    test('a user signs in, and uses the inbox and the settings', async ({ browser, world }) => {
      const [ada, grace] = await world.newPair();
      await world.notify(grace, ada, { count: 3 });
      await world.notify(grace, ada, { about: 'Budget', kind: 'comment' });
      await withSlowPage(browser, world, network, async (slow) => {
        const { page, url, act } = slow;
        const rows = page.locator('main [data-id]');
        const views = page.getByRole('complementary', { name: 'Views' });
        await page.goto(`${url}/login`);
        await page.getByLabel('Email').fill(ada.email);
        await page.getByLabel('Password', { exact: true }).fill(ada.password);
        await act('signing in', () => page.getByRole('button', { name: 'Sign in', exact: true }).click());
        await expect(rows).toHaveCount(4);
        await act('a filter', () => views.getByRole('link', { name: /^Comments/ }).click());
        await expect(rows).toHaveCount(1);
        await act('a notification', () => page.locator('main [data-row]').first().click());
        await expect(page.locator('[data-detail-panel]').getByText('Budget').first()).toBeVisible();
        await act('closing it', () =>
          page.locator('[data-detail-panel]').getByRole('button', { name: 'Close' }).click(),
        );
        await act('all types', () => views.getByRole('link', { name: /^Comments/ }).click());
        await expect(rows).toHaveCount(4);
        await page.locator('main [data-row]').first().focus();
        await act('archiving', () => page.keyboard.press('e'));
        await expect(rows).toHaveCount(3);
        await act('undoing', () => page.getByRole('button', { name: 'Undo' }).click());
        await expect(rows).toHaveCount(4);
        await act('searching', () => page.getByRole('searchbox').fill('budget'));
        await expect(rows).toHaveCount(1);
        await page.getByRole('searchbox').press('Escape');
        await expect(rows).toHaveCount(4);
        await act('selecting', () => page.getByRole('button', { name: 'Select', exact: true }).click());
        await page.getByRole('checkbox').first().check();
        await act('marking as read', () =>
          page.getByRole('region', { name: 'Select' }).getByRole('button', { name: 'Mark as read' }).click(),
        );
        await act('the filter', () => page.getByRole('button', { name: 'Filter', exact: true }).click());
        await expect(page.getByRole('dialog', { name: 'Filter' }).getByRole('button').first()).toBeVisible();
        await page.keyboard.press('Escape');

        await act('the preferences', () => views.getByRole('link', { name: 'Preferences' }).click());
        const mentions = page.getByRole('group', { name: 'Mentions' }).getByRole('switch', { name: 'Email' });
        await act('a switch', () => mentions.click());
        await expect(mentions).not.toBeChecked();
        await act('the account', () => views.getByRole('link', { name: 'Account' }).click());
        await page.getByLabel('Name', { exact: true }).fill('Ada');
        await act('saving the name', () => page.getByRole('button', { name: 'Save', exact: true }).click());
        await expect(page.getByText('Saved.')).toBeVisible();
        await act('the account menu', () => page.getByRole('button', { name: /^Account menu/ }).click());
        await act('the invitations', () =>
          page.getByRole('dialog').getByRole('link', { name: 'Invitations' }).click(),
        );
        await expect(page.getByText('No open invitations.', { exact: false })).toBeVisible();
        await expectSteady(slow);
      });
    });
  });
