import { execFile } from 'node:child_process';
import { createReadStream, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { browserArgs, findBrowser } from '../../../scripts/browser.ts';
import type { LocalSupabase } from 'local-supabase';
import type { Consumer } from './consumer.ts';

const vite = fileURLToPath(new URL('../../../node_modules/vite/bin/vite.js', import.meta.url));

export interface BuiltPage {
  readonly scriptBytes: number;
  /** Opens the page in a new browser profile; the fragment contains the project. */
  open(): Promise<Page>;
}

/** Builds a consumer's page with Vite, serves it, and opens it in Chromium. */
export function usePage(consumer: () => Consumer, supabase: () => LocalSupabase): () => BuiltPage {
  let built: BuiltPage | undefined;
  const closers: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    const { folder } = consumer();
    await consumer().compile();
    // A separate process, because NODE_ENV of the test runner is not `production`.
    await promisify(execFile)(process.execPath, [vite, 'build', folder, '--logLevel', 'error'], {
      env: { ...process.env, NODE_ENV: 'production' },
    });
    const scripts = (await readdir(join(folder, 'dist/assets'))).filter((name) => name.endsWith('.js'));
    const server = createServer(({ url = '/' }, response) => {
      const file = url === '/' ? '/index.html' : url;
      response.setHeader('Content-Type', extname(file) === '.js' ? 'text/javascript' : 'text/html');
      createReadStream(join(folder, 'dist', file))
        .on('error', () => response.writeHead(404).end())
        .pipe(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => new Promise((resolve) => server.close(resolve)));
    const browser: Browser = await chromium.launch({ executablePath: findBrowser(), args: [...browserArgs] });
    closers.push(() => browser.close());
    built = {
      scriptBytes: scripts.reduce(
        (sum, name) =>
          sum + gzipSync(readFileSync(join(folder, 'dist/assets', name)), { level: 9 }).byteLength,
        0,
      ),
      async open() {
        const { url, anonKey } = supabase();
        const page = await (await browser.newContext()).newPage();
        const { port } = server.address() as AddressInfo;
        await page.goto(`http://127.0.0.1:${port}/#${encodeURIComponent(`${url} ${anonKey}`)}`);
        return page;
      },
    };
  });
  afterAll(async () => {
    for (const close of closers.toReversed()) await close();
  });
  return () => {
    if (!built) throw new Error('The page has not been built yet');
    return built;
  };
}
