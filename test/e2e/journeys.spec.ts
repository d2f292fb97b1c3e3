import { expect, test } from './support/fixtures.ts';
import { unreadList } from './support/world.ts';

test(
  'a new user signs up, confirms by the mailed link, and lands in the inbox',
  { tag: '@mailbox' },
  async ({ page, world }) => {
    const { appUrl } = world;
    const { email } = await world.signUp(page);
    await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible();

    await world.followLink(page, email);
    await page.waitForURL('**/home');
    await expect(page.getByRole('heading', { name: 'Inbox' })).toBeVisible();
    await expect(page.getByText(`You’re now signed in as ${email}.`)).toBeVisible();
    expect(page.url(), 'the token is gone from the URL').toBe(`${appUrl}/home`);
  },
);

test('a new user signs up and confirms by the mailed code', { tag: '@mailbox' }, async ({ page, world }) => {
  const { email } = await world.signUp(page);
  await page.getByLabel('Code from the email').fill(await world.mailedCode(email));
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.waitForURL('**/home');
});

test(
  'a notification arrives live, and its read status survives a reload',
  { tag: '@both-sources' },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    await world.enter(page, ada);
    await expect(unreadList(page, 0)).toBeVisible();
    await expect(page.getByText('No notifications yet.')).toBeVisible();

    await world.notify(grace, ada);
    await expect(unreadList(page, 1)).toBeVisible();
    await expect(page).toHaveTitle(/\(1\)/);
    const row = page.locator('[data-id]').first();
    await row.hover();
    await row.getByRole('button', { name: /^Mark as read/ }).click();
    await expect(unreadList(page, 0)).toBeVisible();

    await page.reload();
    await expect(page.locator('[data-id]')).toHaveCount(1);
    await expect(unreadList(page, 0)).toBeVisible();
  },
);

test("a notification sent in one window appears in the recipient's window without a reload", async ({
  browser,
  world,
}) => {
  const [ada, grace] = await world.newPair();
  const [adasContext, gracesContext] = [await browser.newContext(), await browser.newContext()];
  const [adas, graces] = [await adasContext.newPage(), await gracesContext.newPage()];
  await world.enter(adas, ada);
  await world.enter(graces, grace);
  await world.notify(ada, grace);
  await expect(unreadList(graces, 1)).toBeVisible();
  await expect(unreadList(adas, 0)).toBeVisible();
  await adasContext.close();
  await gracesContext.close();
});

test('a user marks all as read, deletes a notification and undoes it', async ({ page, world }) => {
  const [ada, grace] = await world.newPair();
  await world.notify(grace, ada, { count: 3 });
  await world.enter(page, ada);
  await expect(page.locator('[data-id]')).toHaveCount(3);
  await page.getByRole('button', { name: 'Mark all read' }).click();
  await expect(unreadList(page, 0)).toBeVisible();

  const row = page.locator('[data-id]').first();
  await row.hover();
  await row.getByRole('button', { name: /^Delete/ }).click();
  await expect(page.locator('[data-id]')).toHaveCount(2);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.locator('[data-id]')).toHaveCount(3);
});

test('sign-out leads to the login screen and deletes stored data', async ({ page, world }) => {
  await world.signIn(page, await world.newUser());
  await page.getByRole('button', { name: /^Account menu/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL('**/login');
  const cookies = await page.context().cookies();
  expect(cookies.filter(({ name }) => name.includes('auth-token'))).toEqual([]);
  await page.goto(`${world.appUrl}/home`);
  await page.waitForURL('**/login**');
});

test(
  'the reset link sets a new password, and the old one stops working',
  { tag: '@mailbox' },
  async ({ page, world }) => {
    const { appUrl } = world;
    const person = await world.newUser();
    await page.goto(`${appUrl}/reset-password`);
    await page.getByLabel('Email').fill(person.email);
    await page.getByRole('button', { name: 'Email me a code', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible();

    await world.followLink(page, person.email);
    await page.waitForURL('**/reset-password');
    await page.getByLabel('New password', { exact: true }).fill('Another-horse-13');
    await page.getByRole('button', { name: 'Save password' }).click();
    await expect(page.getByText('Your new password is saved').first()).toBeVisible();

    expect(
      (
        await world.auth.send('POST', '/token', {
          query: { grant_type: 'password' },
          body: { email: person.email, password: person.password },
        })
      ).status,
    ).toBe(400);
    expect(
      (
        await world.auth.send('POST', '/token', {
          query: { grant_type: 'password' },
          body: { email: person.email, password: 'Another-horse-13' },
        })
      ).status,
    ).toBe(200);
  },
);

test('preferences are saved, and a type that is off does not arrive', async ({ page, world }) => {
  const [ada, grace] = await world.newPair();
  await world.enter(page, ada, '/preferences');
  const toggle = page.getByRole('group', { name: 'Mentions' }).getByRole('switch', { name: 'In app' });
  await expect(toggle).toBeChecked();
  await toggle.click();
  await expect(toggle).not.toBeChecked();
  await expect
    .poll(
      async () =>
        (
          await world.rest.send('GET', '/notification_preferences', {
            token: ada.accessToken,
            query: { select: 'in_app_mentions' },
          })
        ).json,
    )
    .toEqual([{ in_app_mentions: false }]);
  await page.reload();
  await expect(toggle).not.toBeChecked();
  await world.rest.send('POST', '/notifications', {
    token: grace.accessToken,
    body: { recipient_id: ada.id, content: '{"type":"mention"}' },
  });
  await page.goto(`${world.appUrl}/home`);
  await expect(page.getByText('No notifications yet.')).toBeVisible();
});
