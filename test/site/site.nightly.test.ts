import { AxeBuilder } from '@axe-core/playwright';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { pagesOf, sections } from '../../docs/.vitepress/sections.ts';
import { examples } from '../../docs/.vitepress/playground/examples.ts';
import { browserArgs, findBrowser } from '../../scripts/browser.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'dist-docs');

/** What people search for, and the page that must be among the first three results. */
const searches: Readonly<Record<string, string>> = {
  'sessions in Next': '/clients/next',
  'tokens in Hono': '/clients/servers',
  'React Native': '/clients/react-native',
  'service worker': '/clients/service-worker',
  'sign up in Vite': '/clients/vite',
  'live lists without loss': '/clients/live-lists',
  passkeys: '/clients/passkeys',
  'admin scripts': '/clients/admin',
  'tests with vitest': '/clients/testing',
  playwright: '/clients/testing',
  'RLS tests': '/local-supabase/rls-tests',
  'GitHub Actions': '/local-supabase/for-your-project',
  'move from supabase-js': '/clients/migrating',
  'error codes': '/clients/error-codes',
  performance: '/clients/performance',
  'what protects what': '/inbox/what-protects-what',
  'nothing arrives': '/clients/troubleshooting',
  operations: '/inbox/operations',
  // Members of the API have these words as names.
  'magic link': '/clients/links-and-providers',
  pagination: '/clients/queries',
  'google login': '/clients/links-and-providers',
  'typescript types': '/clients/queries',
  glossary: '/clients/glossary',
  'self-hosted': '/clients/self-hosted',
  'conformance in CI': '/conformance/ci',
  'which versions are supported': '/clients/versioning',
};

/** What people type, most of which are names of members of the API, too: a guide comes first. */
const guidesFirst = (
  'magic link, google login, joins, pagination, rpc, upsert, full text search, captcha, typescript types, invalid login credentials, ' +
  'error handling, sign out, sign up, refresh token, session expired, cookies, server side rendering, next middleware, vue, svelte, ' +
  'angular, react hooks, tanstack query, realtime not working, enable realtime, supabase_realtime, presence, broadcast, private channel, ' +
  'row level security, rls policy, 401 unauthorized, cors, timeout, retry, abort request, offline, multiple tabs, websocket closed, ' +
  'reconnect, upload file, signed url, download file, storage bucket, resumable upload, edge functions, invoke function, ' +
  'service role key, secret key, publishable key, jwt verification, mfa, totp, passkey, recovery codes, reset password, change email, ' +
  'phone login, anonymous sign in, oauth provider, docker, local development, seed data, migrations, reset database, mailbox, ' +
  'github actions, vitest, jest, mock supabase, bundle size, node 20, deno, bun, react native, service worker, count rows, filters, ' +
  'order by, bulk insert, realtime filters, live list, lost messages, digest, unsubscribe, web push, troubleshooting, port is taken, ' +
  'cannot find module, versions'
).split(', ');

/** The index of the search is loaded, and the machine may be busy. */
const loading = { timeout: 20_000 };

let browser: Browser;
let server: ChildProcess;
let origin: string;

beforeAll(async () => {
  await run(['run', 'docs']);
  const port = await freePort();
  origin = `http://localhost:${port}`;
  server = spawn('npm', ['run', 'docs:preview', '--', '--port', String(port)], {
    cwd: root,
    detached: true,
  });
  await vi.waitFor(async () => (await fetch(origin)).text(), { timeout: 30_000, interval: 250 });
  browser = await chromium.launch({ executablePath: findBrowser(), args: [...browserArgs] });
}, 600_000);
afterAll(async () => {
  await browser.close();
  if (server.pid !== undefined) process.kill(-server.pid);
});

describe('the site', () => {
  it('has each page of its navigation, in llms.txt and llms-full.txt, too', () => {
    const list = readFileSync(join(dist, 'llms.txt'), 'utf8');
    const full = readFileSync(join(dist, 'llms-full.txt'), 'utf8');
    for (const { link, title } of sections.flatMap(pagesOf)) {
      expect(existsSync(join(dist, `${link.endsWith('/') ? `${link}index` : link}.html`))).toBe(true);
      expect(list).toContain(`(${link})`);
      expect(full).toContain(`# ${title}\n`);
    }
  });

  it('finds a page, and a name of the API, by its search', async () => {
    const page = await open('/');
    await page.getByRole('button', { name: 'Search' }).click();
    const field = page.getByRole('searchbox').or(page.locator('#localsearch-input'));
    await field.fill('live lists without loss');
    await expect
      .poll(() => page.getByRole('option', { name: /Live lists/ }).count(), loading)
      .toBeGreaterThan(0);
    await field.fill('createLiveQuery');
    await expect
      .poll(() => page.getByRole('option', { name: /createLiveQuery/ }).count(), loading)
      .toBeGreaterThan(0);
  });

  it('finds the page of each task by the words that people search for', async () => {
    const page = await open('/');
    await page.getByRole('button', { name: 'Search' }).click();
    const field = page.getByRole('searchbox').or(page.locator('#localsearch-input'));
    const results = page.getByRole('listbox').getByRole('link');
    for (const [words, path] of Object.entries(searches)) {
      await field.fill(words);
      await expect
        .poll(
          () =>
            results.evaluateAll((links) =>
              links.slice(0, 3).map((link) => new URL((link as HTMLAnchorElement).href).pathname),
            ),
          { message: words, ...loading },
        )
        .toContain(path);
    }
  });

  it('finds a guide before the members of the API', { timeout: 300_000 }, async () => {
    const page = await open('/');
    await page.getByRole('button', { name: 'Search' }).click();
    const field = page.locator('#localsearch-input');
    const results = page.getByRole('listbox').getByRole('link');
    const firstPath = () =>
      results.evaluateAll(([link]) => (link ? new URL((link as HTMLAnchorElement).href).pathname : null));
    for (const words of guidesFirst) {
      await field.fill('');
      await expect
        .poll(() => results.count(), { message: 'the results of the words before', ...loading })
        .toBe(0);
      await field.fill(words);
      await expect.poll(firstPath, { message: words, ...loading }).toMatch(/^\/(?!api\/)/);
    }
  });

  it.each(['/', '/clients/', '/local-supabase/', '/conformance/', '/inbox/', '/playground', '/demo'])(
    'axe finds nothing on %s, light and dark',
    async (path) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await open(path, { colorScheme });
        const { violations } = await new AxeBuilder({ page })
          .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
          .analyze();
        expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
      }
    },
  );
});

describe('the playground', () => {
  it('runs each example, shows its requests, and keeps the data over a reload without a network', async () => {
    const page = await open('/playground');
    await page.getByRole('button', { name: /Start the playground \(loads \d+\.\d MB once\)/ }).click();
    const runButton = page.getByRole('button', { name: 'Run (Ctrl+Enter)' });
    await runButton.waitFor({ timeout: 60_000 });
    const output = page.getByRole('log');
    const prints = [
      /rows; unread: \d/,
      /Changed 1/,
      /Sent\n?[^]*\d rows, current/,
      /PGRST205/,
      /from this tab/,
      /secret key/i,
    ];
    expect(examples).toHaveLength(prints.length);
    for (const [index, pattern] of prints.entries()) {
      await page.getByRole('combobox').selectOption(String(index));
      await runButton.click();
      await expect.poll(() => output.textContent()).toMatch(pattern);
      await runButton.waitFor();
    }
    await page.getByRole('combobox').selectOption('0');
    await runButton.click();
    await page.getByText(/GET \/rest\/v1\/notifications/).waitFor();
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
    await page.context().setOffline(true);
    await page.reload();
    await page.getByRole('button', { name: /Start/ }).click();
    await runButton.waitFor({ timeout: 60_000 });
    await runButton.click();
    await expect.poll(() => output.textContent()).toMatch(/5 rows; unread: \d/);
  }, 240_000);

  it('shows uncolored code legibly in dark mode, too', async () => {
    const page = await open('/playground', { colorScheme: 'dark' });
    await page.getByRole('button', { name: /Start/ }).click();
    const code = page.getByRole('textbox', { name: 'Code of the example' });
    await code.waitFor({ timeout: 60_000 });
    await code.fill('plainname');
    const picture = await code.locator('.cm-line').screenshot();
    const contrast = await page.evaluate(measureContrast, picture.toString('base64'));
    expect(contrast).toBeGreaterThan(7);
  }, 120_000);

  it('reports a missing module, and the error of an example', async () => {
    const page = await open('/playground');
    await page.getByRole('button', { name: /Start/ }).click();
    await page.getByRole('button', { name: 'Run (Ctrl+Enter)' }).waitFor({ timeout: 60_000 });
    await page.getByRole('textbox', { name: 'Code of the example' }).fill(`import { a } from 'left-pad';`);
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => page.getByRole('log').textContent()).toMatch(/no module left-pad here/);
  }, 120_000);
});

describe('the demo', () => {
  it('shows a notification within the inbox, moments after it was sent', async () => {
    const page = await open('/demo');
    await page.getByRole('button', { name: /Start the demo/ }).click();
    const inbox = page.frameLocator('iframe[title="The inbox"]');
    await page.getByRole('button', { name: 'Send a comment' }).click({ timeout: 90_000 });
    const arrived = inbox.getByText('The numbers of March are in.');
    await expect.poll(() => arrived.count()).toBeGreaterThan(0);
  }, 150_000);

  it('has the font and the service worker of the application', async () => {
    const page = await open('/demo');
    const missing: string[] = [];
    page.on('response', (response) => {
      if (response.status() >= 400) missing.push(response.url());
    });
    await page.getByRole('button', { name: /Start the demo/ }).click();
    await page.getByRole('button', { name: 'Send a comment' }).waitFor({ timeout: 90_000 });
    const application = await (await page.waitForSelector('iframe[title="The inbox"]')).contentFrame();
    const loadedFonts = () =>
      application?.evaluate(() =>
        [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family),
      );
    await expect.poll(loadedFonts).toContain('Inter');
    const workers = () =>
      application?.evaluate(async () =>
        (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => new URL(scope).pathname),
      );
    await expect.poll(workers).toContain('/demo-app/');
    expect(missing).toEqual([]);
  }, 150_000);
});

/** Runs in the page: the contrast of the brightest and the darkest pixel of a picture, as WCAG defines it for these two grays. */
async function measureContrast(base64: string): Promise<number> {
  const image = new Image();
  image.src = `data:image/png;base64,${base64}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: image.width, height: image.height });
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  // The green channel is most of the luminance.
  const greens = data.filter((_, index) => index % 4 === 1);
  const [darkest = 0, brightest = 0] = [
    greens.reduce((least, each) => Math.min(least, each), 255),
    greens.reduce((most, each) => Math.max(most, each), 0),
  ].map((each) => (each / 255) ** 2.2);
  return (brightest + 0.05) / (darkest + 0.05);
}

/** Opens a page in a separate browser; an error of the page fails the test. */
async function open(path: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) errors.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    expect(errors).toEqual([]);
  });
  await page.goto(origin + path, { waitUntil: 'networkidle' });
  return page;
}

async function run(args: readonly string[]): Promise<void> {
  const child = spawn('npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const status = await new Promise((resolve) => child.once('exit', resolve));
  if (status !== 0) throw new Error(output);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0);
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
