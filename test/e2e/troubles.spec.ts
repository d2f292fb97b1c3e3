import { expect, test } from './support/fixtures.ts';

test('a wrong password shows an error and keeps the email', async ({ page, world }) => {
  const person = await world.newUser();
  await page.goto(`${world.appUrl}/login`);
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(
    page
      .getByRole('alert')
      .filter({ hasText: /email|password/i })
      .first(),
  ).toBeVisible();
  await expect(page.getByLabel('Email')).toHaveValue(person.email);
  expect(new URL(page.url()).pathname).toBe('/login');
});

test('a weak password shows an error on its field', async ({ page, world }) => {
  await page.goto(`${world.appUrl}/signup`);
  await page.getByLabel('Email').fill(world.newEmail());
  const password = page.getByLabel('Password', { exact: true });
  await password.fill('abc');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(password).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByText('Use at least 8 characters.')).toBeVisible();
});

test('an unknown path shows not found with a session, and the login screen without one', async ({
  page,
  world,
}) => {
  const { appUrl } = world;
  await page.goto(`${appUrl}/no/such/page`);
  await page.waitForURL('**/login**');
  await world.enter(page, await world.newUser(), '/no/such/page');
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
});

test('a redirect to the login screen returns to the requested page after sign-in', async ({
  page,
  world,
}) => {
  const person = await world.newUser();
  await page.goto(`${world.appUrl}/preferences`);
  await page.waitForURL('**/login**');
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/preferences');
});

test('a server failure shows an error and keeps the session', async ({ page, world }) => {
  await world.enter(page, await world.newUser());
  await page.route(`${world.stage.project.url}/**`, (route) => route.abort());
  await page.reload();
  await expect(page.getByText(/Couldn’t (load your notifications|refresh)/).first()).toBeVisible();
  expect(new URL(page.url()).pathname).toBe('/home');
  await page.unroute(`${world.stage.project.url}/**`);
  await page.reload();
  await expect(page.getByText('No notifications yet.')).toBeVisible();
});

test('a sign-in during a server failure shows one error', async ({ page, world }) => {
  await page.route(`${world.stage.project.url}/**`, (route) => route.abort());
  await page.goto(`${world.appUrl}/login`);
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Password', { exact: true }).fill('whatever-123');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('alert').filter({ hasText: /\S/ }).first()).toBeVisible();
});

test("/clear-cookies works without the application's scripts", async ({ page, world }) => {
  const { appUrl } = world;
  await world.enter(page, await world.newUser());
  // With a trailing slash the application handles the path and redirects.
  await page.goto(`${appUrl}/clear-cookies/`);
  await expect(page).toHaveURL(/clear-cookies(\.html)?$/);
  await page.route('**/assets/main-*.js', (route) => route.abort());
  await page.goto(`${appUrl}/clear-cookies`);
  await page.getByRole('button').first().click();
  await expect(page.getByRole('link', { name: /sign in/i })).toBeVisible();
  const cookies = await page.context().cookies();
  expect(cookies.filter(({ name }) => name.includes('auth-token'))).toEqual([]);
});
