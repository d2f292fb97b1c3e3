import { beforeEach, expect, it } from 'vitest';
import { ada, grace, requestApi, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();

interface Queue {
  readonly waiting: number;
  readonly oldest_seconds: number | null;
  readonly dead?: number;
  readonly retrying?: number;
  readonly failures?: Readonly<Record<string, number>>;
}
const ask = (apiKey: string) =>
  requestApi(supabase(), '/rest/v1/rpc/queue_health', { method: 'POST', apiKey, body: {} });
const readHealth = async () =>
  (await (await ask(supabase().secretKey)).json()) as Readonly<Record<string, Queue>>;

beforeEach(() =>
  supabase().database.exec('delete from private.notification_mails; delete from private.messages'),
);

it('empty queues have no age, and no job is known without pg_cron', async () => {
  const empty = { waiting: 0, oldest_seconds: null };
  expect(await readHealth()).toEqual({
    outgoing: { ...empty, retrying: 0, dead: 0 },
    messages: empty,
    announcements: empty,
    mails: { ...empty, sending: 0, retrying: 0, dead: 0, failures: {} },
    push: { ...empty, sending: 0, retrying: 0, dead: 0, failures: {} },
    jobs: null,
  });
});

it('what waits is counted with the age of the oldest, and failures of a day by their reason', async () => {
  const { database } = supabase();
  await database.exec(`
    insert into private.notification_mails (recipient_id, topic, state, due_at, finished_at, reason) values
      ('${ada.id}', 'digest', 'pending', now() - interval '90 seconds', null, null),
      ('${grace.id}', 'digest', 'pending', now() + interval '1 hour', null, null),
      ('${grace.id}', 'kind:mention', 'retrying', now() - interval '10 seconds', null, 'ECONNREFUSED'),
      ('${ada.id}', 'kind:comment', 'dead', now(), now() - interval '1 hour', 'mailbox full'),
      ('${ada.id}', 'kind:edit', 'dead', now(), now() - interval '3 days', 'long ago');
    alter table private.message_ranges disable trigger announce_outgoing;
    insert into private.messages (id, content, recipient_count, send_at) values
      ('${ada.id}', '{}', 1, now() - interval '30 seconds'), ('${grace.id}', '{}', 1, now() + interval '1 hour');
    insert into private.message_ranges (message_id, lane, due_at) select id, 1, send_at from private.messages;
    alter table private.message_ranges enable trigger announce_outgoing`);
  const { mails, messages } = await readHealth();
  expect(mails).toMatchObject({
    waiting: 2,
    retrying: 1,
    dead: 2,
    failures: { ECONNREFUSED: 1, 'mailbox full': 1 },
  });
  expect(mails?.failures).not.toHaveProperty('long ago');
  expect(mails?.oldest_seconds).toBeGreaterThanOrEqual(90);
  expect(messages?.waiting).toBe(1);
  expect(messages?.oldest_seconds).toBeGreaterThanOrEqual(30);
});

it('the health of the queues is told to the service alone', async () => {
  expect((await ask(supabase().publishableKey)).status).toBe(401);
});
