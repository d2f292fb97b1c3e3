import { expect, it } from 'vitest';
import { ada, requestApi, useLocalSupabase } from '../support/local-supabase.ts';

const smtpPort = 6211;
const supabase = useLocalSupabase({
  functions: {},
  functionSettings: { 'notification-mails': { verifyJwt: false } },
  smtpPort,
  functionEnv: {
    APP_URL: 'http://localhost:5173',
    MAIL_FROM: 'Tidings <notifications@inbox.test>',
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: String(smtpPort),
  },
});

it('the function notification-mails runs unchanged in Deno and mails what is due', async () => {
  await supabase().database.query(
    `insert into notifications (recipient_id, content) values ($1, '{"type":"mention","data":{"entity_name":"Notes"}}')`,
    [ada.id],
  );
  const response = await requestApi(supabase(), '/functions/v1/notification-mails', {
    method: 'POST',
    apiKey: supabase().secretKey,
    body: { due_before: new Date(Date.now() + 2 * 86_400_000).toISOString() },
  });
  expect(await response.json()).toMatchObject({ failed: 0, skipped: 0 });
  const { subject } = await supabase().mailbox.waitFor({ to: ada.email });
  expect(subject).toContain('notifications');
});
