import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import webPush from 'web-push';
import { MailTransportError } from '../../supabase/functions/_shared/mail/mail-transport.ts';
import { parseProviderEvent } from '../../supabase/functions/_shared/mail/provider-events.ts';
import { resendRules } from '../../supabase/functions/_shared/mail/resend-responses.ts';
import { createResendTransport } from '../../supabase/functions/_shared/mail/resend-transport.ts';
import { smtpRules } from '../../supabase/functions/_shared/mail/smtp-responses.ts';
import { createSmtpTransport } from '../../supabase/functions/_shared/mail/smtp-transport.ts';
import { pushRules } from '../../supabase/functions/_shared/push/push-responses.ts';
import { createPushTransport } from '../../supabase/functions/_shared/push/push-transport.ts';
import { createPushDevice } from '../support/push-service.ts';

const mail = {
  id: 'one',
  messageId: '<one@b.test>',
  from: 'Tidings <a@b.test>',
  to: { name: 'Ada', address: 'ada@example.com' },
  subject: 'One',
  html: '<p>One</p>',
  text: 'One',
  headers: {},
};

const readProblem = (sending: Promise<void>) =>
  sending.then(
    () => null,
    (problem: unknown) =>
      problem instanceof MailTransportError ? problem : Promise.reject(problem as Error),
  );

describe('the transport for SMTP', () => {
  const sockets = new Set<Socket>();
  let close = () => {};
  afterEach(() => close());

  /**
   * A mail server that sends the script's response to a command, and accepts everything else. `.` is the end of the message.
   */
  async function listen(script: Readonly<Record<string, string>>): Promise<string> {
    const server = createServer((socket) => {
      sockets.add(socket);
      let isMessage = false;
      let rest = '';
      const say = (response: string) => {
        if (response === 'close') return socket.destroy();
        socket.write(`${response}\r\n`);
        return response.startsWith('421') && socket.end();
      };
      const usual: Readonly<Record<string, string>> = {
        EHLO: '250-hello\r\n250 AUTH PLAIN',
        AUTH: '235 ok',
        DATA: '354 go on',
        QUIT: '221 bye',
      };
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        const lines = (rest + chunk.toString()).split('\r\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          if (isMessage && line !== '.') continue;
          const command = isMessage ? '.' : (line.split(' ')[0]?.toUpperCase() ?? '');
          isMessage = command === 'DATA' && script['DATA'] === undefined;
          say(script[command] ?? usual[command] ?? '250 ok');
        }
      });
      say(script['greeting'] ?? '220 hello');
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    close = () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    };
    return String((server.address() as AddressInfo).port);
  }

  it.each([
    ['greeting', '421 4.3.2 Service not available', 'unavailable'],
    ['greeting', '450 4.3.2 Try again later', 'unavailable'],
    ['greeting', '554 5.7.1 Your address is blocked', 'unavailable'],
    ['AUTH', '535 5.7.8 Bad credentials', 'unavailable'],
    ['AUTH', '454 4.7.0 Temporary authentication failure', 'unavailable'],
    ['MAIL', '421 4.7.0 Too many messages', 'unavailable'],
    ['MAIL', '454 Throttling failure: Daily message quota exceeded', 'unavailable'],
    ['MAIL', '452 4.3.1 Insufficient system storage', 'unavailable'],
    ['MAIL', '550 5.7.1 Sender not authorized', 'unavailable'],
    ['MAIL', '550 5.1.8 Sender unknown', 'unavailable'],
    ['MAIL', '552 5.3.4 Message size exceeds fixed limit', 'refused'],
    ['RCPT', '421 4.7.0 Closing', 'unavailable'],
    ['RCPT', '530 5.7.0 Authentication required', 'unavailable'],
    ['RCPT', '550 5.1.1 No such user', 'unknown-address'],
    ['RCPT', '550 #5.1.1 No such user', 'unknown-address'],
    ['RCPT', '550-5.1.1 No such user\r\n550 5.1.1 See the help', 'unknown-address'],
    ['RCPT', '556 5.1.10 The domain accepts no mail', 'unknown-address'],
    ['RCPT', '550 5.2.1 Mailbox disabled', 'unknown-address'],
    ['RCPT', '550 5.7.1 Relaying denied', 'held'],
    ['RCPT', '550 5.7.1 Client host blocked using zen.example.org', 'held'],
    ['RCPT', '550 5.4.5 Daily user sending limit exceeded', 'held'],
    ['RCPT', '550 5.1.0 Sender address rejected: user unknown', 'held'],
    ['RCPT', '550 Requested action not taken', 'held'],
    ['RCPT', '551 5.7.1 User not local', 'held'],
    ['RCPT', '553 5.7.1 Sender address rejected: not owned by user', 'held'],
    ['RCPT', '450 4.2.0 Greylisted', 'held'],
    ['RCPT', '452 4.2.2 Mailbox full', 'temporary'],
    ['RCPT', '552 5.2.2 Mailbox full', 'temporary'],
    ['RCPT', '450 4.1.2 Domain not found', 'temporary'],
    ['DATA', '451 4.3.0 Local error', 'held'],
    ['.', '454 Throttling failure: Maximum sending rate exceeded', 'unavailable'],
    ['.', '554 Message rejected: Email address is not verified', 'held'],
    ['.', '554 5.7.1 Message rejected as spam', 'held'],
    ['.', '550 5.7.26 Unauthenticated email is not accepted', 'held'],
    ['.', '550 5.4.5 Daily user sending limit exceeded', 'held'],
    ['.', '550 5.1.1 No such user', 'unknown-address'],
    ['.', '552 5.2.3 Message too large', 'refused'],
    ['.', '554 5.6.0 Malformed message', 'refused'],
    ['.', 'close', 'held'],
  ])('classifies at %s "%s" as %s', async (command, response, refusal) => {
    const port = await listen({ [command]: response });
    const env = { SMTP_HOST: '127.0.0.1', SMTP_PORT: port, SMTP_USER: 'u', SMTP_PASS: 'p' };
    const transport = createSmtpTransport(env);
    const problem = await readProblem(transport.send(mail));
    transport.close();
    expect(problem?.refusal).toBe(refusal);
    expect(problem?.retryAfterMs).toBe(refusal === 'unavailable' ? 60_000 : 0);
  });

  it('classifies a missing server as an outage', async () => {
    const port = await listen({});
    close();
    const transport = createSmtpTransport({ SMTP_HOST: '127.0.0.1', SMTP_PORT: port });
    expect(await readProblem(transport.send(mail))).toMatchObject({
      refusal: 'unavailable',
      retryAfterMs: 60_000,
    });
    transport.close();
  });
});

describe('the transport for Resend', () => {
  const send = (fetchFake: typeof fetch) =>
    readProblem(
      createResendTransport({ env: { RESEND_API_KEY: 'k' }, now: () => 0, fetch: fetchFake }).send(mail),
    );

  it.each([
    [400, '{"name":"validation_error","message":"API key is invalid"}', 'unavailable', 60_000],
    [400, '{"name":"validation_error","message":"Invalid `to` field"}', 'refused', 0],
    [401, '{"name":"missing_api_key"}', 'unavailable', 60_000],
    [403, '{"name":"invalid_api_key","message":"API key is invalid"}', 'unavailable', 60_000],
    [403, '{"name":"validation_error","message":"The domain is not verified"}', 'unavailable', 60_000],
    [404, '{"name":"not_found"}', 'unavailable', 60_000],
    [409, '{"name":"concurrent_idempotent_requests"}', 'held', 0],
    [413, 'too large', 'refused', 0],
    [422, '{"name":"invalid_from_address"}', 'unavailable', 60_000],
    [422, '{"name":"validation_error","message":"Invalid `to` field"}', 'refused', 0],
    [429, '{"name":"rate_limit_exceeded"}', 'unavailable', 1000],
    [429, '{"name":"daily_quota_exceeded"}', 'unavailable', 900_000],
    [429, '{"name":"monthly_quota_exceeded"}', 'unavailable', 900_000],
    [451, '{"name":"security_error"}', 'held', 0],
    [500, '{"name":"application_error"}', 'held', 0],
    [502, 'bad gateway', 'unavailable', 60_000],
    [503, 'unavailable', 'unavailable', 60_000],
    [520, 'an edge of the network', 'unavailable', 60_000],
    [418, '', 'held', 0],
  ])('classifies %i %s as %s', async (status, body, refusal, retryAfterMs) => {
    const problem = await send(() => Promise.resolve(new Response(body, { status })));
    expect(problem).toMatchObject({ refusal, retryAfterMs });
  });

  it('waits as long as the provider says, and without a response as in an outage', async () => {
    const later = new Response('', { status: 503, headers: { 'retry-after': '7' } });
    expect(await send(() => Promise.resolve(later))).toMatchObject({ retryAfterMs: 7000 });
    expect(await send(() => Promise.reject(new TypeError('fetch failed')))).toMatchObject({
      refusal: 'unavailable',
      retryAfterMs: 60_000,
    });
    const redirecting: typeof fetch = async (_url, init) => {
      if (init?.redirect === 'error') throw new TypeError('unexpected redirect');
      return new Response('{}');
    };
    expect(await send(redirecting)).toMatchObject({ refusal: 'unavailable' });
    const sentBefore = new Response('{"name":"invalid_idempotent_request"}', { status: 409 });
    expect(await send(() => Promise.resolve(sentBefore))).toBeNull();
  });
});

describe('the transport for push messages', () => {
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  const env = {
    VAPID_SUBJECT: 'mailto:a@example.com',
    VAPID_PUBLIC_KEY: publicKey,
    VAPID_PRIVATE_KEY: privateKey,
  };
  const { keys } = createPushDevice();
  const subscription = { endpoint: 'https://fcm.googleapis.com/x', ...keys };

  it.each([
    [201, '', 'sent'],
    [404, '', 'gone'],
    [410, '', 'gone'],
    [400, '{"reason":"VapidPkHashMismatch"}', 'held'],
    [400, '{"reason":"BadWebPushRequest"}', 'refused'],
    [401, 'Unauthorized', 'held'],
    [403, 'the VAPID credentials do not correspond to the subscription', 'held'],
    [413, '', 'refused'],
    [429, '', 'held'],
    [500, '', 'held'],
    [503, '', 'held'],
  ])('classifies %i %s as %s', async (status, body, outcome) => {
    const response = new Response(body, { status });
    const transport = createPushTransport({ env, now: () => 0, fetch: () => Promise.resolve(response) });
    expect(await transport.send(subscription, '{}')).toMatchObject({ outcome });
  });

  it('sends a push service nothing more in a run after five requests without a response', async () => {
    let requests = 0;
    const fetchFake = (input: unknown) => {
      if (String(input).includes('mozilla')) return Promise.resolve(new Response(null, { status: 201 }));
      requests += 1;
      return Promise.reject(new TypeError('fetch failed'));
    };
    const transport = createPushTransport({ env, now: () => 0, fetch: fetchFake });
    for (let message = 0; message < 8; message += 1)
      expect(await transport.send(subscription, '{}')).toMatchObject({ outcome: 'held' });
    expect(requests).toBe(5);
    const other = { ...subscription, endpoint: 'https://updates.push.services.mozilla.com/x' };
    expect(await transport.send(other, '{}')).toEqual({ outcome: 'sent' });
  });

  it.each([403, 429])('retries a push service that responds %i to several devices', async (status) => {
    let requests = 0;
    const fetchFake = () => {
      requests += 1;
      return Promise.resolve(new Response('', { status: requests > 8 ? 201 : status }));
    };
    const transport = createPushTransport({ env, now: () => 0, fetch: fetchFake });
    for (let message = 0; message < 8; message += 1)
      expect(await transport.send(subscription, '{}')).toMatchObject({ outcome: 'held' });
    expect(await transport.send(subscription, '{}')).toEqual({ outcome: 'sent' });
  });

  it('refuses keys that cannot sign before any message is claimed', () => {
    const other = webPush.generateVAPIDKeys().privateKey;
    for (const key of [other, 'no key'])
      expect(() =>
        createPushTransport({ env: { ...env, VAPID_PRIVATE_KEY: key }, now: () => 0, fetch }),
      ).toThrow('VAPID_PRIVATE_KEY');
  });
});

describe('a bounce', () => {
  const bounce = (diagnosticCode: string, status?: string) =>
    parseProviderEvent(
      JSON.stringify({
        Type: 'Notification',
        Message: JSON.stringify({
          notificationType: 'Bounce',
          bounce: {
            bounceType: 'Permanent',
            bouncedRecipients: [{ emailAddress: 'ada@example.com', diagnosticCode, status }],
          },
        }),
      }),
    );
  const resend = (detail: object) =>
    parseProviderEvent(
      JSON.stringify({ type: 'email.bounced', data: { to: ['ada@example.com'], bounce: detail } }),
    );
  const postmark = (detail: object) =>
    parseProviderEvent(
      JSON.stringify({ RecordType: 'Bounce', Email: 'ada@example.com', Inactive: true, ...detail }),
    );

  it('suppresses of several addresses those that it is about, with the words of the first', () => {
    const bouncedRecipients = [
      { emailAddress: 'policy@example.com', diagnosticCode: 'smtp; 550 5.7.1 blocked' },
      { emailAddress: 'ada@example.com', status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 ada' },
      { emailAddress: 'grace@example.com', status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 grace' },
    ];
    const complainedRecipients = bouncedRecipients.slice(1);
    const bySns = (message: object) =>
      parseProviderEvent(JSON.stringify({ Type: 'Notification', Message: JSON.stringify(message) }));
    const addresses = ['ada@example.com', 'grace@example.com'];
    expect(bySns({ eventType: 'Bounce', bounce: { bounceType: 'Permanent', bouncedRecipients } })).toEqual({
      reason: 'bounce',
      addresses,
      detail: 'smtp; 550 5.1.1 ada',
    });
    expect(bySns({ notificationType: 'Complaint', complaint: { complainedRecipients } })).toEqual({
      reason: 'complaint',
      addresses,
      detail: null,
    });
  });

  it.each<[string, object, object]>([
    [
      'Resend',
      { type: 'email.bounced', data: { to: ['a@b.test'], bounce: { message: 'Full' } } },
      { detail: 'Full' },
    ],
    ['Resend without words', { type: 'email.bounced', data: { to: ['a@b.test'] } }, { detail: null }],
    [
      'Postmark',
      { RecordType: 'Bounce', Email: 'a@b.test', Inactive: true, Description: 'Unknown' },
      { reason: 'bounce', detail: 'Unknown' },
    ],
    [
      'Postmark about spam',
      { RecordType: 'SpamComplaint', Email: 'a@b.test', Description: 'Spam' },
      { reason: 'complaint', detail: 'Spam' },
    ],
  ])('has the words of %s', (_, event, expected) => {
    expect(parseProviderEvent(JSON.stringify(event))).toMatchObject({ addresses: ['a@b.test'], ...expected });
  });

  it('suppresses where it is about the address', () => {
    for (const event of [
      bounce('smtp; 550 5.1.1 user unknown', '5.1.1'),
      bounce('smtp; 550 5.1.1 user unknown', '5.0.0'),
      bounce('mailbox unavailable'),
      bounce('smtp; 550 5.7.1 blocked, because 5.1.1 user unknown'),
      postmark({ Type: 'BadEmailAddress' }),
      postmark({}),
      resend({}),
      resend({ type: 'Permanent', diagnosticCode: ['smtp; 550 5.1.1 user unknown'] }),
      postmark({ Type: 'HardBounce', Details: 'smtp;550 5.1.1 unknown' }),
    ])
      expect(event).toMatchObject({ reason: 'bounce', addresses: ['ada@example.com'] });
  });

  it('suppresses nothing where it is about the sender, policy or a quota', () => {
    for (const event of [
      bounce('smtp; 550 5.7.26 unauthenticated', '5.7.26'),
      bounce('smtp; 554 5.7.1 blocked using a list'),
      resend({ type: 'Undetermined' }),
      resend({ type: 'Permanent', diagnosticCode: ['smtp; 550 5.7.1 blocked'] }),
      postmark({ Type: 'DMARCPolicy' }),
      postmark({ Type: 'SpamNotification' }),
      postmark({ Type: 'HardBounce', Details: 'smtp;554 5.7.1 blocked' }),
      postmark({ Type: 'HardBounce', Inactive: false }),
      postmark({ Type: 'HardBounce', Inactive: undefined }),
      bounce('smtp; 550 5.7.1 blocked, 5.4.5 quota'),
    ])
      expect(event).toBeNull();
  });
});

it('a topic is confirmed at no host whose name only begins as that of SNS', () => {
  const confirm = (SubscribeURL: string | undefined, Type = 'SubscriptionConfirmation') =>
    parseProviderEvent(JSON.stringify({ Type, Message: '{}', SubscribeURL }));
  expect(confirm('http://sns.eu-central-1.amazonaws.com/?Token=t')).toBeNull();
  expect(confirm(undefined)).toBeNull();
  expect(confirm('https://sns.eu-central-1.amazonaws.com/?Token=t', 'UnsubscribeConfirmation')).toBeNull();
  expect(confirm('https://sns.eu-central-1.amazonaws.com.example/?Token=t')).toBeNull();
  expect(confirm('https://sns.cn-north-1.amazonaws.com.cn.example/?Token=t')).toBeNull();
  expect(confirm('https://sns.cn-north-1.amazonaws.com.cn/?Token=t')).toMatchObject({
    confirmUrl: expect.any(String) as string,
  });
});

it('the page has the table of the rules that the workers apply', () => {
  const page = readFileSync(new URL('../../docs/inbox/provider-responses.md', import.meta.url), 'utf8');
  const words = {
    accepted: 'sent',
    sent: 'sent',
    gone: 'ends the subscription',
    unavailable: 'all wait',
    held: 'waits',
    temporary: 'counts',
    refused: 'dead',
    'unknown-address': 'dead, suppressed',
  };
  const http = (rules: typeof resendRules | typeof pushRules) =>
    rules.map(
      ({ status, body, verdict, meaning }) =>
        `| ${status.replaceAll(' ', ', ')}${body ? ` with \`${body.source.replaceAll('|', '\\|')}\`` : ''} | ${words[verdict]} | ${meaning} |`,
    );
  const smtp = smtpRules.map(
    ({ stages, code, status, refusal, meaning }) =>
      `| ${stages.length === 4 ? 'any' : stages.join(', ')} | \`${code.source.replaceAll('|', '\\|')}\` | ${status ? `\`${status.source.replaceAll('|', '\\|')}\`` : 'any'} | ${words[refusal]} | ${meaning} |`,
  );
  for (const rows of [http(resendRules), smtp, http(pushRules)])
    expect(page).toContain(`${rows.join('\n')}\n`);
});
