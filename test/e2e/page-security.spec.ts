import { expect, test } from './support/fixtures.ts';

test("cookies are cleared by the site's own form without scripts, and not by a foreign site", async ({
  browser,
  request,
  world,
}) => {
  const url = `${world.appUrl}/clear-cookies`;
  for (const site of ['cross-site', 'same-site', 'none']) {
    const response = await request.post(url, { headers: { 'Sec-Fetch-Site': site }, maxRedirects: 0 });
    expect(response.status(), site).toBe(403);
    expect(response.headers()['clear-site-data']).toBeUndefined();
  }
  const foreign = await request.post(url, { headers: { Origin: 'https://evil.example' }, maxRedirects: 0 });
  expect(foreign.status(), 'a browser without Sec-Fetch-Site').toBe(403);

  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await context.addCookies(await world.sessionCookies(await world.newUser()));
  await page.goto(url);
  await page.getByRole('button').first().click();
  await page.waitForURL('**/clear-cookies?done');
  expect(await context.cookies()).toEqual([]);
  await context.close();
});

test('the policy allows one Trusted Types policy and requires https', async ({ request, world }) => {
  const headers = (await request.get(`${world.appUrl}/login`)).headers();
  expect(headers['content-security-policy']).toContain(
    "require-trusted-types-for 'script'; trusted-types worker-url",
  );
  expect(headers['strict-transport-security']).toMatch(/^max-age=\d{8}/);
});

test('a page restored by Back after sign-out shows no data', async ({ page, world }) => {
  await world.signIn(page, await world.newUser());
  await page.goto(`${world.appUrl}/account`);
  await expect(page.getByRole('heading', { name: 'Account' })).toBeVisible();
  await page.goto(`${world.appUrl}/clear-cookies`);
  await page.context().clearCookies();
  await page.goBack();
  await page.waitForURL('**/login**');
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});

test('stored data of an ended session is deleted at the next start', async ({ page, world }) => {
  const [ada, grace] = await world.newPair();
  await world.notify(grace, ada, { about: 'Secret plan' });
  await world.enter(page, ada);
  await expect(page.getByText(/Secret plan/).first()).toBeVisible();
  const countKept = () =>
    page.evaluate(
      async () => (await indexedDB.databases()).filter(({ name }) => name === 'inbox-cache').length,
    );
  await expect.poll(countKept).toBe(1);
  await page.context().clearCookies();
  await page.goto(`${world.appUrl}/login`);
  await expect.poll(countKept).toBe(0);
});

test.describe('with the service worker', () => {
  test.use({ serviceWorkers: 'allow' });

  test(
    'the application opens offline with the service worker',
    { tag: '@nightly' },
    async ({ page, world }) => {
      const violations: string[] = [];
      page.on('console', (message) => {
        if (/Content Security Policy|TrustedScriptURL/.test(message.text())) violations.push(message.text());
      });
      const [ada, grace] = await world.newPair();
      await world.notify(grace, ada, { about: 'Plan' });
      await world.enter(page, ada);
      await expect(page.locator('[data-id]')).toHaveCount(1);
      await page.evaluate(async () => navigator.serviceWorker.ready);
      await page.reload();
      await expect(page.locator('[data-id]')).toHaveCount(1);
      // The cache of the list is written a moment after its last change.
      const readKept = () =>
        page.evaluate(
          () =>
            new Promise<string>((resolve) => {
              const opening = indexedDB.open('inbox-cache');
              opening.onsuccess = () => {
                const reading = opening.result.transaction('users').objectStore('users').getAll();
                reading.onsuccess = () => {
                  opening.result.close();
                  resolve(JSON.stringify(reading.result));
                };
              };
            }),
        );
      await expect.poll(readKept).toContain('"all":1');
      await page.context().setOffline(true);
      await page.reload();
      await expect(page.getByText('You’re offline.').first()).toBeVisible();
      await expect(page.getByRole('heading', { name: 'Inbox' })).toBeVisible();
      await expect(page.locator('[data-id]')).toHaveCount(1);
      expect(violations).toEqual([]);
    },
  );
});
