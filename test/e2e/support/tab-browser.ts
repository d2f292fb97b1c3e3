import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { WebSocket } from 'ws';
import { browserArgs, findBrowser } from '../../../scripts/browser.ts';
import type { SessionCookie } from './world.ts';

export interface BrowserTab {
  /** Evaluates an expression whose value is plain data. */
  evaluate(expression: string): Promise<unknown>;
  /** Brings the tab to the front; the others of the window are hidden. */
  activate(): Promise<void>;
  /** Freezes the tab as the browser does with one that was long hidden, or wakes it. */
  setLifecycleState(state: 'frozen' | 'active'): Promise<void>;
}

/**
 * A browser whose tabs hide each other. Playwright keeps every page visible, and a visible page is never frozen: so this
 * one is controlled by the DevTools protocol.
 */
export interface TabBrowser {
  setCookies(cookies: readonly SessionCookie[]): Promise<void>;
  /** Opens a tab in front of the others. */
  open(url: string): Promise<BrowserTab>;
  close(): Promise<void>;
}

interface CommandResponse {
  readonly id?: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/** @param extraArgs further arguments of the browser. */
export async function startTabBrowser(extraArgs: readonly string[] = []): Promise<TabBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'tab-browser-'));
  const args = ['--headless=new', `--user-data-dir=${folder}`, '--remote-debugging-port=0', 'about:blank'];
  const browser = spawn(findBrowser(), [...browserArgs, ...extraArgs, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const socket = new WebSocket(await readEndpoint(browser.stderr));
  await once(socket, 'open');

  const waiting = new Map<number, (response: CommandResponse) => void>();
  socket.on('message', (data: Buffer) => {
    const response = JSON.parse(data.toString()) as CommandResponse;
    if (response.id !== undefined) waiting.get(response.id)?.(response);
  });
  let lastId = 0;
  const send = (method: string, params: object = {}, sessionId?: string) =>
    new Promise<Readonly<Record<string, unknown>>>((resolve, reject) => {
      lastId += 1;
      waiting.set(lastId, ({ result = {}, error }) =>
        error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result),
      );
      socket.send(JSON.stringify({ id: lastId, method, params, sessionId }));
    });

  return {
    async setCookies(cookies) {
      await send('Storage.setCookies', { cookies });
    },
    async open(url) {
      const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
      const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
      const ask = (method: string, params: object = {}) => send(method, params, String(sessionId));
      const tab: BrowserTab = {
        async evaluate(expression) {
          const { result } = await ask('Runtime.evaluate', { expression, returnByValue: true });
          return (result as { readonly value?: unknown }).value;
        },
        async activate() {
          await send('Target.activateTarget', { targetId });
        },
        async setLifecycleState(state) {
          await ask('Page.setWebLifecycleState', { state });
        },
      };
      // Wait for the navigation: expressions are evaluated in the context of the new page.
      await ask('Page.navigate', { url });
      await tab.activate();
      return tab;
    },
    async close() {
      const exited = once(browser, 'exit');
      socket.close();
      browser.kill();
      await exited;
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The browser reports on its standard error where it listens. */
async function readEndpoint(output: Readable): Promise<string> {
  let text = '';
  for await (const part of output.iterator({ destroyOnReturn: false })) {
    text += String(part);
    const [endpoint] = /ws:\/\/\S+\n/.exec(text) ?? [];
    if (endpoint === undefined) continue;
    // Keep draining its output, or the process would block.
    output.resume();
    return endpoint.trim();
  }
  throw new Error(`Chromium did not start: ${text}`);
}
