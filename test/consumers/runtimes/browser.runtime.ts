import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { browserArgs, findBrowser } from '../../../scripts/browser.ts';
import { ada, seedPassword, useLocalSupabase } from '../../support/local-supabase.ts';
import { useConsumer } from '../support/consumer.ts';

const supabase = useLocalSupabase({ port: 0 });
const consumer = useConsumer('runtimes', ['ws', '@types/ws', '@types/node']);

/** The page of each place where the journey runs: all of them call `report` with each step. */
const pages: Readonly<Record<string, string>> = {
  'a web worker': `const worker = new Worker('/worker.js', { type: 'module' });
    worker.onmessage = ({ data }) => report(data);
    worker.postMessage(options);`,
  'a service worker': `navigator.serviceWorker.onmessage = ({ data }) => report(data);
    await navigator.serviceWorker.register('/worker.js', { type: 'module' });
    (await navigator.serviceWorker.ready).active.postMessage(options);`,
  // The journey imports the package's names, which an import map sends to the one file.
  'a script of type module': `const { runJourney } = await import('/journey.js');
    await runJourney({ ...options, report });`,
};
const importMap = JSON.stringify({
  imports: {
    'supabase-protocol-clients': '/browser.js',
    'supabase-protocol-clients/auth-client': '/browser.js',
    'supabase-protocol-clients/realtime-client/postgres-changes': '/browser.js',
  },
});

let origin: string;
let browser: Browser;
const closers: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  const { folder, compile } = consumer();
  await compile(['journey.ts', 'worker.ts']);
  await build({
    entryPoints: [join(folder, 'worker.js')],
    outfile: join(folder, 'bundled/worker.js'),
    bundle: true,
    format: 'esm',
  });
  const scripts: Readonly<Record<string, string>> = {
    '/worker.js': join(folder, 'bundled/worker.js'),
    '/journey.js': join(folder, 'journey.js'),
    '/browser.js': join(inject('library').folder, 'browser.js'),
  };
  const server = createServer(({ url = '/' }, response) => {
    const script = scripts[url];
    response.setHeader('Content-Type', script ? 'text/javascript' : 'text/html');
    if (script) createReadStream(script).pipe(response);
    else response.end(`<script type="importmap">${importMap}</script>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await chromium.launch({ executablePath: findBrowser(), args: [...browserArgs] });
  closers.push(() => browser.close());
});
afterAll(async () => {
  for (const close of closers.toReversed()) await close();
});

it.each(Object.entries(pages))(
  'signs in, reads, receives a change and signs out in %s',
  async (place, code) => {
    const { url, anonKey: apiKey, database } = supabase();
    const page = await (await browser.newContext()).newPage();
    const steps: object[] = [];
    const ended = new Promise<void>((resolve) => {
      void page.exposeFunction('report', async (step: object) => {
        steps.push(step);
        if ('live' in step)
          await database.query(`insert into public.notifications (recipient_id, content) values ($1, $2)`, [
            ada.id,
            `for ${place}`,
          ]);
        if ('revoked' in step || 'problem' in step) resolve();
      });
    });
    await page.goto(origin);
    const options = JSON.stringify({ url, apiKey, email: ada.email, password: seedPassword });
    await page.evaluate(`(async () => { const options = ${options}; ${code} })()`);
    await ended;
    await page.context().close();
    expect(steps).toEqual([
      { signedIn: ada.email, rows: 1 },
      { live: true },
      { arrived: `for ${place}` },
      { revoked: true, status: 'signed-out' },
    ]);
  },
);
