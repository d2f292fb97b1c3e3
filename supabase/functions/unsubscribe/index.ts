/**
 * The page and the one-click address (RFC 8058) behind the unsubscribe links of mails: `?token=…&kind=…`, without a kind
 * for all mails. GET shows a page and changes nothing, because mail scanners follow links. POST acts: the body
 * `List-Unsubscribe=One-Click` of mail programs, or the form's `action`: `unsubscribe`, `all`, `undo`.
 */
import { html } from '../_shared/mail/html.ts';
import type { Html } from '../_shared/mail/html.ts';
import { mailKinds } from '../_shared/mail/mail-item.ts';
import type { MailKind } from '../_shared/mail/mail-item.ts';
import { mailTextsOf } from '../_shared/mail/mail-texts.ts';
import type { MailTexts } from '../_shared/mail/mail-texts.ts';
import { createDatabaseCaller } from '../_shared/runtime/database-functions.ts';
import { serveFunction } from '../_shared/runtime/runtime.ts';

interface Subscription {
  readonly is_off: boolean;
  readonly language: string;
}

export default serveFunction(async (request, runtime) => {
  if (request.method !== 'GET' && request.method !== 'POST') return new Response(null, { status: 405 });
  const query = new URL(request.url).searchParams;
  const token = query.get('token') ?? '';
  const action = request.method === 'POST' ? readAction(await request.text()) : 'show';
  const given = mailKinds.find((kind) => kind === query.get('kind')) ?? null;
  const kind = action === 'all' || given === 'other' ? null : given;
  const callDatabase = createDatabaseCaller(runtime);
  const subscription = (await callDatabase('unsubscribe_from_mails', {
    token,
    kind,
    undo: action === 'undo',
    dry_run: action === 'show',
    called_at: new Date(runtime.now()).toISOString(),
  })) as Subscription | null;
  if (!subscription) {
    const texts = mailTextsOf(request.headers.get('accept-language') ?? 'en');
    return page(400, texts, html`<p>${texts.page.invalid}</p>`);
  }
  const texts = mailTextsOf(subscription.language);
  if (action === 'undo')
    return page(200, texts, html`<p role="status">${texts.page.undone(nameOf(kind, texts))}</p>`);
  return page(200, texts, subscription.is_off ? done(token, kind, texts) : question(token, kind, texts));
});

function readAction(body: string): 'unsubscribe' | 'all' | 'undo' {
  const action = new URLSearchParams(body).get('action');
  return action === 'undo' || action === 'all' ? action : 'unsubscribe';
}

function question(token: string, kind: MailKind | null, { page, kinds }: MailTexts): Html {
  const name = kind === null ? null : kinds[kind];
  return html`<p>${page.question(name)}</p>
    ${form(token, kind, 'unsubscribe', page.confirm)}${kind === null ? '' : form(token, null, 'all', page.all)}`;
}

function done(token: string, kind: MailKind | null, texts: MailTexts): Html {
  return html`<p role="status">${texts.page.done(nameOf(kind, texts))}</p>
    ${form(token, kind, 'undo', texts.page.undo)}`;
}

const nameOf = (kind: MailKind | null, { kinds }: MailTexts): string | null =>
  kind === null ? null : kinds[kind];

function form(token: string, kind: MailKind | null, action: string, label: string): Html {
  const query = new URLSearchParams({ token, ...(kind !== null && { kind }) }).toString();
  return html`<form method="post" action="?${query}">
    <button name="action" value="${action}">${label}</button>
  </form> `;
}

function page(status: number, texts: MailTexts, body: Html): Response {
  const document = html`<!doctype html>
    <html lang="${texts.language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${texts.page.title}</title>
        <style>
          :root {
            color-scheme: light dark;
            font:
              16px/1.5 system-ui,
              sans-serif;
          }
          body {
            max-width: 32rem;
            margin: 10vh auto;
            padding: 0 1rem;
          }
          form {
            margin: 1rem 0;
          }
          button {
            font: inherit;
            padding: 0.625rem 1.25rem;
            min-height: 44px;
          }
        </style>
      </head>
      <body>
        <main>
          <h1>${texts.page.title}</h1>
          ${body}
        </main>
      </body>
    </html> `;
  return new Response(document.html, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    },
  });
}
