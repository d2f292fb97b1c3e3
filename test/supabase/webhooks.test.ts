import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import {
  createWebhookTransport,
  isPublicAddress,
} from '../../supabase/functions/_shared/webhooks/webhook-transport.ts';
import { isSignedWebhook, signWebhook } from '../../supabase/functions/_shared/runtime/webhook-signature.ts';
import { createDatabaseCaller } from '../../supabase/functions/_shared/runtime/database-functions.ts';
import { whileDamaged } from '../support/damaged-row.ts';
import { ada, grace, requestApi, useLocalSupabase } from '../support/local-supabase.ts';

// Later than the database's clock, and before November 2032, when the legacy API keys expire.
const startMs = Date.parse('2032-01-16T10:00:00Z');
let nowMs = startMs;
const functionEnv: Record<string, string> = {};
const supabase = useLocalSupabase({
  now: () => nowMs,
  functionEnv,
  functionSettings: { 'notification-webhooks': { verifyJwt: false } },
});

interface Received {
  readonly headers: Headers;
  readonly body: string;
}
const received: Received[] = [];
let status = 200;
let retryAfter: string | undefined;
const endpoint = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (part: string) => (body += part));
  request.on('end', () => {
    received.push({ headers: new Headers(request.headers as Record<string, string>), body });
    response
      .writeHead(status, {
        location: 'http://127.0.0.1:1/',
        ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
      })
      .end();
  });
});
let url: string;
let secret: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
  functionEnv['WEBHOOK_ORIGINS'] = origin;
  url = `${origin}/inbox`;
});
afterAll(() => void endpoint.close());
// The embedded service deletes messages by the clock of the tests, which is years ahead of the database's.
beforeAll(() =>
  supabase().database.exec(`update private.retention set keep = '100 years' where name = 'messages'`),
);

const call = async (path: string, body: object) => {
  const { serviceRoleKey } = supabase();
  const response = await requestApi(supabase(), path, {
    method: 'POST',
    apiKey: serviceRoleKey,
    token: serviceRoleKey,
    body,
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as never };
};
/** Sends what is due. The timer of the embedded service may have begun. */
const run = async (laterMs = 0) => {
  nowMs += laterMs;
  expect((await call('/functions/v1/notification-webhooks', {})).status).toBe(200);
  await expect
    .poll(() => supabase().database.query(`select 1 from private.webhooks where state = 'sending'`))
    .toEqual([]);
};
const events = () =>
  received.map(({ body }) => JSON.parse(body) as { type: string; data: { items: object[] } });

beforeEach(async () => {
  nowMs = startMs;
  status = 200;
  retryAfter = undefined;
  received.length = 0;
  await supabase().database.exec(
    `delete from private.webhook_endpoints; delete from private.messages; delete from notifications;
     delete from private.suppressed_addresses`,
  );
  ({ secret } = (await call('/rest/v1/rpc/register_webhook', { url })).body);
});

const sendTo = async (...recipients: readonly string[]) => {
  const { body } = await call('/rest/v1/rpc/send_notifications', {
    messages: [{ recipients, text: 'Hello', idempotency_key: `w-${nowMs}-${Math.random()}` }],
  });
  return (body as [{ id: string; idempotency_key: string }])[0];
};

it('reports once, signed, who read and who archived the message of a backend', async () => {
  const message = await sendTo(ada.id, grace.id);
  await supabase().database.exec(
    `insert into notifications (recipient_id, content) values ('${ada.id}', '{"type":"mention"}');
     update notifications set status = 'read';
     update notifications set status = 'read';
     update notifications set status = 'archived' where recipient_id = '${ada.id}'`,
  );
  await run();
  await run();
  expect(received).toHaveLength(2);
  const item = (recipient: string) => ({
    recipient_id: recipient,
    notification_id: expect.any(String) as string,
    message_id: message.id,
    idempotency_key: message.idempotency_key,
  });
  expect(events()).toEqual(
    expect.arrayContaining([
      {
        type: 'notification.read',
        timestamp: expect.any(String) as string,
        data: { items: expect.arrayContaining([item(ada.id), item(grace.id)]) as unknown },
      },
      {
        type: 'notification.archived',
        timestamp: expect.any(String) as string,
        data: { items: [item(ada.id)] },
      },
    ]),
  );
  for (const { headers, body } of received) {
    expect(isSignedWebhook(headers, body, secret, nowMs)).toBe(true);
    expect(isSignedWebhook(headers, `${body} `, secret, nowMs)).toBe(false);
  }
});

it('reports once that an address bounced or complained', async () => {
  for (const [address, reason] of [
    ['nobody@example.com', 'complaint'],
    [ada.email.toUpperCase(), 'bounce'],
    [ada.email, 'bounce'],
    [grace.email, 'complaint'],
    [grace.email, 'bounce'],
  ])
    await call('/rest/v1/rpc/suppress_mail_address', { address, reason });
  await run();
  // Two requests are sent at the same time.
  const reported = events().toSorted((one, other) => one.type.localeCompare(other.type));
  expect(reported.map(({ type, data }) => [type, data.items])).toEqual([
    ['mail.bounced', [{ recipient_id: ada.id }]],
    ['mail.complained', [{ recipient_id: grace.id }]],
  ]);
});

it('retries a refused request with the same id and body, later each time, and ends after the eighth attempt', async () => {
  await sendTo(ada.id);
  await supabase().database.exec(`update notifications set status = 'read'`);
  status = 302;
  await run();
  await run(20_000);
  expect(received).toHaveLength(1);
  for (let attempt = 2; attempt <= 9; attempt += 1) await run(24 * 3_600_000);
  expect(received).toHaveLength(8);
  expect(new Set(received.map(({ headers, body }) => headers.get('webhook-id') + body)).size).toBe(1);
  expect(await supabase().database.query('select state, reason from private.webhooks')).toEqual([
    { state: 'dead', reason: 'The endpoint responded 302' },
  ]);
  status = 200;
  expect((await call('/rest/v1/rpc/resend_dead_letters', {})).body).toMatchObject({ webhooks: 1 });
  await run();
  expect(received).toHaveLength(9);
});

it('ends a request whose worker stopped at the eighth attempt', async () => {
  await sendTo(ada.id);
  await supabase().database.exec(
    `update notifications set status = 'read';
     update private.webhooks set state = 'sending', lease = id, lease_until = now(), attempts = 8`,
  );
  await run();
  expect(received).toEqual([]);
  expect(await supabase().database.query('select state from private.webhooks')).toEqual([{ state: 'dead' }]);
});

it.each([
  ['60', 60],
  [new Date(startMs + 60_000).toUTCString(), 60],
  ['99999999999', 12 * 3600],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 12 * 3600],
])('retries after Retry-After: %s', async (time, seconds) => {
  retryAfter = time;
  status = 503;
  await sendTo(ada.id);
  await supabase().database.exec(`update notifications set status = 'read'`);
  await run();
  const [row] = await supabase().database.query<{ due_at: Date }>('select due_at from private.webhooks');
  expect(row?.due_at.getTime()).toBe(startMs + seconds * 1000);
});

it('queues a change once while it waits, however often a person repeats it', async () => {
  await sendTo(ada.id);
  for (let time = 0; time < 5; time += 1)
    await supabase().database.exec(
      `update notifications set status = 'read'; update notifications set status = 'unread'`,
    );
  await run();
  expect(received).toHaveLength(1);
  await supabase().database.exec(`update notifications set status = 'read'`);
  await run();
  expect(received).toHaveLength(2);
});

it('acknowledges with the response of an endpoint, without characters that PostgreSQL cannot store', async () => {
  await sendTo(ada.id);
  await supabase().database.exec(
    `update notifications set status = 'read';
     update private.webhooks set state = 'sending', lease = id, lease_until = now() + '1 minute', attempts = 8`,
  );
  const [row] = await supabase().database.query<{ id: string }>('select id from private.webhooks');
  const { url: base, serviceRoleKey, fetch } = supabase();
  const env = { SUPABASE_URL: base, SUPABASE_SERVICE_ROLE_KEY: serviceRoleKey };
  const finish = createDatabaseCaller({ env, fetch, now: Date.now });
  const args = { webhook_id: row?.id, lease: row?.id, outcome: 'failed', reason: 'No\0 text, half \ud83d' };
  expect(await finish('finish_webhook', args, z.boolean())).toBe(true);
  expect(await supabase().database.query('select state, reason from private.webhooks')).toEqual([
    { state: 'dead', reason: 'No\ufffd text, half \ufffd' },
  ]);
});

it('sends each of two endpoints its request, signed with its secret', async () => {
  const other = (await call('/rest/v1/rpc/register_webhook', { url: `${url}/other` })).body as {
    secret: string;
  };
  await sendTo(ada.id);
  await supabase().database.exec(`update notifications set status = 'read'`);
  await run();
  expect(received).toHaveLength(2);
  for (const key of [secret, other.secret])
    expect(received.filter(({ headers, body }) => isSignedWebhook(headers, body, key, nowMs))).toHaveLength(
      1,
    );
});

it('sends nothing more to an endpoint that is gone until it is registered again', async () => {
  status = 410;
  await sendTo(ada.id, grace.id);
  await supabase().database.exec(`update notifications set status = 'read' where recipient_id = '${ada.id}'`);
  await run();
  status = 200;
  const read = () =>
    supabase().database.exec(
      `update notifications set status = 'unread'; update notifications set status = 'read'`,
    );
  await read();
  await run(3_600_000);
  expect(received).toHaveLength(1);
  expect((await call('/rest/v1/rpc/resend_dead_letters', {})).body).toMatchObject({ webhooks: 0 });
  const again = (await call('/rest/v1/rpc/register_webhook', { url, events: ['notification.read'] })).body;
  expect(again).toMatchObject({ secret });
  await read();
  await run();
  expect(received).toHaveLength(2);
});

describe('the queue of webhooks', () => {
  type Claim = { readonly webhooks: readonly { readonly id: string; readonly lease: string }[] };
  const claimOne = async () => {
    const [row] = await supabase().database.query<{ claim: Claim }>(
      `select claim_webhooks(1, called_at => '2041-01-01') as claim`,
    );
    return row?.claim.webhooks[0];
  };
  const finish = async (id: string | undefined, lease: string | undefined, outcome: string) => {
    const [row] = await supabase().database.query<{ changed: boolean }>(
      'select finish_webhook($1, $2, $3) as changed',
      [id, lease, outcome],
    );
    return row?.changed;
  };
  const states = async () =>
    (
      await supabase().database.query<{ state: string }>('select state from private.webhooks order by state')
    ).map(({ state }) => state);
  /** Queues two requests, which the timer does not send. */
  const readTwice = async () => {
    await sendTo(ada.id, grace.id);
    await supabase().database.exec(
      `update notifications set status = 'read' where recipient_id = '${ada.id}';
       update notifications set status = 'read' where recipient_id = '${grace.id}';
       update private.webhooks set due_at = '2040-01-01'`,
    );
  };

  it.each(['pending', 'retrying'])('ends a %s request to an endpoint that is gone', async (state) => {
    await readTwice();
    const claimed = await claimOne();
    await supabase().database.query(`update private.webhooks set state = $1 where state = 'pending'`, [
      state,
    ]);
    expect(await finish(claimed?.id, claimed?.lease, 'gone')).toBe(true);
    expect(await states()).toEqual(['dead', 'dead']);
  });

  it('tries a request whose rows are damaged again, and keeps no other from being claimed', async () => {
    await readTwice();
    await whileDamaged(
      supabase().database,
      'private.webhook_request(private.webhooks)',
      `exists (select from private.webhook_items i where i.webhook_id = webhook.id and i.recipient_id = '${grace.id}')`,
      async () => {
        const [row] = await supabase().database.query<{ claim: Claim }>(
          `select claim_webhooks(called_at => '2041-01-01') as claim`,
        );
        expect(row?.claim).toMatchObject({
          claimed: 2,
          webhooks: [{ body: expect.stringContaining(ada.id) }],
        });
      },
    );
    expect(await states()).toEqual(['retrying', 'sending']);
  });

  it('takes no acknowledgment with another lease', async () => {
    await readTwice();
    const claimed = await claimOne();
    expect(await finish(claimed?.id, claimed?.id, 'sent')).toBe(false);
    expect(await states()).toEqual(['pending', 'sending']);
  });

  it('names 100 changes in a request at most', async () => {
    const { database } = supabase();
    await database.query(
      `with m as (
         insert into private.messages (send_at, state, finished_at) select now(), 'delivered', now()
         from generate_series(1, 101) returning id
       ), n as (insert into notifications (recipient_id) select $1 from generate_series(1, 101) returning id)
       insert into private.message_deliveries (message_id, recipient_id, notification_id, outcome, created_at)
       select m.id, $1, n.id, 'delivered', now()
       from (select id, row_number() over () as place from m) m join (select id, row_number() over () as place from n) n using (place)`,
      [ada.id],
    );
    await database.exec(`update notifications set status = 'read'`);
    const items = await database.query(
      'select count(*)::int as count from private.webhook_items group by webhook_id order by 1',
    );
    expect(items).toEqual([{ count: 1 }, { count: 100 }]);
  });

  it.each(['sent', 'skipped', 'dead'])('deletes requests that are %s after seven days', async (state) => {
    await readTwice();
    const [row] = await supabase().database.query(
      `with finished as (
         update private.webhooks w set state = $1, finished_at = now() - days * interval '1 day'
         from (select id, 5 + row_number() over () as days from private.webhooks) o where o.id = w.id returning w.id
       )
       select count(*)::int as count from finished`,
      [state],
    );
    expect(row).toEqual({ count: 2 });
    const deleted = await supabase().database.query(
      `select private.delete_expired_webhooks(10, now() + interval '12 hours') as deleted`,
    );
    expect(deleted).toEqual([{ deleted: 1 }]);
  });
});

it('leaves a deleted account out of a request that waits', async () => {
  const { database } = supabase();
  const id = '00000000-0000-4000-8000-00000000beef';
  await database.query(
    `insert into auth.users (instance_id, id, aud, role, email, email_confirmed_at)
     values ('00000000-0000-0000-0000-000000000000', $1, 'authenticated', 'authenticated', 'leaver@example.com', now())`,
    [id],
  );
  await sendTo(ada.id, id);
  await database.exec(`update notifications set status = 'read'; delete from auth.users where id = '${id}'`);
  await run();
  expect(events().map(({ data }) => data.items)).toMatchObject([[{ recipient_id: ada.id }]]);
});

it('reports nothing about another change of a notification that is read', async () => {
  await sendTo(ada.id);
  await supabase().database.exec(`update notifications set status = 'read'`);
  await run();
  await supabase().database.exec(`update notifications set updated_at = now()`);
  expect(await supabase().database.query('select state from private.webhooks')).toEqual([{ state: 'sent' }]);
});

it('a project has ten endpoints, and no more', async () => {
  for (let number = 2; number <= 10; number += 1)
    expect((await call('/rest/v1/rpc/register_webhook', { url: `${url}?${number}` })).status).toBe(200);
  expect(await call('/rest/v1/rpc/register_webhook', { url: `${url}?11` })).toMatchObject({
    status: 409,
    body: { message: 'webhooks_limit_exceeded' },
  });
  expect((await call('/rest/v1/rpc/register_webhook', { url })).status).toBe(200);
});

it('is not queued where no endpoint gets the event', async () => {
  await call('/rest/v1/rpc/register_webhook', { url, events: ['mail.bounced'] });
  await sendTo(ada.id);
  await supabase().database.exec(`update notifications set status = 'read'`);
  expect(await supabase().database.query('select 1 from private.webhooks')).toEqual([]);
  expect((await call('/rest/v1/rpc/remove_webhook', { url })).body).toBe(true);
  expect((await call('/rest/v1/rpc/remove_webhook', { url })).body).toBe(false);
});

it.each([
  ['http://hooks.example.com/x'],
  ['https://127.0.0.1/x'],
  ['https://[::1]/x'],
  ['https://localhost/x'],
  ['https://10.0.0.1/x'],
  ['https://2130706433/x'],
  ['https://metadata.google.internal/x'],
  ['https://user:password@hooks.example.com/x'],
  ['https://hooks.example.com:8443/x'],
  ['https://hooks.example.com'],
  ['ftp://hooks.example.com/x'],
])('the address %s is refused', async (address) => {
  expect(await call('/rest/v1/rpc/register_webhook', { url: address })).toMatchObject({
    status: 400,
    body: { message: 'webhook_invalid' },
  });
});

it.each([
  ['unknown', ['notification.opened']],
  ['missing', []],
  ['no list', null],
])('an address is refused whose events are %s', async (_, events) => {
  expect(await call('/rest/v1/rpc/register_webhook', { url: `${url}/events`, events })).toMatchObject({
    status: 400,
    body: { message: 'webhook_invalid' },
  });
});

it.each([
  [-301_000, false],
  [-299_000, true],
  [299_000, true],
  [301_000, false],
])('a signature %i ms off the clock is accepted: %s', (offsetMs, isAccepted) => {
  const headers = new Headers(signWebhook('one', '{}', secret, nowMs + offsetMs));
  expect(isSignedWebhook(headers, '{}', secret, nowMs)).toBe(isAccepted);
  expect(isSignedWebhook(headers, '{} ', secret, nowMs)).toBe(false);
});

it('a signature is accepted beside that of another secret, as during a rotation', () => {
  const signatureOf = (key: string) => signWebhook('one', '{}', key, nowMs)['webhook-signature'];
  const [own, other] = [signatureOf(secret), signatureOf('whsec_b3RoZXI=')];
  const isAccepted = (signatures: string) => {
    const headers = { ...signWebhook('one', '{}', secret, nowMs), 'webhook-signature': signatures };
    return isSignedWebhook(new Headers(headers), '{}', secret, nowMs);
  };
  expect([`${own} ${other}`, `${other} ${own}`, `${other}`].map(isAccepted)).toEqual([true, true, false]);
});

describe('the transport', () => {
  const send = async (target: string, addresses: readonly string[], failure?: string) => {
    const requests: (RequestInit | undefined)[] = [];
    const transport = createWebhookTransport({
      runtime: {
        env: {},
        now: Date.now,
        fetch: (_, init) => {
          requests.push(init);
          if (failure !== undefined) return Promise.reject(new TypeError(failure));
          return Promise.resolve(new Response(null, { status: 204 }));
        },
      },
      lookup: () => Promise.resolve(addresses.map((address) => ({ address }))),
    });
    const result = await transport.send({ id: 'msg_1', url: target, secret: 'whsec_AAAA', body: '{}' });
    return { result, requests };
  };

  it.each([
    [['10.1.2.3']],
    [['203.0.114.1', '169.254.169.254']],
    [['fd00::1']],
    [['::ffff:127.0.0.1']],
    [['::1']],
    [['2002:7f00:1::']],
    [[]],
  ])('sends nothing to a name with the addresses %j', async (addresses) => {
    const { result, requests } = await send('https://hooks.example.com/x', addresses);
    expect([result.outcome, requests]).toEqual(['failed', []]);
  });

  it.each([
    ['http://hooks.example.com/x'],
    ['https://10.0.0.1/x'],
    ['https://[fd00::1]/x'],
    ['file:///etc/passwd'],
  ])('sends nothing to %s', async (target) => {
    expect((await send(target, ['8.8.8.8'])).requests).toEqual([]);
  });

  it('names the host that it cannot reach, and neither path nor query, which may be secrets', async () => {
    const target = 'https://hooks.example.com/T0/secret?token=secret';
    const failure = `error sending request for url (${target}): client error (Connect)`;
    expect((await send(target, ['8.8.8.8'], failure)).result).toMatchObject({
      reason: 'error sending request for url (https://hooks.example.com): client error (Connect)',
    });
  });

  it('sends to public addresses, and follows no redirect', async () => {
    const { result, requests } = await send('https://hooks.example.com/x', ['8.8.8.8', '2606:4700::1111']);
    expect(result).toEqual({ outcome: 'sent' });
    expect(requests).toMatchObject([{ method: 'POST', redirect: 'manual' }]);
  });

  it.each([
    ['8.8.8.8', true],
    ['172.32.0.1', true],
    ['172.31.255.255', false],
    ['100.64.0.1', false],
    ['255.255.255.255', false],
    ['2a00::1', true],
    ['fe80::1', false],
    ['localhost', false],
  ])('classifies %s as public: %s', (address, isPublic) => {
    expect(isPublicAddress(address)).toBe(isPublic);
  });
});
