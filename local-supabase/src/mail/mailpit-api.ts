import { utf8Length } from '../platform/bytes.ts';
import { Hono } from 'hono';
import type { MailAddress, ReceivedMail } from './mail.ts';
import type { Mailbox } from './mailbox.ts';
import { searchMails } from './search.ts';

interface Page {
  readonly start: number;
  readonly limit: number;
}

/**
 * Mailpit's HTTP API, which the vendor's local stack serves on the mailbox's port.
 *
 * @see https://mailpit.axllent.org/docs/api-v1/
 */
export function createMailpitApi(mailbox: Mailbox): Hono {
  const app = new Hono();
  const find = (id: string) => (id === 'latest' ? mailbox.messages()[0] : mailbox.find(id));
  const readIds = async (request: Request) => {
    const { IDs = [], Read = false } = (await request.json().catch(() => ({}))) as {
      IDs?: string[];
      Read?: boolean;
    };
    return { ids: IDs, isRead: Read };
  };

  app.get('/api/v1/messages', (c) => c.json(list(mailbox, mailbox.messages(), readPage(c.req.query()))));
  app.get('/api/v1/search', (c) => {
    const found = searchMails(mailbox.messages(), c.req.query('query') ?? '');
    return c.json(list(mailbox, found, readPage(c.req.query())));
  });
  app.delete('/api/v1/search', (c) => {
    mailbox.clear(searchMails(mailbox.messages(), c.req.query('query') ?? '').map(({ id }) => id));
    return c.text('ok');
  });
  app.delete('/api/v1/messages', async (c) => {
    const { ids } = await readIds(c.req.raw);
    mailbox.clear(ids.length > 0 ? ids : undefined);
    return c.text('ok');
  });
  app.put('/api/v1/messages', async (c) => {
    const { ids, isRead } = await readIds(c.req.raw);
    mailbox.setRead(ids.length > 0 ? ids : mailbox.messages().map(({ id }) => id), isRead);
    return c.text('ok');
  });
  app.get('/api/v1/message/:id', (c) => {
    const mail = find(c.req.param('id'));
    if (!mail) return c.text('message not found', 404);
    if (!mail.isRead) mailbox.setRead([mail.id], true);
    return c.json(encodeMessage(mail));
  });
  app.get('/api/v1/message/:id/headers', (c) => {
    const mail = find(c.req.param('id'));
    if (!mail) return c.text('message not found', 404);
    return c.json(Object.fromEntries(Object.entries(mail.headers).map(([name, value]) => [name, [value]])));
  });
  app.get('/view/:file', (c) => {
    const [, id = '', form] = /^(.+)\.(html|txt)$/.exec(c.req.param('file')) ?? [];
    const mail = find(id);
    if (!mail) return c.text('message not found', 404);
    if (form === 'txt') return c.text(mail.text);
    return c.html(withLinksInNewTabs(mail.html), 200, {
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; img-src * data:; frame-ancestors 'self'",
    });
  });
  return app;
}

function readPage({ start, limit }: Record<string, string>): Page {
  const count = (text: string | undefined, otherwise: number) => {
    const parsed = Number.parseInt(text ?? '', 10);
    return parsed >= 0 ? parsed : otherwise;
  };
  return { start: count(start, 0), limit: count(limit, 50) };
}

function list(mailbox: Mailbox, mails: readonly ReceivedMail[], { start, limit }: Page) {
  const all = mailbox.messages();
  return {
    total: all.length,
    unread: all.filter(({ isRead }) => !isRead).length,
    count: Math.max(0, Math.min(limit, mails.length - start)),
    messages_count: mails.length,
    messages_unread: mails.filter(({ isRead }) => !isRead).length,
    start,
    tags: [],
    messages: mails.slice(start, start + limit).map(encodeSummary),
  };
}

const encodeAddress = ({ name, address }: MailAddress) => ({ Name: name, Address: address });

function encodeHead({ id, from, to, subject, html, text, headers }: ReceivedMail) {
  return {
    ID: id,
    MessageID: headers['Message-ID']?.replace(/^<|>$/g, '') ?? `${id}@inbox.test`,
    From: encodeAddress(from),
    To: [encodeAddress(to)],
    Cc: [],
    Bcc: [],
    ReplyTo: [],
    Subject: subject,
    Tags: [],
    Size: utf8Length(html) + utf8Length(text),
  };
}

function encodeSummary(mail: ReceivedMail) {
  return {
    ...encodeHead(mail),
    Read: mail.isRead,
    Created: new Date(mail.receivedAtMs).toISOString(),
    Attachments: 0,
    Snippet: mail.text.replace(/\s+/g, ' ').slice(0, 250),
  };
}

function encodeMessage(mail: ReceivedMail) {
  return {
    ...encodeHead(mail),
    ReturnPath: mail.from.address,
    Date: new Date(mail.receivedAtMs).toISOString(),
    ListUnsubscribe: {
      Header: mail.headers['List-Unsubscribe'] ?? '',
      HeaderPost: mail.headers['List-Unsubscribe-Post'] ?? '',
    },
    Text: mail.text,
    HTML: mail.html,
    Inline: [],
    Attachments: [],
  };
}

function withLinksInNewTabs(html: string): string {
  const base = '<base target="_blank" rel="noopener">';
  return /<head[^>]*>/i.test(html) ? html.replace(/<head[^>]*>/i, `$&${base}`) : base + html;
}
