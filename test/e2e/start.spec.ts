import type { Page } from '@playwright/test';
import { expect, test } from './support/fixtures.ts';

/** Every request and websocket of a page to the project, in order, as `METHOD /path`. */
function recordCalls(page: Page, supabaseUrl: string): readonly string[] {
  const calls: string[] = [];
  const project = new URL(supabaseUrl).host;
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.host === project && request.method() !== 'OPTIONS')
      calls.push(`${request.method()} ${url.pathname}`);
  });
  page.on('websocket', (socket) => {
    if (new URL(socket.url()).host === project) calls.push('WS');
  });
  return calls;
}

test('a valid stored session reads the list, then opens the channel, without an auth request', async ({
  page,
  world,
}) => {
  const [ada, grace] = await world.newPair();
  await world.notify(grace, ada, { about: 'Plan' });
  const calls = recordCalls(page, world.stage.project.url);
  // The first list is held back: the code of the channel would compete with it.
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/rest/v1/notifications*', async (route) => {
    await held;
    await route.continue();
  });
  const counts = page.waitForResponse(/rpc\/notification_changes/);
  await world.enter(page, ada);
  await counts;
  expect(calls).toContain('GET /rest/v1/notifications');
  expect(calls).not.toContain('WS');
  release();
  await expect(page.getByText(/in Plan/)).toBeVisible();
  await expect.poll(() => calls).toContain('WS');
  expect(calls.filter((call) => call.includes('/auth/'))).toEqual([]);
});

test(
  'a reload shows the last list at once, and then the current one',
  { tag: '@nightly' },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { about: 'Old news' });
    await world.enter(page, ada);
    await expect(page.getByText(/in Old news/)).toBeVisible();
    // The cache is written a moment after the list was shown.
    await expect
      .poll(() =>
        page.evaluate(async () => {
          // Opening a missing database would create an empty one.
          if (!(await indexedDB.databases()).some(({ name }) => name === 'inbox-cache')) return 0;
          return new Promise<number>((resolve) => {
            const opening = indexedDB.open('inbox-cache');
            opening.addEventListener('error', () => resolve(0));
            opening.addEventListener('success', () => {
              const { result: database } = opening;
              if (!database.objectStoreNames.contains('users')) return resolve(0);
              const counting = database.transaction('users').objectStore('users').count();
              counting.addEventListener('success', () => {
                database.close();
                resolve(counting.result);
              });
            });
          });
        }),
      )
      .toBe(1);
    await world.notify(grace, ada, { about: 'Fresh news' });
    await page.route('**/rest/v1/**', (route) => route.abort());
    await page.reload();
    await expect(page.getByText(/in Old news/)).toBeVisible();
    await page.unroute('**/rest/v1/**');
    await page.reload();
    await expect(page.getByText(/in Fresh news/)).toBeVisible();
  },
);

test(
  'the page says Loading... while the session is looked up, and names the failure if its code cannot load',
  { tag: ['@nightly', '@mailbox'] },
  async ({ page, world }) => {
    await page.route('**/assets/*.js', (route) => route.abort());
    await page.goto(`${world.appUrl}/home`);
    await expect(page.getByText('Loading...')).toBeVisible();
    await page.unroute('**/assets/*.js');
    await page.route('**/assets/main-*.js', (route) => route.abort());
    await page.goto(`${world.appUrl}/home`);
    await expect(page.getByText('The app couldn’t be loaded.')).toBeVisible();
    await page.unroute('**/assets/main-*.js');
    // The code of a redirect is exchanged first; until then the user is unknown.
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/auth/v1/token*', async (route) => {
      await held;
      await route.continue();
    });
    const person = await world.newUser();
    await page.goto(`${world.appUrl}/login`);
    await page.getByLabel('Email').fill(person.email);
    await page.getByRole('button', { name: 'Email me a code instead' }).click();
    await page.getByRole('button', { name: 'Email me a code', exact: true }).click();
    const { links } = await world.mail(person.email);
    await page.goto(links.find((link) => link.includes('/verify?')) ?? '');
    await expect(page.getByText('Loading...')).toBeVisible();
    release();
    await expect(page.getByRole('heading', { name: 'Inbox' })).toBeVisible();
  },
);

test(
  '/_app leads signed-in users to the inbox, others to sign in',
  { tag: '@nightly' },
  async ({ page, world }) => {
    await page.goto(`${world.appUrl}/_app`);
    await page.waitForURL('**/login**');
    await world.enter(page, await world.newUser(), '/_app');
    await page.waitForURL('**/home');
    await expect(page.getByRole('heading', { name: 'Inbox' })).toBeVisible();
  },
);

test('a visit with corrupt session cookies clears them and offers to sign in', async ({ page, world }) => {
  const name = `sb-${new URL(world.stage.project.url).hostname.split('.')[0]}-auth-token`;
  await page.context().addCookies(
    [`${name}.0`, `${name}.1`, `${name}.7`].map((chunk) => ({
      name: chunk,
      value: `base64-${'x'.repeat(2_000)}`,
      url: world.appUrl,
    })),
  );
  await page.goto(`${world.appUrl}/home`);
  await page.waitForURL('**/login**');
  await page.goto(`${world.appUrl}/clear-cookies`);
  await page.getByRole('button').first().click();
  await expect(page.getByRole('link', { name: /sign in/i })).toBeVisible();
  expect((await page.context().cookies()).filter((cookie) => cookie.name.startsWith(name))).toEqual([]);
  await world.signIn(page, await world.newUser());
});
