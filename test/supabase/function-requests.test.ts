import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import handleMailEvents from '../../supabase/functions/mail-events/index.ts';
import handleMails from '../../supabase/functions/notification-mails/index.ts';
import handleUnsubscribe from '../../supabase/functions/unsubscribe/index.ts';
import { useLocalSupabase } from '../support/local-supabase.ts';
import { createDatabaseCaller } from '../../supabase/functions/_shared/runtime/database-functions.ts';
import { UnexpectedResponseError } from '../../supabase/functions/_shared/runtime/parse.ts';
import { queuedMail } from '../support/worker-queue.ts';
import { claimedMailsSchema } from '../../supabase/functions/_shared/mail/queued-mail.ts';

const secret = Buffer.from('the secret of the webhook');
const supabase = useLocalSupabase({
  functionEnv: { MAIL_WEBHOOK_SECRET: `whsec_${secret.toString('base64')}`, WORKER_SECRET: 'of-the-workers' },
  // As in supabase/config.toml, because these functions authorize requests themselves.
  functionSettings: Object.fromEntries(
    ['unsubscribe', 'mail-events', 'notification-mails', 'notification-push'].map((name) => [
      name,
      { verifyJwt: false },
    ]),
  ),
});

const call = async (
  name: string,
  method: string,
  body: string | null,
  headers: Readonly<Record<string, string>> = {},
) => {
  const { url, serviceRoleKey } = supabase();
  const response = await supabase().fetch(`${url}/functions/v1/${name}`, {
    method,
    body,
    headers: { apikey: serviceRoleKey, ...headers },
  });
  return { status: response.status, body: (await response.json()) as unknown, headers: response.headers };
};

const signed = (body: string) => {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', secret).update(`msg_1.${timestamp}.${body}`).digest('base64');
  return { 'svix-id': 'msg_1', 'svix-timestamp': timestamp, 'svix-signature': `v1,${signature}` };
};

it.each(['notification-mails', 'notification-push', 'mail-events', 'unsubscribe'])(
  'the function %s responds with 405 to a method that it does not support',
  async (name) => {
    expect(await call(name, 'DELETE', null)).toMatchObject({
      status: 405,
      body: { code: 'method_not_allowed', message: expect.any(String) },
    });
  },
);

it.each([
  ['notification-mails', '{"due_before":'],
  ['notification-mails', '{"due_before":"tomorrow"}'],
  ['notification-mails', '{"due_before":1}'],
  ['unsubscribe', 'token=a&action=everything'],
  ['unsubscribe', 'token=a&kind=%00'],
  ['unsubscribe', 'token=%00'],
])('the function %s responds with 400 to the body %s', async (name, body) => {
  expect(await call(name, 'POST', body)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
});

it.each(['[]', '{"type":"email.bounced"}', '{"type":"email.complained","data":{"to":"ada@example.com"}}'])(
  'the function mail-events responds with 400 to the signed event %s',
  async (body) => {
    expect(await call('mail-events', 'POST', body, signed(body))).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    });
  },
);

it('pages of every origin can read the errors of the function unsubscribe', async () => {
  const { headers } = await call('unsubscribe', 'POST', 'action=everything');
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('cache-control')).toBe('no-store');
});

it('a function refuses a response of the database with an unexpected shape', async () => {
  const callDatabase = createDatabaseCaller({
    env: { SUPABASE_URL: 'http://localhost', SUPABASE_SERVICE_ROLE_KEY: 'key' },
    fetch: () => Promise.resolve(Response.json({ claimed: 1, mails: [{ id: 7 }] })),
    now: () => 0,
  });
  const claim = callDatabase('claim_notification_mails', {}, claimedMailsSchema);
  await expect(claim).rejects.toBeInstanceOf(UnexpectedResponseError);
  await expect(claim).rejects.toThrow('claim_notification_mails: ');
});

it('a function does not follow a redirect, whose target would get the service key', async () => {
  const paths: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url);
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const callDatabase = createDatabaseCaller({
    env: { SUPABASE_URL: `http://127.0.0.1:${port}`, SUPABASE_SERVICE_ROLE_KEY: 'key' },
    fetch,
    now: () => 0,
  });
  await expect(callDatabase('claim_notification_mails', {}, claimedMailsSchema)).rejects.toThrow(TypeError);
  expect(paths).toEqual(['/rest/v1/rpc/claim_notification_mails']);
});

describe('a worker', () => {
  const run = async (
    headers: Readonly<Record<string, string>>,
    env: Readonly<Record<string, string>> = {},
  ) => {
    const { url, secretKey } = supabase();
    const response = await handleMails(
      new Request(`${url}/functions/v1/notification-mails`, { method: 'POST', headers }),
      {
        env: {
          SUPABASE_URL: url,
          SUPABASE_SECRET_KEYS: JSON.stringify({ default: secretKey }),
          APP_URL: 'https://inbox.test',
          MAIL_FROM: 'Tidings <notifications@inbox.test>',
          SMTP_HOST: 'smtp.inbox.test',
          WORKER_SECRET: 'of-the-workers',
          ...env,
        },
        fetch: supabase().fetch,
        now: Date.now,
      },
    );
    return response.status;
  };

  it.each([
    ['the secret of the workers', 200, () => ({ 'x-worker-secret': 'of-the-workers' })],
    ['the newer secret key, of which it has no other', 200, () => ({ apikey: supabase().secretKey })],
    ['another secret', 403, () => ({ 'x-worker-secret': 'of others' })],
    ['an empty secret', 403, () => ({ 'x-worker-secret': '' })],
    ['the publishable key', 403, () => ({ apikey: supabase().publishableKey })],
    [
      'the secret key as a token, which hosted projects refuse',
      403,
      () => ({ authorization: `Bearer ${supabase().secretKey}` }),
    ],
  ])('is started by %s with the response %i', async (_name, status, headers) => {
    expect(await run(headers())).toBe(status);
  });

  it('is started by either secret during a rotation, and by no part of their list', async () => {
    const env = { WORKER_SECRET: 'new old' };
    expect(await run({ 'x-worker-secret': 'new' }, env)).toBe(200);
    expect(await run({ 'x-worker-secret': 'old' }, env)).toBe(200);
    expect(await run({ 'x-worker-secret': 'new old' }, env)).toBe(403);
  });

  it.each(['nobody', 'Tidings <>', 'a@b.test\nBcc: c@d.test', 'Tidings\r\nBcc: c@d.test <a@b.test>'])(
    'is not started with a sender that no mail can have: %j',
    async (from) => {
      const log = vi.spyOn(console, 'error').mockReturnValue(undefined);
      onTestFinished(() => log.mockRestore());
      expect(await run({ 'x-worker-secret': 'of-the-workers' }, { MAIL_FROM: from })).toBe(500);
      expect(log.mock.calls.flat().join(' ')).toContain('MAIL_FROM');
    },
  );

  it('without WORKER_SECRET is started by a service key alone', async () => {
    expect(await run({ 'x-worker-secret': '' }, { WORKER_SECRET: '' })).toBe(403);
    expect(
      await run(
        { apikey: supabase().serviceRoleKey },
        { SUPABASE_SECRET_KEYS: '', SUPABASE_SERVICE_ROLE_KEY: supabase().serviceRoleKey },
      ),
    ).toBe(200);
  });

  it.each([
    ['SUPABASE_SECRET_KEYS', 'The platform sets it for deployed functions.'],
    ['SUPABASE_URL', 'The platform sets it for deployed functions.'],
    ['APP_URL', 'Set it with: supabase secrets set APP_URL=…'],
    ['MAIL_FROM', 'Set it with: supabase secrets set MAIL_FROM=…'],
    ['SMTP_HOST', 'Set it with: supabase secrets set SMTP_HOST=…'],
  ])('without %s says in its log that it lacks it', async (setting, advice) => {
    const log = vi.spyOn(console, 'error').mockReturnValue(undefined);
    onTestFinished(() => log.mockRestore());
    expect(await run({ apikey: supabase().secretKey }, { [setting]: '' })).toBe(500);
    expect(log.mock.calls).toEqual([[`The environment of the function lacks ${setting}. ${advice}`]]);
  });

  it('is started by each of its service keys', async () => {
    const { secretKey, serviceRoleKey } = supabase();
    const env = {
      SUPABASE_SECRET_KEYS: JSON.stringify({ default: secretKey, backend: 'sb_secret_backend' }),
      SUPABASE_SERVICE_ROLE_KEY: serviceRoleKey,
    };
    for (const apikey of [secretKey, 'sb_secret_backend', serviceRoleKey])
      expect(await run({ apikey }, env)).toBe(200);
  });
});

it.each([{}, { MAIL_WEBHOOK_PASSWORD: '' }])(
  'the webhook refuses every request as an unsigned one where its settings are %j',
  async (env) => {
    const log = vi.spyOn(console, 'error').mockReturnValue(undefined);
    onTestFinished(() => log.mockRestore());
    const request = new Request('https://project.test/mail-events', { method: 'POST', body: '{}' });
    const response = await handleMailEvents(request, { env, fetch, now: Date.now });
    expect([response.status, await response.json()]).toMatchObject([401, { code: 'signature_invalid' }]);
    expect(log.mock.calls.flat().join(' ')).toContain('MAIL_WEBHOOK_SECRET');
  },
);

it('the webhook with one of its settings reports nothing to the operator', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue(undefined);
  onTestFinished(() => log.mockRestore());
  const body = JSON.stringify({ type: 'email.delivered' });
  const deliver = async (
    env: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>>,
  ) => {
    const request = new Request('https://project.test/mail-events', { method: 'POST', headers, body });
    const response = await handleMailEvents(request, { env, fetch, now: Date.now });
    return [response.status, await response.json()];
  };
  const signedOnly = { MAIL_WEBHOOK_SECRET: `whsec_${secret.toString('base64')}` };
  expect(await deliver(signedOnly, signed(body))).toEqual([200, { suppressed: 0 }]);
  expect(await deliver(signedOnly, signed(`${body} `))).toMatchObject([401, { code: 'signature_invalid' }]);
  expect(await deliver({ MAIL_WEBHOOK_PASSWORD: 'a' }, {})).toMatchObject([401, {}]);
  expect(log.mock.calls).toEqual([]);
});

it('the webhook suppresses each address that an event names', async () => {
  const suppressed: unknown[] = [];
  const request = new Request('https://project.test/mail-events', {
    method: 'POST',
    headers: { authorization: `basic  ${btoa('events:a:b')}` },
    body: JSON.stringify({
      type: 'email.bounced',
      data: { to: ['ada@b.test', 'grace@b.test'], bounce: { message: 'No such user' } },
    }),
  });
  const response = await handleMailEvents(request, {
    env: { MAIL_WEBHOOK_PASSWORD: 'a:b', SUPABASE_URL: 'http://project', SUPABASE_SERVICE_ROLE_KEY: 'key' },
    fetch: async (_url, init) => {
      suppressed.push(JSON.parse(init?.body as string));
      return new Response(null, { status: 204 });
    },
    now: Date.now,
  });
  expect(await response.json()).toEqual({ suppressed: 2 });
  const bounce = { reason: 'bounce', detail: 'No such user' };
  expect(suppressed).toEqual([
    { address: 'ada@b.test', ...bounce },
    { address: 'grace@b.test', ...bounce },
  ]);
});

it('the fields of the page for unsubscribing win over those of the link', async () => {
  const calls: unknown[] = [];
  const request = new Request('https://project.test/unsubscribe?token=a&kind=mention', {
    method: 'POST',
    body: 'kind=edit&action=undo',
  });
  const response = await handleUnsubscribe(request, {
    env: { SUPABASE_URL: 'http://project', SUPABASE_SERVICE_ROLE_KEY: 'key' },
    fetch: async (_url, init) => {
      calls.push(JSON.parse(init?.body as string));
      return Response.json(null);
    },
    now: () => Date.parse('2032-01-16T10:00:00Z'),
  });
  expect([response.status, await response.json()]).toMatchObject([400, { code: 'token_invalid' }]);
  expect(calls).toEqual([
    { token: 'a', kind: 'edit', undo: true, dry_run: false, called_at: '2032-01-16T10:00:00.000Z' },
  ]);
});

describe('the worker of mails', () => {
  const requests: Request[] = [];
  const run = async (body: object, env: Readonly<Record<string, string>>) => {
    requests.length = 0;
    const response = await handleMails(
      new Request('http://project/functions/v1/notification-mails', {
        method: 'POST',
        headers: { apikey: 'key' },
        body: JSON.stringify(body),
      }),
      {
        env: {
          SUPABASE_URL: 'http://project',
          SUPABASE_SERVICE_ROLE_KEY: 'key',
          APP_URL: 'https://app.test//',
          MAIL_FROM: 'notifications@mail.b.test',
          ...env,
        },
        fetch: async (input, init) => {
          const request = new Request(input, init);
          requests.push(request.clone());
          return Response.json(
            request.url.endsWith('/claim_notification_mails')
              ? { claimed: 1, mails: [queuedMail('one')] }
              : true,
          );
        },
        now: Date.now,
      },
    );
    return (await response.json()) as Readonly<Record<string, unknown>>;
  };

  it('sends by Resend where its key is set, with the addresses of its settings', async () => {
    const report = await run({ due_before: '2032-01-17T12:00:00+02:00' }, { RESEND_API_KEY: 're_key' });
    expect(report).toEqual({ sent: 1, failed: 0, skipped: 0 });
    const [claim, sent, finish] = requests;
    expect(requests.map(({ url }) => url)).toEqual([
      'http://project/rest/v1/rpc/claim_notification_mails',
      'https://api.resend.com/emails',
      'http://project/rest/v1/rpc/finish_notification_mail',
    ]);
    expect(await claim?.json()).toMatchObject({ due_before: '2032-01-17T10:00:00.000Z' });
    expect(await sent?.json()).toMatchObject({
      from: 'notifications@mail.b.test',
      text: expect.stringContaining(': https://app.test/home\n') as string,
      headers: {
        'Message-ID': '<one@mail.b.test>',
        'List-Unsubscribe': '<http://project/functions/v1/unsubscribe?token=token>',
      },
    });
    expect(await finish?.json()).toMatchObject({ mail_id: 'one', outcome: 'sent' });
  });

  it('previews a message without a way to send mails', async () => {
    const preview = { content: { type: 'mention', data: { text: 'Look' } }, words: null };
    expect(await run({ preview }, {})).toMatchObject({
      de: { row: { title: 'Jemand hat dich in etwas erwähnt', text: 'Look' } },
      en: { row: { title: 'Someone mentioned you in a shared item', text: 'Look' }, push: { body: 'Look' } },
    });
    expect(requests).toEqual([]);
  });
});

it('a link for unsubscribing leads to the page of an application whose address ends with slashes', async () => {
  const request = new Request('https://project.test/unsubscribe?token=a&kind=mention');
  const { status, headers } = await handleUnsubscribe(request, {
    env: { APP_URL: 'https://inbox.test/app//' },
    fetch,
    now: Date.now,
  });
  expect([status, headers.get('location')]).toEqual([
    303,
    'https://inbox.test/app/unsubscribe.html#token=a&kind=mention',
  ]);
});

it('a missing setting is named in the log alone', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue(undefined);
  onTestFinished(() => log.mockRestore());
  const request = new Request('https://project.test/unsubscribe?token=a');
  const response = await handleUnsubscribe(request, { env: {}, fetch, now: Date.now });
  const text = await response.text();
  expect([response.status, text.includes('APP_URL')]).toEqual([500, false]);
  expect(JSON.parse(text)).toMatchObject({ code: 'function_misconfigured' });
  expect(log.mock.calls.flat().join(' ')).toContain('APP_URL');
});

it('the job of the workers fails, and is reported as failed, if the vault lacks their secret', async () => {
  await supabase().database.query(`select vault.create_secret('https://project.test', 'project_url')`);
  await expect(
    supabase().database.query(`select private.call_edge_function('notification-mails', 1)`),
  ).rejects.toThrow('the vault lacks project_url or worker_secret');
});
