import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { browserArgs, findBrowser } from '../../../scripts/browser.ts';
import { startWorkerSite } from './worker-site.ts';

const here = fileURLToPath(new URL('./', import.meta.url));

let context: BrowserContext;
let origin: string;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const site = await startWorkerSite(join(here, 'page.ts'), join(here, 'worker.ts'));
  closers.push(site.close);
  ({ origin } = site);
  const profile = await mkdtemp(join(tmpdir(), 'browser-profile-'));
  closers.push(() => rm(profile, { recursive: true, force: true, maxRetries: 5 }));
  context = await chromium.launchPersistentContext(profile, {
    executablePath: findBrowser(),
    args: [...browserArgs],
  });
  closers.push(() => context.close());
}, 120_000);
afterAll(async () => {
  for (const close of closers.toReversed()) await close();
});

async function openPage(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(origin);
  return page;
}

it('runs a built project in a worker of the page, and keeps its data across reloads', async () => {
  const page = await openPage();
  expect(await page.evaluate(() => window.actions.signIn())).toBe('ada@example.com');
  const before = await page.evaluate(() => window.actions.countNotifications());
  // Receive the change before the second factor, because the vendor's client does not update a channel's token when the level rises.
  const change = await page.evaluate(() => window.actions.receiveChange('seen at once'));
  expect(change.content).toBe('seen at once');
  expect(await page.evaluate(() => window.actions.enrollTotp())).toBe('aal2');
  expect(await page.evaluate(() => window.actions.upload('a note'))).toBe('a note');
  expect(await page.evaluate(() => window.actions.callFunction())).toEqual({ hello: 'Ada' });
  expect(await page.evaluate(() => window.actions.recover())).toBe('ada@example.com');
  expect(await page.evaluate(() => window.actions.failingStatement())).toBe('22012');
  expect(await page.evaluate(() => window.progress.at(-1))).toEqual({ stage: 'starting' });

  await page.reload();
  expect(await page.evaluate(() => window.actions.currentUser())).toBe('ada@example.com');
  expect(await page.evaluate(() => window.actions.countNotifications())).toBe(before + 1);
  expect(await page.evaluate(() => window.actions.download())).toBe('a note');

  // The database has one owner: a second tab starts when the first is closed.
  const second = await openPage();
  await second.waitForFunction(() => window.progress.some(({ stage }) => stage === 'waiting'));
  await page.close();
  expect(await second.evaluate(() => window.actions.countNotifications())).toBe(before + 1);

  await second.evaluate(() => window.actions.forget());
  await second.reload();
  expect(await second.evaluate(() => window.actions.signIn())).toBe('ada@example.com');
  expect(await second.evaluate(() => window.actions.countNotifications())).toBe(before);
}, 300_000);
