/**
 * `npx tsx test/bench/notification-mails.ts [count]`: mails per second that one worker claims, renders and hands to a
 * local SMTP server, on the embedded Supabase. Default 500 digests of three notifications.
 */
import { createLocalSupabase } from 'local-supabase';
import { projectFunctions } from '../../scripts/project-functions.ts';

const count = Number(process.argv[2] ?? '500');
const adaId = 'ada00000-0000-4000-8000-000000000001';
const supabase = await createLocalSupabase({ config: false, functions: projectFunctions });
try {
  await supabase.database.query('delete from private.notification_mails');
  await supabase.database.query(
    `insert into private.notification_mails (recipient_id, topic, due_at, state)
     select $1, 'digest', now(), 'retrying' from generate_series(1, $2)`,
    [adaId, count],
  );
  await supabase.database.query(
    `with created as (
       insert into notifications (recipient_id, content)
       select $1, '{"type":"system","data":{"text":"Please look"}}' from generate_series(1, $2 * 3) returning id
     )
     insert into private.notification_mail_items (notification_id, mail_id)
     select c.id, m.id
     from (select id, row_number() over () as position from created) c
     join (select id, row_number() over () as position from private.notification_mails) m
       on m.position = (c.position + 2) / 3`,
    [adaId, count],
  );
  await supabase.database.query(`update notifications set content = replace(content, 'system', 'mention')`);
  const startedMs = performance.now();
  const { sent } = await supabase.sendDueMails();
  const seconds = (performance.now() - startedMs) / 1000;
  console.log(`${sent} mails in ${seconds.toFixed(1)} s: ${(sent / seconds).toFixed(0)} per second`);
} finally {
  await supabase.close();
}
