import { Hono } from 'hono';
import { readFile } from 'node:fs/promises';
import { streamSSE } from 'hono/streaming';
import type { Mailbox } from './mailbox.ts';
import { createMailpitApi } from './mailpit-api.ts';

export interface MailboxSiteOptions {
  readonly mailbox: Mailbox;
  /** Serves the faults at `/_faults/api`. */
  readonly faultsApi: Hono;
  /** Whether a page of another host sent the request: its form could delete mails or add faults. */
  readonly isForeign: (headers: Headers) => boolean;
}

const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/': ['mailbox.html', 'text/html; charset=utf-8'],
  '/mailbox.js': ['mailbox.js', 'text/javascript; charset=utf-8'],
  '/faults.js': ['faults.js', 'text/javascript; charset=utf-8'],
  '/pages.css': ['pages.css', 'text/css; charset=utf-8'],
  '/_faults': ['faults.html', 'text/html; charset=utf-8'],
};
const SECURITY = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** Serves the mailbox's port: the mailbox page, Mailpit's HTTP interface and the page of the faults. */
export function createMailboxSite(options: MailboxSiteOptions): (request: Request) => Promise<Response> {
  const { mailbox, faultsApi } = options;
  const app = new Hono();
  app.route('/', createMailpitApi(mailbox));
  app.route('/_faults/api', faultsApi);
  app.get('/events', (c) =>
    streamSSE(c, async (stream) => {
      const send = () => void stream.writeSSE({ event: 'change', data: String(mailbox.messages().length) });
      const unsubscribe = mailbox.subscribe(send);
      send();
      await new Promise<void>((resolve) => stream.onAbort(resolve));
      unsubscribe();
    }),
  );
  for (const [path, [file, type]] of Object.entries(FILES)) {
    app.get(path, async (c) => {
      const content = await readFile(new URL(`page/${file}`, import.meta.url), 'utf8');
      return c.body(content, 200, { 'content-type': type, ...SECURITY });
    });
  }
  return async (request) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    return isRead || !options.isForeign(request.headers)
      ? app.fetch(request)
      : new Response('Forbidden origin', { status: 403 });
  };
}
