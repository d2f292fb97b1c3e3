/**
 * An inbox of 100,000 notifications and a burst of 1,000 live ones, in Chromium, on a production build:
 * `npx tsx test/bench/inbox-large.ts`. Prints what was requested, how long the page was busy, and the longest task.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Page } from 'playwright-core';
import { build, preview } from 'vite';
import { createLocalSupabase } from '../../local-supabase/server.ts';
import { browserArgs, findBrowser } from '../../scripts/browser.ts';
import { ada, seedPassword } from '../support/local-supabase.ts';

const stored = 100_000;
const live = 1_000;

const supabase = await createLocalSupabase({ port: 0 });
await supabase.database.exec(
  'truncate public.notifications; alter table public.notifications disable trigger user',
);
await supabase.database.query(
  `insert into public.notifications (recipient_id, status, content, created_at)
   select $1, (array['unread', 'read', 'read', 'archived'])[1 + n % 4],
          json_build_object('type', (array['mention', 'edit', 'comment', 'invite', 'system'])[1 + n % 5],
                            'metadata', json_build_object('actor_name', 'Grace Hopper'),
                            'data', json_build_object('entity_name', 'Document ' || n))::text,
          now() - n * interval '1 minute'
   from generate_series(1, $2::int) n`,
  [ada.id, stored],
);
await supabase.database.exec('alter table public.notifications enable trigger user');

process.env['VITE_SUPABASE_URL'] = supabase.url;
process.env['VITE_SUPABASE_ANON_KEY'] = supabase.anonKey;
const outDir = await mkdtemp(join(tmpdir(), 'inbox-bench-'));
await build({ logLevel: 'error', build: { outDir } });
const server = await preview({
  logLevel: 'error',
  build: { outDir },
  preview: { port: 0, strictPort: false },
});
const origin = new URL(server.resolvedUrls?.local[0] ?? '').origin;
const browser = await chromium.launch({ executablePath: findBrowser(), args: [...browserArgs] });

try {
  const page = await browser.newPage();
  const requests: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/rest/')) requests.push(request.method());
  });
  await page.addInitScript(() => {
    const tasks: number[] = [];
    Object.assign(globalThis, { longTasks: tasks });
    new PerformanceObserver((list) =>
      tasks.push(...list.getEntries().map(({ duration }) => duration)),
    ).observe({
      type: 'longtask',
    });
  });
  await signIn(page);
  await page.getByRole('button', { name: /Notifications, \d+ unread/ }).waitFor();
  await report('sign in and first list', page, requests);

  const reloaded = Date.now();
  await page.reload();
  await page.locator('main [data-id]').first().waitFor();
  console.log(`reload until the list is there: ${Date.now() - reloaded} ms`);
  await page.waitForTimeout(2_000);
  await report('reload', page, requests);

  for (let turn = 0; turn < 10; turn += 1) {
    const before = await page.locator('main [data-id]').count();
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.waitForFunction((rows) => document.querySelectorAll('main [data-id]').length > rows, before);
  }
  await report('ten more pages', page, requests);

  await page.evaluate(() => scrollTo(0, 0));
  const started = Date.now();
  await supabase.database.query(
    `insert into public.notifications (recipient_id, content)
     select $1, json_build_object('type', 'mention', 'data', json_build_object('entity_name', 'Live ' || n))::text
     from generate_series(1, $2::int) n`,
    [ada.id, live],
  );
  await page.getByText(`Live ${live}`, { exact: false }).first().waitFor({ state: 'attached' });
  console.log(`${live} live notifications until the last is there: ${Date.now() - started} ms`);
  await page.waitForTimeout(3_000);
  await report(`${live} live notifications`, page, requests);
  console.log(`rows in the page at last: ${await page.locator('main [data-id]').count()}`);
} finally {
  await browser.close();
  await server.close();
  await supabase.close();
  await rm(outDir, { recursive: true, force: true });
}

async function signIn(page: Page): Promise<void> {
  await page.goto(`${origin}/login`);
  await page.getByLabel('Email').fill(ada.email);
  await page.getByLabel('Password', { exact: true }).fill(seedPassword);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(/\/home/);
  await page.locator('main [data-id]').first().waitFor();
}

async function report(what: string, page: Page, requests: string[]): Promise<void> {
  const tasks = await page.evaluate(
    () => (globalThis as { longTasks?: number[] }).longTasks?.splice(0) ?? [],
  );
  const sum = Math.round(tasks.reduce((total, duration) => total + duration, 0));
  const longest = Math.round(Math.max(0, ...tasks));
  console.log(
    `${what}: ${requests.length} requests (${requests.join(' ')}); long tasks ${sum} ms, longest ${longest} ms`,
  );
  requests.length = 0;
}
