import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContext, type Page, type Route } from '@playwright/test';
import { browserArgs, findBrowser } from '../../scripts/browser.ts';
import { removeFolder } from './support/app-build.ts';
import { expect, test } from './support/fixtures.ts';

const profiles: string[] = [];
const browsers: BrowserContext[] = [];

test.afterEach(async () => {
  await Promise.all(browsers.splice(0).map((browser) => browser.close()));
  await Promise.all(profiles.splice(0).map(removeFolder));
});

async function newProfile(): Promise<string> {
  const profile = await mkdtemp(join(tmpdir(), 'inbox-profile-'));
  profiles.push(profile);
  return profile;
}

async function startBrowser(profile: string): Promise<readonly [BrowserContext, Page]> {
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: findBrowser(),
    args: [...browserArgs],
    viewport: { width: 1280, height: 800 },
    serviceWorkers: 'allow',
  });
  browsers.push(browser);
  return [browser, browser.pages()[0] ?? (await browser.newPage())];
}

const row = (page: Page, about: string) => page.locator('main [data-id]').filter({ hasText: about });
const action = (page: Page, about: string, name: RegExp) => row(page, about).getByRole('button', { name });

test('offline changes wait in the outbox, survive a browser restart, and are sent once', async ({
  world,
}) => {
  const [ada, grace] = await world.newPair();
  for (const about of ['Read me', 'Archive me', 'Delete me', 'Changed elsewhere'])
    await world.notify(grace, ada, { about });
  const profile = await newProfile();
  const [first, page] = await startBrowser(profile);
  await world.signIn(page, ada);
  await expect(row(page, 'Read me')).toBeVisible();
  await page.evaluate(async () => (await navigator.serviceWorker.ready).active?.state);
  // The service worker serves pages after the next load; the outbox loads after the list.
  await page.reload();
  await expect(row(page, 'Read me')).toBeVisible();
  await expect
    .poll(() => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name)))
    .toContain('inbox-outbox');

  await first.setOffline(true);
  // The page detects the lost network only later, and would still send earlier actions.
  await expect.poll(() => page.evaluate(() => navigator.onLine)).toBe(false);
  for (const [about, name] of [
    ['Read me', /^Mark as read/],
    ['Archive me', /^Archive/],
    ['Delete me', /^Delete/],
    ['Changed elsewhere', /^Mark as read/],
  ] as const) {
    await row(page, about).hover();
    await action(page, about, name).click();
  }
  await expect(page.getByText('Waiting to sync: 4 changes.')).toBeVisible();
  await expect(row(page, 'Read me').getByText('Waiting', { exact: true })).toBeVisible();
  await expect(row(page, 'Archive me')).toHaveCount(0);
  // Closing would end the emulated state before the page, which would then be online and send its changes.
  await page.goto('chrome://crash').catch(() => undefined);
  await first.close();

  const unread = await world.notificationsOf(ada);
  expect(unread.map(({ status }) => status)).toEqual(['unread', 'unread', 'unread', 'unread']);
  const changed = unread[0]?.id ?? '';
  await world.rest.send('PATCH', '/notifications', {
    token: ada.accessToken,
    query: { id: `eq.${changed}` },
    body: { status: 'archived' },
  });

  const [second, later] = await startBrowser(profile);
  await second.setOffline(true);
  await later.goto(`${world.appUrl}/home`);
  // Chromium 150 lets requests fail after this navigation, and reports a network all the same.
  const session = await second.newCDPSession(later);
  const offline = { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
  await session.send('Network.emulateNetworkConditions', offline);
  await expect(later.getByText('Waiting to sync: 4 changes.')).toBeVisible();
  await expect(row(later, 'Read me').getByText('Waiting', { exact: true })).toBeVisible();
  await expect(row(later, 'Archive me')).toHaveCount(0);
  await expect(row(later, 'Delete me')).toHaveCount(0);

  await later.getByRole('button', { name: /^Account menu/ }).click();
  await later.getByRole('button', { name: 'Sign out' }).click();
  await later.getByRole('button', { name: 'Stay signed in' }).click();

  await session.detach();
  await second.setOffline(false);
  await expect(
    later.getByText('wasn’t applied: the same item was changed on another device in the meantime'),
  ).toBeVisible();
  await expect(later.getByText('Waiting to sync')).toHaveCount(0);
  await expect(row(later, 'Read me').getByText('Waiting', { exact: true })).toHaveCount(0);
  const after = await world.notificationsOf(ada);
  expect(after.map(({ status }) => status)).toEqual(['archived', 'archived', 'read']);
});

test(
  'a connection on which requests hang counts as offline, and its waiting changes can be discarded',
  { tag: '@nightly' },
  async ({ stage, world, page }) => {
    const [ada, grace] = await world.newPair();
    for (const about of ['Read me', 'Archive me']) await world.notify(grace, ada, { about });
    await world.signIn(page, ada);
    await expect(row(page, 'Archive me')).toBeVisible();
    const hanging: Route[] = [];
    const isOfProject = ({ origin }: URL) => origin === stage.project.url;
    // Requests hang while `navigator.onLine` stays true, as on a train.
    await page.route(isOfProject, (route) => void hanging.push(route));
    for (const [about, name] of [
      ['Read me', /^Mark as read/],
      ['Archive me', /^Archive/],
    ] as const) {
      await row(page, about).hover();
      await action(page, about, name).click();
    }
    await expect(page.getByText('You’re offline. Waiting to sync: 2 changes.')).toBeVisible();
    expect(await page.evaluate(() => navigator.onLine)).toBe(true);

    await page.getByRole('button', { name: 'Show', exact: true }).click();
    const list = page.getByRole('dialog', { name: 'Waiting to sync' });
    await expect(list.getByRole('listitem')).toHaveText([
      /^Mark as read: .*Read me/,
      /^Archive: .*Archive me/,
    ]);
    await list.getByRole('button', { name: /^Discard: Archive/ }).click();
    await expect(list.getByRole('listitem')).toHaveCount(1);
    await list.getByRole('button', { name: 'Close' }).last().click();
    await expect(row(page, 'Archive me')).toBeVisible();

    // Without interception the browser would send what it holds back, also requests that the page has aborted.
    await Promise.allSettled(hanging.map((route) => route.abort()));
    await page.unroute(isOfProject);
    await expect(page.getByText('Waiting to sync')).toHaveCount(0);
    await expect
      .poll(async () => (await world.notificationsOf(ada)).map(({ status }) => status))
      .toEqual(['unread', 'read']);
  },
);
