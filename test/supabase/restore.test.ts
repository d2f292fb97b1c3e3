import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { ada, grace, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();
const page = await readFile(new URL('../../docs/inbox/operations.md', import.meta.url), 'utf8');
const [, runbook = ''] = /\*\*A restore, without[^`]*```sql\n(.*?)```/s.exec(page) ?? [];
const waiting = `(values ('pending', null::uuid, null::timestamptz), ('retrying', null, null), ('sending', gen_random_uuid(), now()))
  w (state, lease, lease_until)`;

it('the runbook for a restore removes what was queued before, and keeps jobs and scheduled messages', async () => {
  const { database } = supabase();
  // One call is one transaction: no job of the embedded service runs between the backup and the runbook.
  await database.exec(`
    create extension pg_cron;
    select cron.schedule('deliver', '1 second', 'select 1');
    insert into private.notification_mails (recipient_id, topic, due_at, state, lease, lease_until)
      select '${ada.id}', 'topic:' || state, now(), state, lease, lease_until from ${waiting};
    insert into auth.sessions (id, user_id) values ('${ada.id}', '${ada.id}');
    insert into public.push_subscriptions (user_id, session_id, endpoint, p256dh, auth)
      values ('${ada.id}', '${ada.id}', 'https://push.example/x', repeat('A', 87), repeat('A', 22));
    insert into private.push_messages (subscription_id, due_at, state, lease, lease_until)
      select s.id, now(), w.* from public.push_subscriptions s, ${waiting};
    select public.register_webhook('https://hooks.example.com/x');
    insert into private.webhooks (endpoint_id, event, state, lease, lease_until)
      select e.id, 'notification.read', w.* from private.webhook_endpoints e, ${waiting};
    select public.send_notifications('[
      {"everyone": true, "text": "x", "idempotency_key": "due"},
      {"everyone": true, "text": "x", "idempotency_key": "later", "send_at": "${new Date(Date.now() + 86_400_000).toISOString()}"}
    ]');
    insert into private.outgoing_notifications (sender_id, recipient_id, content, created_at)
      values ('${grace.id}', '${ada.id}', '{}', now());
    ${runbook}`);
  const queues = ['notification_mails', 'push_messages', 'webhooks'];
  const states = queues.map(
    (queue) =>
      `select '${queue}' as queue, state, reason, count(*) >= 3 as has_all from private.${queue} group by 2, 3`,
  );
  expect(await database.query(`${states.join(' union all ')} order by queue`)).toEqual(
    queues.map((queue) => ({ queue, state: 'skipped', reason: 'restored', has_all: true })),
  );
  expect(
    await database.query('select idempotency_key, state from private.messages order by idempotency_key'),
  ).toEqual([
    { idempotency_key: 'due', state: 'canceled' },
    { idempotency_key: 'later', state: 'queued' },
  ]);
  expect(await database.query('select 1 from private.outgoing_notifications')).toEqual([]);
  expect(await database.query('select active from cron.job')).toEqual([{ active: true }]);
});
