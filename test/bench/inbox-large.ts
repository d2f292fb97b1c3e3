/**
 * An inbox of 100,000 unread notifications in Chromium, on a production build: `npx tsx test/bench/inbox-large.ts [rows]`.
 * Reloads it, scrolls through twenty pages, inserts 1,000 at once and marks all as read, and prints what was requested,
 * the tasks of the page of more than 50 ms, the rows in the document and the memory of the page.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Page } from 'playwright-core';
import { build, preview } from 'vite';
import { createLocalSupabase } from 'local-supabase';
import { browserArgs, findBrowser } from '../../scripts/browser.ts';
import { ada, seedPassword } from '../support/local-supabase.ts';

const stored = Number(process.argv[2] ?? '100000');
const live = 1_000;
const longTaskMs = 50;

const supabase = await createLocalSupabase({ config: false, port: 0 });
await supabase.database.exec(
  'truncate public.notifications; alter table public.notifications disable trigger user',
);
await supabase.database.query(
  `insert into public.notifications (recipient_id, status, content, created_at, updated_at)
   select $1, 'unread',
          json_build_object('type', (array['mention', 'edit', 'comment', 'invite', 'system'])[1 + n % 5],
                            'metadata', json_build_object('actor_name', 'Grace Hopper'),
                            'data', json_build_object('entity_name', 'Document ' || n))::text,
          now() - n * interval '1 minute', now() - n * interval '1 minute'
   from generate_series(1, $2::int) n`,
  [ada.id, stored],
);
await supabase.database.exec('alter table public.notifications enable trigger user');
await supabase.database.query('select private.repair_counters($1)', [ada.id]);

process.env['VITE_SUPABASE_URL'] = supabase.url;
process.env['VITE_SUPABASE_ANON_KEY'] = supabase.anonKey;
const outDir = await mkdtemp(join(tmpdir(), 'inbox-bench-'));
await build({ logLevel: 'error', build: { outDir } });
const server = await preview({
  logLevel: 'error',
  build: { outDir },
  // Vite takes the next port when this one is in use; for port 0 it would find a port and lose it again.
  preview: { port: 4173, strictPort: false },
});
const origin = new URL(server.resolvedUrls?.local[0] ?? '').origin;
const browser = await chromium.launch({ executablePath: findBrowser(), args: [...browserArgs] });

try {
  const page = await browser.newPage();
  const requests: string[] = [];
  page.on('request', (request) => {
    const [, path] = /\/rest\/v1\/([\w/]+)/.exec(request.url()) ?? [];
    if (path) requests.push(`${request.method()} ${path}`);
  });
  await browser.startTracing(page, { categories: ['toplevel'] });
  await page.goto('about:blank');
  await page.waitForTimeout(3_000);
  await report('a blank page', page, requests);
  await signIn(page);
  await page.getByRole('button', { name: /Notifications, \d+ unread/ }).waitFor();
  await report('sign in and first list', page, requests);

  const reloaded = Date.now();
  await page.reload();
  await page.locator('main [data-id]').first().waitFor();
  console.log(`reload until the list is there: ${Date.now() - reloaded} ms`);
  await page.waitForTimeout(2_000);
  await report('reload', page, requests);

  await page.locator('main [data-id]').first().hover();
  for (let turn = 0; turn < 100; turn += 1) {
    await page.mouse.wheel(0, 1_000);
    await page.waitForTimeout(50);
  }
  await report('100,000 px scrolled', page, requests);

  await page.evaluate(() => scrollTo(0, 0));
  const insertedMs = Date.now();
  await supabase.database.query(
    `insert into public.notifications (recipient_id, content)
     select $1, json_build_object('type', 'mention', 'data', json_build_object('entity_name', 'Live ' || n))::text
     from generate_series(1, $2::int) n`,
    [ada.id, live],
  );
  await waitForUnread(page, stored + live);
  console.log(`${live} live notifications until all are counted: ${Date.now() - insertedMs} ms`);
  await page.waitForTimeout(3_000);
  await report(`${live} live notifications`, page, requests);

  await noteWhenRead(page);
  const startedMs = Date.now();
  await supabase.database.query(`update public.notifications set status = 'read' where recipient_id = $1`, [
    ada.id,
  ]);
  const committedMs = Date.now();
  console.log(`the database marks all as read: ${committedMs - startedMs} ms`);
  await waitForUnread(page, 0);
  const shownMs = await page.evaluate(() => (window as unknown as { shownMs: number }).shownMs);
  console.log(`from the commit until the page shows it: ${shownMs - committedMs} ms`);
  await page.waitForTimeout(15_000);
  await report('all marked as read by another device', page, requests);
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

async function waitForUnread(page: Page, count: number): Promise<void> {
  const name = count > 0 ? `Notifications, ${count} unread` : 'Notifications';
  await page.getByRole('button', { name, exact: true }).waitFor({ timeout: 300_000 });
}

/**
 * Makes the page record when the bell shows no unread notification. Playwright would detect it half a minute late: it reads
 * one message of the browser in each turn of this process, and each of 100,000 changes is one.
 */
async function noteWhenRead(page: Page): Promise<void> {
  await page.evaluate(() => {
    const timer = setInterval(() => {
      if (!document.querySelector('button[aria-label="Notifications"]')) return;
      clearInterval(timer);
      Object.assign(window, { shownMs: Date.now() });
    }, 20);
  });
}

async function report(what: string, page: Page, requests: string[]): Promise<void> {
  const all = parseTasks((await browser.stopTracing()).toString());
  const tasks = all.filter(({ cpuMs }) => cpuMs > longTaskMs);
  const sum = Math.round(tasks.reduce((total, { cpuMs }) => total + cpuMs, 0));
  const [longest] = all.toSorted((a, b) => b.cpuMs - a.cpuMs);
  const rows = await page.locator('main [data-id]').count();
  const kinds = [...new Set(requests)];
  const summary = kinds.map((kind) => `${requests.filter((one) => one === kind).length} ${kind}`).join(', ');
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  console.log(
    `${what}: ${requests.length} requests (${summary}); ${all.length} tasks, ${tasks.length} long, ${sum} ms of processor time, longest ${Math.round(longest?.cpuMs ?? 0)} ms (${Math.round(longest?.wallMs ?? 0)} ms by the clock); ${rows} rows in the document, ${(usedSize / 1e6).toFixed(1)} MB`,
  );
  requests.length = 0;
  await browser.startTracing(page, { categories: ['toplevel'] });
}

interface Task {
  /** The CPU time, which other processes do not affect. */
  readonly cpuMs: number;
  readonly wallMs: number;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The tasks of all pages' main threads. */
function parseTasks(trace: string): readonly Task[] {
  const { traceEvents } = JSON.parse(trace) as { readonly traceEvents: readonly TraceEvent[] };
  const threads = traceEvents.filter(
    ({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain',
  );
  const threadKeys = new Set(threads.map(({ pid, tid }) => `${pid} ${tid}`));
  return traceEvents
    .filter(({ name, pid, tid }) => name.endsWith('RunTask') && threadKeys.has(`${pid} ${tid}`))
    .map(({ dur = 0, tdur = dur }) => ({ cpuMs: tdur / 1000, wallMs: dur / 1000 }));
}
