import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import webPush from 'web-push';
import * as z from 'zod/mini';
import { createResendTransport } from '../../supabase/functions/_shared/mail/resend-transport.ts';
import { createSmtpTransport } from '../../supabase/functions/_shared/mail/smtp-transport.ts';
import { createPushTransport } from '../../supabase/functions/_shared/push/push-transport.ts';
import { createDatabaseCaller } from '../../supabase/functions/_shared/runtime/database-functions.ts';
import { isSignedWebhook } from '../../supabase/functions/_shared/runtime/webhook-signature.ts';
import {
  createWebhookTransport,
  isPublicAddress,
} from '../../supabase/functions/_shared/webhooks/webhook-transport.ts';
import handleMails from '../../supabase/functions/notification-mails/index.ts';
import { createPushDevice } from '../support/push-service.ts';
import { queuedMail } from '../support/worker-queue.ts';

// Between two seconds, because times on the wire have whole ones.
const nowMs = Date.parse('2032-01-16T10:00:00.400Z');
const mail = {
  id: 'one',
  messageId: '<one@b.test>',
  from: 'Tidings <a@b.test>',
  to: { name: 'Ada', address: 'ada@example.com' },
  subject: 'One',
  html: '<p>HTML</p>',
  text: 'Text',
  headers: { 'List-Id': '<b.test>' },
};

/** A fetch that responds with `response`, and the requests that it got, with the URL and the body as text. */
function createRecordingFetch(response: () => Response) {
  const requests: { readonly url: string; readonly init: RequestInit; readonly headers: Headers }[] = [];
  const recordingFetch: typeof fetch = async (input, init = {}) => {
    requests.push({ url: new Request(input).url, init, headers: new Headers(init.headers) });
    return response();
  };
  return { requests, fetch: recordingFetch };
}

describe('Resend', () => {
  const send = async (env: Readonly<Record<string, string>>, response = () => new Response('{}')) => {
    const recording = createRecordingFetch(response);
    const transport = createResendTransport({
      env: { RESEND_API_KEY: 're_key', ...env },
      now: () => nowMs,
      fetch: recording.fetch,
    });
    const problem = await transport.send(mail).catch((error: unknown) => error);
    return { problem, requests: recording.requests };
  };

  it.each([
    [{}, 'https://api.resend.com/emails'],
    [{ RESEND_URL: '' }, 'https://api.resend.com/emails'],
    [{ RESEND_URL: 'http://localhost:9' }, 'http://localhost:9/emails'],
  ])('gets a mail with its key once, by %j', async (env, url) => {
    const { requests, problem } = await send(env);
    expect(problem).toBeUndefined();
    expect(requests).toMatchObject([{ url, init: { method: 'POST', redirect: 'error' } }]);
    const [{ headers, init } = { headers: new Headers(), init: {} as RequestInit }] = requests;
    expect(Object.fromEntries(headers)).toEqual({
      authorization: 'Bearer re_key',
      'content-type': 'application/json',
      'idempotency-key': 'one',
    });
    expect(JSON.parse(init.body as string)).toEqual({
      from: mail.from,
      to: ['ada@example.com'],
      subject: 'One',
      html: '<p>HTML</p>',
      text: 'Text',
      headers: { 'List-Id': '<b.test>', 'Message-ID': '<one@b.test>' },
    });
    expect(init.signal).toBeInstanceOf(AbortSignal);
  });

  it('names the wait by Retry-After, and its error is quoted up to 300 characters', async () => {
    const respond = () =>
      new Response('quota'.padEnd(400, '.'), { status: 429, headers: { 'retry-after': '5' } });
    const { problem } = await send({}, respond);
    expect(problem).toMatchObject({
      retryAfterMs: 5000,
      message: `The provider responded 429: ${'quota'.padEnd(300, '.')}`,
    });
  });

  it('is not used without a key', () => {
    expect(() => createResendTransport({ env: {}, now: () => 0, fetch })).toThrow('RESEND_API_KEY');
  });
});

describe('SMTP', () => {
  /** A server that accepts everything, and the lines that it got. @param hello further lines of its response to EHLO. */
  async function listen(hello: readonly string[] = []) {
    const lines: string[] = [];
    const sockets = new Set<Socket>();
    let connections = 0;
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
      connections += 1;
      let isMessage = false;
      let rest = '';
      socket.write('220 hello\r\n');
      socket.on('data', (chunk) => {
        const received = (rest + chunk.toString()).split('\r\n');
        rest = received.pop() ?? '';
        for (const line of received) {
          lines.push(line);
          if (isMessage && line !== '.') continue;
          isMessage = line === 'DATA';
          const responses = line.startsWith('EHLO')
            ? ['250-hello', ...hello.map((one) => `250-${one}`), '250 HELP']
            : [isMessage ? '354 go on' : line.startsWith('AUTH') ? '235 ok' : '250 ok'];
          socket.write(responses.map((one) => `${one}\r\n`).join(''));
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    return {
      env: { SMTP_HOST: '127.0.0.1', SMTP_PORT: String(port) },
      lines,
      connections: () => connections,
      openConnections: () => [...sockets].filter(({ destroyed }) => !destroyed).length,
    };
  }
  it('gets a mail with its envelope, headers and both texts', async () => {
    const { env, lines } = await listen();
    const transport = createSmtpTransport(env);
    await transport.send(mail);
    transport.close();
    expect(lines).toEqual(
      expect.arrayContaining([
        'MAIL FROM:<a@b.test>',
        'RCPT TO:<ada@example.com>',
        'From: Tidings <a@b.test>',
        'To: Ada <ada@example.com>',
        'Subject: One',
        'Message-ID: <one@b.test>',
        'List-ID: <b.test>',
        'Text',
        '<p>HTML</p>',
      ]),
    );
    expect(lines.filter((line) => line.startsWith('AUTH'))).toEqual([]);
  });

  it('gets a user and a password if both are set', async () => {
    const { env, lines } = await listen(['AUTH PLAIN']);
    const transport = createSmtpTransport({ ...env, SMTP_USER: 'user', SMTP_PASS: 'pass' });
    await transport.send(mail);
    transport.close();
    expect(lines).toContain(`AUTH PLAIN ${Buffer.from('\0user\0pass').toString('base64')}`);
    expect(() => createSmtpTransport({ ...env, SMTP_USER: 'user' })).toThrow('SMTP_PASS');
    expect(() => createSmtpTransport({})).toThrow('SMTP_HOST');
  });

  it('gets many mails over five connections, which stay open', async () => {
    const { env, connections } = await listen();
    const transport = createSmtpTransport(env);
    await Promise.all(Array.from({ length: 20 }, () => transport.send(mail)));
    transport.close();
    expect(connections()).toBeGreaterThan(1);
    expect(connections()).toBeLessThanOrEqual(5);
  });

  it('has no connection of a run that has ended', async () => {
    const { env, lines, openConnections } = await listen();
    const response = await handleMails(
      new Request('http://project/notification-mails', { method: 'POST', headers: { apikey: 'key' } }),
      {
        env: {
          ...env,
          SUPABASE_URL: 'http://project',
          SUPABASE_SERVICE_ROLE_KEY: 'key',
          APP_URL: 'https://app.test',
          MAIL_FROM: 'a@b.test',
        },
        now: () => nowMs,
        fetch: async (input) =>
          Response.json(
            new Request(input).url.endsWith('/claim_notification_mails')
              ? { claimed: 1, mails: [queuedMail('one')] }
              : true,
          ),
      },
    );
    expect(await response.json()).toMatchObject({ sent: 1 });
    expect(lines).toContain('MAIL FROM:<a@b.test>');
    await expect.poll(() => openConnections()).toBe(0);
  });

  it('refuses a mail with an address that no envelope can have', async () => {
    const { env } = await listen();
    const transport = createSmtpTransport(env);
    const sending = transport.send({ ...mail, to: { name: 'Ada', address: '' } });
    await expect(sending).rejects.toMatchObject({ name: 'MailTransportError', refusal: 'refused' });
    transport.close();
  });

  // Nothing can be reached at the address of a broadcast, whatever listens on this machine.
  it.each([25, 587])('names the ports that are open where port %i cannot be reached', async (port) => {
    const transport = createSmtpTransport({ SMTP_HOST: '255.255.255.255', SMTP_PORT: String(port) });
    await expect(transport.send(mail)).rejects.toMatchObject({
      refusal: 'unavailable',
      message: expect.stringContaining('set SMTP_PORT to 465 or 2525') as string,
    });
    transport.close();
  });

  it.each([{}, { SMTP_PORT: '' }])('uses TLS on port 465, and names no other port: %j', async (port) => {
    const transport = createSmtpTransport({ SMTP_HOST: '255.255.255.255', ...port });
    await expect(transport.send(mail)).rejects.toMatchObject({
      message: expect.stringMatching(/^(?!.*2525).*255\.255\.255\.255:465/) as string,
    });
    transport.close();
  });
});

describe('a server for mails that never responds', () => {
  it('is unavailable after 20 seconds, and 20 more in which it responds to no other connection either', async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    onTestFinished(() => {
      vi.useRealTimers();
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const transport = createSmtpTransport({ SMTP_HOST: '127.0.0.1', SMTP_PORT: String(port) });
    let problem: unknown = null;
    void transport.send(mail).catch((error: unknown) => {
      problem = error;
    });
    const turnsUntil = async (isDone: () => boolean) => {
      for (let turn = 0; turn < 1000 && !isDone(); turn += 1) await setImmediate();
    };
    for (const connections of [1, 2]) {
      await turnsUntil(() => sockets.size === connections);
      expect([sockets.size, problem]).toEqual([connections, null]);
      await vi.advanceTimersByTimeAsync(20_000);
    }
    await turnsUntil(() => problem !== null);
    expect(problem).toMatchObject({ refusal: 'unavailable', retryAfterMs: 60_000 });
    transport.close();
  });
});

describe('a push service', () => {
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  const env = {
    VAPID_SUBJECT: 'mailto:a@example.com',
    VAPID_PUBLIC_KEY: publicKey,
    VAPID_PRIVATE_KEY: privateKey,
  };
  const { keys } = createPushDevice();
  const create = (response: () => Response, more: Readonly<Record<string, string>> = {}) => {
    const recording = createRecordingFetch(response);
    const transport = createPushTransport({
      env: { ...env, ...more },
      now: () => nowMs,
      fetch: recording.fetch,
    });
    return { ...recording, send: (endpoint: string) => transport.send({ endpoint, ...keys }, '{}') };
  };
  const accept = () => new Response(null, { status: 201 });

  it('gets a message encrypted and to keep for a day, and its redirects are not followed', async () => {
    const { send, requests } = create(accept);
    expect(await send('https://fcm.googleapis.com/x')).toEqual({ outcome: 'sent' });
    expect(requests).toMatchObject([
      { url: 'https://fcm.googleapis.com/x', init: { method: 'POST', redirect: 'error' } },
    ]);
    const { headers, init } = requests[0] ?? { headers: new Headers(), init: {} };
    expect([headers.get('ttl'), headers.get('urgency'), headers.get('content-encoding')]).toEqual([
      '86400',
      'normal',
      'aes128gcm',
    ]);
    expect(headers.get('authorization')).toContain(publicKey);
    expect(init.signal).toBeInstanceOf(AbortSignal);
  });

  it.each([
    ['https://fcm.googleapis.com/x', true],
    ['https://updates.push.services.mozilla.com/x', true],
    ['https://web.push.apple.com/x', true],
    ['https://db5.notify.windows.com/x', true],
    ['https://own.example.com/x', true],
    ['http://127.0.0.1:9/x', true],
    ['http://127.0.0.1:8/x', false],
    ['http://fcm.googleapis.com/x', false],
    ['https://fcm.googleapis.com:8443/x', false],
    ['https://evilfcm.googleapis.com/x', false],
    ['https://fcm.googleapis.com.example.com/x', false],
    ['https://10.0.0.1/x', false],
    ['no url', false],
  ])('at %s gets messages: %s', async (endpoint, isAllowed) => {
    const { send, requests } = create(accept, { PUSH_HOSTS: 'own.example.com, http://127.0.0.1:9' });
    const refused = { outcome: 'refused', reason: 'The push service is not allowed', retrySeconds: null };
    expect(await send(endpoint)).toEqual(isAllowed ? { outcome: 'sent' } : refused);
    expect(requests).toHaveLength(isAllowed ? 1 : 0);
  });

  it.each(['https://intranet./x', 'https://./x'])(
    'at %s gets no message where the settings name no further service',
    async (endpoint) => {
      expect(await create(accept).send(endpoint)).toMatchObject({ outcome: 'refused' });
    },
  );

  it.each([
    ['7', 7],
    [new Date(nowMs + 90_000).toUTCString(), 90],
    ['soon', null],
    ['0', null],
  ])('that says Retry-After: %s gets it again after %s s', async (retryAfter, retrySeconds) => {
    const busy = () => new Response('x'.repeat(300), { status: 429, headers: { 'retry-after': retryAfter } });
    expect(await create(busy).send('https://fcm.googleapis.com/x')).toEqual({
      outcome: 'held',
      reason: `The push service responded 429: ${'x'.repeat(200)}`,
      retrySeconds,
    });
  });

  it('that accepts one message between four failures gets the other messages of the run', async () => {
    let requestCount = 0;
    const { send, requests } = create(() => {
      requestCount += 1;
      return new Response(null, { status: requestCount % 5 === 0 ? 201 : 503 });
    });
    for (let message = 0; message < 15; message += 1) await send('https://fcm.googleapis.com/x');
    expect(requests).toHaveLength(15);
  });

  it.each([500, 503])(
    'that responds %i to five messages gets no other message of the run',
    async (status) => {
      const { send, requests } = create(() => new Response('down', { status }));
      for (let message = 0; message < 6; message += 1)
        expect(await send('https://fcm.googleapis.com/x')).toEqual({
          outcome: 'held',
          reason: `The push service responded ${status}: down`,
          retrySeconds: null,
        });
      expect(requests).toHaveLength(5);
    },
  );

  it('gets no message to a device whose keys are invalid', async () => {
    const recording = createRecordingFetch(accept);
    const transport = createPushTransport({ env, now: () => nowMs, fetch: recording.fetch });
    const device = { endpoint: 'https://fcm.googleapis.com/x', p256dh: 'short', auth: keys.auth };
    expect(await transport.send(device, '{}')).toMatchObject({ outcome: 'failed', retrySeconds: null });
    expect(recording.requests).toEqual([]);
  });

  it.each(['VAPID_SUBJECT', 'VAPID_PUBLIC_KEY', 'VAPID_PRIVATE_KEY'])('needs %s', (name) => {
    expect(() => create(accept, { [name]: '' })).toThrow(name);
  });

  it.each([
    'mailto:push@mail.example.com',
    'https://example.com',
    'https://example.com:8443/contact?by=mail',
    'https://test.example.org/',
    'mailto:a+b@xn--mnchen-3ya.de',
  ])('knows its operator as %s', (subject) => {
    expect(() => create(accept, { VAPID_SUBJECT: subject })).not.toThrow();
  });

  it.each([
    'mailto:push@localhost',
    'mailto:push@tidings.invalid',
    'mailto:a@b.test',
    'https://localhost:8080',
    'https://mac.local',
    'mailto: a@example.com',
    'mailto:<a@example.com>',
    'a@example.com',
    'http://example.com',
  ])('is not asked in the name of %s, which Apple refuses', (subject) => {
    expect(() => create(accept, { VAPID_SUBJECT: subject })).toThrow('VAPID_SUBJECT');
  });
});

describe('an endpoint of webhooks', () => {
  const secret = `whsec_${Buffer.from('the secret').toString('base64')}`;
  const send = async (response: () => Response, url = 'https://hooks.example.com/x', origins = '') => {
    const recording = createRecordingFetch(response);
    const transport = createWebhookTransport({
      runtime: { env: { WEBHOOK_ORIGINS: origins }, now: () => nowMs, fetch: recording.fetch },
      lookup: () => Promise.resolve([{ address: '8.8.8.8' }]),
    });
    const outcome = await transport.send({ id: 'msg_1', url, secret, body: '{"a":1}' });
    return { outcome, requests: recording.requests };
  };

  it('gets the body as JSON, signed with the id and the time', async () => {
    const { requests } = await send(() => new Response());
    expect(requests).toMatchObject([
      {
        url: 'https://hooks.example.com/x',
        init: { method: 'POST', body: '{"a":1}', redirect: 'manual' },
      },
    ]);
    const { headers, init } = requests[0] ?? { headers: new Headers(), init: {} };
    expect([
      headers.get('content-type'),
      headers.get('webhook-id'),
      headers.get('webhook-timestamp'),
    ]).toEqual(['application/json', 'msg_1', String(Math.floor(nowMs / 1000))]);
    expect(isSignedWebhook(headers, '{"a":1}', secret, nowMs)).toBe(true);
    expect(init.signal).toBeInstanceOf(AbortSignal);
  });

  it.each([
    [200, null, { outcome: 'sent' }],
    [299, null, { outcome: 'sent' }],
    [300, null, { outcome: 'failed', reason: 'The endpoint responded 300', retrySeconds: null }],
    [404, null, { outcome: 'failed', reason: 'The endpoint responded 404', retrySeconds: null }],
    [410, null, { outcome: 'gone', reason: 'The endpoint responded 410', retrySeconds: null }],
    [503, '7', { outcome: 'failed', reason: 'The endpoint responded 503', retrySeconds: 7 }],
    [503, '0', { outcome: 'failed', reason: 'The endpoint responded 503', retrySeconds: null }],
    [
      429,
      new Date(nowMs + 90_000).toUTCString(),
      { outcome: 'failed', reason: 'The endpoint responded 429', retrySeconds: 90 },
    ],
  ])('that responds %i with Retry-After %s has that outcome', async (status, retryAfter, outcome) => {
    const headers = retryAfter === null ? {} : { 'retry-after': retryAfter };
    expect((await send(() => new Response(null, { status, headers }))).outcome).toEqual(outcome);
  });

  it.each([
    ['http://localhost:9/x', true],
    ['http://127.0.0.1:8/x', true],
    ['http://localhost:8/x', false],
  ])('of a developer at %s is reached where the settings name it: %s', async (url, isReached) => {
    const { requests } = await send(() => new Response(), url, 'http://localhost:9, http://127.0.0.1:8');
    expect(requests).toHaveLength(isReached ? 1 : 0);
  });

  // The first and the last address of each network, and their neighbors.
  it.each([
    ['0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
    ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
    ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
    ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
    ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
    ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
    ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
    ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
    ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
    ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
    ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
    ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
    ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
    ['224.0.0.0', '255.255.255.255', '223.255.255.255', null],
    ['2001::', '2001:1ff:ffff::', '2000::', '2001:200::'],
    ['2001:db8::', '2001:db8:ffff::', '2001:db7::', '2001:db9::'],
    ['2002::', '2002:ffff::', '2001:ffff::', '2003::'],
    ['3fff::', '3fff:fff::', '3ffe::', '3fff:1000::'],
  ])('is not public from %s to %s', (first, last, before, after) => {
    expect([first, last].map(isPublicAddress)).toEqual([false, false]);
    const neighbors = [before, after].filter((address) => address !== null);
    expect(neighbors.filter((address) => !isPublicAddress(address))).toEqual([]);
  });

  it.each(['1fff::1', '4000::1', '::', '::ffff:8.8.8.8', '64:ff9b::1', '', 'example.com'])(
    'is not public at %j',
    (address) => expect(isPublicAddress(address)).toBe(false),
  );
});

const vapid = webPush.generateVAPIDKeys();

it.each<[string, number, (respond: typeof fetch) => Promise<unknown>]>([
  [
    'the database',
    20_000,
    (respond) =>
      createDatabaseCaller({
        env: { SUPABASE_URL: 'http://project', SUPABASE_SERVICE_ROLE_KEY: 'key' },
        now: () => nowMs,
        fetch: respond,
      })('claim', {}, z.null()),
  ],
  [
    'Resend',
    20_000,
    (respond) =>
      createResendTransport({ env: { RESEND_API_KEY: 'k' }, now: () => nowMs, fetch: respond }).send(mail),
  ],
  [
    'a push service',
    10_000,
    (respond) =>
      createPushTransport({
        env: {
          VAPID_SUBJECT: 'mailto:a@example.com',
          VAPID_PUBLIC_KEY: vapid.publicKey,
          VAPID_PRIVATE_KEY: vapid.privateKey,
        },
        now: () => nowMs,
        fetch: respond,
      }).send({ endpoint: 'https://fcm.googleapis.com/x', ...createPushDevice().keys }, '{}'),
  ],
  [
    'an endpoint of webhooks',
    10_000,
    (respond) =>
      createWebhookTransport({
        runtime: { env: {}, now: () => nowMs, fetch: respond },
        lookup: () => Promise.resolve([{ address: '8.8.8.8' }]),
      }).send({ id: 'msg_1', url: 'https://hooks.example.com/x', secret: 'whsec_AAAA', body: '{}' }),
  ],
])('a request to %s ends after %i ms without a response', async (_, timeoutMs, send) => {
  const deadline = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
  onTestFinished(() => timeout.mockRestore());
  const signals: unknown[] = [];
  await send((_input, init) => {
    signals.push(init?.signal);
    return Promise.reject(new DOMException('The operation timed out', 'TimeoutError'));
  }).catch(() => undefined);
  expect([timeout.mock.calls, signals]).toEqual([[[timeoutMs]], [deadline.signal]]);
});
