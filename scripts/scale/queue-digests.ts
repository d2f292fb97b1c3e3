import type { ScaleDatabase } from './scale-database.ts';

export const dueAt = '2027-01-15T08:00:00Z';
const itemsPerDigest = 3;

const userId = (number: string) => `('00000000-0000-4000-9000-' || lpad((${number})::text, 12, '0'))::uuid`;
const mailId = (number: string) => `('00000000-0000-4000-a000-' || lpad((${number})::text, 12, '0'))::uuid`;

/** Queues a digest of three notifications for each of `mails` users, in an empty queue. */
export async function queueDigests(database: ScaleDatabase, mails: number): Promise<void> {
  await database.exec(`
    set session_replication_role = replica;
    truncate private.notification_mails, private.notification_mail_items;
    delete from public.notifications where recipient_id >= ${userId('0')};
    insert into auth.users (instance_id, id, email, email_confirmed_at, aud, role, created_at)
      select '00000000-0000-0000-0000-000000000000', ${userId('n')}, 'digest' || n || '@example.com', now(),
        'authenticated', 'authenticated', now()
      from generate_series(1, ${mails}) n on conflict do nothing;
    insert into public.notification_preferences (user_id)
      select ${userId('n')} from generate_series(1, ${mails}) n on conflict do nothing;
    insert into private.notification_mails (id, recipient_id, topic, due_at, item_count)
      select ${mailId('n')}, ${userId('n')}, 'digest', '${dueAt}', ${itemsPerDigest} from generate_series(1, ${mails}) n;
    with created as (
      insert into public.notifications (id, recipient_id, kind, content, created_at)
      select gen_random_uuid(), ${userId('1 + n % ' + String(mails))}, kind, jsonb_build_object(
          'type', kind, 'metadata', jsonb_build_object('actor_name', 'Grace Hopper'),
          'entity_type', 'document', 'entity_id', 'notes',
          'data', jsonb_build_object('entity_name', 'Compiler notes', 'text', 'Please read the chapter about linking.')
        )::text, timestamptz '${dueAt}' - interval '5 hours'
      from generate_series(0, ${mails * itemsPerDigest - 1}) n
      cross join lateral (select (array['mention', 'comment', 'invite'])[1 + n / ${mails}] as kind) k
      returning id, recipient_id
    )
    insert into private.notification_mail_items (notification_id, mail_id)
      select c.id, m.id from created c join private.notification_mails m on m.recipient_id = c.recipient_id;
    set session_replication_role = origin;
    analyze private.notification_mails, private.notification_mail_items, public.notifications, auth.users,
      public.notification_preferences;
  `);
}
