import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { ada, useLocalSupabase } from '../support/local-supabase.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly to: readonly string[]; readonly headers: Readonly<Record<string, string>> };
}

/** Requests in the order of arrival. */
let received: Received[] = [];
/** Mails that the provider delivers: one per idempotency key. */
let delivered = new Map<string, Received>();
/** Responds instead of accepting; null: accepts. */
let refuse: ((response: ServerResponse, count: number) => void) | null = null;

/** Accepts mails as Resend does: a repeated idempotency key delivers nothing again. */
const provider = createServer((request, response) => {
  void json(request).then((body) => {
    const mail = { headers: request.headers, body: body as Received['body'] };
    received.push(mail);
    if (refuse) refuse(response, received.length);
    else accept(mail, response);
  });
});
function accept(mail: Received, response: ServerResponse): void {
  delivered.set(String(mail.headers['idempotency-key']), mail);
  respond(response, 200, { id: 'mail' });
}
function respond(response: ServerResponse, status: number, body: object, headers = {}): void {
  // Closes each connection: a kept one that times out on a busy machine would count as an unreachable provider.
  const closing = { 'content-type': 'application/json', connection: 'close', ...headers };
  response.writeHead(status, closing).end(JSON.stringify(body));
}
async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

// After the database's clock, because mails are due from then on; before November 2032, when the legacy API keys
// expire.
const startMs = Date.parse('2032-01-16T10:00:00Z');
let nowMs = startMs;
const providerUrl = await listen(provider);
const supabase = useLocalSupabase({
  now: () => nowMs,
  functionEnv: { RESEND_API_KEY: 're_secret', RESEND_URL: providerUrl },
});

const addDueMails = (count: number) =>
  supabase().database.query(
    `insert into private.notification_mails (recipient_id, topic, due_at, state)
     select $1, 'test', $2, 'retrying' from generate_series(1, $3)`,
    [ada.id, new Date(startMs).toISOString(), count],
  );
const mails = () =>
  supabase().database.query<{ id: string; state: string; attempts: number; reason: string; due_at: Date }>(
    'select id, state, attempts, reason, due_at from private.notification_mails',
  );
const keys = () => received.map(({ headers }) => headers['idempotency-key']);

afterAll(() => provider.close());
beforeEach(async () => {
  nowMs = startMs;
  received = [];
  delivered = new Map();
  refuse = null;
  await supabase().database.exec(
    'delete from private.notification_mails; delete from private.suppressed_addresses',
  );
});

it('the transport for Resend sends the mail with its id as idempotency key', async () => {
  await addDueMails(1);
  expect(await supabase().sendDueMails()).toEqual({ sent: 1, failed: 0, skipped: 0 });
  const [mail] = await mails();
  expect(received).toMatchObject([
    {
      headers: { authorization: 'Bearer re_secret', 'idempotency-key': mail?.id },
      body: {
        to: [ada.email],
        headers: {
          'Message-ID': `<${mail?.id}@inbox.test>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        },
      },
    },
  ]);
});

it('the transport for Resend waits as long as Retry-After asks and sends all, without a failed attempt', async () => {
  await addDueMails(12);
  refuse = (response, count) => {
    if (count >= 7) refuse = null;
    respond(response, 429, { name: 'rate_limit_exceeded' }, { 'retry-after': '1' });
  };
  const startedMs = performance.now();
  expect(await supabase().sendDueMails()).toEqual({ sent: 12, failed: 0, skipped: 0 });
  expect(performance.now() - startedMs).toBeGreaterThan(1000);
  expect(delivered.size).toBe(12);
  expect((await mails()).every(({ attempts }) => attempts === 1)).toBe(true);
});

it('the transport for Resend ends the run when the limit lasts longer than it, and counts no attempt', async () => {
  await addDueMails(60);
  refuse = (response) => respond(response, 429, { name: 'daily_quota_exceeded' }, { 'retry-after': '3600' });
  expect(await supabase().sendDueMails()).toMatchObject({ sent: 0 });
  expect(received.length).toBeLessThanOrEqual(5);
  const held = (await mails()).filter(({ due_at }) => due_at.getTime() === startMs + 3600_000);
  expect(held).toHaveLength(50);
  expect(held.every(({ state, attempts }) => state === 'retrying' && attempts === 0)).toBe(true);
  refuse = null;
  nowMs += 3600_000;
  expect(await supabase().sendDueMails()).toEqual({ sent: 60, failed: 0, skipped: 0 });
});

it.each([500, 503])(
  'the transport for Resend retries with the same key after %i, which counts as no attempt',
  async (status) => {
    await addDueMails(1);
    refuse = (response) => respond(response, status, { name: 'problem' });
    expect(await supabase().sendDueMails()).toEqual({ sent: 0, failed: 1, skipped: 0 });
    expect(await mails()).toMatchObject([{ state: 'retrying', attempts: 0 }]);
    refuse = null;
    nowMs += 3600_000;
    expect(await supabase().sendDueMails()).toEqual({ sent: 1, failed: 0, skipped: 0 });
    expect(keys()).toHaveLength(2);
    expect(new Set(keys()).size).toBe(1);
  },
);

it('the transport for Resend waits longer than the backoff where a failure names a time', async () => {
  await addDueMails(1);
  refuse = (response) =>
    respond(response, 503, {}, { 'retry-after': new Date(startMs + 7200_000).toUTCString() });
  await supabase().sendDueMails();
  expect((await mails())[0]?.due_at.getTime()).toBe(startMs + 7200_000);
});

it.each([400, 413, 422])(
  'the transport for Resend makes a dead letter of a mail refused with %i',
  async (status) => {
    await addDueMails(1);
    refuse = (response) => respond(response, status, { name: 'validation_error' });
    expect(await supabase().sendDueMails()).toEqual({ sent: 0, failed: 1, skipped: 0 });
    expect(await mails()).toMatchObject([
      { state: 'dead', attempts: 1, reason: expect.stringContaining(`${status}`) },
    ]);
    expect(await supabase().database.query('select * from private.suppressed_addresses')).toEqual([]);
  },
);

it('the transport for Resend delivers once when the response to an accepted mail is lost', async () => {
  await addDueMails(1);
  refuse = (response) => {
    const [mail] = received;
    if (mail) delivered.set(String(mail.headers['idempotency-key']), mail);
    response.destroy();
  };
  expect(await supabase().sendDueMails()).toEqual({ sent: 0, failed: 1, skipped: 0 });
  // The mail of the second attempt differs, because notifications were read meanwhile.
  refuse = (response) => respond(response, 409, { name: 'invalid_idempotent_request' });
  nowMs += 3600_000;
  expect(await supabase().sendDueMails()).toEqual({ sent: 1, failed: 0, skipped: 0 });
  expect(delivered.size).toBe(1);
  expect(new Set(keys()).size).toBe(1);
});
