import { readFile } from 'node:fs/promises';
import { expect, test } from './support/fixtures.ts';

test('a device is listed and signed out, and its requests are refused afterwards', async ({
  page,
  browser,
  world,
}) => {
  const person = await world.newUser();
  await world.enter(page, person, '/account');
  const context = await browser.newContext({
    userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
  });
  const other = await context.newPage();
  await world.signIn(other, person);
  await page.reload();
  const devices = page.getByRole('region', { name: 'Devices' });
  // The other device was used later.
  await expect(devices.getByRole('listitem').first()).toContainText('This device');
  await devices.getByRole('button', { name: 'Sign out: Firefox on Windows' }).click();
  await expect(devices.getByText('Firefox on Windows is signed out.')).toBeVisible();
  await expect(devices.getByRole('button', { name: /^Sign out: Firefox/ })).toHaveCount(0);
  await context.close();
});

test(
  'a user downloads all data, and deletes the account after reauthentication',
  { tag: '@database' },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { about: 'Plan' });
    await world.enter(page, ada, '/account');
    const data = page.getByRole('region', { name: 'Your data' });
    const download = page.waitForEvent('download');
    await data.getByRole('button', { name: 'Download my data' }).click();
    const file = JSON.parse(await readFile(await (await download).path(), 'utf8')) as {
      account: { email: string };
      notifications: unknown[];
    };
    expect(file.account.email).toBe(ada.email);
    expect(file.notifications).toHaveLength(1);

    // Makes the sign-in old, so that the server and the page require a proof.
    await page.evaluate(() => {
      const now = Date.now.bind(Date);
      Date.now = () => now() + 11 * 60_000;
    });
    await data.getByRole('button', { name: 'Delete my account' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete my account' }).click();
    const proof = page.getByRole('dialog', { name: 'Confirm that it’s you' });
    await proof.getByLabel('Password', { exact: true }).fill('wrong');
    await proof.getByRole('button', { name: 'Confirm' }).click();
    await expect(proof.getByText('That isn’t the password of this account.')).toBeVisible();
    await proof.getByLabel('Password', { exact: true }).fill(ada.password);
    await proof.getByRole('button', { name: 'Confirm' }).click();
    await page.waitForURL('**/login**');
    const [left] = await world.stage.query<{ count: number }>(
      'select count(*)::int as count from auth.users where id = $1',
      [ada.id],
    );
    expect(left?.count).toBe(0);
  },
);

test(
  'saving after the cookies were deleted shows the reason, and keeps the draft until the sign-in',
  { tag: ['@nightly', '@database'] },
  async ({ page, world }) => {
    const person = await world.newUser();
    await world.enter(page, person, '/account');
    await page.getByLabel('Name', { exact: true }).fill('Ada of Ockham');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForURL('**/login?next=%2Faccount');
    await expect(page.getByText(/signed out while your changes were being saved/)).toBeVisible();
    await page.getByLabel('Email').fill(person.email);
    await page.getByLabel('Password', { exact: true }).fill(person.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Ada of Ockham');

    // The new address is kept too, and a new password is not.
    const address = page.getByLabel('New email address');
    const secret = page.getByLabel('New password', { exact: true });
    for (const [field, value, button, kept] of [
      [address, 'ada@ockham.example', 'Change address', 'ada@ockham.example'],
      [secret, 'Correct-horse-21', 'Change password', ''],
    ] as const) {
      await field.fill(value);
      await world.stage.query('delete from auth.sessions where user_id = $1', [person.id]);
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.waitForURL('**/login?next=%2Faccount');
      await expect(page.getByText(/signed out while your changes were being saved/)).toBeVisible();
      await page.getByLabel('Email').fill(person.email);
      await page.getByLabel('Password', { exact: true }).fill(person.password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await expect(field).toHaveValue(kept);
    }
  },
);
