import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { useLocalSupabase } from '../support/local-supabase.ts';
import { createDatabaseCaller } from '../../supabase/functions/_shared/runtime/database-functions.ts';
import { UnexpectedAnswerError } from '../../supabase/functions/_shared/runtime/parse.ts';
import { claimedMailsSchema } from '../../supabase/functions/_shared/mail/queued-mail.ts';

const secret = Buffer.from('the secret of the webhook');
const supabase = useLocalSupabase({
  functionEnv: { MAIL_WEBHOOK_SECRET: `whsec_${secret.toString('base64')}` },
  functionSettings: { unsubscribe: { verifyJwt: false }, 'mail-events': { verifyJwt: false } },
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
    headers: { authorization: `Bearer ${serviceRoleKey}`, ...headers },
  });
  return { status: response.status, body: (await response.json()) as unknown, headers: response.headers };
};

const signed = (body: string) => {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', secret).update(`msg_1.${timestamp}.${body}`).digest('base64');
  return { 'svix-id': 'msg_1', 'svix-timestamp': timestamp, 'svix-signature': `v1,${signature}` };
};

it.each(['notification-mails', 'notification-push', 'mail-events', 'unsubscribe'])(
  'the function %s answers 405 to a method that it does not have',
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
])('the function %s answers 400 to the body %s', async (name, body) => {
  expect(await call(name, 'POST', body)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
});

it.each(['[]', '{"type":"email.bounced"}', '{"type":"email.complained","data":{"to":"ada@example.com"}}'])(
  'the function mail-events answers 400 to the signed event %s',
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
});

it('a function refuses an answer of the database that has another shape', async () => {
  const callDatabase = createDatabaseCaller({
    env: { SUPABASE_URL: 'http://localhost', SUPABASE_SERVICE_ROLE_KEY: 'key' },
    fetch: () => Promise.resolve(Response.json({ claimed: 1, mails: [{ id: 7 }] })),
    now: () => 0,
  });
  const claim = callDatabase('claim_notification_mails', {}, claimedMailsSchema);
  await expect(claim).rejects.toBeInstanceOf(UnexpectedAnswerError);
  await expect(claim).rejects.toThrow('claim_notification_mails: ');
});
