import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const browserPaths = ['x86_64-linux-gnu', 'aarch64-linux-gnu']
  .flatMap((machine) =>
    ['4.1', '4.0'].map((version) => `/usr/lib/${machine}/webkit2gtk-${version}/MiniBrowser`),
  )
  .concat('/usr/libexec/webkit2gtk-4.1/MiniBrowser');

/** The driver never responds to a command after WebKit's process has crashed. */
const COMMAND_TIMEOUT_MS = 60_000;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Reads until the value is truthy. @throws after 20 seconds. */
async function until<T>(what: string, read: () => Promise<T>): Promise<T> {
  const endMs = performance.now() + 20_000;
  for (;;) {
    const found = await read().catch((problem: unknown) => {
      if (performance.now() > endMs) throw problem;
      return null;
    });
    if (found) return found;
    if (performance.now() > endMs) throw new Error(`WebKit: ${what} did not happen within 20 s`);
    await sleep(150);
  }
}

/** A page of WebKitGTK, driven by the commands of W3C WebDriver that the check of this engine needs. */
export interface WebKitPage {
  open(url: string): Promise<void>;
  /** Runs the body of a function in the page. */
  run<T>(body: string, ...args: readonly unknown[]): Promise<T>;
  /** Clicks the element of an XPath as a user does. */
  click(xpath: string): Promise<void>;
  /** Types into the field of an XPath. */
  type(xpath: string, text: string): Promise<void>;
  /** Waits until the body of a function returns something other than a falsy value. @throws after 20 seconds. */
  waitFor<T>(what: string, body: string, ...args: readonly unknown[]): Promise<T>;
  screenshot(file: string): Promise<void>;
  close(): Promise<void>;
}

/** @throws {Error} where the driver or a display is missing. */
export async function openWebKit(): Promise<WebKitPage> {
  const binary = browserPaths.find((path) => existsSync(path));
  if (binary === undefined)
    throw new Error('WebKitGTK is missing. Install it: apt-get install webkit2gtk-driver xvfb');
  if (!process.env['DISPLAY']) throw new Error('WebKitGTK needs a display. Run this with xvfb-run');
  const port = await freePort();
  const home = mkdtempSync(join(tmpdir(), 'webkit-'));
  const driver = spawn('WebKitWebDriver', ['--host=127.0.0.1', `--port=${port}`], {
    stdio: 'ignore',
    env: { ...process.env, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home, XDG_DATA_HOME: home },
  });
  const send = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      signal: AbortSignal.timeout(COMMAND_TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { value } = (await response.json()) as { value: T & { error?: string; message?: string } };
    if (!response.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
    return value;
  };
  await until('the start of the driver', () => send<object>('GET', '/status'));
  const { sessionId } = await send<{ sessionId: string }>('POST', '/session', {
    capabilities: {
      alwaysMatch: {
        browserName: 'MiniBrowser',
        'webkitgtk:browserOptions': { binary, args: ['--automation'] },
      },
    },
  });
  const session = `/session/${sessionId}`;
  const run = <T>(script: string, ...args: readonly unknown[]) =>
    send<T>('POST', `${session}/execute/sync`, { script, args });
  const withElement = (xpath: string, path: string, body: object) =>
    until(`${path} of ${xpath}`, async () => {
      const element = await send<Record<string, string>>('POST', `${session}/element`, {
        using: 'xpath',
        value: xpath,
      });
      await send('POST', `${session}/element/${Object.values(element)[0]}/${path}`, body);
      return true;
    });
  return {
    run,
    open: (url) => send('POST', `${session}/url`, { url }),
    click: (xpath) => withElement(xpath, 'click', {}).then(() => undefined),
    type: (xpath, text) => withElement(xpath, 'value', { text }).then(() => undefined),
    waitFor: <T>(what: string, body: string, ...args: readonly unknown[]) =>
      until(what, () => run<T>(body, ...args)),
    async screenshot(file) {
      writeFileSync(file, Buffer.from(await send<string>('GET', `${session}/screenshot`), 'base64'));
    },
    async close() {
      await send('DELETE', session).catch(() => undefined);
      driver.kill();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
