import { get, request } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMailbox } from '../src/mail/mailbox.ts';
import { requestApi, useLocalSupabase } from '../../test/support/local-supabase.ts';

const supabase = useLocalSupabase({ port: 0, mailboxPort: 0 });
const html = (words: string) => `<p>${words} <a href="http://localhost/a?x=1&amp;y=2">Open</a></p>`;
const send = (to: string, subject: string, words = 'Hello') =>
  supabase().mailbox.send({ to, subject, html: html(words) });
const fetchMailbox = (path: string, init?: RequestInit) => fetch(supabase().mailboxUrl + path, init);
const getJson = async (path: string) => (await fetchMailbox(path)).json() as Promise<Record<string, unknown>>;
const subjects = async (query: string) => {
  const { messages } = await getJson(`/api/v1/search?query=${encodeURIComponent(query)}`);
  return (messages as { Subject: string }[]).map(({ Subject }) => Subject);
};

beforeEach(() => supabase().mailbox.clear());

describe('Mailpit’s interface', () => {
  it('lists the newest first, with Mailpit’s field names', async () => {
    await send('ada@example.com', 'First');
    await send('Grace <grace@example.com>', 'Second');
    await expect(getJson('/api/v1/messages')).resolves.toMatchObject({
      total: 2,
      unread: 2,
      messages_count: 2,
      start: 0,
      messages: [
        {
          ID: expect.any(String),
          Read: false,
          From: { Name: 'Tidings', Address: 'notifications@inbox.test' },
          To: [{ Name: 'Grace', Address: 'grace@example.com' }],
          Cc: [],
          Bcc: [],
          Subject: 'Second',
          Created: expect.stringMatching(/^\d{4}-.*Z$/),
          Snippet: expect.stringContaining('Hello'),
        },
        { Subject: 'First' },
      ],
    });
  });

  it('returns mails by page', async () => {
    for (const subject of ['1', '2', '3']) await send('ada@example.com', subject);
    await expect(getJson('/api/v1/messages?start=1&limit=1')).resolves.toMatchObject({
      total: 3,
      count: 1,
      messages: [{ Subject: '2' }],
    });
  });

  it('returns a mail with its HTML and text, and marks it read', async () => {
    await send('ada@example.com', 'Hello', 'Some &amp; more');
    const message = await getJson('/api/v1/message/latest');
    expect(message).toMatchObject({
      Subject: 'Hello',
      HTML: html('Some &amp; more'),
      Text: 'Some & more Open ( http://localhost/a?x=1&y=2 )',
      Attachments: [],
    });
    await expect(getJson('/api/v1/messages')).resolves.toMatchObject({
      unread: 0,
      messages: [{ Read: true }],
    });
  });

  it('ends a link at its closing tag, which may have a line break', async () => {
    const link = (path: string) => `<a href="http://localhost/${path}"\n  >${path}</a\n>`;
    await supabase().mailbox.send({
      to: 'ada@example.com',
      subject: 'Links',
      html: `${link('one')} and ${link('two')}`,
    });
    await expect(getJson('/api/v1/message/latest')).resolves.toMatchObject({
      Text: 'one ( http://localhost/one ) and two ( http://localhost/two )',
    });
  });

  it('responds 404 for an unknown mail', async () => {
    expect((await fetchMailbox('/api/v1/message/none')).status).toBe(404);
    expect((await fetchMailbox('/view/none.html')).status).toBe(404);
  });

  it('searches by recipient, subject, words and negated terms', async () => {
    await send('ada@example.com', 'Reset your password', 'A reset was requested');
    await send('grace@example.com', 'Confirm your address', 'Welcome');
    await expect(subjects('to:ada@example.com')).resolves.toEqual(['Reset your password']);
    await expect(subjects('subject:"confirm your"')).resolves.toEqual(['Confirm your address']);
    await expect(subjects('welcome')).resolves.toEqual(['Confirm your address']);
    await expect(subjects('-to:ada is:unread')).resolves.toEqual(['Confirm your address']);
    await expect(subjects('to:ada welcome')).resolves.toEqual([]);
  });

  it('deletes the listed mails, or all', async () => {
    await send('ada@example.com', 'Kept');
    await send('ada@example.com', 'Gone');
    const [newest] = supabase().mailbox.messages();
    await fetchMailbox('/api/v1/messages', { method: 'DELETE', body: JSON.stringify({ IDs: [newest?.id] }) });
    await expect(subjects('')).resolves.toEqual(['Kept']);
    await fetchMailbox('/api/v1/messages', { method: 'DELETE' });
    await expect(subjects('')).resolves.toEqual([]);
  });

  it('shows a mail without running scripts or loading content', async () => {
    await send('ada@example.com', 'Hello', '<script>alert(1)</script>');
    const response = await fetchMailbox('/view/latest.html');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    await expect((await fetchMailbox('/view/latest.txt')).text()).resolves.not.toContain('alert');
  });
});

describe('the host of a request', () => {
  /** `fetch` does not allow a Host header. */
  const askAs = (host: string, path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const request = get(supabase().mailboxUrl + path, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      request.on('error', reject);
    });
  const paths = ['/', '/api/v1/messages', '/_faults/api'];

  it.each(['localhost:54324', 'LOCALHOST', '127.0.0.1:1', '[::1]:54324'])('may be %s', async (host) => {
    for (const path of paths) expect(await askAs(host, path)).not.toBe(403);
  });

  it.each(['rebound.example.com', 'localhost.example.com', '0.0.0.0'])(
    'may not be %s: a foreign page could read the mails through a name that resolves here',
    async (host) => {
      for (const path of paths) expect(await askAs(host, path)).toBe(403);
    },
  );

  it('never appears in a mail: links point to the site, regardless of the Host header', async () => {
    const { url, anonKey, mailbox } = supabase();
    const headers = { host: 'evil.localhost', apikey: anonKey, 'content-type': 'application/json' };
    const body = JSON.stringify({ email: 'ada@example.com' });
    await new Promise((resolve, reject) => {
      const sent = request(`${url}/auth/v1/recover`, { method: 'POST', headers }, (response) => {
        response.resume().on('end', resolve);
      });
      sent.on('error', reject).end(body);
    });
    const { links } = await mailbox.waitFor({ to: 'ada@example.com' });
    expect(links.join(' ')).not.toContain('evil');
    expect(links.map((link) => new URL(link).origin)).toEqual(['http://localhost:5173']);
  });
});

describe('the pages for people', () => {
  it.each(['/', '/mailbox.js', '/pages.css', '/_faults', '/faults.js'])('are served: %s', async (path) => {
    const response = await fetchMailbox(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
  });

  it('receive new mail at once', async () => {
    const response = await fetchMailbox('/events');
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const first = await reader?.read();
    await send('ada@example.com', 'Live');
    const second = await reader?.read();
    await reader?.cancel();
    expect(first?.value).toBe('event: change\ndata: 0\n\n');
    expect(second?.value).toBe('event: change\ndata: 1\n\n');
  });
});

describe('the mailbox for tests', () => {
  it('waits for a mail, and returns each once, oldest first', async () => {
    const waiting = supabase().mailbox.waitFor({ to: 'ADA@example.com' });
    await send('grace@example.com', 'Not this');
    await send('ada@example.com', 'One');
    await send('ada@example.com', 'Two');
    expect((await waiting).subject).toBe('One');
    expect((await supabase().mailbox.waitFor({ to: 'ada@example.com' })).subject).toBe('Two');
  });

  it('returns different mails to two concurrent waits', async () => {
    const both = [supabase().mailbox.waitFor(), supabase().mailbox.waitFor()];
    await send('ada@example.com', 'One');
    await send('ada@example.com', 'Two');
    expect((await Promise.all(both)).map(({ subject }) => subject)).toEqual(['One', 'Two']);
  });

  it('lists the mails present when a wait times out', async () => {
    await send('grace@example.com', 'Other');
    await expect(supabase().mailbox.waitFor({ to: 'ada@example.com' }, 1)).rejects.toThrow(
      'In the mailbox: grace@example.com: Other',
    );
  });

  it('finds the links and the code of the project’s mails', async () => {
    await requestApi(supabase(), '/auth/v1/signup?redirect_to=http://localhost:5173/home', {
      method: 'POST',
      body: { email: 'new@example.com', password: 'a-long-password' },
    });
    const { code, links } = await supabase().mailbox.waitFor({ to: 'new@example.com' });
    expect(code).toMatch(/^\d{6}$/);
    expect(links.map((link) => new URL(link).origin)).toEqual(['http://localhost:5173']);
    expect(links[0]).toMatch(/[?&#]token_hash=[\da-f]{56}&type=\w+/);
  });

  it('evicts the oldest mail above five hundred', async () => {
    const mailbox = createMailbox();
    for (let number = 0; number < 501; number += 1) {
      await mailbox.send({ to: 'ada@example.com', subject: String(number), html: '' });
    }
    expect(mailbox.messages()).toHaveLength(500);
    expect(mailbox.messages().at(-1)?.subject).toBe('1');
    expect(new Set(mailbox.messages().map(({ id }) => id)).size).toBe(500);
  });
});
